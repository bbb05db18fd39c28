import type { LeafChange } from "../core/diff.ts";
import type { Held } from "../kinds/traits/compared.ts";

/** Whether what waits is an update like any other once it is lifted (docs/semantics.md#held-changes). */
export function waitsForUpdate(held: Held | undefined): held is Held {
  return held?.becomes === "update";
}

/** The leaves that a change is about, whether or not some of them wait: an approval of today covers them all. */
export function allLeaves({
  leaves,
  held,
}: {
  readonly leaves: readonly LeafChange[];
  readonly held?: Held;
}): readonly LeafChange[] {
  return waitsForUpdate(held) ? [...leaves, ...held.leaves] : leaves;
}
