import type { Diagnostic } from "../../core/diagnostic.ts";

/** Whether a name is the domain or lies below it. */
export function isUnder(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}

/** The name and those above it, nearest first, the top-level domain last; a leading `*.` is no label of it. */
export function climb(name: string): readonly string[] {
  const labels = name.replace(/^\*\./, "").split(".");
  return labels.map((_, index) => labels.slice(index).join("."));
}

/** How many names a finding spells out before it only counts. */
const NAMED = 5;

/** A few names, and of many the first with the count of the others. */
export function listed(names: readonly string[]): string {
  const rest = names.length - NAMED;
  return `${names.slice(0, NAMED).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** A count and its noun: `1 custom hostname`, `3 custom hostnames`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Up to how many findings to show without a summary in front. */
const FEW = 4;
/** How many findings of a sort a plan holds at most; the summary counts the others. */
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
