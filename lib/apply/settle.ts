import { problem, CODES } from "../core/problem.ts";
import { DecodeError } from "../core/decode.ts";
import { error } from "../core/diagnostic.ts";
import { equal } from "../core/json.ts";
import type { LeafConflict } from "../plan/change.ts";
import type { Live } from "../kinds/live.ts";
import { AmbiguousError } from "../service/errors.ts";
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
