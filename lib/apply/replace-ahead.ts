import { equal } from "../core/json.ts";
import { attemptNeeds } from "../plan/attempt.ts";
import type { Change } from "../plan/change.ts";
import { localAddress } from "../plan/targets.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import { retiredKey } from "../kinds/retired.ts";
import type { Client } from "../service/client.ts";
import { AmbiguousError } from "../service/errors.ts";
import { explainFailure } from "../service/explain-failure.ts";
import { StoreConflict } from "../state/store.ts";
import { conflict } from "./conflict.ts";
import { createOnce, createOrResume } from "./create.ts";
import { differenceFrom, reread } from "./differences.ts";
import type { Outcome } from "./outcome.ts";
import { addressOf, type Performance, type Performed } from "./performance.ts";
import { take } from "./remove.ts";

/**
 * Replaces by creating first. Before anything is sent the old object is known under an address of its own, from which
 * it goes once the new one serves: a run that is stopped at any moment leaves nothing live that the next does not know.
 */
export async function replaceAhead(run: Performance, change: Change, kind: Kind): Promise<Performed> {
  const retired = retiredKey(change.key, change.id ?? "");
  const wasBegun = run.before(localAddress(kind.name, retired)) !== undefined;
  const attempt = async (client: Client): Promise<{ old: Live | undefined; beside?: Performed }> => {
    const found = await reread(run, change, kind, client);
    if (!found || wasBegun) return { old: found };
    return { old: found, beside: await createBeside(run, change, kind, found, client) };
  };
  const { old, beside } = await run.client.freshly(attemptNeeds(change, kind), attempt, run.signal);
  // This plan was carried out before, until it was stopped; or somebody deleted the old one meanwhile.
  const made = beside ?? (await createOrResume(run, change));
  if (!old || made.outcome.status !== "done") return made;
  try {
    const isServed = await servesSoon(run, kind, { id: made.id ?? "", key: change.key });
    const later = `${old.id} serves on until this one does; it is deleted by a later apply`;
    const left = isServed ? await retire(run, change, kind, old, made.id ?? "") : doneWith(later);
    return left ? { ...made, outcome: left } : made;
  } catch (error) {
    return { ...made, ...whyOldStays(run, change, old, error) };
  }
}

function doneWith(note: string): Outcome {
  return { status: "done", note };
}

/** The new object is made and on record; why the old one was not deleted. Throws where nobody knows whether it was. */
function whyOldStays(
  run: Performance,
  change: Change,
  old: Live,
  error: unknown,
): Pick<Performed, "outcome" | "stops"> {
  if (error instanceof AmbiguousError) throw error;
  const later = `a later apply deletes ${old.id}; it stays for now, because`;
  if (run.signal?.aborted && error === run.signal.reason)
    return { outcome: doneWith(`${later} the run was interrupted`) };
  if (error instanceof StoreConflict) return { outcome: doneWith(`${later} ${error.message}`), stops: error.message };
  const diagnostic = { ...explainFailure(error), address: change.address };
  return { outcome: { status: "failed", diagnostic, hasWritten: true } };
}

/** Deletes the old object, where it is still as it was compared and the new one still serves, read just before. */
function retire(
  run: Performance,
  change: Change,
  kind: Kind,
  old: Live,
  successor: string,
): Promise<Outcome | undefined> {
  const entry = { address: localAddress(kind.name, retiredKey(change.key, old.id)), action: "delete" as const };
  const attempt = async (client: Client, startOver: () => Error): Promise<Outcome | undefined> => {
    const next = await kind.read(client, run.zone, { id: successor, key: change.key }, run.signal);
    const live = await kind.read(client, run.zone, old, run.signal);
    const readAt = run.clock.now();
    const isServed = next !== undefined && (kind.readiness?.(next) ?? "ready") === "ready";
    if (live && !isServed) return doneWith(`${old.id} serves on, because the new one does not serve any more`);
    if (live && !equal(kind.guarded(live, []), kind.guarded(old, []))) return changedBeforeItWent(change, live);
    if (live) await take(run, { client, startOver }, kind, { live, at: readAt }, entry, change.prior);
    else run.journal.gone(entry);
    return undefined;
  };
  return run.client.freshly({ calls: 3, issuances: 0 }, attempt, run.signal);
}

/** The new object is made; the old one was changed by somebody else before it could go, so that it stays. */
function changedBeforeItWent(change: Change, live: Live): Outcome {
  const outcome = conflict(change, live, "the new one was created, but the old one was changed meanwhile and stays");
  return outcome.status === "conflict" ? { ...outcome, hasWritten: "part" } : outcome;
}

async function createBeside(
  run: Performance,
  change: Change,
  kind: Kind,
  old: Live,
  client: Client,
): Promise<Performed> {
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
    const made = await createOnce(run, change, client);
    if (made.outcome.status !== "done" && made.outcome.status !== "unconfirmed") putBack();
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
