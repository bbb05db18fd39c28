import { Scalar } from "yaml";

/**
 * The offset in the file of each UTF-16 unit of a YAML string, and of its end. `written` is the string as it stands in the
 * file, with its quotes or the header of its block; `start` is the offset of its first character. What an escape or a
 * fold makes is at the place of the escape or of the line end.
 */
export function scalarOffsets(value: string, type: Scalar.Type | undefined, written: string, start: number): number[] {
  const isBlock = type === Scalar.BLOCK_FOLDED || type === Scalar.BLOCK_LITERAL;
  const indent = isBlock ? indentOf(written, value) : undefined;
  const isQuoted = type === Scalar.QUOTE_DOUBLE || type === Scalar.QUOTE_SINGLE;
  const offsets: number[] = [];
  let at = isBlock ? afterBreaks(written, written.indexOf("\n"), indent, 1) : Number(isQuoted);
  while (offsets.length < value.length) {
    const unit = value[offsets.length];
    const turn = /^[ \t]*(?=\r?\n)/.exec(written.slice(at, at + MOST_BLANKS));
    const isBreak = (unit === " " || unit === "\n") && turn !== null && (!isBlock || turn[0] === "");
    if (isBreak) {
      const breaks = /^\n+/.exec(value.slice(offsets.length))?.[0].length ?? 1;
      for (let count = 0; count < breaks; count += 1) offsets.push(start + at);
      at = afterBreaks(written, at + turn[0].length, indent);
      continue;
    }
    const length = type === Scalar.QUOTE_DOUBLE ? escapeLength(written, at) : isDoubled(type, written, at) ? 2 : 1;
    // An escaped line end makes nothing.
    if (length === 0) at = afterBreaks(written, at + 1, undefined);
    else {
      const units = length > 1 && unit !== undefined && /[\uD800-\uDBFF]/.test(unit) ? 2 : 1;
      for (let count = 0; count < units; count += 1) offsets.push(start + at);
      at += length;
    }
  }
  return [...offsets, start + at];
}

/** How many blanks may stand before the end of a line that is folded. */
const MOST_BLANKS = 1000;

function isDoubled(type: Scalar.Type | undefined, written: string, at: number): boolean {
  return type === Scalar.QUOTE_SINGLE && written.startsWith("''", at);
}

/** How long the escape at an offset is: 1 if there is none, 0 for an escaped line end. */
function escapeLength(written: string, at: number): number {
  if (written[at] !== "\\") return 1;
  const next = written[at + 1] ?? "";
  if (next === "\n" || next === "\r") return 0;
  return { x: 4, u: 6, U: 10 }[next] ?? 2;
}

/** The offset after line ends: of the text of the next line that has some. Blocks keep what is beyond their indent. */
function afterBreaks(written: string, at: number, indent: number | undefined, most = Infinity): number {
  let end = at;
  for (let count = 0; count < most; count += 1) {
    const [turn] = (indent === undefined ? /^\r?\n[ \t]*/ : /^\r?\n/).exec(written.slice(end)) ?? [];
    if (turn === undefined) break;
    end += turn.length;
    if (indent !== undefined) end += /^ */.exec(written.slice(end, end + indent))?.[0].length ?? 0;
  }
  return end;
}

/** The indent of a block: the one of its header, or that of its first line with text. */
function indentOf(written: string, value: string): number {
  const lines = written.split("\n").slice(1);
  const first = value.split("\n").find((line) => line.trim() !== "") ?? "";
  const line = lines.find((each) => each.trim() !== "") ?? "";
  return Math.max(0, leading(line) - leading(first));
}

function leading(line: string): number {
  return line.length - line.trimStart().length;
}
