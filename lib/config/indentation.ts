/** A line whose indentation fits none of the lines above it. */
export interface MisplacedLine {
  /** The offset at which the line begins. */
  readonly at: number;
  readonly indent: number;
  /** The nearest fitting indentation, and the line that has it. */
  readonly wanted: number;
  readonly like: number;
}

/** How far from the parser's position the line may be. */
const NEAR = 3;

interface Line {
  readonly number: number;
  readonly at: number;
  readonly indent: number;
  readonly text: string;
}

/** The wrongly indented line, at or near the line where a parser gave up; undefined if all indentation looks right. */
export function misplacedLine(text: string, number: number): MisplacedLine | undefined {
  const lines = linesOf(text);
  const near = lines.filter((line) => Math.abs(line.number - number) <= NEAR);
  const found = near
    .map((line) => misplaced(line, lines))
    .filter((line) => line !== undefined)
    .sort((left, right) => distance(left, number, text) - distance(right, number, text));
  return found[0];
}

function distance({ at }: MisplacedLine, number: number, text: string): number {
  return Math.abs(text.slice(0, at).split("\n").length - number);
}

/** Lines that are not blank. */
function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  let at = 0;
  for (const [index, line] of text.split("\n").entries()) {
    const indent = line.search(/[^ ]/);
    if (indent >= 0 && !/^\s*(#|$|---)/.test(line)) lines.push({ number: index + 1, at, indent, text: line });
    at += line.length + 1;
  }
  return lines;
}

function misplaced(line: Line, lines: readonly Line[]): MisplacedLine | undefined {
  const above = lines.slice(0, lines.indexOf(line));
  const before = above.at(-1);
  if (!before) return undefined;
  const fits = fittingIndents(above);
  const opensBlock = /(:|^\s*-)\s*(#.*)?$|[|>][+-]?\d?\s*$|[[{,]\s*$/.test(before.text);
  if (fits.has(line.indent) || (opensBlock && line.indent > before.indent)) return undefined;
  const nearest = [...fits].sort(
    ([left], [right]) => Math.abs(left - line.indent) - Math.abs(right - line.indent) || right - left,
  )[0];
  return nearest && { at: line.at, indent: line.indent, wanted: nearest[0], like: nearest[1] };
}

/**
 * The indentations that a line could have, each with the last line that has it. A dash opens two: its own, and that of
 * its keys.
 */
function fittingIndents(above: readonly Line[]): ReadonlyMap<number, number> {
  const fits = new Map<number, number>();
  let lowest = Number.POSITIVE_INFINITY;
  for (const { indent, text, number } of above.toReversed()) {
    if (indent >= lowest) continue;
    const inner = indent + (/^\s*(- +)/.exec(text)?.[1]?.length ?? 0);
    if (inner < lowest) fits.set(inner, number);
    fits.set(indent, number);
    lowest = indent;
  }
  return fits;
}
