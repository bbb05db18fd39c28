import { madeWithAnotherState } from "../approval/approve.ts";
import { finishedRecords, keepApproval } from "../approval/kept.ts";
import { defined } from "../core/json.ts";
import { Refusal } from "../core/diagnostic.ts";
import { EXIT } from "../core/exit-code.ts";
import type { Change, ZonePlan } from "../plan/change.ts";
import { byProject, claimedByOther, claimsAfter, claimsDuring } from "../plan/claims.ts";
import { serviceMoment } from "../service/client.ts";
import { beginWith, loadState, type SavedState } from "../state/load.ts";
import { type Lease, Locked, lockedDiagnostic } from "../state/lock.ts";
import { Journal } from "../state/open-journal.ts";
import type { State } from "../state/state.ts";
import { areSameThings, type Claim, type Claimable } from "../state/zone/claims.ts";
import { carryOut } from "./carry-out.ts";
import { finish, hasBookkeeping } from "./finish.ts";
import { isOver, toEnded, type Ended, type ZoneReport } from "./outcome.ts";
import { readOrUnknown } from "./attempt.ts";
import type { ApplyRun } from "./run.ts";

/** The usual length of a line of the state, to estimate whether the disk has room. */
const BYTES_PER_OBJECT = 600;

/**
 * Applies the part of a plan for one zone under its lock, and reports how each change ended. A failed change never
 * throws. Throws only if nothing has been written live: the state cannot be read or kept.
 */
export async function applyZone(run: ApplyRun, section: ZonePlan): Promise<ZoneReport> {
  if (isUntouched(section)) return { zone: section.zone, ended: [] };
  const lease = await takeLock(run, section);
  if (lease instanceof Locked) return lockedReport(run, section, lease);
  try {
    return await applyUnderLock(run, section, lease);
  } finally {
    await release(lease);
  }
}

/** Nothing to change, record or claim, and no interrupted run left anything: then the lock is not even taken. */
function isUntouched(section: ZonePlan): boolean {
  const { changes, claims, journalRecords, lineage, reviewed } = section;
  const isNews = lineage === undefined || claims?.willChange === true || reviewed !== undefined;
  return changes.length === 0 && !isNews && journalRecords === undefined && !hasBookkeeping(section);
}

async function takeLock({ world, options }: ApplyRun, section: ZonePlan): Promise<Lease | Locked> {
  try {
    return await world.store.lock(section.zone.id, options.holder, options.lockWaitMilliseconds, world.signal);
  } catch (thrown) {
    if (thrown instanceof Locked) return thrown;
    throw thrown;
  }
}

function lockedReport({ options }: ApplyRun, section: ZonePlan, locked: Locked): ZoneReport {
  const because = "the zone's state is locked by another run";
  const ended = section.changes.map((change) => toEnded(change, { status: "not-started", because }));
  const wanted = { zone: section.zone.name, waitMilliseconds: options.lockWaitMilliseconds };
  return {
    zone: section.zone,
    ended,
    locked: lockedDiagnostic(locked, wanted),
    ...defined({ lockedBy: locked.holding.holder }),
  };
}

/** Ignores a lock that cannot be released: the changes matter more, and the store has reported that the lock stays. */
async function release(lease: Lease): Promise<void> {
  await lease.release().catch(() => undefined);
}

async function applyUnderLock(run: ApplyRun, section: ZonePlan, lease: Lease): Promise<ZoneReport> {
  const { approval, options, world } = run;
  const { zone } = section;
  const saved = await begin(run, section, lease);
  const isBegun = section.changes.some(({ action, refused }) => action !== "held" && !refused);
  const keep = (): Promise<void> => keepApproval(world.store, zone.id, lease, approval, world.clock.now());
  const isKeeper = isBegun && (await run.keepOnce(keep));
  const journal = new Journal(world.store, zone.id, lease, {
    clock: {
      now: () => serviceMoment(run.client, world.clock),
      sleep: (milliseconds, signal) => world.clock.sleep(milliseconds, signal),
    },
    run: run.id,
    state: saved.state,
    operation: options.holder.operation,
    planHash: approval.hash,
    approved: options.approved,
    zones: run.zones,
  });
  const ended = await carryOut(run, section, saved, journal);
  const isFinished = isKeeper && !run.leavesOut && ended.every(isOver);
  // Without these records, only the order in which approvals are evicted is lost.
  const finished = isFinished ? finishedRecords(zone.id, approval) : undefined;
  const { state, unsaved, lost, isKept } = await finish(run, section, lease, saved, journal, finished);
  // Releases what was claimed for this run only. If that fails, the claim blocks other projects until the next apply
  // releases it.
  if (!unsaved && saved.claimsMore && ended.every(isDoneOrHeld))
    await readOrUnknown(settleClaims(run, section, lease, state));
  return {
    zone,
    ended,
    ...defined({ unsaved, lost }),
    ...(isKept && hasWayBack(section, ended) ? { canBeUndone: true } : {}),
  };
}

