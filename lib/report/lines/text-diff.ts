import { type ChangeObject, createTwoFilesPatch, diffArrays, diffWordsWithSpace, FILE_HEADERS_ONLY } from "diff";
import { layoutOf } from "../../kinds/ruleset/expressions.ts";
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

/**
 * An old and a new expression as `layoutOf` sets them. If one of them has several lines, those that both have stand once.
 * If only the spelling differs, both are shown as they were written.
 */
export function expressionPair(before: string, after: string, indent: number, pair: Pair = {}): Line[] {
  const [old, fresh] = [layoutOf(before), layoutOf(after)];
  if (old === undefined || fresh === undefined || old === fresh) return textPair(before, after, indent, pair);
  const parts = diffArrays(old.split("\n"), fresh.split("\n"));
  const { marks = MARKS } = pair;
  return parts.flatMap(({ value, added, removed }, index) => {
    if (!added && !removed) return value.map((text) => line(indent, `${" ".repeat(marks[0].length)}${text}`, "quiet"));
    const next = parts[index + 1];
    if (removed && next?.added) return changedLines(value, next.value, indent, pair);
    if (added && parts[index - 1]?.removed) return [];
    return removed ? changedLines(value, [], indent, pair) : changedLines([], value, indent, pair);
  });
}

function changedLines(old: readonly string[], fresh: readonly string[], indent: number, pair: Pair): Line[] {
  const pairs = Array.from({ length: Math.max(old.length, fresh.length) }, (_item, index) =>
    textPair(old[index] ?? "", fresh[index] ?? "", indent, pair),
  );
  return [
    ...pairs.slice(0, old.length).map(([first]) => first),
    ...pairs.slice(0, fresh.length).map(([, second]) => second),
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
