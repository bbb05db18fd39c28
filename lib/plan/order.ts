import { kindNamed } from "../kinds/registry.ts";
import { takenBy } from "./carriers.ts";
import type { Change } from "./change.ts";

/**
 * Sorts changes into the order in which they are applied: kinds by stage (fallback origin, hostnames, rulesets, CA
 * choices of the zone), within a kind by address; deletes come last, in reverse, but what hostnames need after them.
 */
export function inOrder(changes: readonly Change[]): readonly Change[] {
  return changes.toSorted(
    (left, right) =>
      rank(left) - rank(right) || (left.address < right.address ? -1 : Number(left.address > right.address)),
  );
}

function rank({ kind, action }: Change): number {
  const { stage } = kindNamed(kind);
  if (action !== "delete") return stage;
  return (takenBy({ kind, action }) ? 200 : 100) - stage;
}
