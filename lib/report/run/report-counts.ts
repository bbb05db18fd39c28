import type { Ended, Outcome } from "../../apply/outcome.ts";
import { actionWord, STATUS_WORDS } from "./ending.ts";
import { type Line, line } from "../lines/lines.ts";
import { thousands } from "../lines/words.ts";

/** How a change may end. */
export type Status = Outcome["status"];

/** The endings in the order in which they are told: what needs a person first. */
export const STATUSES: readonly Status[] = [
  "failed",
  "unknown",
  "unconfirmed",
  "conflict",
  "refused",
  "held",
  "not-started",
  "done",
];

/** How many changes ended in each way. */
export function statusCounts(ended: readonly Ended[]): Record<Status, number> {
  const counts = { done: 0, failed: 0, unknown: 0, unconfirmed: 0, conflict: 0, refused: 0, held: 0, "not-started": 0 };
  for (const { outcome } of ended) counts[outcome.status] += 1;
  return counts;
}

/** How much of a change was written although it did not end as done; undefined for nothing. */
export function writtenOf({ outcome }: Ended): "all" | "part" | undefined {
  if (outcome.status === "conflict") return outcome.hasWritten;
  return outcome.status === "failed" && outcome.hasWritten ? "part" : undefined;
}

/** A table of the endings by action, where there are several actions; of one, the verdict says it all. */
export function countsTable(ended: readonly Ended[]): Line[] {
  const actions = [...new Set(ended.map(actionWord))].sort();
  if (actions.length < 2) return [];
  const counts = countByBoth(ended);
  const statuses = ROWS.filter((status) => actions.some((action) => counts.has(`${status} ${action}`)));
  const cells = (status: Status): string[] =>
    actions.map((action) => thousands(counts.get(`${status} ${action}`) ?? 0).padStart(CELL_COLUMNS));
  return [
    line(0, "".padEnd(NAME_COLUMNS) + actions.map((action) => action.padStart(CELL_COLUMNS)).join(""), "quiet"),
    ...statuses.map((status) => line(0, STATUS_WORDS[status].padEnd(NAME_COLUMNS) + cells(status).join(""))),
  ].map((row) => ({ ...row, isWhole: true }));
}

const ROWS: readonly Status[] = ["done", ...STATUSES.filter((status) => status !== "done")];

const NAME_COLUMNS = 12;

const CELL_COLUMNS = 9;

function countByBoth(ended: readonly Ended[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const each of ended) {
    const both = `${each.outcome.status} ${actionWord(each)}`;
    counts.set(both, (counts.get(both) ?? 0) + 1);
  }
  return counts;
}
