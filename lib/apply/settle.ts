import { CODES, error, problem } from "../core/diagnostic.ts";
import { DecodeError } from "../core/decode.ts";
import { defined, equal, type JsonObject, withOptionalValueAt } from "../core/json.ts";
import type { Live } from "../kinds/live.ts";
import type { Change, LeafConflict } from "../plan/change.ts";
import { appliedByRun } from "../plan/digest.ts";
import { seenOf } from "../plan/seen.ts";
import { serviceMoment } from "../service/client.ts";
import { AmbiguousError } from "../service/errors.ts";
import type { PreImage } from "../state/journal-record.ts";
import type { StateObject } from "../state/state.ts";
import { type Attempt, readOrUnknown } from "./attempt.ts";
import { Sight } from "./compare.ts";
import { overwrote } from "./conflict.ts";
import type { Outcome, Performed } from "./outcome.ts";

/** Waits for a write. An unreadable response does not show whether it took effect. */
export async function answerTo<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (thrown) {
    if (thrown instanceof DecodeError) throw new AmbiguousError("the write", { cause: thrown });
    throw thrown;
  }
}

/** What a write's response must show before it counts, and how to read the object otherwise. */
export interface Expectation {
  readonly isMet: (seen: Sight) => boolean;
  readonly lookUp: () => Promise<Live | undefined>;
}

/**
 * The object after a write, if the response, or else a read, shows the same object with the values that were sent. If
 * neither does, returns the outcome `unconfirmed`, and the intent stays open, because we do not know what the service
 * did. Throws `AmbiguousError` if the read fails.
 */
export async function confirmWrite(
  attempt: Attempt,
  answer: Live,
  { isMet, lookUp }: Expectation,
): Promise<{ readonly seen: Sight } | { readonly outcome: Outcome }> {
  const answered = new Sight(attempt, answer);
  if (isMet(answered)) return { seen: answered };
  let last = answered;
  for (const wait of LOOK_WAITS_MILLISECONDS) {
    await attempt.clock.sleep(wait);
    const found = await readOrUnknown(lookUp());
    if (found === "unknown")
      throw new AmbiguousError("the write", { cause: new Error("its response is not what was sent") });
    last = found ? new Sight(attempt, found) : answered;
    if (found && isMet(last)) return { seen: last };
  }
  return { outcome: unconfirmedOutcome(attempt, last.differencesFromSent) };
}

/** The service may show old values for some seconds after a write. */
const LOOK_WAITS_MILLISECONDS = [0, 500, 1000, 2000, 4000];

/** A change that shows nowhere, although the service responded or an object exists. Its intent stays open. */
export function unconfirmedOutcome(
  { change }: Attempt,
  fields: readonly LeafConflict[],
  message: string = CODES.unconfirmed.cause,
): Outcome {
  return {
    status: "unconfirmed",
    diagnostic: error(problem("unconfirmed", { message }, { address: change.address })),
    fields,
  };
}

/**
 * Reports the foreign version that our write replaced. The write is recorded by then, so a failed read loses nothing.
 */
export async function reportOverwritten(
  attempt: Attempt,
  before: Live,
  performed: Performed,
  after: Live,
): Promise<Performed> {
  // A request that arrived twice, or whose response was lost, made a version of our own.
  const isOurs = (live: Live): boolean => equal(live.values, after.values) || isAlsoAsDesired(attempt, live);
  const lost = await attempt.kind.overwritten?.(attempt, before, after, isOurs);
  return lost ? { ...performed, outcome: overwrote(attempt, before, lost) } : performed;
}

function isAlsoAsDesired(attempt: Attempt, live: Live): boolean {
  return attempt.change.desired !== undefined && new Sight(attempt, live).isAsDesired;
}

/** What to add about a change that worked. */
export interface Remarks {
  /** For the report. */
  readonly note?: string | undefined;
  readonly wasSo?: true;
  /** For the state: when a step was sent that has not taken effect yet. */
  readonly asked?: string | undefined;
}

/** Nothing had to be sent: another run or a person did it before. */
export const SO_ALREADY: Remarks = { note: "was already so", wasSo: true };

/** Records that a change worked, with the service's response. */
export function recordDone(attempt: Attempt, live: Live, { note, wasSo, asked }: Remarks = {}): Performed {
  const { address, change, journal } = attempt;
  const action = change.action === "create" || change.action === "replace" ? change.action : "update";
  journal.done({ address, action, object: makeStateObject(attempt, live, asked) });
  return { outcome: { status: "done", ...defined({ note, wasSo }) }, id: live.id };
}

/** The object before a write, for `zoneform undo`. */
export function preImage({ id, values }: Live): PreImage {
  return { id, values };
}

/**
 * What the state keeps of the object after this change. Held fields were not sent, so they keep the last applied value.
 * A step that has not taken effect yet has used no approval: it may be sent once more.
 */
export function makeStateObject(attempt: Attempt, live: Live | undefined, asked?: string): StateObject {
  const { before, change, client, clock, desired, known, run } = attempt;
  const now = new Date(serviceMoment(client, clock)).toISOString();
  const by = known.by(attempt.address);
  return {
    kind: change.kind,
    key: change.key,
    id: live?.id ?? change.id ?? "",
    ...defined({ by: asked === undefined ? appliedByRun(change, by, run) : by, asked }),
    applied: withoutHeld(change, desired()),
    ...((known.isStale && before ? before.protect : change.protect) ? { protect: true as const } : {}),
    ...(live ? seenOf(live, before, now) : seenBefore(change, before)),
    ...(change.undeclared ? { undeclared: true as const } : {}),
    ...uploadedBy(attempt),
  };
}

/** While an upload is held, the previous one stays. */
function uploadedBy({ change, before, kind, reveal }: Attempt): Pick<StateObject, "uploaded"> {
  const isWaiting = change.held?.leaves.some(({ path }) => kind.uploads?.isUpload(path)) === true;
  const uploaded = isWaiting ? before?.uploaded : kind.uploads?.fingerprints(change.desired ?? {}, reveal);
  return uploaded ? { uploaded } : {};
}

/** If nothing was re-read, the plan's status counts, else the state's. */
function seenBefore(change: Change, before: StateObject | undefined): Pick<StateObject, "seen"> {
  const seen = change.seen ?? before?.seen;
  return seen ? { seen } : {};
}

function withoutHeld(change: Change, applied: JsonObject): JsonObject {
  return (change.held?.leaves ?? []).reduce((kept, { path, prior }) => withOptionalValueAt(kept, path, prior), applied);
}
