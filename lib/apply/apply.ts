import type { ZoneId } from "../core/brand.ts";
import { error, type Diagnostic, Refusal } from "../core/diagnostic.ts";
import type { SecretReference } from "../core/secret.ts";
import { fingerprint } from "../core/fingerprint.ts";
import { several } from "../core/several.ts";
import type { Clock, Random } from "../core/clock.ts";
import type { Approval } from "../approval/approval.ts";
import type { Change, ZonePlan } from "../plan/change.ts";
import { withoutDeleted } from "../plan/source-memory.ts";
import { localAddress } from "../plan/targets.ts";
import { kindIfNamed } from "../kinds/registry.ts";
import type { Reveal } from "../kinds/traits/remote.ts";
import type { FreshClient } from "../service/client.ts";
import { AmbiguousError, ApiError, UnreachableError } from "../service/errors.ts";
import { explainFailure } from "../service/explain-failure.ts";
import { editState } from "../state/edit.ts";
import { StateError } from "../state/error.ts";
import { beginState, loadState, saveState, type SavedState } from "../state/load.ts";
import { observedState } from "../state/observations.ts";
import { type Journal, openJournal } from "../state/open-journal.ts";
import type { State, StateObject } from "../state/state.ts";
import type { RunApproval } from "../state/run-approval.ts";
import { isRunKept } from "../state/runs.ts";
import { type Lease, Locked, type LockHolder, type StateStore, StoreConflict } from "../state/store.ts";
import { NotStarted, openAhead } from "./ahead.ts";
import { endedAs } from "./ended.ts";
import type { ApplyEvent, Ended, Outcome, ZoneReport } from "./outcome.ts";
import { finishApproval, keepApproval } from "../approval/kept.ts";
import { look } from "./look.ts";
import { perform } from "./perform.ts";
import type { Performance } from "./performance.ts";
import { isOver } from "./resumable.ts";
import { walk } from "./walk.ts";

/** What an apply works with. */
export interface ApplyWorld {
  readonly client: FreshClient;
  readonly store: StateStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly reveal: Reveal;
  readonly report: (event: ApplyEvent) => void;
  readonly signal?: AbortSignal | undefined;
}

/** How an apply goes about it. */
export interface ApplyOptions {
  readonly run: string;
  readonly holder: Omit<LockHolder, "id">;
  readonly lockWaitMilliseconds: number;
  /** How many changes may be under way at once. */
  readonly parallelism: number;
  /** What was approved: kept, so that a run that is stopped goes on under it. */
  readonly approval: Approval;
  /** Whether a part of what was approved was left out of the plan, and may be done later. */
  readonly leavesOut?: boolean;
  /** Who approved it, and how, for the record of the run. */
  readonly approved?: RunApproval | undefined;
  /** What it is done for, for the record of the run: `apply`, `destroy`, `undo …`. */
  readonly operation: string;
  /** The ids of all zones that the run is to write in, for that record; absent where there is only one. */
  readonly zones?: readonly string[] | undefined;
  /** When no further change is started, in milliseconds since the epoch (`--max-duration`); absent for never. */
  readonly deadlineMilliseconds?: number | undefined;
}

/** Why a change was not started after the time of `--max-duration`. */
const OUT_OF_TIME = "the time of --max-duration is over";

/** A state line is about this long; for the question whether the disk has room. */
const BYTES_PER_OBJECT = 600;

/**
 * Carries out the section of a plan for one zone under its lock, and reports how each change ended. Nothing that goes
 * wrong with one change is thrown. Throws only where nothing has been written live: the state cannot be read or kept.
 */
export async function applyZone(world: ApplyWorld, section: ZonePlan, options: ApplyOptions): Promise<ZoneReport> {
  const lease = await takeLock(world, section, options);
  if (lease instanceof Locked) return lockedReport(section, lease);
  try {
    return await applyUnderLock(world, section, lease, options);
  } finally {
    await release(lease);
  }
}

async function applyUnderLock(
  world: ApplyWorld,
  section: ZonePlan,
  lease: Lease,
  options: ApplyOptions,
): Promise<ZoneReport> {
  const saved = await begin(world, section, lease);
  const isBegun = section.changes.some(({ action, refused }) => action !== "held" && !refused);
  if (isBegun) await keepApproval(world.store, section.zone.id, lease, options.approval, world.clock.now());
  const journal = await openJournal(world.store, section.zone.id, lease, {
    clock: world.clock,
    run: options.run,
    state: saved.state,
    operation: options.operation,
    planHash: options.approval.hash,
    approved: options.approved,
    zones: options.zones,
  });
  const ended = await carryOut(world, section, saved, journal, options);
  const unsaved = await finish(world, section, lease, saved, journal, options);
  // A mark that cannot be made costs the approval nothing but its turn to give way.
  if (isBegun && !unsaved && options.leavesOut !== true && ended.every(isOver))
    await look(finishApproval(world.store, section.zone.id, lease, options.approval));
  const canBeUndone = hasWayBack(section, ended) && (await look(isRunKept(world.store, section.zone.id, options.run)));
  return {
    zone: section.zone,
    ended,
    ...(unsaved ? { unsaved } : {}),
    ...(canBeUndone === true ? { canBeUndone } : {}),
  };
}

