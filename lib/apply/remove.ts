import { equal, type JsonObject } from "../core/json.ts";
import { attemptNeeds } from "../plan/attempt.ts";
import type { Change } from "../plan/change.ts";
import { localAddress } from "../plan/targets.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import { kindNamed } from "../kinds/registry.ts";
import { successorKey } from "../kinds/retired.ts";
import type { Client } from "../service/client.ts";
import { AmbiguousError } from "../service/errors.ts";
import { answerTo } from "./confirm.ts";
import { anotherSince, conflict } from "./conflict.ts";
import { reread } from "./differences.ts";
import { look } from "./look.ts";
import { withOverwritten } from "./overwritten.ts";
import type { Outcome } from "./outcome.ts";
import { addressOf, contextOf, DONE, type Performance, type Performed } from "./performance.ts";
import { preImage } from "./remember.ts";
import { type AsRead, stillAsRead } from "./still-as-read.ts";

/** Deletes an object that is still as it was planned; one that is gone already counts as deleted. */
export function remove(run: Performance, change: Change): Promise<Performed> {
  const kind = kindNamed(change.kind);
  const attempt = (client: Client, startOver: () => Error): Promise<Performed> =>
    compareAndRemove(run, change, kind, { client, startOver });
  return run.client.freshly(attemptNeeds(change, kind), attempt, run.signal);
}

/** One attempt: what takes its place is read first, and the object itself last of all. */
async function compareAndRemove(
  run: Performance,
  change: Change,
  kind: Kind,
  { client, startOver }: Attempt,
): Promise<Performed> {
  const unserved =
    (await objectionToMove(run, change, kind, client)) ?? (await objectionToRetirement(run, change, kind, client));
  const live = await reread(run, change, kind, client);
  const readAt = run.clock.now();
  const entry = { address: addressOf(change), action: "delete" as const };
  if (isAnotherByNow(run, change, live)) return { outcome: anotherSince(change) };
  if (!live) {
    run.journal.gone(entry);
    return { outcome: { status: "done", note: "was gone already" } };
  }
  if (!equal(kind.guarded(live, []), change.expected)) return { outcome: conflict(change, live) };
  const objection = objectionToRemoval(run, change, kind, live) ?? unserved;
  if (objection) return { outcome: objection };
  const left = await take(run, { client, startOver }, kind, { live, at: readAt }, entry, change.prior);
  return left ? withOverwritten(run, change, live, DONE, left) : DONE;
}

/**
 * Whether another run has put another object in this one's place since the plan was made, has begun to, or tracks it no
 * more: what stands at the address by now is not this plan's to delete or to forget.
 */
function isAnotherByNow(run: Performance, change: Change, live: Live | undefined): boolean {
  if (!run.isStale) return false;
  const before = run.before(addressOf(change));
  // This plan may have been carried out before: then nothing is known, and nothing is there.
  if (!before) return live !== undefined;
  const isSame = before.id === change.id || (before.pending !== undefined && change.resumes === true);
  // A replacement that was cut off may have deleted this one, and have created its successor.
  const isHalfReplaced = before.pending !== undefined && live === undefined;
  return !isSame || isHalfReplaced;
}

/** Why an object may not be taken away now, although the plan was right: it was protected since, or doing so has become more dangerous. */
export function objectionToRemoval(run: Performance, change: Change, kind: Kind, live: Live): Outcome | undefined {
  if (run.before(addressOf(change))?.protect && !change.refused) {
    const message = `it has been protected since the plan was made, and this would ${change.action} it`;
    return { status: "refused", refused: { code: "protected", message, remedy: "apply protect: false for it first" } };
  }
  const action = change.action === "replace" ? "replace" : "delete";
  const now = kind.hazards({
    action,
    key: change.key,
    desired: change.desired,
    live,
    comparison: undefined,
    isReplaced: change.replaced === true,
  });
  const more = now.filter((hazard) => !change.hazards.includes(hazard));
  return more.length === 0
    ? undefined
    : conflict(change, live, `it would by now be more than was approved: ${more.join(", ")}`);
}

/** A hostname that has moved goes only while the new one serves: the plan saw that, and much may have happened since. */
async function objectionToMove(
  run: Performance,
  change: Change,
  kind: Kind,
  client: Client,
): Promise<Outcome | undefined> {
  if (!change.movesTo) return undefined;
  const { address, zone, key } = change.movesTo;
  // A list that lags still shows what is gone.
  const listed = await kind.find(client, zone, key, run.signal);
  const next = listed && (await kind.read(client, zone, listed, run.signal));
  const readiness = next && (kind.readiness?.(next) ?? "ready");
  if (readiness === "ready") return undefined;
  return { status: "held", reason: `it moves to ${address}, which ${next ? "does not serve any more" : "is gone"}` };
}

/** An object that was replaced goes only while its successor serves: that may have been deleted since the plan as well. */
async function objectionToRetirement(
  run: Performance,
  change: Change,
  kind: Kind,
  client: Client,
): Promise<Outcome | undefined> {
  const successor = change.replaced ? successorKey(change.key) : undefined;
  if (successor === undefined || (await serves(run, change, kind, client, successor))) return undefined;
  return { status: "held", reason: "what replaces it does not serve any more" };
}

/** Whether another object serves that the state knows under the key, or where it knows nothing yet, that is found under it. */
async function serves(run: Performance, change: Change, kind: Kind, client: Client, key: string): Promise<boolean> {
  const address = localAddress(kind.name, key);
  const others = new Set(run.idsBeside(kind.name, address));
  const known = run.before(address)?.id ?? "";
  const id = known === "" ? (await kind.find(client, run.zone, key, run.signal, others))?.id : known;
  const next =
    id === undefined || id === change.id ? undefined : await kind.read(client, run.zone, { id, key }, run.signal);
  return next !== undefined && (kind.readiness?.(next) ?? "ready") === "ready";
}

/** The client of an attempt, and what to throw for it to begin anew. */
export interface Attempt {
  readonly client: Client;
  readonly startOver: () => Error;
}

/**
 * Deletes an object that was just read with the client, with the intent before and the result behind it. Gives what is
 * left of one that is shared with others.
 */
export async function take(
  run: Performance,
  { client, startOver }: Attempt,
  kind: Kind,
  read: AsRead,
  entry: { readonly address: string; readonly action: "delete" },
  prior: JsonObject | undefined,
): Promise<Live | undefined> {
  await run.journal.intend({ ...entry, before: preImage(read.live) });
  let left: Live | undefined;
  try {
    const again = (): Promise<Live | undefined> => kind.read(client, run.zone, read.live, run.signal);
    const live = await stillAsRead(run, read, again, startOver);
    left = (await answerTo(kind.remove(contextOf(run, client), live, prior))) ?? undefined;
  } catch (error) {
    if (!(error instanceof AmbiguousError)) run.journal.failed(entry);
    if (!(error instanceof AmbiguousError) || (await look(kind.read(run.client, run.zone, read.live)))) throw error;
  }
  run.journal.done(entry);
  return left;
}
