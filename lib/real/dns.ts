import { error, problem, Refusal } from "../core/diagnostic.ts";
import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import type { CaaRecord, Dns, DnsAnswer, DnsFault } from "../core/dns.ts";
import { errorCode } from "../core/file-system.ts";

/** The time limit of a DNS server's first answer; the second try gets twice as long. */
const TIMEOUT_MILLISECONDS = 2000;
const TRIES = 2;

/** Which DNS servers to ask, and how long to wait. */
export interface DnsOptions {
  /** Addresses of DNS servers; empty for the system's own. */
  readonly servers: readonly string[];
  readonly timeoutMilliseconds?: number;
  /** Cancels the queries that are under way. */
  readonly signal?: AbortSignal;
}

/** Opens real DNS. Throws `Refusal` for a server that is not an address. */
export function openDns({ servers, timeoutMilliseconds = TIMEOUT_MILLISECONDS, signal }: DnsOptions): Dns {
  const wrong = servers.filter((server) => !isServer(server));
  if (wrong.length > 0) throw new Refusal(wrong.map(notAServer));
  const resolver = new Resolver({ timeout: timeoutMilliseconds, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  signal?.addEventListener("abort", () => resolver.cancel(), { once: true });
  const answered: Answered = async (ask) =>
    signal?.aborted ? { status: "failed", fault: "not-asked" } : answerOf(ask);
  return {
    resolveCname: (name) => answered(async () => (await resolver.resolveCname(name)).map(plainName)),
    resolveCaa: (name) => answered(async () => (await resolver.resolveCaa(name)).flatMap(caaRecords)),
    resolveAddresses: async (name) =>
      together(await Promise.all([answered(() => resolver.resolve4(name)), answered(() => resolver.resolve6(name))])),
  };
}

/**
 * `1.2.3.4`, `1.2.3.4:53`, `::1` or `[::1]:53`. We check it because Node accepts ports that do not exist, and crashes
 * on port 0.
 */
function isServer(text: string): boolean {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (isIP(text) === 6) return true;
  const hasPort = port === undefined || (Number(port) >= 1 && Number(port) <= 65_535);
  return hasPort && (isIP(bracketed ?? "") === 6 || isIP(plain ?? "") === 4);
}

function notAServer(text: string): ReturnType<typeof error> {
  return error(problem("not-a-resolver", { text: JSON.stringify(text) }));
}

type Answered = <T>(ask: () => Promise<readonly T[]>) => Promise<DnsAnswer<T>>;

async function answerOf<T>(ask: () => Promise<readonly T[]>): Promise<DnsAnswer<T>> {
  try {
    const records = await ask();
    return records.length === 0 ? { status: "no-answer" } : { status: "found", records };
  } catch (thrown) {
    const code = errorCode(thrown);
    if (code === "ENOTFOUND") return { status: "not-found" };
    if (code === "ENODATA") return { status: "no-answer" };
    return { status: "failed", fault: FAULTS[code ?? ""] ?? "unreadable" };
  }
}

const FAULTS: Readonly<Record<string, DnsFault>> = {
  ESERVFAIL: "server-failed",
  ETIMEOUT: "timed-out",
  EREFUSED: "refused",
  ECONNREFUSED: "unreachable",
  ECANCELLED: "unreachable",
};

/**
 * Merges IPv4 and IPv6 into one answer: the addresses of either, else the fault of either, else the answer that both
 * agree on.
 */
function together(answers: readonly DnsAnswer<string>[]): DnsAnswer<string> {
  const records = answers.flatMap((answer) => (answer.status === "found" ? answer.records : []));
  if (records.length > 0) return { status: "found", records };
  const order = ["failed", "no-answer", "not-found"];
  const [worst] = [...answers].sort((left, right) => order.indexOf(left.status) - order.indexOf(right.status));
  return worst ?? { status: "no-answer" };
}

/** Node returns a record as `{ critical: 0, issue: "pki.goog" }`: the flags, and a member named after the tag. */
function caaRecords({ critical, ...tags }: { readonly critical: number }): CaaRecord[] {
  // Newer versions of Node add a member that says the record is a CAA record.
  return Object.entries(tags).flatMap(([tag, value]: [string, unknown]) =>
    typeof value === "string" && tag !== "type" ? [{ flags: critical, tag: tag.toLowerCase(), value }] : [],
  );
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}
