import { type ChangeObject, createTwoFilesPatch, diffWordsWithSpace, FILE_HEADERS_ONLY } from "diff";
import { type Accent, type Line, line, type Style } from "./lines.ts";

/** How many words may differ before two texts are marked as a whole: the search takes quadratic time. */
const MOST_EDITS = 2000;

/** The marks before two texts. */
const MARKS = ["- ", "+ "] as const;

/** How to show two texts. */
export interface Pair {
  /** The marks before the old text and before the new one. */
  readonly marks?: readonly [string, string];
  /** The new text is dangerous: its new words are red. */
  readonly isDanger?: boolean | undefined;
}

/** An old and a new text below each other, with the words marked that the other text does not have. */
export function textPair(before: string, after: string, indent: number, pair: Pair = {}): [Line, Line] {
  const { marks = MARKS, isDanger } = pair;
  const parts = diffWordsWithSpace(before, after, { maxEditLength: MOST_EDITS }) ?? [
    { value: before, removed: true, added: false, count: 1 },
    { value: after, removed: false, added: true, count: 1 },
  ];
  const old = parts.filter(({ added }) => !added);
  const fresh = parts.filter(({ removed }) => !removed);
  const style = isDanger ? "bad" : "heading";
  return [
    { ...line(indent, `${marks[0]}${before}`, "quiet"), accents: accents(old, marks[0].length, "plain") },
    { ...line(indent, `${marks[1]}${after}`), accents: accents(fresh, marks[1].length, style) },
  ];
}

/** The parts of one text that the other one does not have. */
function accents(parts: readonly ChangeObject<string>[], start: number, style: Style): Accent[] {
  const found: Accent[] = [];
  let from = start;
  for (const { value, added, removed } of parts) {
    if (added || removed) found.push({ from, to: from + value.length, style });
    from += value.length;
  }
  return found;
}

/** What a command is about to write into a file, as a unified diff. */
export function fileDiff(file: string, before: string, after: string): Line[] {
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY };
  const patch = createTwoFilesPatch(`a/${file}`, `b/${file}`, before, after, undefined, undefined, options);
  return patch
    .trimEnd()
    .split("\n")
    .map((text) => ({ ...line(0, text, DIFF_STYLES[text.slice(0, 1)]), isWhole: true }));
}

const DIFF_STYLES: Readonly<Record<string, Style>> = { "+": "good", "-": "bad", "@": "quiet" };
