import type { Cause, LeafChange } from "../../core/diff.ts";
import { formatPath } from "../../core/json.ts";
import { compareReach, type Reach } from "../../kinds/ruleset/implies.ts";
import type { RuleChange } from "../../kinds/traits/compared.ts";
import { leafLines } from "./leaf-lines.ts";
import { type Line, line } from "./lines.ts";
import { quote } from "../../core/quote.ts";
import { CAUSE_WORDS } from "./marks.ts";
import { formatValue, isSensitive } from "./value.ts";

/** A rule without a description is known by its expression, of which this much is enough. */
const LONGEST_TITLE = 60;

/**
 * The rules of an ordered ruleset as what is done to them: added, deleted, moved, changed, switched on or off. `said` is
 * the cause that the heading names already.
 */
export function ruleLines(rules: readonly RuleChange[], indent: number, said?: Cause): Line[] {
  return rules.flatMap((rule) => [
    line(indent, ruleSentence(rule, said), RULE_STYLES[rule.action]),
    ...leafLines(detailLeaves(rule), rule.action === "insert" ? "create" : "update", indent + 4, rule.cause),
  ]);
}

const RULE_STYLES = {
  insert: "good",
  remove: "bad",
  move: "plain",
  edit: "warn",
  enable: "warn",
  disable: "warn",
} as const satisfies Record<RuleChange["action"], Line["style"]>;

/** What is done to one rule: `~ move #3 -> #1 "Managed rules" [sec/managed] (config)`. */
function ruleSentence(rule: RuleChange, said: Cause | undefined): string {
  const notes = [
    ...(rule.cause === said ? [] : [CAUSE_WORDS[rule.cause]]),
    ...(rule.foreign ? ["a foreign rule"] : []),
  ];
  const note = notes.length === 0 ? "" : ` (${notes.join(", ")})`;
  const action = rule.action === "insert" ? insertedAction(rule.leaves) : "";
  return `${happening(rule)} ${quote(shortTitle(rule.title))} [${rule.ref}]${action}${note}`;
}

/** A rule by its position and what it is known by, for a line that only names it. */
export function ruleName(rule: RuleChange): string {
  return `#${rule.from ?? rule.to ?? "?"} ${quote(shortTitle(rule.title))} [${rule.ref}]`;
}

function happening(rule: RuleChange): string {
  const from = `#${rule.from ?? "?"}`;
  const to = `#${rule.to ?? "?"}`;
  switch (rule.action) {
    case "insert":
      return `+ add rule ${to}`;
    case "remove":
      return `- delete rule ${from}`;
    case "move":
      return `~ move rule ${from} -> ${to}`;
    case "edit":
      return `~ change rule ${where(rule)}`;
    case "enable":
      return `~ switch on rule ${where(rule)}`;
    case "disable":
      return `~ switch off rule ${where(rule)}`;
    default:
      return rule.action satisfies never;
  }
}

function where({ from, to }: RuleChange): string {
  return from === undefined || to === undefined || from === to ? `#${to ?? from ?? "?"}` : `#${from} -> #${to}`;
}

function insertedAction(leaves: readonly LeafChange[]): string {
  const action = leaves.find(({ path }) => formatPath(path) === "action");
  return action === undefined || action.sensitive || isSensitive(action.after) ? "" : `: ${formatValue(action.after)}`;
}

/** What a rule is known by, cut where it is long. */
export function shortTitle(title: string, longest: number = LONGEST_TITLE): string {
  return title.length <= longest ? title : `${title.slice(0, longest - 1)}…`;
}

/** What an edit does to the requests that a rule matches; undefined for another field than its expression. */
export function reachWords({ path, before, after }: LeafChange): string | undefined {
  if (formatPath(path) !== "expression" || typeof before !== "string" || typeof after !== "string") return undefined;
  return REACH_WORDS[compareReach(before, after)];
}

const REACH_WORDS = {
  every: "matches every request",
  none: "matches no request",
  same: "matches the same requests",
  more: "matches more requests",
  fewer: "matches fewer requests",
  unknown: "may match more or fewer requests (cannot tell which)",
} as const satisfies Record<Reach, string>;

/** The leaves below a rule's line; of an inserted or a switched one, those that the line does not say already. */
function detailLeaves(rule: RuleChange): readonly LeafChange[] {
  const said = SAID[rule.action];
  return rule.leaves.filter(({ path, after }) => {
    const name = formatPath(path);
    return !said.includes(name) && !(rule.action === "insert" && name === "expression" && after === rule.title);
  });
}

const SAID: Readonly<Record<RuleChange["action"], readonly string[]>> = {
  insert: ["action", "description", "ref"],
  remove: [],
  move: [],
  edit: [],
  enable: ["enabled"],
  disable: ["enabled"],
};
