import { openMatcher } from "./form-matcher.ts";
import { openFragments } from "./fragments.ts";
import { bodyOf, formsOf } from "./secret-forms.ts";
import { SENSITIVE, type Secret } from "./secret.ts";

/** Knows the secrets of this process, and removes them from texts that leave it. */
export interface Redaction {
  /**
   * Adds a secret to look for. False, when it is added, if it is one of the program's own words: then only its encoded
   * forms are looked for.
   */
  learn(secret: Secret): boolean;
  /** The text with every known secret replaced, in any of its forms. */
  redact(text: string): string;
  /** Opens a filter for a text that comes in chunks. */
  openFilter(): TextFilter;
}

/** Filters one text that comes in chunks: it holds back a possible beginning of a secret until the next chunk. */
export interface TextFilter {
  /** Takes a chunk; returns what is safe to print so far. */
  write(piece: string): string;
  /** The text has ended: returns what was held back. */
  end(): string;
}

/**
 * Opens the second defence after `Secret`, for a secret that got into a text anyway: through a foreign library, a
 * service that repeats what it was sent, or a dump. It does not find secrets shorter than `SHORTEST_SECRET`. It finds
 * fragments of a cut secret if they are long enough to reveal something. `isOwn` tells words that the program itself
 * writes: to hide them would break its texts, and would hide nothing, because everybody can guess them.
 */
export function openRedaction(isOwn: (text: string) => boolean = () => false): Redaction {
  const matcher = openMatcher();
  const fragments = openFragments(isOwn);
  const learned = new Set<string>();
  return {
    learn: (secret) => {
      const text = secret.reveal();
      if (learned.has(text)) return true;
      learned.add(text);
      for (const form of formsOf(text)) if (!isOwn(form)) matcher.add(form);
      // A passphrase is made of words that occur in every text, so it looks for parts only of secrets that are not
      // prose.
      const body = bodyOf(text);
      if (!/\s/.test(body)) fragments.add(body);
      return !isOwn(text);
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
