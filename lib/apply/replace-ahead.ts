import type { Change } from "../plan/change.ts";
import { localAddress } from "../plan/targets.ts";
import type { Kind, Live } from "../resources/kind.ts";
import { retiredKey } from "../resources/retired.ts";
import { AmbiguousError } from "../service/errors.ts";
import { StoreConflict } from "../state/store.ts";
import { create, createOrResume } from "./create.ts";
import { differenceFrom, reread } from "./differences.ts";
import { addressOf, type Performance, type Performed } from "./performance.ts";
import { take } from "./remove.ts";

/**
 * Replaces by creating first. Before anything is sent the old object is known under an address of its own, from which
 * it goes once the new one serves: a run that is stopped at any moment leaves nothing live that the next does not know.
 */
export async function replaceAhead(run: Performance, change: Change, kind: Kind): Promise<Performed> {
  const retired = retiredKey(change.key, change.id ?? "");
  const old = await reread(run, change, kind);
  const made =
    old && !run.before(localAddress(kind.name, retired))
      ? await createBeside(run, change, kind, old)
      : // This plan was carried out before, until it was stopped; or somebody deleted the old one meanwhile.
        await createOrResume(run, change);
  if (!old || made.outcome.status !== "done") return made;
  if (!(await servesSoon(run, kind, { id: made.id ?? "", key: change.key }))) {
    const note = `${old.id} serves on until this one does; it is deleted by a later apply`;
    return { ...made, outcome: { status: "done", note } };
  }
  try {
    await take(run, kind, old, { address: localAddress(kind.name, retired), action: "delete" }, change.prior);
  } catch (error) {
    if (!(error instanceof StoreConflict)) throw error;
    // The new one is made and on record, so that this was started; only the delete was not sent.
    const note = `${old.id} serves on; it is deleted by a later apply, because ${error.message}`;
    return { ...made, outcome: { status: "done", note }, stops: error.message };
  }
  return made;
}

async function createBeside(run: Performance, change: Change, kind: Kind, old: Live): Promise<Performed> {
  const difference = differenceFrom(run, change, kind, old);
  if (difference && difference !== "none") return { outcome: difference };
  const [address, key] = [addressOf(change), retiredKey(change.key, old.id)];
  const before = run.before(address);
  const known = { kind: kind.name, key, id: old.id, applied: before?.applied ?? old.values };
  const retired = localAddress(kind.name, key);
  run.journal.done({ address: retired, action: "adopt", object: known, from: address });
  const putBack = (): void => {
    if (before) run.journal.done({ address, action: "adopt", object: before, from: retired });
    else run.journal.done({ address: retired, action: "forget" });
  };
  try {
    const made = await create(run, change);
    if (made.outcome.status !== "done") putBack();
    return made;
  } catch (error) {
    if (!(error instanceof AmbiguousError)) putBack();
    throw error;
  }
}

/** How long a run waits for a new object to serve before it leaves the old one to a later run. */
const LONGEST_REPLACEMENT_MILLISECONDS = 5 * 60_000;
const FIRST_LOOK_MILLISECONDS = 5_000;

/** Whether the object serves before long. An interrupted wait is none that failed: a later run goes on. */
async function servesSoon(run: Performance, kind: Kind, target: { id: string; key: string }): Promise<boolean> {
  const deadline = run.clock.now() + LONGEST_REPLACEMENT_MILLISECONDS;
  try {
    for (let wait = FIRST_LOOK_MILLISECONDS; ; wait *= 1.5) {
      const live = await kind.read(run.client, run.zone, target, run.signal);
      const readiness = live ? (kind.readiness?.(live) ?? "ready") : undefined;
      if (readiness === "ready") return true;
      if (!readiness || readiness.isFinal || run.clock.now() + wait > deadline) return false;
      await run.clock.sleep(wait, run.signal);
    }
  } catch (error) {
    if (run.signal?.aborted) return false;
    throw error;
  }
}
