import type { LeafChange } from "../core/diff.ts";
import type { Held } from "../kinds/traits/compared.ts";

/** Whether a held change becomes an ordinary update once it is lifted (docs/semantics.md#held-changes). */
export function waitsForUpdate(held: Held | undefined): held is Held {
  return held?.becomes === "update";
}

/** All fields of a change, held or not: one approval covers them all. */
export function allLeaves({
  leaves,
  held,
}: {
  readonly leaves: readonly LeafChange[];
  readonly held?: Held;
}): readonly LeafChange[] {
  return waitsForUpdate(held) ? [...leaves, ...held.leaves] : leaves;
}
