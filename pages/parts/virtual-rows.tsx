import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";

interface VirtualRowsProps<T> {
  /** What a screen reader calls the table. */
  readonly label: string;
  readonly rows: readonly T[];
  /** The height of each row, and of the part that is seen, in pixels. */
  readonly rowHeight: number;
  readonly height: number;
  /** The cells of a row, each with the role `cell`. */
  readonly cells: (row: T) => ComponentChildren;
}

/** How many rows to keep above and below those that are seen. */
const BEYOND = 8;

/** A table of any length. Only the rows that are seen exist, and a screen reader hears the number of each and of all. */
export function VirtualRows<T>({ label, rows, rowHeight, height, cells }: VirtualRowsProps<T>): JSX.Element {
  const [top, setTop] = useState(0);
  const first = Math.max(0, Math.floor(top / rowHeight) - BEYOND);
  const seen = rows.slice(first, first + Math.ceil(height / rowHeight) + 2 * BEYOND);
  return (
    <div
      class="rows"
      role="table"
      aria-label={label}
      aria-rowcount={rows.length}
      tabIndex={0}
      style={{ maxHeight: `${height}px` }}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div role="presentation" style={{ position: "static", height: `${rows.length * rowHeight}px` }} />
      {seen.map((row, index) => (
        <div
          key={first + index}
          role="row"
          aria-rowindex={first + index + 1}
          style={{ top: `${(first + index) * rowHeight}px`, height: `${rowHeight}px` }}
        >
          {cells(row)}
        </div>
      ))}
    </div>
  );
}
