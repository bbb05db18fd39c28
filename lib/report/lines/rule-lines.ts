import { formatPosition } from "../../core/diagnostic.ts";
import type { Cause, LeafChange } from "../../core/diff.ts";
import { formatPath, leaves as leavesOf } from "../../core/json.ts";
import { quote } from "../../core/quote.ts";
import type { RuleChange } from "../../kinds/traits/compared.ts";
import type { GroupRule } from "../view/group.ts";
import { isSecret, leafLines } from "./leaf-lines.ts";
import { type Line, line } from "./lines.ts";
import { CAUSE_WORDS, dangerMark } from "./marks.ts";
import { formatValue } from "../../core/value-words.ts";

/** How much of an expression to show for a rule without a description. */
const LONGEST_TITLE = 60;

/**
 * The changes of the rules of an ordered ruleset: added, deleted, moved, changed, switched on or off. `said` is the
 * cause that the heading already names.
 */
export function ruleLines(rules: readonly GroupRule[], indent: number, said?: Cause): Line[] {
  return rules.flatMap((rule) => {
    const leaves = detailLeaves(rule).map((leaf) => ({
      ...leaf,
      ...(rule.isDanger ? { isDanger: true as const } : {}),
    }));
    const isWhole = rule.action === "insert" || rule.action === "remove";
    return [
      {
        ...line(indent, ruleSentence(rule, said), rule.isDanger ? "bad" : RULE_STYLES[rule.action]),
        ...placedAt(rule),
      },
      ...leafLines(leaves, isWhole ? "create" : "update", indent + 4, rule.cause),
    ];
  });
}

/** The place of the edit, or else of the rule. */
function placedAt({ at }: RuleChange): Pick<Line, "aside" | "place"> {
  return at === undefined ? {} : { aside: formatPosition(at), place: at };
}

const RULE_STYLES = {
  insert: "good",
  remove: "bad",
  move: "plain",
  edit: "warn",
  enable: "warn",
  disable: "warn",
} as const satisfies Record<RuleChange["action"], Line["style"]>;

/** The change of one rule: `~ move #3 -> #1 "Managed rules" [sec/managed] (config)`. */
function ruleSentence(rule: GroupRule, said: Cause | undefined): string {
  const notes = [
    ...(rule.cause === said ? [] : [CAUSE_WORDS[rule.cause]]),
    ...(rule.foreign ? ["a foreign rule"] : []),
  ];
  const note = notes.length === 0 ? "" : ` (${notes.join(", ")})`;
  return `${happening(rule)} ${quote(shortTitle(rule.title))} [${rule.ref}]${wholeAction(rule)}${dangerMark(rule)}${note}`;
}

/** A rule by its position and its title, for a line that only names it. */
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

/** The action of a rule that is added or removed. */
function wholeAction(rule: RuleChange): string {
  const action = wholeRule(rule)?.find(({ path }) => formatPath(path) === "action");
  return action === undefined || isSecret(action) ? "" : `: ${formatValue(action.after)}`;
}

/** The fields of a rule that is added or removed; undefined for one that stays. */
function wholeRule({ action, leaves, lost, cause }: RuleChange): readonly LeafChange[] | undefined {
  if (action === "insert") return leaves;
  return lost && leavesOf(lost).map(({ path, value }) => ({ path, after: value, cause }));
}

/** The title of a rule, cut if it is long. */
export function shortTitle(title: string, longest: number = LONGEST_TITLE): string {
  return title.length <= longest ? title : `${title.slice(0, longest - 1)}…`;
}

/** The fields below a rule's line: everything that the line does not show whole. For a removed rule, what is lost. */
function detailLeaves(rule: RuleChange): readonly LeafChange[] {
  if (rule.action === "enable" || rule.action === "disable") return [];
  return wholeRule(rule)?.filter((leaf) => !isSaid(leaf, rule)) ?? rule.leaves;
}

function isSaid({ path, after }: LeafChange, { action, title }: RuleChange): boolean {
  const name = formatPath(path);
  if (name === "description" || name === "expression") return after === shortTitle(title);
  return SAID.includes(name) || (action === "remove" && name === "enabled" && after === true);
}

const SAID: readonly string[] = ["action", "ref", "id"];
