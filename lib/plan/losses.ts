import type { Kind } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import type { Loss } from "../kinds/traits/judged.ts";
import type { Action } from "./change.ts";

const WORDS = {
  certificate: "the certificate",
  validation: "the validation",
  downtime: "and service until it is created and validated again",
} as const satisfies Record<Loss, string>;

/** What is lost with an object that goes, in one sentence; none where nothing is, or where its successor has it. */
export function lossNotes(
  kind: Kind,
  { action, isReplaced }: { readonly action: Action; readonly isReplaced?: true },
  live: Live | undefined,
): readonly string[] {
  const isGoing = action === "delete" || (action === "replace" && kind.replacement !== "create-first");
  const losses = live && isGoing && !isReplaced ? (kind.losses?.(live) ?? []) : [];
  const verb = action === "delete" ? "Deleting" : "Replacing";
  return losses.length === 0 ? [] : [`${verb} loses ${losses.map((loss) => WORDS[loss]).join(", ")}`];
}
