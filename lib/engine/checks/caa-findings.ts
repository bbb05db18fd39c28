import { counted, listed } from "../../core/words.ts";
import type { CaaRecord } from "../../core/dns.ts";
import { type Diagnostic, warning } from "../../core/diagnostic.ts";
import type { DiagnosticCode } from "../../core/diagnostic-code.ts";
import { type CaaVerdict, candidatesOf, issuerIn, issuerOf, valuesOf, verdictOn } from "./caa.ts";
import type { Evidence } from "./evidence.ts";
import { bounded, NAMED } from "./names.ts";

/** Hostnames whose chosen CA the same records block. */
interface Group {
  readonly verdict: Exclude<CaaVerdict, "allowed">;
  readonly choice: string;
  readonly at: string;
  readonly settableAt: string;
  readonly records: readonly CaaRecord[];
  readonly hostnames: string[];
  readonly addresses: string[];
}

/** How many records a finding lists. */
const RECORDS_SHOWN = 5;
/** Where to cut a value in a finding. */
const VALUE_LIMIT = 80;

/** CAA records that block the chosen CA, or may: one finding for each name that has such records. */
export function caaFindings(evidence: readonly Evidence[]): readonly Diagnostic[] {
  const groups = groupsOf(evidence);
  const blocking = groups.filter(({ verdict }) => verdict === "blocked");
  const restricting = groups.filter(({ verdict }) => verdict === "restricted");
  return [
    ...bounded(blocking, blocked, (all) => summary("caa-blocks-ca", "block the chosen CA", all)),
    ...bounded(restricting, restricted, (all) => summary("caa-restricts-ca", "may block the CA", all)),
  ];
}

function groupsOf(evidence: readonly Evidence[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const { checked, caa } of evidence) {
    const { choice, covers, hostname, address } = checked;
    if (caa?.status !== "found" || choice === undefined) continue;
    const verdict = verdictOn(choice, caa.records, covers);
    if (verdict === "allowed") continue;
    const key = `${verdict} ${choice} ${caa.at} ${caa.settableAt}`;
    const group = groups.get(key) ?? {
      verdict,
      choice,
      at: caa.at,
      settableAt: caa.settableAt,
      records: caa.records,
      hostnames: [],
      addresses: [],
    };
    group.hostnames.push(hostname);
    group.addresses.push(address);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function blocked(group: Group): Diagnostic {
  const { at, records, hostnames } = group;
  return warning({
    code: "caa-blocks-ca",
    message: `CAA records of ${at} (${shown(records)}) block ${authorities(group)} for ${listed(hostnames, NAMED)}`,
    remedy: remedyOf(group),
    ...addressOf(group),
  });
}

function restricted(group: Group): Diagnostic {
  const { at, records, hostnames } = group;
  return warning({
    code: "caa-restricts-ca",
    message: `CAA records of ${at} (${shown(records)}) let ${authorities(group)} issue for ${listed(hostnames, NAMED)} only for some accounts or methods; whether Cloudflare's is among them is unknown`,
    remedy: remedyOf(group),
    ...addressOf(group),
  });
}

/** The two records that the service expects (docs/service.md#caa): flag 0, for the CA that is tried first. */
function remedyOf({ at, settableAt, choice, records }: Group): string {
  const issuer = issuerOf(candidatesOf(choice)[0] ?? choice);
  const where = settableAt === at ? "add beside them" : `only its registry can change ${at}: set below it`;
  const add = `${where}: ${settableAt}. CAA 0 issue "${issuer}" and ${settableAt}. CAA 0 issuewild "${issuer}"`;
  if (settableAt !== at) return add;
  const others = [...new Set(valuesOf(records, "issue").map(issuerIn))].filter(
    (name) => name !== "" && name !== issuer,
  );
  if (others.length === 0 || valuesOf(records, "issuewild").length > 0) return add;
  return `${add} (the first issuewild there: ${listed(others, NAMED)} then needs one as well to issue for wildcards)`;
}

function authorities({ choice }: Group): string {
  const names = candidatesOf(choice);
  return choice === "default" ? `${names.join(" and ")}, between which default chooses,` : names.join("");
}

function shown(records: readonly CaaRecord[]): string {
  const texts = records.map(({ flags, tag, value }) => {
    return `${flags} ${tag} ${JSON.stringify(value.length > VALUE_LIMIT ? `${value.slice(0, VALUE_LIMIT)}…` : value)}`;
  });
  return listed(texts, RECORDS_SHOWN);
}

function addressOf({ addresses }: Group): { address?: string } {
  const [address] = addresses;
  return address !== undefined && addresses.length === 1 ? { address } : {};
}

function summary(code: DiagnosticCode, what: string, groups: readonly Group[]): Diagnostic {
  const hostnames = new Set(groups.flatMap((group) => group.hostnames));
  return warning({
    code,
    message: `CAA records of ${counted(groups.length, "name")} ${what} for ${counted(hostnames.size, "custom hostname")}`,
    remedy: "the list follows, with the records to set",
  });
}
