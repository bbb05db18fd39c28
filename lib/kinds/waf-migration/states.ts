/** Where a zone can stand on the way from the previous managed rules to the new ones, in the order of the way. */
export const TARGETS = ["previous", "validation", "new"] as const;

/** One of them. */
export type Target = (typeof TARGETS)[number];

/** How far along the way a target is; -1 for a word that is none. */
export function distance(target: string): number {
  return TARGETS.findIndex((known) => known === target);
}

/**
 * Where the service says the zone stands. The names of its states are an open set (docs/service.md#waf-migration); a zone that never
 * had the previous managed rules (`default`) has nothing to migrate, and counts as being at the end of the way.
 */
export function targetOf(migrationState: string): Target {
  switch (migrationState) {
    case "validation":
      return "validation";
    case "complete":
    case "default":
      return "new";
    default:
      return "previous";
  }
}

/** What the query of the migration call says for a target (docs/service.md#waf-migration). */
export function modeOf(target: string): "validation" | "pending" {
  return target === "validation" ? "validation" : "pending";
}
