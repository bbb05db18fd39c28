import type { Dns, DnsAnswer } from "../../core/dns.ts";

/** Hostnames that are asked about at the same time: fast, and no burst that a resolver would refuse. */
export const LOOKED_UP_AT_ONCE = 64;

/** How many unanswered questions, when nothing else comes, mean that nothing will: that shows within half a minute. */
const TIMEOUTS_LIMIT = 200;
/** Of those that were answered, one in this many may be without: some customers have name servers that are gone. */
const ANSWERS_PER_TIMEOUT = 20;

/**
 * DNS that remembers what it was asked, because customers' names share the names above them, and that gives up where
 * too many questions go unanswered, so that a silent server costs a bounded time.
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
