/** The phase whose entry point has the new managed rules. */
export const PHASE = "http_request_firewall_managed";

/** The steps of the migration from the previous managed rules to the new ones, in order. */
export const TARGETS = ["previous", "validation", "new"] as const;

/** One of `TARGETS`. */
export type Target = (typeof TARGETS)[number];

/** The index of a step; -1 for any other word. */
export function distance(target: string): number {
  return TARGETS.findIndex((known) => known === target);
}

/**
 * The zone's step according to the service. The service may add names of states (docs/service.md#waf-migration); a zone
 * that never had the previous managed rules (`default`) has nothing to migrate, and counts as finished.
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

/** The query of the migration call for a step (docs/service.md#waf-migration). */
export function modeOf(target: string): "validation" | "pending" {
  return target === "validation" ? "validation" : "pending";
}
