import { Refusal } from "../core/diagnostic.ts";
import { kindNamed } from "../kinds/registry.ts";
import type { Change, ZonePlan } from "../plan/change.ts";
import { serviceMoment } from "../service/client.ts";
import { AmbiguousError, ApiError, UnreachableError } from "../service/errors.ts";
import { explainFailure } from "../service/explain-failure.ts";
import { StateError } from "../state/error.ts";
import { isLeaseLost } from "../state/lock.ts";
import { observedState } from "../state/observations.ts";
import type { Journal } from "../state/open-journal.ts";
import type { JournalEntry } from "../state/journal-record.ts";
import type { State } from "../state/state.ts";
import { type Attempt, indexKnown, type OpenAttempt, openAttempts } from "./attempt.ts";
import { type Ended, type Outcome, type Performed, toEnded } from "./outcome.ts";
import { perform } from "./perform.ts";
import { makeStateObject } from "./settle.ts";
import { type ApplyRun, NotStarted, whyStopped } from "./run.ts";
import { APPROVAL_SPENT, CHANGED_SINCE_APPROVAL, NOT_AMONG_APPROVED } from "../approval/approval.ts";
import { cutsOff, needsCarrier } from "../plan/carriers.ts";

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

/** What a walk calls. */
interface Steps {
  /** Why no further change may be started, or undefined. */
  isStopped(): string | undefined;
  started(change: Change): void;
  ended(ended: Ended): void;
  /** Never throws. `stops` says why no further change may be started. */
  perform(change: Change): Promise<Performed>;
}

/**
 * Starts changes in their order, several at once, but only of one kind and direction at a time: the next kind starts
 * when the previous one has ended. Returns an ending for each change, even if it was never started.
 */
async function walk(changes: readonly Change[], parallelism: number, steps: Steps): Promise<readonly Ended[]> {
  const ended: Ended[] = [];
  const failed = new Set<string>();
  const unmade = new Set<string>();
  const staying = new Set<string>();
  let stopped: string | undefined;
  for (const group of groups(changes)) {
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let change = group[next++]; change !== undefined; change = group[next++]) {
        // A blocked change takes no time, and no later run would start it either.
        const because = change.refused
          ? undefined
          : (stopped ?? steps.isStopped() ?? blockedBy(change, failed) ?? keptBecause(change, unmade, staying));
        const performed =
          because === undefined ? await start(change) : { outcome: { status: "not-started", because } as const };
        if (isUncertain(performed.outcome)) failed.add(change.kind);
        if (isUnmade(change, performed.outcome)) unmade.add(change.kind);
        if (change.action === "delete" && performed.outcome.status !== "done") staying.add(change.kind);
        if (performed.stops !== undefined) stopped ??= performed.stops;
        const { outcome, id } = performed;
        const end = toEnded(change, outcome, id);
        ended.push(end);
        steps.ended(end);
      }
    };
    await Promise.all(Array.from({ length: Math.min(parallelism, group.length) }, worker));
  }
  return inPlanOrder(ended, changes);

  function start(change: Change): Promise<Performed> {
    if (!change.refused) steps.started(change);
    return steps.perform(change);
  }
}

/**
 * Changes that may be under way together: neighbours of one kind that are all deletions, or none of them. The first
 * replacement of a kind goes alone: if it cannot be created again, the others are not deleted.
 */
function groups(changes: readonly Change[]): Change[][] {
  const found: Change[][] = [];
  const tried = new Set<string>();
  let name: string | undefined;
  for (const change of changes) {
    const isFirstOfReplacements = change.action === "replace" && !tried.has(change.kind);
    if (isFirstOfReplacements) tried.add(change.kind);
    const next = isFirstOfReplacements ? "alone" : `${change.kind} ${change.action === "delete"}`;
    if (next !== name || isFirstOfReplacements) found.push([]);
    name = next;
    found.at(-1)?.push(change);
  }
  return found;
}

/** The conflicts that prevent creating an object although its name is free. */
const BEFORE_ITS_WRITE: ReadonlySet<string> = new Set([APPROVAL_SPENT, CHANGED_SINCE_APPROVAL]);

/**
 * Whether a planned object that may be the successor of a deleted one is missing. If another object took its name, it
 * exists; if it was not approved, it was never going to be created.
 */
function isUnmade({ action }: Change, outcome: Outcome): boolean {
  if (action === "delete") return false;
  if (isUncertain(outcome)) return true;
  if (action !== "create") return false;
  if (outcome.status === "refused") return outcome.refused.code !== NOT_AMONG_APPROVED;
  if (outcome.status === "conflict") return BEFORE_ITS_WRITE.has(outcome.diagnostic.code);
  return outcome.status === "not-started";
}

/** Whether the change's effect cannot be relied on. */
function isUncertain({ status }: Outcome): boolean {
  return status === "failed" || status === "unknown" || status === "unconfirmed";
}

/** A change that needs another object waits for it. */
function blockedBy(change: Change, failed: ReadonlySet<string>): string | undefined {
  const carrier = needsCarrier(change);
  return carrier !== undefined && failed.has(carrier) ? "the fallback origin could not be set" : undefined;
}

/**
 * A renamed object is a create and a delete: the old one stays until the new one exists, and so does the origin that it
 * uses.
 */
function keptBecause(change: Change, unmade: ReadonlySet<string>, staying: ReadonlySet<string>): string | undefined {
  const carried = cutsOff(change);
  if (carried !== undefined && staying.has(carried) && !change.refused)
    return "hostnames that use it could not be deleted";
  if (change.action !== "delete" || !unmade.has(change.kind)) return undefined;
  return "others of its kind could not be created or changed; nothing is deleted until they can";
}

function inPlanOrder(ended: readonly Ended[], changes: readonly Change[]): readonly Ended[] {
  const place = new Map<string, number>(changes.map(({ address }, index) => [address, index]));
  return [...ended].sort((left, right) => (place.get(left.address) ?? 0) - (place.get(right.address) ?? 0));
}
