import { openMatcher } from "./form-matcher.ts";
import { openFragments } from "./fragments.ts";
import { bodyOf, formsOf } from "./secret-forms.ts";
import { SENSITIVE, type Secret } from "./secret.ts";

/** What is known to be secret in this process, and how a text that leaves it loses it. */
export interface Redaction {
  /** From now on this secret is looked for. */
  learn(secret: Secret): void;
  /** The whole text with every known secret replaced, in whichever form it stands there. */
  redact(text: string): string;
  /** A filter for a text that comes in pieces. */
  openFilter(): TextFilter;
}

/** A filter for one text that comes in pieces: what may be the beginning of a secret waits for the piece behind it. */
export interface TextFilter {
  /** Takes a piece; gives what can go out by now. */
  write(piece: string): string;
  /** Nothing comes any more: gives what was held back. */
  end(): string;
}

/**
 * Opens the second line behind `Secret`, for the secret that got into a text all the same: by somebody else's library, by
 * a service that repeats what it was sent, by a dump of everything. What is shorter than `SHORTEST_SECRET` is not found.
 * Of a secret that was cut, fragments are found that are long enough to tell something.
 */
export function openRedaction(): Redaction {
  const matcher = openMatcher();
  const fragments = openFragments();
  const learned = new Set<string>();
  return {
    learn: (secret) => {
      const text = secret.reveal();
      if (learned.has(text)) return;
      learned.add(text);
      for (const form of formsOf(text)) matcher.add(form);
      // A passphrase is made of words, and parts of it stand in every text: only what is no prose is looked for in parts.
      const body = bodyOf(text);
      if (!/\s/.test(body)) fragments.add(body);
    },
    redact: (text) => fragments.replace(matcher.replace(text, SENSITIVE, true).done, SENSITIVE, true).done,
    openFilter: () => {
      let [held, heldFragment] = ["", ""];
      const take = (piece: string, isLast: boolean): string => {
        const whole = matcher.replace(held + piece, SENSITIVE, isLast);
        const cut = fragments.replace(heldFragment + whole.done, SENSITIVE, isLast);
        [held, heldFragment] = [whole.rest, cut.rest];
        return cut.done;
      };
      return { write: (piece) => take(piece, false), end: () => take("", true) };
    },
  };
}
