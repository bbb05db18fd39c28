import { type JsonObject, jsonOf } from "./json.ts";

/** What the outside DNS answers for one name. */
export interface DnsAnswer {
  readonly cname?: string;
  readonly a?: readonly string[];
  readonly txt?: readonly string[];
  /** CAA records as zone-file text, such as `0 issue "letsencrypt.org"`. */
  readonly caa?: readonly string[];
  /** Looking up the name's CAA fails (docs/service.md#caa). */
  readonly caa_servfail?: boolean;
  /** The name resolves to the service already, so tokens do not prove ownership (docs/service.md#hostname-lifecycle). */
  readonly on_service?: boolean;
  /** The name is a zone on the service whose owner holds it; `subdomains` also blocks subdomains. */
  readonly held?: "zone" | "subdomains";
  /** The name is a zone of its own on the service, of another owner. */
  readonly zone?: boolean;
  /** The name is a zone of the service's whose name servers are elsewhere: the service cannot set records in it. */
  readonly elsewhere?: boolean;
}

/** Who sends requests to a name. */
export interface Traffic {
  /** Clients that know only the legacy root are among them (docs/service.md#notices). */
  readonly impacted_clients: boolean;
}

/** The outside world as the service sees it: DNS and HTTP, set by the seed and the admin API, never by the service's API. */
export interface World {
  readonly dns: Map<string, DnsAnswer>;
  /** Bodies by URL. */
  readonly http: Map<string, string>;
  /** Who sends requests, by name. */
  readonly traffic: Map<string, Traffic>;
}

/** How many CNAMEs are followed before the service gives up, so that a loop ends. */
const CNAME_LIMIT = 8;

/** An empty world. */
export function createWorld(): World {
  return { dns: new Map(), http: new Map(), traffic: new Map() };
}

/** The world as JSON, for snapshots. */
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
