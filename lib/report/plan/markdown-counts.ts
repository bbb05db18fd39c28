import { counted, thousands } from "../lines/words.ts";

/** What the parts of a plan are counted as. */
export type Sort = keyof typeof NOUNS;

/** A change with two hazards is two hazards. A zone counts for its row of the table alone: what is in it counts as what it is. */
const NOUNS = {
  hazards: "hazard",
  lostRules: "lost rule",
  rules: "changed rule",
  changes: "change",
  held: "held object",
  letGo: "object with released fields",
  findings: "finding",
  gone: "hostname that is gone",
  zones: "zone",
} as const;

/** How many there are of each sort. */
export type Counts = ReadonlyMap<Sort, number>;

/** Adds up counts. */
export function sum(parts: Iterable<readonly [Sort, number]>): Counts {
  const total = new Map<Sort, number>();
  for (const [sort, count] of parts) if (count > 0) total.set(sort, (total.get(sort) ?? 0) + count);
  return total;
}

/** What is not shown out of all there is: `18,800 of 20,000 changes, 1 of 3 findings`; empty for nothing. */
export function formatHidden(hidden: Counts, all: Counts): string {
  const parts = SORTS.flatMap((sort) => {
    const count = hidden.get(sort) ?? 0;
    return count === 0 ? [] : [`${thousands(count)} of ${counted(all.get(sort) ?? 0, NOUNS[sort])}`];
  });
  return parts.join(", ");
}

const SORTS: readonly Sort[] = [
  "hazards",
  "lostRules",
  "rules",
  "changes",
  "held",
  "letGo",
  "findings",
  "gone",
  "zones",
];
