import { problem } from "../core/diagnostic.ts";
import { defined, equal, formatPath, type JsonObject, leaves, valueAt, withoutValueAt } from "../core/json.ts";
import { formatAddress, parseAddress } from "../core/address.ts";
import type { Change, LeafConflict, Refused } from "../plan/change.ts";
import { digestOf } from "../plan/digest.ts";
import { deniedByCaller } from "../plan/guards.ts";
import type { PlanInput } from "../plan/inputs.ts";
import { localAddress } from "../plan/targets.ts";
import type { Held } from "../kinds/traits/compared.ts";
import type { RunChange } from "../state/run-record.ts";
import type { WayBack } from "./way-back.ts";
import { isProvenOurs } from "../plan/subject.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import type { StateObject } from "../state/state.ts";

/** The changes of an undo, each with what blocks it. An object that another object's call writes waits for that one. */
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
  const message = `it was written together with ${named}, which cannot be undone`;
  return problem("waits-for-another", { message }, { remedy: "change it in the YAML, then plan" });
}

/** A change of an undo, with its reason, the values that it restores without managing them, and what blocks it. */
function judgedBy(input: PlanInput, ways: ReadonlyMap<string, WayBack>, change: Change): Change {
  const address = localAddress(change.kind, change.key);
  const way = ways.get(address);
  if (!way) return change;
  const live = input.live.objects.get(change.kind)?.get(change.key);
  const tracked = input.state?.objects.get(address);
  const refused = changedSince(way, change, live, tracked) ?? change.refused;
  const isUndeclared = way.change.action !== "delete" && (tracked?.undeclared ?? way.change.prior?.undeclared);
  const undone: Change = {
    ...ofUndo(change, way),
    reason: `undo: the run ${DID[way.change.action]} it`,
    ...defined({ refused, undeclared: isUndeclared ? (true as const) : undefined }),
  };
  const denied = undone.refused ? undefined : deniedByCaller(input, undone);
  return { ...undone, ...defined({ refused: denied }), digest: digestOf(undone) };
}

/** An object that is created again gets all its values, and the fields that were managed before are managed again. */
function ofUndo(change: Change, { owned }: WayBack): Change {
  if (change.action === "create") return { ...change, desired: owned ?? change.desired, sent: change.desired };
  return change.held ? { ...change, held: withCommandToWait(change.held) } : change;
}

const DID = {
  create: "created",
  update: "changed",
  replace: "replaced",
  delete: "deleted",
} as const satisfies Record<RunChange["action"], string>;

/** No later run finishes an undo by itself, so the user has to run it again. */
function withCommandToWait({ lifts, ...held }: Held): Held {
  if (held.isSoon) return { ...held, reason: DEPLOYING };
  const when = lifts === undefined ? "later" : `once ${lifts}`;
  return { ...held, reason: `not undone yet: ${held.reason}; run the same command again ${when}` };
}

const DEPLOYING = "not undone yet: Cloudflare is still deploying this hostname; run the same command again in a minute";

const ANOTHER = "another object has replaced it since the run";
const UNSEEN = "the run was killed before it got the response, so it may not have created the live object";

/**
 * Why an undo leaves an object as it is: it was changed, deleted or replaced since the run. Undefined if it is still as
 * the run left it.
 */
function changedSince(
  way: WayBack,
  planned: Change,
  live: Live | undefined,
  tracked: StateObject | undefined,
): Refused | undefined {
  const { action, after, isUnfinished } = way.change;
  const id = isUnfinished ? "" : (after?.id ?? "");
  switch (action) {
    case "delete":
      return planned.action === "create" ? undefined : contested("it was created again since the run", []);
    case "create":
      if (id !== "" && tracked?.id !== id) return contested(ANOTHER, []);
      if (isUnfinished && after && live && !isMadeByRun(way, live)) return contested(UNSEEN, []);
      break;
    case "update":
    case "replace":
      if (!live) return contested("it was deleted since the run", []);
      if (id !== "" && live.id !== id) return contested(ANOTHER, []);
      if (isUnfinished && after && live.id !== way.change.before?.id && !isMadeByRun(way, live))
        return contested(UNSEEN, []);
      break;
    default:
      return action satisfies never;
  }
  if (!after) return contested("the result of the run is unknown: it was killed before it got the response", []);
  const fields = live
    ? [
        ...moved(way, live, after),
        ...takenAlong(way, live, after),
        ...(action === "create" ? ownedSince(way, after, tracked) : []),
      ]
    : [];
  return fields.length === 0 ? undefined : contested("it was changed since the run", fields);
}

/** Whether a request without a response created exactly this object, and it was not created elsewhere later. */
function isMadeByRun({ kind, change: { at, after, isAhead } }: WayBack, live: Live): boolean {
  // An announced create may never have been sent, and the next run may have created the object.
  return !isAhead && after !== undefined && isProvenOurs(kind, { ...after, since: at }, live);
}

function contested(message: string, fields: readonly LeafConflict[]): Refused {
  return { ...problem("changed-since-run", { message }), contested: fields };
}

/** Fields that are neither as the run left them nor as they were before. */
function moved({ kind, change, desired, changed }: WayBack, live: Live, after: StateObject): readonly LeafConflict[] {
  const left = withoutSecrets(kind, after.applied);
  const now = kind.compare({ desired: left, prior: left, live, options: { own: [] } });
  const ours = new Set(changed.map(formatPath));
  const drifted = [...now.leaves, ...(now.held?.leaves ?? [])].filter(
    ({ path }) => change.action === "create" || ours.has(formatPath(path)),
  );
  const contestedLeaves = drifted.flatMap(({ path, before, after: run }): LeafConflict[] => {
    const wanted = valueAt(desired, path);
    if (wanted !== undefined && equal(wanted, before)) return [];
    return [
      {
        path,
        ...defined({ planned: run, live: before, wanted }),
      },
    ];
  });
  return [
    ...contestedLeaves,
    ...(change.action === "create" ? added(kind, live, after) : []),
    ...now.rules.map(({ ref }) => ({ path: ["rules", ref] })),
  ];
}

/** Fields that the undo also writes and that were changed since the run. */
function takenAlong({ desired, along }: WayBack, { values }: Live, { applied }: StateObject): readonly LeafConflict[] {
  return along.flatMap((path): LeafConflict[] => {
    const [planned, live, wanted] = [applied, values, desired].map((side) => valueAt(side, path));
    if (live === undefined || wanted === undefined || equal(live, wanted)) return [];
    return [{ path, ...(planned === undefined ? {} : { planned }), live, wanted }];
  });
}

/** Values that were added to an object since the run; deleting the object would lose them. */
function added({ neverFilled = [] }: Kind, { values }: Live, { applied }: StateObject): readonly LeafConflict[] {
  return leaves(values)
    .filter(({ path }) => neverFilled.includes(path[0] ?? "") && valueAt(applied, path) === undefined)
    .map(({ path, value }) => ({ path, live: value }));
}

/** Fields that a later run set on an object that was created without them; deleting the object would lose them too. */
function ownedSince(
  { kind }: WayBack,
  { applied }: StateObject,
  tracked: StateObject | undefined,
): readonly LeafConflict[] {
  return leaves(withoutSecrets(kind, tracked?.applied ?? {}))
    .filter(({ path }) => valueAt(applied, path) === undefined)
    .map(({ path, value }) => ({ path, live: value }));
}

function withoutSecrets(kind: Kind, values: JsonObject): JsonObject {
  return kind.writeOnly.reduce((kept: JsonObject, name) => withoutValueAt(kept, name.split(".")), values);
}
