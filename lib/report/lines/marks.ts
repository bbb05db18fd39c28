import type { Action } from "../../plan/change.ts";
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
  forget: "forgotten",
  held: "held",
  "no-op": "unchanged",
};

/** Hazards, the worst first, and what each means for somebody else (docs/semantics.md#hazards). */
export const HAZARD_MEANINGS: Readonly<Record<Hazard, string>> = {
  irreversible: "sends what cannot come back",
  outage: "cuts off a hostname that is active",
  "weakens-protection": "lets in what was kept out, or may do so",
  "loses-foreign-rule": "removes rules of somebody else",
  "needs-customer": "waits for a DNS record that the customer has to set",
  reissue: "orders a new certificate",
};

/** The hazards in the order of the section. */
export const HAZARDS: readonly Hazard[] = [
  "irreversible",
  "outage",
  "weakens-protection",
  "loses-foreign-rule",
  "needs-customer",
  "reissue",
];
