import type { ZoneId } from "../core/brand.ts";
import { defined, equal, type JsonObject } from "../core/json.ts";
import { type Diagnostic, problem, warning } from "../core/diagnostic.ts";
import { several } from "../core/lists.ts";
import { ENTRY_POINTS, isHostname, kindIfNamed } from "../kinds/registry.ts";
import type { ZonePlan } from "../plan/change.ts";
import { withoutDeleted } from "../plan/sources.ts";
import { localAddress } from "../plan/targets.ts";
import { serviceMoment } from "../service/client.ts";
import { explainFailure } from "../service/explain-failure.ts";
import { editState, type Reviewed, type State, type StateObject } from "../state/state.ts";
import { type SavedState, type SaveOptions, saveState } from "../state/load.ts";
import { isLeaseLost, type Lease } from "../state/lock.ts";
import type { Journal } from "../state/open-journal.ts";
import type { ZoneReport } from "./outcome.ts";
import { readOrUnknown } from "./attempt.ts";
import { type ApplyRun, whyStopped } from "./run.ts";

/** What could not be saved; or what was saved, and whether the record of this run allows undoing it. */
interface Finished extends Pick<ZoneReport, "unsaved" | "lost"> {
  readonly state: State;
  readonly isKept?: boolean;
}

/**
 * Folds the journal and the bookkeeping into a new snapshot, if they change anything. Returns the error if that fails;
 * the journal is then kept, and the next run settles its unfinished intents. A run that changed nothing makes no copy,
 * because that would push out an older one. The records are kept with the snapshot.
 */
export async function finish(
  run: ApplyRun,
  section: ZonePlan,
  lease: Lease,
  saved: SavedState & { readonly isStale: boolean },
  journal: Journal,
  records: SaveOptions["records"],
): Promise<Finished> {
  const folded = journal.folded();
  const reviewed = (await reviewRules(run, section, folded)) ?? narrowReview(section, saved.state, folded);
  if (!journal.hasRecords() && !hasBookkeeping(section) && !reviewed) return { state: saved.state };
  // If the state was written after the plan was made, the plan's bookkeeping is outdated.
  const kept = saved.isStale ? folded : await withBookkeeping(run, folded, section);
  const state = { ...kept, ...defined({ reviewed: reviewed ?? kept.reviewed }) };
  const fault = await journal.flush().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  try {
    // Even if flushing the journal fails, we write the snapshot: it contains the results too.
    const stored = await saveState(run.world.store, lease, saved.version, state, {
      ...defined({ records }),
      journal: journal.lines(),
      isJournalInDoubt: fault !== undefined,
    });
    return { state: stored.state, isKept: stored.runs.includes(run.id) };
  } catch (thrown) {
    const lost = [fault, thrown].some(isLeaseLost) ? journal.unstored() : 0;
    return { state, unsaved: explainFailure(thrown), ...(lost > 0 ? { lost } : {}) };
  }
}

/** Whether a plan records or drops something besides its changes. */
export function hasBookkeeping({ bookkeeping }: ZonePlan): boolean {
  return bookkeeping.remember.length + bookkeeping.drop.length > 0 || bookkeeping.sources !== undefined;
}

async function withBookkeeping(run: ApplyRun, state: State, section: ZonePlan): Promise<State> {
  const { zone, bookkeeping } = section;
  const editor = editState(state);
  for (const object of bookkeeping.remember) editor.set(localAddress(object.kind, object.key), object);
  // If the run has no time left to check an object, the state keeps it for the next run. Objects that only a policy
  // mentions need no check.
  const isToGo = async (object: StateObject): Promise<boolean> =>
    object.undeclared === true || (whyStopped(run) === undefined && (await isGone(run, zone.id, object)));
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

/**
 * Whether the state may drop an object: only if a read by its id, or by its name if no id is known, does not find it.
 * Absence from a list proves nothing, nor does a failed read.
 */
async function isGone({ client, world: { signal } }: ApplyRun, zone: ZoneId, object: StateObject): Promise<boolean> {
  const kind = kindIfNamed(object.kind);
  if (!kind) return false;
  const found =
    object.id === "" ? kind.find(client, zone, object.key, signal) : kind.read(client, zone, object, signal);
  return (await readOrUnknown(found)) === undefined;
}

/** The hostnames that the plan deletes and the state no longer tracks. */
function hostnamesGone({ changes }: ZonePlan, { objects }: State): readonly string[] {
  return changes.flatMap(({ kind, key, action }) =>
    isHostname(kind) && action === "delete" && !objects.has(localAddress(kind, key)) ? [key] : [],
  );
}

/**
 * Narrows the last review after a run whose plan was not shown. If that run put our rules ahead of foreign ones, a foreign
 * rule that is ahead of them later was moved there since.
 */
function narrowReview({ watch }: ZonePlan, before: State, state: State): Reviewed | undefined {
  const { reviewed, objects } = state;
  if (!reviewed) return undefined;
  const entryPoints = Object.fromEntries(
    Object.entries(reviewed.entryPoints).map(([key, rules]) => {
      const [address, shown] = [localAddress(ENTRY_POINTS.name, key), watch?.shown[key]];
      const isWritten = objects.get(address) !== before.objects.get(address);
      return [key, shown && isWritten ? ENTRY_POINTS.shared.narrowed(rules, shown) : rules];
    }),
  );
  return equal(entryPoints, reviewed.entryPoints) ? undefined : { ...reviewed, entryPoints };
}

/**
 * The foreign rules as reviewed by this run, if they differ from the last review: those that the approved plan showed
 * and that are unchanged now, under the lock and after our writes. Undefined if the plan showed none, nothing changed,
 * the run was stopped (the snapshot does not wait then), or an entry point could not be read, which is a warning.
 */
async function reviewRules(run: ApplyRun, section: ZonePlan, state: State): Promise<Reviewed | undefined> {
  const { client, world } = run;
  const { zone, reviewed: shown } = section;
  const before = state.reviewed?.entryPoints;
  if (!shown || whyStopped(run) !== undefined || equal(shown, before ?? {})) return undefined;
  const { name, shared } = ENTRY_POINTS;
  const entryPoints: Record<string, readonly JsonObject[]> = {};
  try {
    for (const [key, seen] of Object.entries(shown)) {
      const live = await ENTRY_POINTS.find(client, zone.id, key, world.signal);
      const prior = state.objects.get(localAddress(name, key))?.applied;
      if (live) entryPoints[key] = shared.unchanged(seen, { key, prior, live });
    }
  } catch (failure) {
    world.note?.(notRecorded(zone.name, failure));
    return undefined;
  }
  if (equal(entryPoints, before)) return undefined;
  return { at: new Date(serviceMoment(client, world.clock)).toISOString(), entryPoints };
}

function notRecorded(zone: string, failure: unknown): Diagnostic {
  return warning(problem("review-not-recorded", { zone, cause: explainFailure(failure).message }));
}
