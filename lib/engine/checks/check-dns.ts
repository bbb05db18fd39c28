import { NAMED } from "./names.ts";
import { type Diagnostic, problem, warning } from "../../core/diagnostic.ts";
import type { Dns, DnsAnswer, DnsFault } from "../../core/dns.ts";
import { counted, listed } from "../../core/words.ts";
import { several } from "../../core/lists.ts";
import type { ZonePlan } from "../../plan/change.ts";
import type { PlanInput } from "../../plan/inputs.ts";
import type { Client } from "../../service/client.ts";
import { caaFindings } from "./caa-findings.ts";
import { cnameFindings } from "./cname-findings.ts";
import { type Evidence, gather } from "./evidence.ts";
import { findFallbackOrigin, missingOrigin, recordFindings } from "./fallback-origin.ts";
import { type CheckedHostname, checkedHostnames, type Scope, wantedHostnames } from "./hostnames.ts";

/** The DNS to query, and the hostnames to check. */
export interface DnsCheck {
  readonly dns: Dns;
  readonly scope: Scope;
}

/** Checks DNS before an apply for everything that would prevent planned hostnames from working. */
export interface Preflight {
  /**
   * Warnings about one zone's section. Only reads the service; throws what the client throws, and the signal's reason.
   */
  check(client: Client, input: PlanInput, section: ZonePlan, signal?: AbortSignal): Promise<readonly Diagnostic[]>;
}

/** Opens the checks of one run. Its zones share the lookups. */
export function openPreflight({ dns, scope }: DnsCheck): Preflight {
  const lookUps = openLookUps(dns);
  return {
    check: async (client, input, section, signal) => {
      const wanted = wantedHostnames(input);
      const fallback = await findFallbackOrigin(client, input, signal);
      const ofOrigin = fallback ? await recordFindings(client, input, fallback, signal) : missingOrigin(input, wanted);
      const destination = { zone: input.desired.name, target: fallback?.origin };
      const checked = checkedHostnames(input, section, wanted, scope);
      const look = (hostname: CheckedHostname): Promise<Evidence> => {
        signal?.throwIfAborted();
        return gather(lookUps, hostname, destination);
      };
      const evidence = (await several(checked, look, LOOKED_UP_AT_ONCE)).map(([, found]) => found);
      signal?.throwIfAborted();
      return [
        ...ofOrigin,
        ...caaFindings(evidence),
        ...cnameFindings(evidence, destination),
        ...uncheckedFindings(evidence),
      ];
    },
  };
}

/** How many hostnames to look up at the same time: fast, without a burst that a resolver would refuse. */
export const LOOKED_UP_AT_ONCE = 64;

/** After how many unanswered queries to give up on a silent server: that takes half a minute. */
const TIMEOUTS_LIMIT = 200;
/** Tolerated share of unanswered queries, one in this many: some customers' name servers no longer exist. */
const ANSWERS_PER_TIMEOUT = 20;

/**
 * DNS that remembers its lookups, because customers' names share their parent names. It gives up if too many queries
 * get no answer, so that a silent server costs a limited time.
 */
export function openLookUps(dns: Dns): Dns {
  let timeouts = 0;
  let answers = 0;

  function remembering<T>(resolve: (name: string) => Promise<DnsAnswer<T>>): (name: string) => Promise<DnsAnswer<T>> {
    const asked = new Map<string, Promise<DnsAnswer<T>>>();
    const ask = async (name: string): Promise<DnsAnswer<T>> => {
      if (timeouts >= TIMEOUTS_LIMIT + answers / ANSWERS_PER_TIMEOUT) return { status: "failed", fault: "not-asked" };
      const answer = await resolve(name);
      if (answer.status === "failed" && answer.fault === "timed-out") timeouts += 1;
      else answers += 1;
      return answer;
    };
    return (name) => {
      const known = asked.get(name) ?? ask(name);
      asked.set(name, known);
      return known;
    };
  }

  return {
    resolveCname: remembering((name) => dns.resolveCname(name)),
    resolveCaa: remembering((name) => dns.resolveCaa(name)),
    resolveAddresses: remembering((name) => dns.resolveAddresses(name)),
  };
}

interface Group {
  readonly names: Set<string>;
  readonly hostnames: Set<string>;
}

const FIX_SERVERS = "ask the owners to fix the name servers of these: a CA does not issue if the CAA lookup fails";

const FAULTS = {
  "server-failed": "the DNS server failed (SERVFAIL) on",
  "timed-out": "no DNS server answered in time for",
  refused: "the DNS server refused to answer for",
  unreachable: "no DNS server could be reached for",
  unreadable: "the answer of the DNS server could not be read for",
  "not-asked": "the DNS server left too many queries unanswered, so it was not asked for",
} as const satisfies Record<DnsFault, string>;

/** The hostnames that could not be checked, by reason. A missing answer is never taken for a missing record. */
export function uncheckedFindings(evidence: readonly Evidence[]): readonly Diagnostic[] {
  const groups = new Map<DnsFault, Group>();
  for (const { checked, pointing, caa } of evidence) {
    for (const found of [pointing, caa]) {
      if (found?.status !== "unchecked") continue;
      const group = groups.get(found.fault) ?? { names: new Set(), hostnames: new Set() };
      group.names.add(found.name);
      group.hostnames.add(checked.hostname);
      groups.set(found.fault, group);
    }
  }
  return [...groups].map(([fault, { names, hostnames }]) => {
    const values = {
      hostnames: counted(hostnames.size, "custom hostname"),
      fault: FAULTS[fault],
      names: listed([...names], NAMED),
    };
    return warning(problem("dns-unchecked", values, { remedy: fault === "server-failed" ? FIX_SERVERS : "" }));
  });
}
