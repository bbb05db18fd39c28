import { type ChangeObject, diffWordsWithSpace } from "diff";
import { type Accent, type Line, line, type Style } from "./lines.ts";

/** Two texts that differ in more words than this are marked as a whole: the search takes quadratic time. */
const MOST_EDITS = 2000;

/** An old and a new text below each other, with the words that differ marked; those of a dangerous new text in red. */
export function textPair(before: string, after: string, indent: number, isDanger = false): Line[] {
  const parts = diffWordsWithSpace(before, after, { maxEditLength: MOST_EDITS }) ?? [
    { value: before, removed: true, added: false, count: 1 },
    { value: after, removed: false, added: true, count: 1 },
  ];
  const isOld = (part: ChangeObject<string>): boolean => !part.added;
  const isNew = (part: ChangeObject<string>): boolean => !part.removed;
  return [
    { ...line(indent, `- ${before}`, "quiet"), accents: accents(parts.filter(isOld), "plain") },
    { ...line(indent, `+ ${after}`), accents: accents(parts.filter(isNew), isDanger ? "bad" : "heading") },
  ];
}

/** The parts of one of the texts that the other one does not have, behind its mark. */
function accents(parts: readonly ChangeObject<string>[], style: Style): Accent[] {
  const found: Accent[] = [];
  let from = "- ".length;
  for (const { value, added, removed } of parts) {
    if (added || removed) found.push({ from, to: from + value.length, style });
    from += value.length;
  }
  return found;
}
