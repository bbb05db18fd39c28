import { defined } from "../core/defined.ts";
import { formatAddress, parseAddress } from "../core/address.ts";
import type { Change, Refused } from "../plan/change.ts";
import { digestOf } from "../plan/digest.ts";
import { deniedByCaller } from "../plan/guards.ts";
import type { PlanInput } from "../plan/inputs.ts";
import { localAddress } from "../plan/targets.ts";
import { changedSince } from "./conflicts.ts";
import type { Held } from "../kinds/traits/compared.ts";
import type { RunChange } from "../state/run-record.ts";
import type { WayBack } from "./way-back.ts";

/** The changes of an undo, each with what blocks it; an object that another one's call writes waits for that one. */
export function judge(
  input: PlanInput,
  ways: ReadonlyMap<string, WayBack>,
  changes: readonly Change[],
): readonly Change[] {
  const each = changes.map((change) => judgedBy(input, ways, change));
  const going = new Set(each.filter(({ refused }) => !refused).map(({ kind, key }) => localAddress(kind, key)));
  const waiting = new Map<string, string>();
  for (const [address, { kind }] of ways)
    if (kind.companion && !going.has(address))
      waiting.set(localAddress(kind.companion.kind, kind.companion.key), address);
  return each.map((change) => {
    const leading = waiting.get(localAddress(change.kind, change.key));
    return leading === undefined || change.refused ? change : { ...change, refused: withoutLeading(change, leading) };
  });
}

function withoutLeading({ address }: Change, leading: string): Refused {
  const { zone } = parseAddress(address) ?? {};
  const named = formatAddress({ kind: leading, ...defined({ zone }) });
  return {
    code: "waits-for-another",
    message: `it was written together with ${named}, which cannot be undone`,
    remedy: "change it in the YAML, then plan",
  };
}

/** A change of an undo, with its reason, what it restores without managing it, and what blocks it. */
function judgedBy(input: PlanInput, ways: ReadonlyMap<string, WayBack>, change: Change): Change {
  const address = localAddress(change.kind, change.key);
  const way = ways.get(address);
  if (!way) return change;
  const live = input.live.objects.get(change.kind)?.get(change.key);
  const tracked = input.state?.objects.get(address);
  const refused = changedSince(way, change, live, tracked) ?? change.refused;
  const isUndeclared = way.change.action !== "delete" && (tracked?.undeclared ?? way.change.prior?.undeclared);
  const undone: Change = {
    ...change,
    reason: `undo: the run ${DID[way.change.action]} it`,
    ...(change.action === "create" ? defined({ desired: way.owned, sent: change.desired }) : {}),
    ...(change.held ? { held: withCommandToWait(change.held) } : {}),
    ...defined({ refused }),
    ...(isUndeclared ? { undeclared: true as const } : {}),
  };
  const denied = undone.refused ? undefined : deniedByCaller(input, undone);
  return { ...undone, ...defined({ refused: denied }), digest: digestOf(undone) };
}

const DID = {
  create: "created",
  update: "changed",
  replace: "replaced",
  delete: "deleted",
} as const satisfies Record<RunChange["action"], string>;

/** No later run finishes an undo by itself: somebody has to run it again. */
function withCommandToWait({ lifts, ...held }: Held): Held {
  if (held.isSoon) return { ...held, reason: DEPLOYING };
  const when = lifts === undefined ? "later" : `once ${lifts}`;
  return { ...held, reason: `not undone yet: ${held.reason}; run the same command again ${when}` };
}

const DEPLOYING = "not undone yet: Cloudflare is still deploying this hostname; run the same command again in a minute";
