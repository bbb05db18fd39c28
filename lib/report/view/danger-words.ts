import { objects, optionalText } from "../../core/decode.ts";
import type { LeafChange } from "../../core/diff.ts";
import { defined, equal, formatPath, type JsonObject, withValueAt } from "../../core/json.ts";
import { quote } from "../../core/quote.ts";
import { formatValue, isSensitive } from "../../core/value-words.ts";
import { listed, thousands } from "../../core/words.ts";
import { both, type Hazard, HAZARD_MEANINGS, type HazardWords, type ObjectHazard } from "../../kinds/hazards.ts";
import { ruleDoes } from "../../kinds/ruleset/words.ts";
import type { RuleChange } from "../../kinds/traits/compared.ts";
import type { Change } from "../../plan/change.ts";
import { isSecret, leafName, leafValues, reachWords, shownLeaves } from "../lines/leaf-lines.ts";
import { shortTitle } from "../lines/rule-lines.ts";

/** What a hazard means for an object, in words: after its name, and after the number of several similar objects. */
export interface DangerWords extends HazardWords {
  /** The single dangers, if there is more than one sentence to say. */
  readonly details?: readonly string[];
  /** What the sentence is about, if not the whole object. */
  readonly subject?: string;
}

/** How many details to give of one object before counting the rest. */
export const MOST_DETAILS = 5;

/** Where to cut the title of a foreign rule, so that what happens to the rule fits on the same line. */
const LONGEST_TITLE = 30;

/** What is said of a hazard that has no words of its own. */
export interface Telling<Rule> {
  /** What it means for any object. */
  readonly otherwise: HazardWords;
  readonly leaves: readonly LeafChange[];
  readonly leafWords: (leaf: LeafChange) => string;
  readonly rules: readonly Rule[];
  readonly ruleWords: (rule: Rule) => string;
}

/** The words of a hazard: its own, else what happens to its fields or rules. A single rule is the subject. */
export function wordsOf<Rule extends { readonly ref: string }>(
  { hazard, words, paths = [], rules = [], details }: ObjectHazard,
  { otherwise, leaves, leafWords, rules: changed, ruleWords }: Telling<Rule>,
): DangerWords {
  // The rules that are lost are listed below, each with its position.
  const refs = new Set(hazard === "loses-foreign-rule" ? [] : rules);
  if (refs.size > 0) {
    const about = words ? [...refs] : changed.filter(({ ref }) => refs.has(ref));
    const named = about.slice(0, MOST_DETAILS).map((each) => {
      return typeof each === "string" ? `rule ${quote(each)}${words?.one ?? ""}` : ruleWords(each);
    });
    const [only, ...others] = named;
    if (only !== undefined && others.length === 0) return { ...both(""), subject: only };
    const rest = about.length - named.length;
    return { ...both(`${otherwise.one}:`), details: rest === 0 ? named : [...named, `and ${thousands(rest)} more`] };
  }
  if (words) return { ...words, ...defined({ details }) };
  const shown = leaves.filter((leaf) => !isSecret(leaf) && paths.some((path) => equal(path, leaf.path)));
  return shown.length === 0 ? otherwise : both(`: ${listed(shown.map(leafWords), MOST_DETAILS)}`);
}

/** What one change does to users, in words that one would use to a colleague. */
export function plannedWords(hazard: Hazard, change: Change): DangerWords {
  const { action, hazards, observed = [], hazardDetails = [], leaves, held, desired = {} } = change;
  const seen = hazards.includes(hazard) ? undefined : observed.find((each) => each.hazard === hazard);
  if (seen) return both(`: ${seen.because} (seen now, not part of what is approved)`);
  const declared = new Map(objects(desired, "rules").map((rule) => [rule["ref"], optionalText(rule, "action")]));
  return wordsOf(hazardDetails.find((each) => each.hazard === hazard) ?? { hazard }, {
    otherwise: HAZARD_MEANINGS[hazard].words,
    leaves: [...leaves, ...(held?.leaves ?? [])],
    leafWords: (leaf) => `${formatPath(leaf.path)} ${leafValues(leaf, action === "create" ? "create" : "update")}`,
    rules: change.rules,
    ruleWords: (rule) => ruleWords(rule, declared.get(rule.ref)),
  });
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
  const fields = others.flatMap((leaf) => shownLeaves(leaf)).map(leafName);
  return [
    ...(action === undefined ? [] : [`changes from ${formatValue(action.before)} to ${formatValue(action.after)}`]),
    ...reach,
    ...(action !== undefined || fields.length === 0 ? [] : [`changes ${listed(fields, MOST_DETAILS)}`]),
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
