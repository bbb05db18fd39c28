import { Refusal } from "../core/diagnostic.ts";
import { kindNamed } from "../kinds/registry.ts";
import type { ZonePlan, Change } from "../plan/change.ts";
import { serviceMoment } from "../service/client.ts";
import { AmbiguousError, ApiError, UnreachableError } from "../service/errors.ts";
import { explainFailure } from "../service/explain-failure.ts";
import { StateError } from "../state/error.ts";
import { isLeaseLost } from "../state/lock.ts";
import { observedState } from "../state/observations.ts";
import type { Journal } from "../state/open-journal.ts";
import type { JournalEntry } from "../state/record.ts";
import type { State } from "../state/state.ts";
import { type Attempt, indexKnown, openAttempts, type OpenAttempt } from "./attempt.ts";
import type { Ended, Outcome, Performed } from "./outcome.ts";
import { perform } from "./perform.ts";
import { makeStateObject } from "./record.ts";
import { type ApplyRun, NotStarted, whyStopped } from "./run.ts";
import { walk } from "./walk.ts";

/** Applies the changes of a zone in their order, several at once. A failed change never throws. */
export async function carryOut(
  run: ApplyRun,
  { zone, changes }: ZonePlan,
  { state, isStale }: { readonly state: State; readonly isStale: boolean },
  journal: Journal,
): Promise<readonly Ended[]> {
  const { world, client, options } = run;
  const observed = await observedState(world.store, state, serviceMoment(client, world.clock));
  const openAttempt = openAttempts(run, zone.id, state, indexKnown(state, observed, isStale), journal);
  journal.foresee(foreseenIntents(changes, openAttempt));
  const ended = await walk(changes, options.parallelism, {
    isStopped: () => whyStopped(run),
    started: ({ address, action }) => options.report({ type: "start", address, action }),
    ended: (ended) => options.report({ type: "end", ended }),
    perform: (change) => performOrFail(openAttempt(change)),
  });
  journal.withdraw();
  return ended;
}

async function performOrFail(attempt: Attempt): Promise<Performed> {
  try {
    return await perform(attempt);
  } catch (thrown) {
    return judgeFailure(attempt, thrown);
  }
}

/** The one place where an error becomes an outcome. `stops` says that every other change would fail the same way. */
function judgeFailure({ change, signal }: Attempt, thrown: unknown): Performed {
  if (signal?.aborted && thrown === signal.reason) {
    return { outcome: { status: "not-started", because: "the run was interrupted" } };
  }
  if (thrown instanceof NotStarted) return { outcome: { status: "not-started", because: thrown.message } };
  const diagnostic = { ...explainFailure(thrown), address: change.address };
  if (thrown instanceof AmbiguousError) return { outcome: { status: "unknown", diagnostic } };
  const outcome: Outcome = { status: "failed", diagnostic, ...(isFinal(thrown) ? { isFinal: true } : {}) };
  // The intent could not be recorded, so the request was not sent.
  if (isLeaseLost(thrown))
    return { outcome: { status: "not-started", because: thrown.message }, stops: thrown.message };
  if (thrown instanceof StateError) return { outcome, stops: "the state cannot be written" };
  if (thrown instanceof UnreachableError) return { outcome, stops: "Cloudflare cannot be reached" };
  if (thrown instanceof ApiError && thrown.status === 429)
    return { outcome, stops: "Cloudflare refuses further calls for now" };
  if (thrown instanceof ApiError && (thrown.status === 401 || thrown.has(10000)))
    return { outcome, stops: "Cloudflare refuses the credentials" };
  return { outcome };
}

/** The service refuses a bad request (400, 422) every time; other refusals may pass. */
function isFinal(thrown: unknown): boolean {
  return thrown instanceof ApiError && (thrown.status === 400 || thrown.status === 422);
}

/**
 * The intents of changes that can be announced before they begin: announcing a change that is never sent must do no
 * harm. They lack the live values, which each change reads itself, just before its request. Each intent is made on
 * demand.
 */
function* foreseenIntents(changes: readonly Change[], open: OpenAttempt): Iterable<JournalEntry> {
  for (const change of changes) {
    const entry = mayBeAnnounced(change) ? intentOf(change, open) : undefined;
    if (entry) yield entry;
  }
}

/**
 * Excludes a step that counts as done once it is recorded, a step of several requests, and an object without a unique
 * name, because a later run could not rule out that it was created.
 */
function mayBeAnnounced({ kind: name, refused, hazards, with: companion }: Change): boolean {
  const kind = kindNamed(name);
  if (refused || companion || hazards.includes("irreversible")) return false;
  return !kind.severalRequests && kind.replacement !== "create-first";
}

function intentOf(change: Change, open: OpenAttempt): JournalEntry | undefined {
  const { action } = change;
  if (action !== "create" && action !== "update" && action !== "delete" && action !== "replace") return undefined;
  const attempt = open(change);
  const { address } = attempt;
  if (action === "delete") return { address, action };
  try {
    // A replacement deletes first; its second half has an intent of its own.
    return { address, action: action === "replace" ? "delete" : action, object: makeStateObject(attempt, undefined) };
  } catch (thrown) {
    // If a secret cannot be read, the change itself reports it.
    if (thrown instanceof Refusal) return undefined;
    throw thrown;
  }
}
