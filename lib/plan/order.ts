import { kindNamed } from "../kinds/registry.ts";
import type { Change } from "./change.ts";

/**
 * Sorts changes into the order in which they are applied: kinds by stage (fallback origin, hostnames, rulesets, CA
 * choices of the zone), within a kind by address; deletes come last, in reverse. Sorts in place.
 */
export function inOrder(changes: readonly Change[]): readonly Change[] {
  return changes.toSorted(
    (left, right) =>
      rank(left) - rank(right) || (left.address < right.address ? -1 : Number(left.address > right.address)),
  );
}

function rank({ kind, action }: Change): number {
  const { stage } = kindNamed(kind);
  return action === "delete" ? 100 - stage : stage;
}
