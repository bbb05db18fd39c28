/** A new text for one cell of a CSV file. */
export interface CellEdit {
  /** Where the cell begins, at its quote if it has one; both from 1. */
  readonly line: number;
  readonly column: number;
  readonly delimiter: string;
  readonly value: string;
}

/** The text of a CSV file with other values in some cells; every other byte stays. A cell in quotes keeps them. */
export function editedCells(text: string, edits: readonly CellEdit[]): string {
  const starts = lineStarts(text);
  const offsetOf = ({ line, column }: CellEdit): number => (starts[line - 1] ?? text.length) + column - 1;
  const pieces: string[] = [];
  let done = 0;
  for (const edit of [...edits].sort((left, right) => offsetOf(left) - offsetOf(right))) {
    const from = offsetOf(edit);
    const old = cellAt(text, from, edit.delimiter);
    pieces.push(text.slice(done, from), cellOf(edit, old.startsWith('"')));
    done = from + old.length;
  }
  return [...pieces, text.slice(done)].join("");
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
  return starts;
}

/** The cell as it is written. */
function cellAt(text: string, from: number, delimiter: string): string {
  const quoted = /"(?:[^"]|"")*"/y;
  quoted.lastIndex = from;
  const found = quoted.exec(text);
  if (found) return found[0];
  const ends = [delimiter, "\r", "\n"].map((end) => text.indexOf(end, from)).filter((end) => end >= 0);
  return text.slice(from, Math.min(text.length, ...ends));
}

function cellOf({ value, delimiter }: CellEdit, isQuoted: boolean): string {
  const needsQuotes = isQuoted || value.includes(delimiter) || /["\r\n]/.test(value);
  return needsQuotes ? `"${value.replaceAll('"', '""')}"` : value;
}
