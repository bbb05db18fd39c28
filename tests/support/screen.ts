/** A piece of what a program writes: a control sequence, a line break, or text. */
// oxlint-disable-next-line no-control-regex -- control sequences are what is looked for
const PIECE = /\x1b\[(\??\d*)([A-Za-z])|\n|\r|[^\x1b\n\r]+/g;

/**
 * The lines that a terminal shows after all of this was written. It knows the control sequences of the progress display: move up
 * or to a column, and erase to the right or downwards.
 */
export function screenOf(written: string): readonly string[] {
  const lines: string[] = [""];
  let [row, column] = [0, 0];
  for (const [piece, digits = "", command] of written.matchAll(PIECE)) {
    const count = digits === "" ? 1 : Number(digits);
    if (piece === "\n") [row, column] = [row + 1, 0];
    else if (piece === "\r") column = 0;
    else if (command === "A") row -= count;
    else if (command === "G") column = count - 1;
    else if (command === "K") lines[row] = (lines[row] ?? "").slice(0, column);
    else if (command === "J") lines.splice(row, lines.length, (lines[row] ?? "").slice(0, column));
    else if (command === undefined) {
      const before = (lines[row] ?? "").padEnd(column);
      lines[row] = before.slice(0, column) + piece + before.slice(column + piece.length);
      column += piece.length;
    }
  }
  return Array.from(lines, (line) => line ?? "");
}
