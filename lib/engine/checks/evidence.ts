import type { CaaRecord, Dns, DnsFault } from "../../core/dns.ts";
import type { CheckedHostname } from "./hostnames.ts";
import { climb, isUnder } from "./names.ts";

/** A DNS query without an answer, and the queried name. */
export interface Unchecked {
  readonly status: "unchecked";
  readonly name: string;
  readonly fault: DnsFault;
}

/** Where a hostname leads. `unclear`: it has no CNAME, but addresses of the target, like apex proxying. */
export type Pointing =
  | { readonly status: "reaches" | "unclear" }
  | { readonly status: "elsewhere"; readonly found: "nothing" | "addresses" }
  | { readonly status: "elsewhere"; readonly found: "alias"; readonly alias: string }
  | Unchecked;

/**
 * The CAA records that count for a hostname: those of the nearest name that has any. `at` is the name that has them,
 * `settableAt` the name where the owner can set others that count instead.
 */
export type RelevantCaa =
  | {
      readonly status: "found";
      readonly at: string;
      readonly settableAt: string;
      readonly records: readonly CaaRecord[];
    }
  | { readonly status: "none" }
  | Unchecked;

/** What DNS says about one hostname. */
export interface Evidence {
  readonly checked: CheckedHostname;
  readonly pointing: Pointing;
  /** Absent if no CA has to issue. */
  readonly caa?: RelevantCaa;
}

/** Where hostnames should lead. */
export interface Destination {
  readonly zone: string;
  /** The fallback origin, live or declared. */
  readonly target: string | undefined;
}

/** How many aliases to follow: as many as resolvers do, so that a loop ends. */
const ALIASES_LIMIT = 8;

/** Queries DNS about one hostname. Never rejects. */
export async function gather(dns: Dns, checked: CheckedHostname, destination: Destination): Promise<Evidence> {
  const pointing = await findPointing(dns, checked.hostname, destination);
  if (checked.choice === undefined) return { checked, pointing };
  return { checked, pointing, caa: await relevantCaa(dns, checked.hostname) };
}

async function findPointing(dns: Dns, hostname: string, { zone, target }: Destination): Promise<Pointing> {
  const { end, fault } = await follow(dns, hostname, (name) => isUnder(name, zone));
  if (fault !== undefined) return { status: "unchecked", name: end, fault };
  if (isUnder(end, zone)) return { status: "reaches" };
  const own = await dns.resolveAddresses(hostname);
  if (own.status === "failed") return { status: "unchecked", name: hostname, fault: own.fault };
  if (own.status === "found" && target !== undefined) {
    const theirs = await dns.resolveAddresses(target);
    if (theirs.status === "failed") return { status: "unchecked", name: target, fault: theirs.fault };
    if (theirs.status === "found" && own.records.some((address) => theirs.records.includes(address)))
      return { status: "unclear" };
  }
  if (end !== hostname) return { status: "elsewhere", found: "alias", alias: end };
  return { status: "elsewhere", found: own.status === "found" ? "addresses" : "nothing" };
}

/** RFC 8659, section 3: the name itself, then its parents, until one has CAA records of any kind. */
export async function relevantCaa(dns: Dns, hostname: string): Promise<RelevantCaa> {
  for (const name of climb(hostname)) {
    const answer = await dns.resolveCaa(name);
    if (answer.status === "failed") return { status: "unchecked", name, fault: answer.fault };
    if (answer.status !== "found") continue;
    // An alias can have no other records beside it, so the records are at its end.
    const { end } = await follow(dns, name, () => false);
    return { status: "found", at: end, settableAt: await settableName(hostname, end), records: answer.records };
  }
  return { status: "none" };
}

/** Follows aliases until the end or until a name matches; with a fault, `end` is the name that had it. */
async function follow(
  dns: Dns,
  name: string,
  isThere: (name: string) => boolean,
): Promise<{ end: string; fault?: DnsFault }> {
  let end = name;
  for (let alias = 0; alias < ALIASES_LIMIT && !isThere(end); alias += 1) {
    const answer = await dns.resolveCname(end);
    if (answer.status === "failed") return { end, fault: answer.fault };
    const next = answer.status === "found" ? answer.records[0] : undefined;
    if (next === undefined) break;
    end = next;
  }
  return { end };
}

/**
 * The registered domain, below which its owner sets the records; undefined for a public suffix, such as `co.uk`. The
 * list of suffixes is large, so the first call loads it.
 */
export async function registeredDomain(name: string): Promise<string | undefined> {
  const { getDomain } = await import("tldts");
  const [plain = name] = climb(name);
  return getDomain(plain, { allowPrivateDomains: true, validateHostname: false }) ?? undefined;
}

/**
 * The name where the owner of a hostname can override CAA records: the name that has them, or, if that is a public
 * suffix, the registered domain, whose records are nearer. Records at the end of an alias can be overridden only there.
 */
export async function settableName(hostname: string, at: string): Promise<string> {
  if (!climb(hostname).includes(at)) return at;
  const domain = await registeredDomain(hostname);
  return domain === undefined || isUnder(at, domain) ? at : domain;
}

/**
 * A name where a record counts even if the lookup failed: above the hostname, because nothing can stand beside its
 * CNAME.
 */
export async function nameAbove(hostname: string): Promise<string> {
  const [own = hostname, parent = own] = climb(hostname);
  const domain = await registeredDomain(own);
  return domain === undefined || own === domain ? own : parent;
}
