import type { Kind } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import type { Loss } from "../kinds/traits/judged.ts";
import type { Action } from "./change.ts";

const WORDS = {
  certificate: "the certificate",
  validation: "the validation",
} as const satisfies Record<Exclude<Loss, "downtime">, string>;

/** What is lost when the object is deleted, in one sentence; empty if nothing is, or if its successor keeps it. */
export function lossNotes(
  kind: Kind,
  { action, isReplaced }: { readonly action: Action; readonly isReplaced?: true },
  live: Live | undefined,
): readonly string[] {
  const isGoing = action === "delete" || (action === "replace" && kind.replacement !== "create-first");
  const losses = live && isGoing && !isReplaced ? (kind.losses?.(live) ?? []) : [];
  return losses.length === 0 ? [] : [lossSentence(action === "delete" ? "Deleting" : "Replacing", losses)];
}

function lossSentence(verb: string, losses: readonly Loss[]): string {
  const removed = losses.flatMap((loss) => (loss === "downtime" ? [] : [WORDS[loss]]));
  const parts = [
    ...(removed.length === 0 ? [] : [`removes ${removed.join(" and ")}`]),
    ...(losses.includes("downtime") ? ["takes the hostname offline until it is created and validated again"] : []),
  ];
  return `${verb} ${parts.join(", and ")}`;
}