/** Whether anything that the run may have written can be undone. A step that cannot be taken back is no reason to offer it. */
function hasWayBack({ changes }: ZonePlan, ended: readonly Ended[]): boolean {
  const oneWay = new Set(changes.filter(isOneWay).map(({ address }) => address));
  return ended.some(({ address, outcome }) => {
    const isUntouched = outcome.status === "refused" || outcome.status === "held" || outcome.status === "not-started";
    return !isUntouched && !oneWay.has(address);
  });
}

/** An edit that cannot be taken back. What was deleted can be created again, whatever is lost with it. */
function isOneWay({ action, hazards }: Change): boolean {
  return action !== "delete" && action !== "replace" && hazards.includes("irreversible");
}

/** A lock that cannot be given back hides nothing of what was done: the next run finds that its holder is dead. */
async function release(lease: Lease): Promise<void> {
  await lease.release().catch(() => undefined);
}

async function takeLock(world: ApplyWorld, section: ZonePlan, options: ApplyOptions): Promise<Lease | Locked> {
  try {
    return await world.store.lock(section.zone.id, options.holder, options.lockWaitMilliseconds, world.signal);
  } catch (thrown) {
    if (thrown instanceof Locked) return thrown;
    throw thrown;
  }
}

function lockedReport(section: ZonePlan, locked: Locked): ZoneReport {
  const ended = section.changes.map((change) => notStarted(change, "the zone's state is locked by somebody else"));
  return { zone: section.zone, ended, locked: locked.message, ...(locked.holder ? { lockedBy: locked.holder } : {}) };
}

/** The state to go on from, and whether it was written since the plan was made. */
interface Begun extends SavedState {
  readonly isStale: boolean;
}

async function begin(world: ApplyWorld, section: ZonePlan, lease: Lease): Promise<Begun> {
  const objects = section.changes.length + section.bookkeeping.remember.length;
  await world.store.checkWritable(section.zone.id, objects * BYTES_PER_OBJECT);
  const found = await loadState(world.store, section.zone.id);
  const saved = await beginState(world.store, lease, section.zone, world.random);
  if (section.lineage !== undefined && section.lineage !== saved.state.lineage) {
    throw new Refusal([otherLineage(section, saved.state)], 5);
  }
  const isAsPlanned =
    (found?.state.serial ?? 0) === section.serial && (found?.journalRecords ?? 0) === (section.journalRecords ?? 0);
  return { ...saved, isStale: !isAsPlanned };
}

function otherLineage(section: ZonePlan, state: State): Diagnostic {
  return error({
    code: "plan-of-another-state",
    message: `the plan was made with another state of ${section.zone.name} (lineage ${section.lineage ?? "none"}, now ${state.lineage})`,
    remedy: "plan again with the state that is meant",
  });
}

async function carryOut(
  world: ApplyWorld,
  section: ZonePlan,
  { state, isStale }: Begun,
  journal: Journal,
  options: ApplyOptions,
): Promise<readonly Ended[]> {
  let stopped: string | undefined;
  const ahead = openAhead(options.parallelism, () => stopped ?? whyStopped(world, options));
  const known = await observedState(world.store, state, world.client.serviceTime() ?? world.clock.now());
  const performance: Omit<Performance, "ahead"> = {
    client: world.client,
    clock: world.clock,
    zone: section.zone.id,
    journal,
    reveal: world.reveal,
    fingerprintOf: (reference: SecretReference) => fingerprint(world.reveal(reference), state.secretKey),
    isStale,
    before: (address) => known.objects.get(address),
    idsBeside: (kind, address) =>
      [...state.objects].flatMap(([known, object]) => (object.kind === kind && known !== address ? [object.id] : [])),
    knownAs: addressesById(state),
    signal: world.signal,
  };
  return walk(section.changes, options.parallelism, {
    isStopped: () => whyStopped(world, options),
    started: ({ address, action }) => world.report({ type: "start", address, action }),
    ended: (ended) => world.report({ type: "end", ended }),
    workersAhead: () => ahead.workers(),
    perform: async (change) => {
      const preparation = ahead.begin();
      const performed = await attempt({ ...performance, ahead: preparation }, change);
      // Known before there is room for the next one.
      stopped ??= performed.stops;
      preparation.end();
      return performed;
    },
  });
}

async function attempt(performance: Performance, change: Change): ReturnType<typeof perform> {
  try {
    return await perform(performance, change);
  } catch (thrown) {
    return failure(change, thrown, performance.signal);
  }
}

/** Addresses by kind and id, worked out when the first one is asked for. */
function addressesById({ objects }: State): Performance["knownAs"] {
  let addresses: ReadonlyMap<string, string> | undefined;
  return (kind, id) => {
    addresses ??= new Map([...objects].map(([address, object]) => [`${object.kind} ${object.id}`, address]));
    return addresses.get(`${kind} ${id}`);
  };
}

