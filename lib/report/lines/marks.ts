import type { Cause } from "../../core/diff.ts";
import { adoptsAndUpdates } from "../../plan/write.ts";
import type { Action, Change } from "../../plan/change.ts";
import type { Hazard } from "../../kinds/traits/judged.ts";
import type { Style } from "./lines.ts";

/** The mark of an action; with the word beside it, so that neither mark nor colour is needed to understand a line. */
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

/** The colour of an action: what destroys is red whatever else it does. */
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

/** What an action is called once it is done. */
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

/** What an action is called where it is planned. JSON calls the release of an object `forget`. */
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

/** What it is called to adopt an object and to send what differs. */
export const ADOPT_AND_UPDATE = "adopt and update";

/** What a change is called where it is planned. */
export function plannedWord(change: Pick<Change, "action" | "leaves" | "rules">): string {
  return adoptsAndUpdates(change) ? ADOPT_AND_UPDATE : ACTION_WORDS[change.action];
}

/** Why something changes (docs/semantics.md#causes). JSON calls a value that you and somebody else changed `both`. */
export const CAUSE_WORDS: Readonly<Record<Cause, string>> = {
  config: "config",
  drift: "drift",
  both: "config and drift",
  service: "service",
};

/** What stands before a hazard: whether it endangers somebody, or is only to be known. */
export const HAZARD_MARKS: Readonly<Record<Hazard, "DANGER" | "NOTICE">> = {
  irreversible: "DANGER",
  outage: "DANGER",
  "weakens-protection": "DANGER",
  "loses-foreign-rule": "DANGER",
  "needs-customer": "NOTICE",
  reissue: "NOTICE",
};

/** The hazards, the worst first (docs/semantics.md#hazards). */
export const HAZARDS: readonly Hazard[] = [
  "irreversible",
  "outage",
  "weakens-protection",
  "loses-foreign-rule",
  "needs-customer",
  "reissue",
];

/** Marks a group of changes, or a rule, that a danger at the head of the plan is about. */
export function dangerMark({ isDanger = false }: { readonly isDanger?: boolean }): string {
  return isDanger ? ", DANGER" : "";
}