/** The state to start from, and whether it was written after the plan was made. */
interface Begun extends SavedState {
  readonly isStale: boolean;
  /** Whether the project claims more than the YAML declares until the changes are done. */
  readonly claimsMore: boolean;
}

function isDoneOrHeld({ outcome: { status } }: Ended): boolean {
  return status === "done" || status === "held";
}

async function begin(run: ApplyRun, section: ZonePlan, lease: Lease): Promise<Begun> {
  const { world } = run;
  const { store, random } = world;
  const found = await loadState(store, section.zone.id, { lease, known: run.options.states?.get(section.zone.id) });
  // Before anything is claimed or written, because the state may have moved, and a renamed project needs its claims.
  const { zone, lineage } = section;
  if (lineage !== undefined && lineage !== found?.state.lineage)
    throw new Refusal([madeWithAnotherState(world.store, { zone, lineage }, found?.state.lineage)], EXIT.conflict);
  const objects = section.changes.length + section.bookkeeping.remember.length;
  await world.store.checkWritable(section.zone.id, objects * BYTES_PER_OBJECT);
  const claimsMore = await takeClaims(run, section, lease, found?.state);
  const saved = await beginWith(found, { store, lease, zone: section.zone, random });
  const isAsPlanned =
    (found?.state.serial ?? 0) === section.serial && (found?.journalRecords ?? 0) === (section.journalRecords ?? 0);
  return { ...saved, isStale: !isAsPlanned, claimsMore };
}

/**
 * Whether anything that the run may have written can be undone. We do not offer to undo a step that cannot be undone.
 */
function hasWayBack({ changes }: ZonePlan, ended: readonly Ended[]): boolean {
  const oneWay = new Set(changes.filter(isOneWay).map(({ address }) => address));
  return ended.some(({ address, outcome }) => {
    const isUntouched = outcome.status === "refused" || outcome.status === "held" || outcome.status === "not-started";
    return !isUntouched && !oneWay.has(address);
  });
}

/** An edit that cannot be undone. A deleted object can be created again, whatever is lost with it. */
function isOneWay({ action, hazards }: Change): boolean {
  return action !== "delete" && action !== "replace" && hazards.includes("irreversible");
}

/**
 * Claims what a zone's part of the plan manages, before anything is written. Returns whether that is more than the YAML
 * declares, so that the rest must be released at the end. Needs the zone's lock. Throws `Refusal` with exit code 4 if
 * another project has some of it.
 */
async function takeClaims(
  { world }: ApplyRun,
  section: ZonePlan,
  lease: Lease,
  state: State | undefined,
): Promise<boolean> {
  const { zone, claims } = section;
  if (!claims) return false;
  const written = section.changes.filter(({ action, refused }) => action !== "held" && !refused);
  const managed = [...(state?.objects.values() ?? []), ...written];
  let things: readonly Claimable[] = [];
  const conflicts = await world.stores.claims.take(
    {
      project: world.project,
      zone: zone.id,
      things: (own) => (things = claimsDuring(claims.declared, own, managed)),
    },
    () => world.store.checkLease(zone.id, lease),
    world.signal,
  );
  if (conflicts.length > 0) {
    throw new Refusal(
      byProject(conflicts).map((claims) => claimedByOther(zone.name, claims)),
      EXIT.refused,
    );
  }
  return !areSameThings(things, claims.declared);
}

/**
 * Releases what the project no longer declares or tracks, after every change is done and the state is saved. Needs the
 * zone's lock.
 */
async function settleClaims(
  { world }: ApplyRun,
  { zone, claims }: ZonePlan,
  lease: Lease,
  state: State,
): Promise<void> {
  if (!claims) return;
  const things = (own: readonly Claim[]): readonly Claimable[] =>
    claimsAfter(claims.declared, own, state.objects.values());
  await world.stores.claims.take({ project: world.project, zone: zone.id, things }, () =>
    world.store.checkLease(zone.id, lease),
  );
}