function whyStopped({ signal, clock }: ApplyWorld, { deadlineMilliseconds }: ApplyOptions): string | undefined {
  if (signal?.aborted) return "the run was interrupted";
  return deadlineMilliseconds !== undefined && clock.now() >= deadlineMilliseconds ? OUT_OF_TIME : undefined;
}

/** A body that the service does not take (400, 422) is not taken the next time either; other refusals may pass. */
function isFinal(thrown: unknown): boolean {
  return thrown instanceof ApiError && (thrown.status === 400 || thrown.status === 422);
}

/** The one place where what was thrown becomes an outcome. `stops` says that it would meet every other change as well. */
function failure(
  change: Change,
  thrown: unknown,
  signal: AbortSignal | undefined,
): { outcome: Outcome; stops?: string } {
  if (signal?.aborted && thrown === signal.reason) {
    return { outcome: { status: "not-started", because: "the run was interrupted" } };
  }
  if (thrown instanceof NotStarted) return { outcome: { status: "not-started", because: thrown.message } };
  const diagnostic = { ...explainFailure(thrown), address: change.address };
  if (thrown instanceof AmbiguousError) return { outcome: { status: "unknown", diagnostic } };
  const outcome: Outcome = { status: "failed", diagnostic, ...(isFinal(thrown) ? { isFinal: true } : {}) };
  // An intent that could not be written down: its request has not left.
  if (thrown instanceof StoreConflict)
    return { outcome: { status: "not-started", because: thrown.message }, stops: thrown.message };
  if (thrown instanceof StateError) return { outcome, stops: "the state cannot be written" };
  if (thrown instanceof UnreachableError) return { outcome, stops: "the service cannot be reached" };
  if (thrown instanceof ApiError && thrown.status === 429)
    return { outcome, stops: "the service refuses further calls for now" };
  if (thrown instanceof ApiError && (thrown.status === 401 || thrown.has(10000)))
    return { outcome, stops: "the service refuses the credentials" };
  return { outcome };
}

function notStarted(change: Change, because: string): Ended {
  return endedAs(change, { status: "not-started", because });
}

/** Folds the journal and the bookkeeping into a new snapshot, where they change anything. Gives why that failed: the journal is then kept. A run that changed nothing pushes no backup out. */
async function finish(
  world: ApplyWorld,
  section: ZonePlan,
  lease: Lease,
  saved: Begun,
  journal: Journal,
  options: ApplyOptions,
): Promise<Diagnostic | undefined> {
  if (!journal.hasRecords() && !hasBookkeeping(section)) return undefined;
  // What a plan would only write down is older than a state that was written since.
  const folded = journal.folded();
  const state = saved.isStale
    ? folded
    : await withBookkeeping(world, folded, section, () => whyStopped(world, options) !== undefined);
  try {
    // A journal that cannot be written keeps no snapshot from being written: that holds the results as well.
    const isJournalInDoubt = await journal.flush().then(
      () => false,
      () => true,
    );
    await saveState(world.store, lease, saved.version, state, { isJournalInDoubt });
    return undefined;
  } catch (thrown) {
    return explainFailure(thrown);
  }
}

function hasBookkeeping(section: ZonePlan): boolean {
  const { bookkeeping } = section;
  return bookkeeping.remember.length + bookkeeping.drop.length > 0 || bookkeeping.sources !== undefined;
}

async function withBookkeeping(
  world: ApplyWorld,
  state: State,
  section: ZonePlan,
  isStopped: () => boolean,
): Promise<State> {
  const { zone, bookkeeping } = section;
  const editor = editState(state);
  for (const object of bookkeeping.remember) editor.set(localAddress(object.kind, object.key), object);
  // What a run has no time left to ask for stays for the next one. What only policies know nobody would miss.
  const isToGo = async (object: StateObject): Promise<boolean> =>
    object.undeclared === true || (!isStopped() && (await isGone(world, zone.id, object)));
  const dropped = bookkeeping.drop.flatMap((address) => {
    const object = state.objects.get(address);
    return object ? [{ address, object }] : [];
  });
  for (const [{ address }, goes] of await several(dropped, ({ object }) => isToGo(object)))
    if (goes) editor.delete(address);
  const sources = bookkeeping.sources ?? state.sources;
  return {
    ...editor.toState(),
    ...(sources ? { sources: withoutDeleted(sources, hostnamesGone(section, state)) } : {}),
  };
}

/** The hostnames that the plan deletes and the state no longer tracks. */
function hostnamesGone({ changes }: ZonePlan, { objects }: State): readonly string[] {
  return changes.flatMap(({ kind, key, action }) =>
    kind === "custom_hostname" && action === "delete" && !objects.has(localAddress(kind, key)) ? [key] : [],
  );
}

/**
 * Whether a tracked object may be forgotten: only what its id does not find is gone, or its name where nobody saw an id,
 * whatever the list of all said (a failed look proves nothing).
 */
async function isGone({ client, signal }: ApplyWorld, zone: ZoneId, object: StateObject): Promise<boolean> {
  const kind = kindIfNamed(object.kind);
  if (!kind) return false;
  const found =
    object.id === "" ? kind.find(client, zone, object.key, signal) : kind.read(client, zone, object, signal);
  return (await look(found)) === undefined;
}
