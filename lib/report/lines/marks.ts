import type { Cause } from "../../core/diff.ts";
import { adoptsAndUpdates } from "../../plan/write.ts";
import type { Action, Change } from "../../plan/change.ts";
import type { Style } from "./lines.ts";

/** The mark of an action. The word stands beside it, so that a line can be understood without mark and colour. */
export const MARKS: Readonly<Record<Action, string>> = {
  create: "+",
  update: "~",
  replace: "-/+",
  delete: "-",
  adopt: "<=",
  forget: ".",
  held: "|",
  "no-op": " ",
};

/** The colour of an action: everything that destroys is red. */
export const ACTION_STYLES: Readonly<Record<Action, Style>> = {
  create: "good",
  update: "warn",
  replace: "bad",
  delete: "bad",
  adopt: "good",
  forget: "quiet",
  held: "quiet",
  "no-op": "plain",
};

/** The name of a finished action. */
export const DONE_WORDS: Readonly<Record<Action, string>> = {
  create: "created",
  update: "updated",
  replace: "replaced",
  delete: "deleted",
  adopt: "adopted",
  forget: "released",
  held: "held",
  "no-op": "unchanged",
};

/** The name of a planned action. JSON calls the release of an object `forget`. */
export const ACTION_WORDS: Readonly<Record<Action, string>> = {
  create: "create",
  update: "update",
  replace: "replace",
  delete: "delete",
  adopt: "adopt",
  forget: "release",
  held: "hold",
  "no-op": "keep",
};

/** The name of adopting an object and sending what differs. */
export const ADOPT_AND_UPDATE = "adopt and update";

/** The name of a planned change. */
export function plannedWord(change: Pick<Change, "action" | "leaves" | "rules">): string {
  return adoptsAndUpdates(change) ? ADOPT_AND_UPDATE : ACTION_WORDS[change.action];
}

/**
 * Why something changes (docs/semantics.md#causes). JSON calls a value that was changed both in the YAML and live
 * `both`.
 */
export const CAUSE_WORDS: Readonly<Record<Cause, string>> = {
  config: "config",
  drift: "drift",
  both: "config and drift",
  service: "service",
};

/** Marks a group of changes, or a rule, that causes a danger at the top of the plan. */
export function dangerMark({ isDanger = false }: { readonly isDanger?: boolean }): string {
  return isDanger ? ", DANGER" : "";
}
