/** A piece of what a program writes: a control sequence, a line break, or text. */
// oxlint-disable-next-line no-control-regex -- control sequences are what is looked for
const PIECE = /\x1b\[(\??\d*)([A-Za-z])|\n|\r|[^\x1b\n\r]+/g;

/**
 * What stands on a terminal after all that was written: as much of one as progress needs. Moves up, to a column, erases to
 * the right and downwards; shows and hides nothing.
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
