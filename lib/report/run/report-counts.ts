import type { Ended, Outcome } from "../../apply/outcome.ts";

/** How a change may end. */
export type Status = Outcome["status"];

/** The endings in the order in which they are reported: what needs a person first. */
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
