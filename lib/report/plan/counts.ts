import { ACTION_WORDS, ADOPT_AND_UPDATE } from "../lines/marks.ts";
import { type Line, line } from "../lines/lines.ts";
import { thousands } from "../lines/words.ts";
import type { Tally } from "../view/tally.ts";
import type { ZoneView } from "../view/view.ts";
import { WRITE_ACTIONS } from "../../state/record.ts";

/** How many changes of each sort each zone has, the columns that are empty left out. */
export interface CountsTable {
  /** The titles of the columns, without the one of the zones. */
  readonly titles: readonly string[];
  readonly rows: readonly { readonly zone: ZoneView["zone"]; readonly cells: readonly string[] }[];
}

/** The counts of all zones side by side. */
export function countsTable(zones: readonly ZoneView[]): CountsTable {
  const columns = COLUMNS.filter(
    ({ title, count }) => title === "unchanged" || zones.some(({ tally }) => count(tally) > 0),
  );
  return {
    titles: columns.map(({ title }) => title),
    rows: zones.map(({ zone, tally }) => ({ zone, cells: columns.map(({ count }) => cell(count(tally))) })),
  };
}

const COLUMNS: readonly { readonly title: string; readonly count: (tally: Tally) => number }[] = [
  ...WRITE_ACTIONS.flatMap((action) => [
    { title: ACTION_WORDS[action], count: ({ planned }: Tally) => planned[action] },
    ...(action === "adopt"
      ? [{ title: ADOPT_AND_UPDATE, count: ({ planned }: Tally) => planned.adopt_and_update }]
      : []),
  ]),
  { title: "release fields", count: ({ letGo }) => letGo },
  { title: "held", count: ({ held }) => held },
  { title: "blocked", count: ({ refused }) => refused.all },
  { title: "conflict", count: ({ contested }) => contested.all },
  { title: "unchanged", count: ({ unchanged }) => unchanged },
];

function cell(count: number): string {
  return count === 0 ? "-" : thousands(count);
}

/** The counts as lines, numbers to the right. */
export function countsLines(zones: readonly ZoneView[]): Line[] {
  const { titles, rows } = countsTable(zones);
  const names = Math.max(...rows.map(({ zone }) => zone.name.length));
  const widths = titles.map((title, index) =>
    Math.max(title.length, ...rows.map(({ cells }) => cells[index]?.length ?? 0)),
  );
  const row = (name: string, cells: readonly string[]): string =>
    [name.padEnd(names), ...cells.map((text, index) => text.padStart(widths[index] ?? 0))].join("  ");
  return [line(2, row("", titles), "quiet"), ...rows.map(({ zone, cells }) => line(2, row(zone.name, cells)))];
}
