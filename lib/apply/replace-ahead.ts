import { defined, equal } from "../core/json.ts";
import type { ChangeTo } from "../plan/change.ts";
import { attemptNeeds } from "../plan/cost.ts";
import { localAddress } from "../plan/targets.ts";
import type { Live } from "../kinds/live.ts";
import { retiredKey } from "../kinds/retired.ts";
import { AmbiguousError } from "../service/errors.ts";
import { explainFailure } from "../service/explain-failure.ts";
import { isLeaseLost } from "../state/lock.ts";
import { type Attempt, reread } from "./attempt.ts";
import { isAsPlanned } from "./compare.ts";
import { conflict } from "./conflict.ts";
import { createOnce, createOrResume } from "./create.ts";
import type { Outcome, Performed } from "./outcome.ts";
import { deleteAsRead } from "./remove.ts";
import { NotStarted } from "./run.ts";
import { inTries, type Try } from "./tries.ts";

/**
 * Replaces by creating first. Before it sends anything, the state gets the old object under an address of its own,
 * where it stays until the new one serves traffic. So the next run knows every live object, whenever this one is
 * stopped.
 */
export async function replaceAhead(attempt: Attempt, change: ChangeTo<"replace">): Promise<Performed> {
  const { kind, known } = attempt;
  const wasBegun = known.at(localAddress(kind.name, retiredKey(change.key, change.id))) !== undefined;

  // Reread, compare, and create the new one beside it.
  const { old, beside } = await inTries(
    attempt,
    attemptNeeds(change, kind),
    async (fresh): Promise<{ old: Live | undefined; beside?: Performed }> => {
      const old = await reread(attempt, fresh);
      if (!old || wasBegun) return { old };
      return { old, beside: await createBeside(attempt, fresh, change, old) };
    },
  );
  // This plan was applied before and then stopped, or the old object was deleted meanwhile.
  const made = beside ?? (await createOrResume(attempt, change));
  if (!old || made.outcome.status !== "done") return made;

  // Delete the old one once the new one serves.
  try {
    const successor = { id: made.id ?? "", key: change.key };
    const isServed = await servesSoon(attempt, successor);
    const later = `${old.id} serves traffic until this one does; a later apply deletes it`;
    const left = isServed ? await retire(attempt, change, old, successor) : doneWith(later);
    if (left === "gone") return made;
    if (left !== "deleted") return { ...made, outcome: left };
    // A new object that existed already is only half of the change: the old one was deleted just now.
    return made.outcome.wasSo ? { ...made, outcome: { status: "done" } } : made;
  } catch (error) {
    return { ...made, ...whyOldStays(attempt, old, error) };
  }
}

function doneWith(note: string): Outcome {
  return { status: "done", note };
}

/** The new object exists and is recorded. Returns why the old one was not deleted. Throws if that is unknown. */
function whyOldStays({ change, signal }: Attempt, old: Live, error: unknown): Pick<Performed, "outcome" | "stops"> {
  if (error instanceof AmbiguousError) throw error;
  const later = `a later apply deletes ${old.id}; it stays for now:`;
  if (signal?.aborted && error === signal.reason) return { outcome: doneWith(`${later} the run was interrupted`) };
  if (error instanceof NotStarted) return { outcome: doneWith(`${later} ${error.message}`) };
  if (isLeaseLost(error)) return { outcome: doneWith(`${later} ${error.message}`), stops: error.message };
  const diagnostic = { ...explainFailure(error), address: change.address };
  return { outcome: { status: "failed", diagnostic, hasWritten: true } };
}

/** One call reads the new object, one reads the old one, and one deletes the old one. */
const RETIREMENT = { calls: 3, issuances: 0 };

/** The object that replaces another one. */
interface Successor {
  readonly id: string;
  readonly key: string;
}

/**
 * Deletes the old object at its own address, if it is still as compared and a read just before shows that the new one
 * serves traffic. Returns why it stays; `gone` if it had been deleted already.
 */
function retire(
  attempt: Attempt,
  change: ChangeTo<"replace">,
  old: Live,
  successor: Successor,
): Promise<Outcome | "gone" | "deleted"> {
  const { client, clock, journal, kind, zone } = attempt;
  const entry = { address: localAddress(kind.name, retiredKey(change.key, old.id)), action: "delete" } as const;
  return inTries(attempt, RETIREMENT, async (fresh) => {
    const next = await kind.read(fresh.client, zone, successor, fresh.signal);
    const live = await kind.read(fresh.client, zone, old, fresh.signal);
    const readAt = clock.now();
    if (!live) {
      journal.gone(entry);
      return "gone";
    }
    if (!next || (kind.readiness?.(next) ?? "ready") !== "ready")
      return doneWith(`${old.id} stays, because the new one no longer serves traffic`);
    if (!equal(kind.guarded(live, []), kind.guarded(old, []))) return endAsChanged(attempt, live);
    await deleteAsRead(attempt, fresh, { live, readAt, entry, lookUp: () => kind.read(client, zone, live) });
    journal.done(entry);
    return "deleted";
  });
}

/** The new object was created; the old one was changed outside Zoneform before it could be deleted, so it stays. */
function endAsChanged(attempt: Attempt, live: Live): Outcome {
  const outcome = conflict(attempt, live, "the new one was created, but the old one was changed meanwhile and stays");
  return outcome.status === "conflict" ? { ...outcome, hasWritten: "part" } : outcome;
}

async function createBeside(attempt: Attempt, fresh: Try, change: ChangeTo<"replace">, old: Live): Promise<Performed> {
  const { address, before, journal, kind } = attempt;
  if (!isAsPlanned(attempt, old)) return { outcome: conflict(attempt, old) };
  const key = retiredKey(change.key, old.id);
  const applied = before?.applied ?? old.values;
  const known = { kind: kind.name, key, id: old.id, applied, ...defined({ by: before?.by }) };
  const retired = localAddress(kind.name, key);
  journal.done({ address: retired, action: "adopt", object: known, from: address });
  const putBack = (): void => {
    if (before) journal.done({ address, action: "adopt", object: before, from: retired });
    else journal.done({ address: retired, action: "forget" });
  };
  try {
    const made = await createOnce(attempt, fresh, change.desired);
    if (made.outcome.status !== "done" && made.outcome.status !== "unconfirmed") putBack();
    return made;
  } catch (error) {
    if (!(error instanceof AmbiguousError)) putBack();
    throw error;
  }
}

/** How long a run waits for a new object to serve traffic before it leaves the old one to a later run. */
const LONGEST_REPLACEMENT_MILLISECONDS = 5 * 60_000;
const FIRST_LOOK_MILLISECONDS = 5_000;

/**
 * Waits until the object serves traffic, up to a limit. An interrupted wait is not a failure: a later run continues.
 */
async function servesSoon(attempt: Attempt, target: Successor): Promise<boolean> {
  const { client, clock, kind, signal, zone } = attempt;
  const deadline = clock.now() + LONGEST_REPLACEMENT_MILLISECONDS;
  try {
    for (let wait = FIRST_LOOK_MILLISECONDS; ; wait *= 1.5) {
      const live = await kind.read(client, zone, target, signal);
      const readiness = live ? (kind.readiness?.(live) ?? "ready") : undefined;
      if (readiness === "ready") return true;
      if (!readiness || readiness.isFinal || clock.now() + wait > deadline) return false;
      await clock.sleep(wait, signal);
    }
  } catch (error) {
    if (signal?.aborted) return false;
    throw error;
  }
}
