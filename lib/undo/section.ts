import { defined } from "../core/json.ts";
import type { DesiredObject, DesiredZone } from "../config/desired.ts";
import { parseAddress } from "../core/address.ts";
import type { Change, ZonePlan } from "../plan/change.ts";
import { keepCarriers } from "../plan/carriers.ts";
import { limitDeletions } from "../plan/deletion-limits.ts";
import type { PlanInput } from "../plan/inputs.ts";
import { countActions, inOrder, planZone } from "../plan/plan.ts";
import { localAddress } from "../plan/targets.ts";
import { watchZone } from "../plan/watch.ts";
import type { LiveZone } from "../refresh/refresh.ts";
import { kindIfNamed } from "../kinds/registry.ts";
import type { RunChange } from "../state/run-record.ts";
import { appliedBy, type State } from "../state/state.ts";
import { contradiction, impossible, impossibleLeaves, isContradicted } from "./findings.ts";
import { judge } from "./judge.ts";
import { isSucceeded, underOwnAddress } from "./net.ts";
import { type WayBack, wayBack, withRulesOf } from "./way-back.ts";

const SUCCEEDED = "an earlier run had replaced it; undo that run instead";

/** The part for one zone of a plan that undoes a run: its changes, and what cannot be undone. Pure. */
export function undoSection(input: PlanInput, all: readonly RunChange[], run: string): ZonePlan {
  const touched = new Set(all.map(({ address }) => address));
  const isKnown = (address: string): boolean => touched.has(address) || input.state?.objects.has(address) === true;
  const succeeded = all.filter((change) => isSucceeded(change, isKnown));
  const { changes, inTheWay } = underOwnAddress(all.filter((change) => !succeeded.includes(change)));
  const declared = new Map(input.desired.objects.map((object) => [localAddress(object.kind, object.key), object]));
  const ways = waysBack(input, changes, declared);
  const planned = inOrder([...restorations(input, ways), ...removals(input, ways)]);
  // The limit is a share of all tracked objects. It counts deletions, except those that a conflict prevents.
  const undone = keepCarriers(limitDeletions(input, judge(input, ways, planned)));
  const { desired, state } = input;
  const unknown = changes.filter(({ address }) => !ways.has(address));
  const { watch, findings } = watchZone(input);
  const undoable = undone.filter(({ refused }) => !refused).map(({ kind, key }) => localAddress(kind, key));
  return {
    zone: { id: desired.id, name: desired.name },
    ...defined({ lineage: state?.lineage }),
    serial: state?.serial ?? 0,
    ...defined({ journalRecords: input.journalRecords }),
    changes: undone,
    counts: { byAction: countActions(undone), foreign: 0, expired: 0 },
    gone: [],
    bookkeeping: { remember: [], drop: [] },
    ...defined({ watch }),
    findings: [
      ...findings,
      ...impossible([
        ...[...succeeded, ...inTheWay].map(({ address }) => ({ address, because: SUCCEEDED })),
        ...unknown.map(({ address, isUnfinished }) => ({
          address,
          because: isUnfinished ? KILLED_EARLY : NOT_RECORDED,
        })),
        ...[...ways].flatMap(([address, way]) => impossibleLeaves(way, address)),
      ]),
      ...contradiction(
        undoable.filter((address) => {
          const way = ways.get(address);
          return way && isContradicted(way, declared.get(address));
        }),
        run,
      ),
    ],
  };
}

const NOT_RECORDED = "what was there before the run was not recorded";

/** In a state that is written as a whole, the values before a change are stored some changes later. */
const KILLED_EARLY = "the run was killed before it stored what was there";

function waysBack(
  { desired, live, state }: PlanInput,
  changes: readonly RunChange[],
  declared: ReadonlyMap<string, DesiredObject>,
): ReadonlyMap<string, WayBack> {
  const ways = new Map<string, WayBack>();
  for (const change of changes) {
    const parts = parseAddress(change.address);
    const kind = parts && kindIfNamed(parts.kind);
    if (!kind) continue;
    const key = parts.key ?? "";
    const way = wayBack(kind, key, change, {
      tracked: state?.objects.get(change.address),
      declared: declared.get(change.address),
      hostnameOptions: desired.hostnames.options,
      live: live.objects.get(kind.name)?.get(key),
    });
    if (way) ways.set(change.address, way);
  }
  return ways;
}

/** The objects to restore or re-create, planned as if the YAML declared them. */
function restorations(input: PlanInput, ways: ReadonlyMap<string, WayBack>): readonly Change[] {
  const objects = [...ways.values()].flatMap(({ kind, key, desired, options, change }): DesiredObject[] => {
    const protect = change.prior?.protect ?? input.state?.objects.get(change.address)?.protect;
    if (!desired) return [];
    return [{ kind: kind.name, key, values: desired, options, at: input.desired.at, ...(protect ? { protect } : {}) }];
  });
  const { hostnames } = input.desired;
  const addresses = new Set(objects.map(({ kind, key }) => localAddress(kind, key)));
  const among = withWritten(only(input, addresses), ways);
  const desired: DesiredZone = {
    ...among.desired,
    objects,
    hostnames: { ...hostnames, isDeclared: true, lifecycle: "zoneform", foreign: "ignore", whenExpired: "create" },
  };
  // Releasing a field undoes nothing: its live value stays, only unmanaged.
  return planZone({ ...among, desired }).changes.filter(({ action }) => action !== "forget");
}

/**
 * What the run wrote is ours, even if its result was never recorded or the object was released; otherwise its rules
 * would stay as foreign ones.
 */
function withWritten(input: PlanInput, ways: ReadonlyMap<string, WayBack>): PlanInput {
  const { state } = input;
  if (!state) return input;
  const written = [...ways.values()].flatMap(({ change: { address, after } }) => {
    const tracked = state.objects.get(address);
    if (!after || after.id === "") return [];
    const isKnown = tracked !== undefined && !tracked.pending;
    if (isKnown) return [[address, { ...tracked, applied: withRulesOf(tracked.applied, after.applied) }] as const];
    return [[address, { ...after, ...defined({ by: appliedBy(state, address) }) }] as const];
  });
  return { ...input, state: { ...state, objects: new Map([...state.objects, ...written]) } };
}

/** Deletes what the run created, as `destroy` does. */
function removals(input: PlanInput, ways: ReadonlyMap<string, WayBack>): readonly Change[] {
  const addresses = new Set([...ways].flatMap(([address, { desired }]) => (desired ? [] : [address])));
  return planZone({ ...only(input, addresses), isDestroy: true }).changes;
}

/**
 * The input reduced to these objects: an undo does not touch what the run did not touch. The parts have no deletion
 * limit of their own.
 */
function only(input: PlanInput, addresses: ReadonlySet<string>): PlanInput {
  const { live, state } = input;
  const desired = { ...input.desired, moves: [], forgets: new Map(), deletionLimits: new Map() };
  return {
    ...input,
    desired,
    live: liveOnly(live, addresses),
    ...(state ? { state: stateOnly(state, addresses) } : {}),
  };
}

function liveOnly(live: LiveZone, addresses: ReadonlySet<string>): LiveZone {
  const objects = [...live.objects].map(
    ([kind, found]) => [kind, new Map([...found].filter(([key]) => addresses.has(localAddress(kind, key))))] as const,
  );
  return { ...live, objects: new Map(objects) };
}

function stateOnly(state: State, addresses: ReadonlySet<string>): State {
  return { ...state, objects: new Map([...state.objects].filter(([address]) => addresses.has(address))) };
}
