import { type Diagnostic, warning } from "../../core/diagnostic.ts";
import type { Dns } from "../../core/dns.ts";
import { several } from "../../core/several.ts";
import { LOOKED_UP_AT_ONCE, openLookUps } from "../checks/look-ups.ts";
import { listed } from "../checks/names.ts";
import type { HostnameRecord } from "../../kinds/custom-hostname/records.ts";
import { isBlockedByCaa } from "../../kinds/custom-hostname/states.ts";
import type { Live } from "../../kinds/live.ts";
import { type CaaTodo, caaTodo } from "./caa-todo.ts";
import { type HostnameTodo, todoOf } from "./todo.ts";

/** What the records of customers follow from. */
export interface TodoSurroundings {
  /** The name that customers point theirs at. */
  readonly target: string;
  /** Asked only about hostnames that CAA records keep from a certificate. */
  readonly dns: Dns;
  /** The CA that was chosen for a hostname, as far as that is known. */
  readonly chosenFor: (live: Live) => string | undefined;
}

/** What customers still have to set, for those hostnames of which something is left, and what is uncertain about it. */
export async function todosOf(
  records: AsyncIterable<HostnameRecord>,
  { target, dns, chosenFor }: TodoSurroundings,
  signal?: AbortSignal,
): Promise<{ readonly todos: readonly HostnameTodo[]; readonly findings: readonly Diagnostic[] }> {
  const found: HostnameRecord[] = [];
  for await (const record of records) found.push(record);
  const blocked = found.filter(({ live }) => isBlockedByCaa(live.status));
  const lookUps = openLookUps(dns);
  const look = (record: HostnameRecord): Promise<CaaTodo> => {
    signal?.throwIfAborted();
    return caaTodo(lookUps, record, chosenFor(record.live));
  };
  const caa = new Map(await several(blocked, look, LOOKED_UP_AT_ONCE));
  signal?.throwIfAborted();
  const doubted = (doubt: CaaTodo["doubt"]): readonly string[] =>
    blocked.filter((record) => caa.get(record)?.doubt === doubt).map(({ live }) => live.key);
  return {
    todos: found.flatMap((record) => todoOf(record, target, caa.get(record)?.records) ?? []),
    findings: [...allowedNow(doubted("allowed")), ...unseen(doubted("unseen"))],
  };
}

function allowedNow(hostnames: readonly string[]): Diagnostic[] {
  if (hostnames.length === 0) return [];
  const named = hostnames.length === 1 ? hostnames.join("") : "HOSTNAME …";
  return [
    warning({
      code: "caa-allows-now",
      message: `Cloudflare says that CAA records block the CA, but the records in DNS now allow it: ${listed(hostnames)}`,
      remedy: `there is no CAA record to set; restart the validation: zoneform hostname retry ${named}`,
    }),
  ];
}

function unseen(hostnames: readonly string[]): Diagnostic[] {
  if (hostnames.length === 0) return [];
  return [
    warning({
      code: "caa-unseen",
      message: `DNS did not show the CAA records that block the CA, so records closer to the hostname may override those to set: ${listed(hostnames)}`,
      remedy: "look them up with a DNS query of type CAA, or pass --resolver with a DNS server that knows the domain",
    }),
  ];
}
