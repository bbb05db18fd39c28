// The life of a change, from top to bottom:
// 1. permit: no guard blocks it, and its secrets are the approved ones.
// 2. reread and compare: this try reads the object. If it is not as planned, nothing is sent.
// 3. record the intent: it is stored before the request is sent, so the next run finds what this one left open. If that
//    took long, check that the lock is still held, reread and compare again.
// 4. send: once per try. If the response is lost, we read the object; we do not repeat the request.
// 5. settle: the response or a read must show what was sent; then the result is recorded.
import { isFingerprint } from "../core/secret.ts";
import { equal, valueAt } from "../core/json.ts";
import { attemptNeeds } from "../plan/cost.ts";
import { withFingerprints } from "../plan/secrets.ts";
import type { Live } from "../kinds/live.ts";
import { AmbiguousError } from "../service/errors.ts";
import { FRESH_MILLISECONDS } from "../service/fresh-write.ts";
import type { Needs } from "../service/places.ts";
import { type Attempt, inTries } from "./attempt.ts";
import { notAsApproved, secretChanged } from "./conflict.ts";
import type { Outcome, Performed } from "./outcome.ts";

/** Step 1, for every action. Returns how the change ends if it may not be applied. */
export function permit(attempt: Attempt): Performed | undefined {
  const { refused } = attempt.change;
  if (refused?.contested) return { outcome: notAsApproved(attempt, refused, refused.contested) };
  if (refused) return { outcome: { status: "refused", refused } };
  const stale = findStaleSecret(attempt);
  return stale && { outcome: stale };
}

/**
 * Steps 2 to 5, in as many tries as needed. Throws what the client throws; if a response was lost, only after reading
 * the object.
 */
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
  await steps.recordIntent(attempt, found);
  let answer: Answer;
  try {
    const current = isLate(attempt, readAt) ? await again(attempt, steps, found) : both;
    if ("end" in current) {
      await steps.withdrawIntent(attempt);
      return current.end;
    }
    answer = await steps.send(attempt, current.found);
  } catch (error) {
    // A lost response is not a failure: the intent stays open until a read shows what happened.
    if (!(error instanceof AmbiguousError)) await steps.withdrawIntent(attempt, error);
    return steps.settleFailure(attempt, found, error);
  }
  return steps.settle(attempt, found, answer);
}

/** Who was held up so long may have lost the lock meanwhile, and the next run may have done the same. */
async function again<Found, Answer, End>(
  attempt: Attempt,
  { rereadLate }: Steps<Found, Answer, End>,
  found: Found,
): Promise<Compared<Found, End>> {
  await attempt.journal.checkHeld();
  return rereadLate(attempt, found);
}

/** What differs between the kinds of writes. `Found` is what a write relies on, `End` how it ends. */
export interface Steps<Found, Answer, End = Performed> {
  /** Reads the object's successor, before the object itself. Returns why the object may not be deleted. */
  readonly readSuccessor?: (attempt: Attempt) => Promise<Outcome | undefined>;
  /** Reads the object, or what is in the way of a new one, with the client of the try. */
  readonly reread: (attempt: Attempt) => Promise<Live | undefined>;
  /** Returns what the write relies on, or the end of the change if nothing is to be sent. */
  readonly compare: (attempt: Attempt, live: Live | undefined, objection: Outcome | undefined) => Compared<Found, End>;
  /** Reads and compares the object that the same call writes. */
  readonly compareCompanion?: (attempt: Attempt, found: Found) => Promise<Compared<Found, End>>;
  /** Resolves once the intent is stored. */
  readonly recordIntent: (attempt: Attempt, found: Found) => Promise<void>;
  /** Reads and compares once more, because recording the intent took long. */
  readonly rereadLate: (attempt: Attempt, found: Found) => Promise<Compared<Found, End>>;
  /** Sends the request. Throws `AmbiguousError` if it may or may not have taken effect. */
  readonly send: (attempt: Attempt, found: Found) => Promise<Answer>;
  /** Records that nothing was written, or what is known after this error. */
  readonly withdrawIntent: (attempt: Attempt, error?: unknown) => void | Promise<void>;
  /** Decides what a failed write means. Rethrows the error if there is nothing to add. */
  readonly settleFailure: (attempt: Attempt, found: Found, error: unknown) => Promise<End>;
  /** Verifies the result and records it. */
  readonly settle: (attempt: Attempt, found: Found, answer: Answer) => Promise<End> | End;
}

/** What a write relies on, or the end of the change. */
export type Compared<Found, End = Performed> = { readonly found: Found } | { readonly end: End | Promise<End> };

/** If storing the intent takes this much of the time for which a read is valid, the write would come too late. */
const LATE_MILLISECONDS: number = FRESH_MILLISECONDS / 2;

/** Whether recording the intent took so long that the object must be read again. Outside a try, reads do not expire. */
function isLate({ clock, startOver }: Attempt, readAt: number): boolean {
  return startOver !== undefined && clock.now() - readAt > LATE_MILLISECONDS;
}

/** The object that is about to be written, from a second read. Restarts the try if it has changed. */
export function requireUnchanged<Found extends { readonly live: Live }>(
  { startOver }: Attempt,
  found: Found,
  now: Live | undefined,
): { readonly found: Found } {
  if (now?.id === found.live.id && equal(now.values, found.live.values)) return { found: { ...found, live: now } };
  throw startOver ? startOver() : new Error("only a try reads again");
}

/** Finds a secret that differs from the one in the approved plan. */
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
