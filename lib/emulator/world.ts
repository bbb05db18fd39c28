import { type JsonObject, jsonOf } from "./json.ts";

/** What the outside DNS answers for one name. */
export interface DnsAnswer {
  readonly cname?: string;
  readonly a?: readonly string[];
  readonly txt?: readonly string[];
  /** CAA records as in a zone file, such as `0 issue "letsencrypt.org"`. */
  readonly caa?: readonly string[];
  /** Looking up the CAA records of the name fails (docs/service.md#caa). */
  readonly caa_servfail?: boolean;
  /** The service already serves the name, so tokens do not prove ownership (docs/service.md#hostname-lifecycle). */
  readonly on_service?: boolean;
  /** The name is another owner's zone with a hold; `subdomains` also blocks names below it. */
  readonly held?: "zone" | "subdomains";
  /** The name is another owner's zone on the service. */
  readonly zone?: boolean;
  /** The name is a zone on the service whose name servers are elsewhere, so the service cannot set records in it. */
  readonly elsewhere?: boolean;
}

/** Who sends requests to a name. */
export interface Traffic {
  /** Whether some of them know only the legacy root (docs/service.md#notices). */
  readonly impacted_clients: boolean;
}

/** The outside world as the service sees it. Only the seed and the admin API can change it, never the service's API. */
export interface World {
  readonly dns: Map<string, DnsAnswer>;
  /** What web servers answer, by URL. */
  readonly http: Map<string, string>;
  /** Who sends requests, by name. */
  readonly traffic: Map<string, Traffic>;
}

/** How many CNAMEs to follow before giving up, so that a loop ends. */
const CNAME_LIMIT = 8;

/** An empty world. */
export function createWorld(): World {
  return { dns: new Map(), http: new Map(), traffic: new Map() };
}

/** The world as the admin API shows it. */
export function worldJson(world: World): JsonObject {
  // Object.fromEntries, because an assignment to a name such as __proto__ would be lost.
  const dns = [...world.dns].map(([name, answer]) => [name, jsonOf(answer)]);
  const traffic = [...world.traffic].map(([name, { impacted_clients }]) => [name, { impacted_clients }]);
  return { dns: Object.fromEntries(dns), http: Object.fromEntries(world.http), traffic: Object.fromEntries(traffic) };
}

/** Whether the name's CNAME chain ends at the zone or below it, or at one of the addresses that an apex may point at. */
export function pointsAt(world: World, name: string, zoneName: string, addresses: readonly string[]): boolean {
  let current = name;
  for (let hop = 0; hop < CNAME_LIMIT; hop++) {
    const answer = world.dns.get(current);
    const target = answer?.cname?.toLowerCase().replace(/\.$/, "");
    if (target === undefined) return answer?.a?.some((address) => addresses.includes(address)) === true;
    if (isUnder(target, zoneName)) return true;
    current = target;
  }
  return false;
}

/** Whether the name is the domain or lies below it. */
export function isUnder(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}

/** The name and its parents, nearest first, without a leading wildcard label. */
export function ancestors(name: string): string[] {
  const labels = name.replace(/^\*\./, "").split(".");
  return labels.map((_, index) => labels.slice(index).join("."));
}

/** The CAA value that lets each CA issue (docs/service.md#caa). */
const VALUES: ReadonlyMap<string, string> = new Map([
  ["google", "pki.goog"],
  ["lets_encrypt", "letsencrypt.org"],
  ["ssl_com", "ssl.com"],
  ["digicert", "digicert.com"],
]);

/** Whether the CA issues for such names at all: Google does not for punycode (docs/service.md#certificate-authorities). */
export function canIssue(authority: string, hosts: readonly string[]): boolean {
  return authority !== "google" || !hosts.some((host) => /(^|\.)xn--/.test(host));
}

/** The text of a refusal by `canIssue`. Its code is not published. */
export const PUNYCODE_TEXT = "Punycode domains are not yet supported by Google Trust Services";

/** Looks up the CAA records of one name as in a zone file, such as `0 issue "pki.goog"`; undefined or empty if it has none. */
export type CaaLookup = (name: string) => readonly string[] | undefined;

/** Looks up CAA records in the outside world. */
export function caaOf(world: World): CaaLookup {
  return (name) => world.dns.get(name)?.caa;
}

/** The first of the CAs that may issue for all hosts, or why none may (docs/service.md#caa). */
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
 * Whether CAA records let the CA issue for the host, which may be a wildcard. The nearest name with CAA records decides. For a
 * wildcard `issuewild` counts, or `issue` if there is no `issuewild` (RFC 8659).
 */
function mayIssue(lookup: CaaLookup, host: string, authority: string): boolean {
  if (!canIssue(authority, [host])) return false;
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
