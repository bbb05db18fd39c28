import { error } from "../core/diagnostic.ts";
import { equal } from "../core/json.ts";
import { attemptNeeds } from "../plan/attempt.ts";
import type { Change, Refused } from "../plan/change.ts";
import { refusalToReplace } from "../plan/companions.ts";
import { ChangedMeanwhile, type Companion, StepCutShort } from "../kinds/traits/remote.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import { kindNamed } from "../kinds/registry.ts";
import type { Client } from "../service/client.ts";
import { AmbiguousError } from "../service/errors.ts";
import { explainFailure } from "../service/explain-failure.ts";
import { isNotFound } from "../service/not-found.ts";
import type { StateObject } from "../state/state.ts";
import { answerTo, confirmWrite, unconfirmedOutcome } from "./confirm.ts";
import { changedMeanwhile, conflict, goneSince } from "./conflict.ts";
import {
  differenceFrom,
  differencesFromSent,
  heldNow,
  isAsEdited,
  isWanted,
  reread,
  rereadAsWanted,
} from "./differences.ts";
import { look } from "./look.ts";
import type { Outcome } from "./outcome.ts";
import { addressOf, contextOf, type Performance, type Performed } from "./performance.ts";
import { withOverwritten } from "./overwritten.ts";
import { preImage, remembered, settled } from "./remember.ts";
import { stillAsRead } from "./still-as-read.ts";

/** Changes leaves or rules of a live object, and with it the companion that its call writes along. */
export function update(run: Performance, change: Change): Promise<Performed> {
  const kind = kindNamed(change.kind);
  // A step of several requests reads before each of them by itself.
  if (kind.severalRequests) return compareAndUpdate(run, change, kind, { client: run.client });
  const attempt = (client: Client, startOver: () => Error): Promise<Performed> =>
    compareAndUpdate(run, change, kind, { client, startOver });
  return run.client.freshly(attemptNeeds(change, kind), attempt, run.signal);
}

/** One attempt: read, compare, write down the intent, send, confirm, write down the result. */
async function compareAndUpdate(
  run: Performance,
  change: Change,
  kind: Kind,
  { client, startOver }: { readonly client: Client; readonly startOver?: () => Error },
): Promise<Performed> {
  const live = await reread(run, change, kind, client);
  const readAt = run.clock.now();
  if (!live) return gone(run, change);
  const desired = change.desired ?? {};
  const difference = differenceFrom(run, change, kind, live);
  if (difference === "none") return settledBoth(run, change, live, { note: SO_ALREADY });
  if (difference) return { outcome: difference };
  const waiting = heldNow(run, change, kind, live);
  if (waiting) return { outcome: waiting };
  const undeclared = change.with ? undefined : await undeclaredCompanion(run, kind);
  if (undeclared) return { outcome: { status: "refused", refused: undeclared } };
  const beside = change.with && (await companionOf(run, change.with));
  if (beside && "outcome" in beside) return beside;
  await run.journal.intend({
    address: addressOf(change),
    action: "update",
    object: { ...remembered(run, change, undefined), ...askedOnce(run, change) },
    before: preImage(live),
  });
  if (change.with) await intendCompanion(run, change.with, beside?.live);
  const { leaves, prior, options } = change;
  let written: Live;
  try {
    const read = (): Promise<Live | undefined> => reread(run, change, kind, client);
    const current = startOver ? await stillAsRead(run, { live, at: readAt }, read, startOver) : live;
    const input = { spec: desired, leaves, prior, live: current, options, ...(beside ? { companion: beside } : {}) };
    written = await answerTo(kind.update(contextOf(run, client), input));
  } catch (error) {
    if (!(error instanceof AmbiguousError)) disclaim(run, change);
    if (error instanceof ChangedMeanwhile) return { outcome: changedMeanwhile(change, error) };
    if (error instanceof StepCutShort) return { outcome: cutShort(run, change, error) };
    if (isNotFound(error) && !(await reread(run, change, kind))) return gone(run, change);
    const found = error instanceof AmbiguousError && (await look(rereadAsWanted(run, change, kind)));
    if (!found || found === "unknown") throw error;
    return withOverwritten(run, change, live, await settledBoth(run, change, found, { note: FOUND_AS_WANTED }), found);
  }
  const result = await confirmEdit(run, change, kind, live, written);
  if ("outcome" in result) return result;
  const unseen = isWanted(run, change, kind, result.live) ? {} : askedOnce(run, change);
  return withOverwritten(run, change, live, await settledBoth(run, change, result.live, { unseen }), result.live);
}

