import { ancestors, type World } from "./world.ts";

/** The CAA value that lets each CA issue (docs/service.md#caa). */
const VALUES: ReadonlyMap<string, string> = new Map([
  ["google", "pki.goog"],
  ["lets_encrypt", "letsencrypt.org"],
  ["ssl_com", "ssl.com"],
  ["digicert", "digicert.com"],
]);

/** The CAA records of one name as zone-file text, such as `0 issue "pki.goog"`; undefined or none when it has none. */
export type CaaLookup = (name: string) => readonly string[] | undefined;

/** CAA as the outside world answers it. */
export function caaOf(world: World): CaaLookup {
  return (name) => world.dns.get(name)?.caa;
}

/** The first of the given CAs that may issue, or why none may (docs/service.md#caa). */
export function issuerBy(
  world: World,
  lookup: CaaLookup,
  hosts: readonly string[],
  authorities: readonly string[],
): { readonly authority: string } | { readonly refused: string } {
  const unanswered = hosts.find((host) => ancestors(host).some((name) => world.dns.get(name)?.caa_servfail === true));
  if (unanswered !== undefined) return { refused: `SERVFAIL looking up CAA for ${unanswered}` };
  const blocked = (authority: string): string | undefined => hosts.find((host) => !mayIssue(lookup, host, authority));
  const authority = authorities.find((candidate) => blocked(candidate) === undefined);
  return authority === undefined ? { refused: `caa_error: ${blocked(authorities[0] ?? "") ?? ""}` } : { authority };
}

/**
 * Whether CAA records let the CA issue for the name, which may begin with a wildcard label. The nearest name that has any
 * CAA record decides; a wildcard goes by `issuewild` where there is one, else by `issue` (RFC 8659).
 */
function mayIssue(lookup: CaaLookup, host: string, authority: string): boolean {
  const records = nearestRecords(lookup, host);
  const plain = values(records, "issue");
  if (!host.startsWith("*.")) return allows(plain, authority);
  const wild = values(records, "issuewild");
  return allows(wild.length > 0 ? wild : plain, authority);
}

function nearestRecords(lookup: CaaLookup, host: string): readonly string[] {
  for (const name of ancestors(host)) {
    const records = lookup(name);
    if (records !== undefined && records.length > 0) return records;
  }
  return [];
}

function values(records: readonly string[], tag: "issue" | "issuewild"): string[] {
  const found: string[] = [];
  for (const record of records) {
    const match = /^\s*\d+\s+(\w+)\s+"?([^";]*)/.exec(record);
    if (match?.[1]?.toLowerCase() === tag) found.push((match[2] ?? "").trim().toLowerCase());
  }
  return found;
}

function allows(listed: readonly string[], authority: string): boolean {
  return listed.length === 0 || listed.includes(VALUES.get(authority) ?? authority);
}
