import { optionalText } from "../../core/decode.ts";
import type { LeafChange } from "../../core/diff.ts";
import { formatPath, type JsonObject, withValueAt } from "../../core/json.ts";
import { quote } from "../../core/quote.ts";
import { both, type Hazard, HAZARD_MEANINGS, type HazardWords } from "../../kinds/hazards.ts";
import { ruleDoes } from "../../kinds/ruleset/words.ts";
import { kindNamed } from "../../kinds/registry.ts";
import type { RuleChange } from "../../kinds/traits/compared.ts";
import type { Change } from "../../plan/change.ts";
import { isSecret, leafValues, reachWords } from "../lines/leaf-lines.ts";
import { shortTitle } from "../lines/rule-lines.ts";
import { counted, thousands } from "../../core/words.ts";
import { formatValue, isSensitive } from "../lines/words.ts";
import { declaredRules, weakerLeaves, weakerRules } from "./suspects.ts";

/** What a hazard means for an object, in words: after its name, and after the number of several similar objects. */
export interface DangerWords extends HazardWords {
  /** The single dangers, if there is more than one sentence to say. */
  readonly details?: readonly string[];
  /** What the sentence is about, if not the whole object. */
  readonly subject?: string;
}

/** How many details to give of one object before counting the rest. */
const MOST_DETAILS = 5;

/** Where to cut the title of a foreign rule, so that what happens to the rule fits on the same line. */
const LONGEST_TITLE = 30;

/**
 * What one change does to users, in words that one would use to a colleague. `seen`: the observation, if only that
 * makes it dangerous.
 */
export function dangerWords(hazard: Hazard, change: Change, seen?: string): DangerWords {
  if (seen !== undefined) return both(`: ${seen} (seen now, not part of what is approved)`);
  if (hazard === "weakens-protection") return change.rules.length > 0 ? changedRules(change) : weakerValues(change);
  if (hazard === "loses-foreign-rule") {
    const lost = change.rules.filter(({ action, foreign }) => foreign === true && action === "remove").length;
    return both(` loses ${counted(lost, "foreign rule")}`);
  }
  return kindNamed(change.kind).hazardWords?.[hazard]?.words?.(change) ?? HAZARD_MEANINGS[hazard].words;
}

/** The first rules that may let more through, and how many more there are; a single one is the subject. */
export function rulesInDanger<Rule>(rules: readonly Rule[], wordsOf: (rule: Rule) => string): DangerWords {
  const details = rules.slice(0, MOST_DETAILS).map(wordsOf);
  const [only] = details;
  if (details.length === 1 && only !== undefined) return { ...both(""), subject: only };
  const rest = rules.length - details.length;
  return {
    ...both(" may let more through:"),
    details: rest === 0 ? details : [...details, `and ${thousands(rest)} more`],
  };
}

/** The changed values that protect less. */
function weakerValues(change: Change): DangerWords {
  if (change.action === "delete") return { one: " no longer protects anything", many: " no longer protect anything" };
  const isNew = change.action === "create";
  const weaker = weakerLeaves(change).filter((leaf) => !isSecret(leaf));
  const [only, ...others] = weaker;
  if (only === undefined) return HAZARD_MEANINGS["weakens-protection"].words;
  if (others.length === 0 && formatPath(only.path) === MIN_TLS) return lowerTls(only, isNew);
  const told = weaker.slice(0, MOST_DETAILS);
  const values = told.map((leaf) => `${formatPath(leaf.path)} ${leafValues(leaf, isNew ? "create" : "update")}`);
  const rest = weaker.length - told.length;
  return both(`: ${values.join(", ")}${rest === 0 ? "" : ` and ${thousands(rest)} more`}`);
}

const MIN_TLS = "ssl.settings.min_tls_version";

function lowerTls({ before, after }: LeafChange, isNew: boolean): DangerWords {
  const version = formatValue(after);
  if (isNew)
    return { one: ` gets TLS ${version}, below its policies`, many: ` get TLS ${version}, below their policies` };
  const was = before === undefined ? "" : ` (minimum was ${formatValue(before)})`;
  return { one: ` accepts TLS ${version}${was}`, many: ` accept TLS ${version}${was}` };
}

function changedRules(change: Change): DangerWords {
  const declared = declaredRules(change);
  return rulesInDanger(weakerRules(change), (rule) =>
    ruleWords(rule, optionalText(declared.get(rule.ref) ?? {}, "action")),
  );
}

/** `action` is the declared action of a rule that stays. */
function ruleWords(rule: RuleChange, action: string | undefined): string {
  const name = `rule ${quote(rule.foreign ? shortTitle(rule.title, LONGEST_TITLE) : rule.ref)}`;
  switch (rule.action) {
    case "remove":
      return `${name} is deleted`;
    case "disable":
      return `${name} is switched off`;
    case "enable":
      return `${name} is switched on`;
    case "move":
      return `${name} moves from #${rule.from ?? "?"} to #${rule.to ?? "?"}`;
    case "insert":
      return `new ${name} ${ruleDoes(asRule(rule))}`;
    case "edit": {
      // An edit of the action names the action itself.
      const isNamed = action !== undefined && actionOf(rule) === undefined;
      return `${isNamed ? `${action} ` : ""}${name} ${editWords(rule.leaves)}`;
    }
    default:
      return rule.action satisfies never;
  }
}

/** How an edit changes a rule: another action, other requests that it matches, or other fields. */
function editWords(leaves: readonly LeafChange[]): string {
  const action = leaves.find((leaf) => formatPath(leaf.path) === "action" && !isSecret(leaf));
  const reach = leaves.flatMap((leaf) => reachWords(leaf) ?? []);
  const others = leaves.filter((leaf) => leaf !== action && reachWords(leaf) === undefined);
  const fields = others.slice(0, MOST_DETAILS).map(({ path }) => formatPath(path));
  return [
    ...(action === undefined ? [] : [`changes from ${formatValue(action.before)} to ${formatValue(action.after)}`]),
    ...reach,
    ...(action !== undefined || fields.length === 0 ? [] : [`changes ${fields.join(", ")}`]),
  ].join(" and ");
}

/** The rule that a change adds, from its fields. */
function asRule({ leaves }: RuleChange): JsonObject {
  return leaves.reduce(
    (rule: JsonObject, { path, after }) => (after === undefined ? rule : withValueAt(rule, path, after)),
    {},
  );
}

function actionOf({ leaves }: RuleChange): string | undefined {
  const action = leaves.find(({ path }) => formatPath(path) === "action");
  return action === undefined || isSensitive(action.after) ? undefined : formatValue(action.after);
}
