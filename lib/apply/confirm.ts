import { DecodeError } from "../core/decode.ts";
import { error } from "../core/diagnostic.ts";
import type { LeafConflict, Change } from "../plan/change.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import { AmbiguousError } from "../service/errors.ts";
import { differencesFromSent } from "./differences.ts";
import { look } from "./look.ts";
import type { Outcome } from "./outcome.ts";
import type { Performance } from "./performance.ts";

/** Waits for a write. An answer that cannot be read says nothing about what became of it. */
export async function answerTo<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (thrown) {
    if (thrown instanceof DecodeError) throw new AmbiguousError("the write", { cause: thrown });
    throw thrown;
  }
}

/** What has to hold of a write's answer before it counts, and how to look the object up where it does not. */
export interface Expectation {
  readonly isMet: (live: Live) => boolean;
  readonly lookUp: () => Promise<Live | undefined>;
}

/**
 * The object that a write left, where its answer or else a look-up shows the same object with what was sent. Gives the
 * outcome `unconfirmed` where both differ: then the intent stays open, because nobody knows what the service did. Throws
 * `AmbiguousError` where the look-up fails.
 */
export async function confirmWrite(
  run: Performance,
  change: Change,
  kind: Kind,
  answer: Live,
  { isMet, lookUp }: Expectation,
): Promise<{ readonly live: Live } | { readonly outcome: Outcome }> {
  if (isMet(answer)) return { live: answer };
  let last: Live | undefined;
  for (const wait of LOOK_WAITS_MILLISECONDS) {
    await run.clock.sleep(wait);
    const found = await look(lookUp());
    if (found === "unknown")
      throw new AmbiguousError("the write", { cause: new Error("its answer is not what was sent") });
    if (found && isMet(found)) return { live: found };
    last = found;
  }
  return { outcome: unconfirmedOutcome(change, differencesFromSent(run, change, kind, last ?? answer)) };
}

/** The service may show the old values for some seconds after a write. */
const LOOK_WAITS_MILLISECONDS = [0, 500, 1000, 2000, 4000];

const NEITHER_SHOWS =
  "the service answered that it was done, but neither its answer nor the live object shows what was sent";

/** A change whose write shows nowhere, though it was answered or an object is there: its intent stays open. */
export function unconfirmedOutcome(
  change: Change,
  fields: readonly LeafConflict[],
  message: string = NEITHER_SHOWS,
): Outcome {
  return {
    status: "unconfirmed",
    diagnostic: error({
      code: "unconfirmed",
      message,
      remedy: "look at the live object, then plan again: the next run reads it before it writes",
      address: change.address,
    }),
    fields,
  };
}
