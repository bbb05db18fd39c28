import { closest, distance } from "fastest-levenshtein";

/** The share of a word that may differ; a more distant suggestion misleads more than it helps. */
const MOST_DIFFERENT = 1 / 3;

/** The candidate that the writer most likely meant, or undefined if none is close. */
export function suggest(word: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0) return undefined;
  const nearest = closest(word, candidates);
  const limit = Math.max(1, Math.floor(Math.max(word.length, nearest.length) * MOST_DIFFERENT));
  return distance(word, nearest) <= limit ? nearest : undefined;
}

/** ` did you mean "x"?` for the end of a remedy, or an empty text. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const suggestion = suggest(word, candidates);
  return suggestion === undefined ? "" : `did you mean ${JSON.stringify(suggestion)}?`;
}
