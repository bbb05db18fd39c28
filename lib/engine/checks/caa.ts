import type { CaaRecord } from "../../core/dns.ts";

/**
 * Whether CAA records let a CA issue. `restricted`: only for certain accounts or validation methods (RFC 8657), which
 * only the service can compare.
 */
export type CaaVerdict = "allowed" | "restricted" | "blocked";

/** What a certificate covers: exactly a name, or all names one label below it. */
export type Coverage = "name" | "wildcard";

/** The name of each CA in CAA records (docs/service.md#caa). */
const ISSUERS: Readonly<Record<string, string>> = {
  google: "pki.goog",
  lets_encrypt: "letsencrypt.org",
  ssl_com: "ssl.com",
  sectigo: "sectigo.com",
  digicert: "digicert.com",
};

/** The service's own choice: google, and lets_encrypt only if CAA blocks google. */
const DEFAULT_CHOICE: readonly string[] = ["google", "lets_encrypt"];

/** Tags that a CA may ignore, because they do not concern issuing (RFC 8659, and later registrations). */
const KNOWN_TAGS = new Set(["issue", "issuewild", "iodef", "contactemail", "contactphone", "issuemail", "issuevmc"]);

const CRITICAL = 128;

/** Best first. */
const VERDICTS = ["allowed", "restricted", "blocked"] as const satisfies readonly CaaVerdict[];

/** The CAs that a choice allows, in the order in which they are tried; empty for an unknown choice. */
export function candidatesOf(choice: string): readonly string[] {
  if (choice === "default") return DEFAULT_CHOICE;
  return ISSUERS[choice] === undefined ? [] : [choice];
}

/** The name of a CA in CAA records, such as `pki.goog`. */
export function issuerOf(authority: string): string {
  return ISSUERS[authority] ?? authority;
}

/** Whether the relevant CAA records let a chosen CA issue for everything that the certificate covers. */
export function verdictOn(choice: string, records: readonly CaaRecord[], covers: readonly Coverage[]): CaaVerdict {
  const verdicts = candidatesOf(choice).map((authority) => {
    const each = covers.map((coverage) => rank(verdictOf(records, issuerOf(authority), coverage)));
    return Math.max(0, ...each);
  });
  return VERDICTS[verdicts.length === 0 ? 0 : Math.min(...verdicts)] ?? "allowed";
}

/** A CAA property that says who may issue. */
export type IssueTag = "issue" | "issuewild";

/**
 * The properties without a value for an issuer, so that it may not issue for everything that the certificate covers, or
 * only perhaps. A wildcard needs `issuewild` only if such a record exists already.
 */
export function lackingTags(
  records: readonly CaaRecord[],
  issuer: string,
  covers: readonly Coverage[],
): readonly IssueTag[] {
  const hasWild = valuesOf(records, "issuewild").length > 0;
  const lacking = covers
    .filter((coverage) => verdictOf(records.filter(isUnderstood), issuer, coverage) !== "allowed")
    .map((coverage) => (coverage === "wildcard" && hasWild ? "issuewild" : "issue"));
  return [...new Set(lacking)];
}

/** Whether a CA may ignore the record or act on it; any other record blocks every CA. */
export function isUnderstood({ flags, tag }: CaaRecord): boolean {
  return (flags & CRITICAL) === 0 || KNOWN_TAGS.has(tag);
}

/**
 * RFC 8659, section 4: `issuewild` decides about a wildcard if there is one, else `issue`; without such records every
 * CA may issue.
 */
function verdictOf(records: readonly CaaRecord[], issuer: string, coverage: Coverage): CaaVerdict {
  if (!records.every(isUnderstood)) return "blocked";
  const wild = coverage === "wildcard" ? valuesOf(records, "issuewild") : [];
  const relevant = wild.length > 0 ? wild : valuesOf(records, "issue");
  if (relevant.length === 0) return "allowed";
  const naming = relevant.filter((value) => issuerIn(value) === issuer);
  if (naming.length === 0) return "blocked";
  return naming.every(isRestricted) ? "restricted" : "allowed";
}

/** The values of the records with a tag. */
export function valuesOf(records: readonly CaaRecord[], tag: IssueTag): readonly string[] {
  return records.filter((record) => record.tag === tag).map(({ value }) => value);
}

/** The CA that a value names; empty if it names none (`;`), which allows no CA. */
export function issuerIn(value: string): string {
  return (value.split(";")[0] ?? "").trim().toLowerCase();
}

function isRestricted(value: string): boolean {
  return /;.*\b(accounturi|validationmethods)\s*=/is.test(value);
}

function rank(verdict: CaaVerdict): number {
  return VERDICTS.indexOf(verdict);
}