/** What a step of several requests leads to may take the service a while, so that only its next reading shows it. */
async function confirmEdit(
  run: Performance,
  change: Change,
  kind: Kind,
  before: Live,
  answer: Live,
): ReturnType<typeof confirmWrite> {
  if (kind.severalRequests) return { live: answer };
  const isMet = (live: Live): boolean =>
    live.id === before.id && live.key === before.key && isAsEdited(run, change, kind, live);
  return confirmWrite(run, change, kind, answer, { isMet, lookUp: () => kind.read(run.client, run.zone, before) });
}

const INTERRUPTED = error({
  code: "interrupted",
  message: "the run was interrupted",
  remedy: "apply again: the rest of the step is planned from what is live",
});

/** A part of the step was carried out before one of its requests failed. */
function cutShort(run: Performance, change: Change, { cause }: StepCutShort): Outcome {
  const { message, ...rest } = run.signal?.aborted && cause === run.signal.reason ? INTERRUPTED : explainFailure(cause);
  const diagnostic = { ...rest, address: change.address, message: `a part of the step was carried out: ${message}` };
  return { status: "failed", diagnostic, hasWritten: true };
}

const SO_ALREADY = "was so already";
const FOUND_AS_WANTED = "no answer showed what became of it; live is as wanted";

/** A step that cannot be taken back is not sent again until an hour has shown that it was in vain: the next run has to know when it was sent. */
function askedOnce(run: Performance, { hazards }: Change): Pick<StateObject, "asked"> {
  return hazards.includes("irreversible") ? { asked: new Date(run.clock.now()).toISOString() } : {};
}

/** Nothing was written: neither the object nor the one that would have been written along. */
function disclaim(run: Performance, change: Change): void {
  run.journal.failed({ address: addressOf(change), action: "update" });
  const companion = change.with;
  if (companion) {
    const action = run.before(addressOf(companion)) ? "update" : "create";
    run.journal.failed({ address: addressOf(companion), action });
  }
}

/** `unseen` is what the state is to keep of a step that was answered and does not show yet. */
async function settledBoth(
  run: Performance,
  change: Change,
  live: Live,
  { note, unseen }: { readonly note?: string; readonly unseen?: Pick<StateObject, "asked"> },
): Promise<Performed> {
  const performed = settled(run, change, live, note, unseen);
  const trouble = change.with && (await settleCompanion(run, change.with));
  return trouble && note !== SO_ALREADY ? { ...performed, outcome: trouble } : performed;
}

/** What the call would write over since somebody made it after the plan, and nobody declares it. */
async function undeclaredCompanion(run: Performance, { companion }: Kind): Promise<Refused | undefined> {
  if (!companion) return undefined;
  const kind = kindNamed(companion.kind);
  return refusalToReplace(kind, await kind.find(run.client, run.zone, companion.key, run.signal));
}

/** The object that is written along, re-read; a conflict where it is no longer as planned. */
async function companionOf(run: Performance, change: Change): Promise<Companion | Performed> {
  const kind = kindNamed(change.kind);
  const live = await kind.find(run.client, run.zone, change.key, run.signal);
  if (live && !equal(kind.guarded(live, []), change.expected)) return { outcome: conflict(change, live) };
  if (!live && change.expected) return { outcome: goneSince(change) };
  return { spec: change.desired ?? {}, prior: change.prior, live, options: change.options };
}

/** One that is not tracked yet is ours from the moment at which it is sent. */
async function intendCompanion(run: Performance, change: Change, live: Live | undefined): Promise<void> {
  const action = run.before(addressOf(change)) ? "update" : "create";
  await run.journal.intend({
    address: addressOf(change),
    action,
    object: remembered(run, change, undefined),
    ...(live ? { before: preImage(live) } : {}),
  });
}

/** Gives an outcome where the companion was sent and does not show it. */
async function settleCompanion(run: Performance, change: Change): Promise<Outcome | undefined> {
  const kind = kindNamed(change.kind);
  // A look that fails leaves the companion's intent open: the next run finds it.
  const live = await look(kind.find(run.client, run.zone, change.key));
  if (!live || live === "unknown") return undefined;
  if (!isAsEdited(run, change, kind, live))
    return unconfirmedOutcome(change, differencesFromSent(run, change, kind, live));
  settled(run, { ...change, action: "update" }, live);
  return undefined;
}

/** The object is gone since the plan. Where the application owns its life that is no conflict (docs/semantics.md#lifecycle). */
function gone(run: Performance, change: Change): Performed {
  if (!change.undeclared) return { outcome: goneSince(change) };
  run.journal.gone({ address: addressOf(change), action: "update" });
  return { outcome: { status: "done", note: "the application deleted it meanwhile" } };
}
