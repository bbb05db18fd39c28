import type { Diagnostic } from "../../core/diagnostic.ts";

/** Whether a name is the domain or lies below it. */
export function isUnder(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}

/** The name and its parents, nearest first, the top-level domain last; a leading `*.` does not count as a label. */
export function climb(name: string): readonly string[] {
  const labels = name.replace(/^\*\./, "").split(".");
  return labels.map((_, index) => labels.slice(index).join("."));
}

/** How many names a finding lists before counting the rest. */
export const NAMED = 5;

/** How many findings to show without a summary before them. */
const FEW = 4;
/** How many findings of a sort a plan holds; the summary counts the rest. */
const MOST = 100;

/** A finding for each item. If there are many, a summary of all comes first, and only the first hundred follow. */
export function bounded<T>(
  items: readonly T[],
  finding: (item: T) => Diagnostic,
  sum: (items: readonly T[]) => Diagnostic,
): readonly Diagnostic[] {
  if (items.length <= FEW) return items.map(finding);
  return [sum(items), ...items.slice(0, MOST).map(finding)];
}
