import type { Change, Plan } from "./change.ts";

/**
 * Whether a change is there because somebody changed what was applied. What is held waits for the service and is no
 * drift (product semantics 4); what the service does by itself is none either (semantics 5).
 */
export function isDrift(change: Change): boolean {
  if (change.action === "held") return false;
  const parts = [...change.leaves, ...change.rules];
  const causes = parts.length === 0 ? [change.cause] : parts.map(({ cause }) => cause);
  return causes.includes("drift") || causes.includes("both");
}

/** The plan with only the changes that somebody else made necessary. */
export function onlyDrift(plan: Plan): Plan {
  return { ...plan, zones: plan.zones.map((section) => ({ ...section, changes: section.changes.filter(isDrift) })) };
}
