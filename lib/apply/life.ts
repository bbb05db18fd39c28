// The life of a change, from top to bottom:
// 1. permit: no guard refused it, and its secrets are the approved ones.
// 2. reread and compare: the object is read in this try. Where it is not as planned, nothing is sent.
// 3. record the intent: it is on the disk before the request leaves, so the next run finds what this one left open.
// 4. send: once in a try. If the answer is lost, the object is looked up, and the request is not repeated.
// 5. settle: the answer or a look-up has to show what was sent; then the result is recorded.
import { isFingerprint } from "../core/fingerprint.ts";
import { equal, valueAt } from "../core/json.ts";
import { attemptNeeds } from "../plan/attempt.ts";
import { withFingerprints } from "../plan/secrets.ts";
import type { Live } from "../kinds/live.ts";
import { AmbiguousError } from "../service/errors.ts";
import { FRESH_MILLISECONDS } from "../service/fresh-write.ts";
import type { Needs } from "../service/places.ts";
import type { Send } from "./ahead.ts";
import { type Attempt, inTries } from "./attempt.ts";
import { notAsApproved, secretChanged } from "./conflict.ts";
import type { Outcome, Performed } from "./outcome.ts";

/** Step 1, for every action. Gives how the change ends where it may not be carried out. */
export function permit(attempt: Attempt): Performed | undefined {
  const { refused } = attempt.change;
  if (refused?.contested) return { outcome: notAsApproved(attempt, refused, refused.contested) };
  if (refused) return { outcome: { status: "refused", refused } };
  const stale = findStaleSecret(attempt);
  return stale && { outcome: stale };
}

/** Steps 2 to 5, in as many tries as it takes. Throws what the client throws; a write of unknown fate was looked up before that. */
export function write<Found, Answer, End>(
  attempt: Attempt,
  steps: Steps<Found, Answer, End>,
  needs: Needs = attemptNeeds(attempt.change, attempt.kind),
): Promise<End> {
  // A step of several requests reads before each of them by itself.
  if (attempt.kind.severalRequests) return writeOnce(attempt, steps);
  return inTries(attempt, needs, (tried) => writeOnce(tried, steps));
}

/** Steps 2 to 5, in one try. */
export async function writeOnce<Found, Answer, End>(attempt: Attempt, steps: Steps<Found, Answer, End>): Promise<End> {
  const objection = steps.readSuccessor && (await steps.readSuccessor(attempt));
  const live = await steps.reread(attempt);
  const readAt = attempt.clock.now();
  const compared = steps.compare(attempt, live, objection);
  if ("end" in compared) return compared.end;
  const both = steps.compareCompanion ? await steps.compareCompanion(attempt, compared.found) : compared;
  if ("end" in both) return both.end;
  const { found } = both;
  const release = await steps.recordIntent(attempt, found);
  let answer: Answer;
  try {
    const current = isLate(attempt, readAt) ? await steps.rereadLate(attempt, found) : both;
    if ("end" in current) {
      steps.withdrawIntent(attempt);
      return current.end;
    }
    answer = await release(() => steps.send(attempt, current.found));
  } catch (error) {
    // A lost answer is no failure: the intent stays open until a look shows what became of the write.
    if (!(error instanceof AmbiguousError)) steps.withdrawIntent(attempt);
    return steps.settleFailure(attempt, found, error);
  }
  return steps.settle(attempt, found, answer);
}

/** What differs between the kinds of writes. `Found` is what a write rests on, `End` how it ends. */
export interface Steps<Found, Answer, End = Performed> {
  /** Reads what takes the place of the object, before the object itself. Gives why the object may not go. */
  readonly readSuccessor?: (attempt: Attempt) => Promise<Outcome | undefined>;
  /** Reads the object, or what is in the way of a new one, with the client of the try. */
  readonly reread: (attempt: Attempt) => Promise<Live | undefined>;
  /** Gives what the write rests on, or how the change ends because nothing is to be sent. */
  readonly compare: (attempt: Attempt, live: Live | undefined, objection: Outcome | undefined) => Compared<Found, End>;
  /** Reads and compares the object that the call writes along. */
  readonly compareCompanion?: (attempt: Attempt, found: Found) => Promise<Compared<Found, End>>;
  /** Returns once the intent is on the disk, with what lets the request go when there is room for it. */
  readonly recordIntent: (attempt: Attempt, found: Found) => Promise<Send>;
  /** Reads and compares once more, because recording the intent took long. */
  readonly rereadLate: (attempt: Attempt, found: Found) => Promise<Compared<Found, End>>;
  /** Sends the request. Throws `AmbiguousError` where nobody knows what became of it. */
  readonly send: (attempt: Attempt, found: Found) => Promise<Answer>;
  /** Records that nothing was written. */
  readonly withdrawIntent: (attempt: Attempt) => void;
  /** Decides what a write that failed means. Throws the error again where it says all. */
  readonly settleFailure: (attempt: Attempt, found: Found, error: unknown) => Promise<End>;
  /** Makes sure of the result and records it. */
  readonly settle: (attempt: Attempt, found: Found, answer: Answer) => Promise<End> | End;
}

/** What a write rests on, or the end of the change. */
export type Compared<Found, End = Performed> = { readonly found: Found } | { readonly end: End | Promise<End> };

/** With so much of a read's time used up by the disk, the write would come too late. */
const LATE_MILLISECONDS: number = FRESH_MILLISECONDS / 2;

/** Whether recording the intent took so long that the object has to be read once more. Outside of a try nothing is too old. */
function isLate({ clock, startOver }: Attempt, readAt: number): boolean {
  return startOver !== undefined && clock.now() - readAt > LATE_MILLISECONDS;
}

/** The object that is about to be written, as it was read once more. Begins the try anew where it changed meanwhile. */
export function requireUnchanged<Found extends { readonly live: Live }>(
  { startOver }: Attempt,
  found: Found,
  again: Live | undefined,
): { readonly found: Found } {
  if (again?.id === found.live.id && equal(again.values, found.live.values))
    return { found: { ...found, live: again } };
  throw startOver ? startOver() : new Error("only a try reads again");
}

/** A secret that is another one than the plan was approved with. */
function findStaleSecret(attempt: Attempt): Outcome | undefined {
  const { change, kind, fingerprintOf } = attempt;
  const desired = change.desired;
  if (!desired) return undefined;
  for (const { path, after, sensitive } of change.leaves) {
    if (!sensitive || !isFingerprint(after)) continue;
    const now = valueAt(withFingerprints(desired, kind.writeOnly, fingerprintOf), path);
    if (now !== after) return secretChanged(attempt, path);
  }
  return undefined;
}
