import { diffArrays } from "diff";

/** More edits than this are no edit but another text; also the bound on the work. */
const MOST_EDITS = 400;

/** Texts shorter than this are easier read whole. */
const SHORTEST = 24;

/** Words of the rules language: addresses and field names stay whole, brackets and quotes stand alone. */
const WORD = /\s+|[(){}",]|[^\s(){}",]+/gu;

/**
 * The difference of two texts word by word: `ip.src in {[-192.0.2.1-]{+192.0.2.7+}}`. Gives undefined where the texts
 * are short, have no word in common, or differ too much for it to help.
 */
export function wordDiff(before: string, after: string): string | undefined {
  if (Math.min(before.length, after.length) < SHORTEST) return undefined;
  const parts = diffArrays(words(before), words(after), { maxEditLength: MOST_EDITS });
  if (!parts?.some((part) => !part.added && !part.removed && /\w/.test(part.value.join("")))) return undefined;
  return parts.map((part) => marked(part.value.join(""), part.added, part.removed)).join("");
}

function words(text: string): string[] {
  return text.match(WORD) ?? [];
}

function marked(text: string, isAdded: boolean, isRemoved: boolean): string {
  if (isAdded) return `{+${text}+}`;
  return isRemoved ? `[-${text}-]` : text;
}
