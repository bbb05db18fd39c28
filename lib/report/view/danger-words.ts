import { optionalText } from "../../core/decode.ts";
import type { LeafChange } from "../../core/diff.ts";
import { formatPath, type JsonObject, withValueAt } from "../../core/json.ts";
import { quote } from "../../core/quote.ts";
import { ruleDoes } from "../../kinds/ruleset/words.ts";
import { kindNamed } from "../../kinds/registry.ts";
import type { RuleChange } from "../../kinds/traits/compared.ts";
import type { Hazard } from "../../kinds/traits/judged.ts";
import type { Change } from "../../plan/change.ts";
import { isSecret, leafValues } from "../lines/leaf-lines.ts";
import { reachWords } from "../lines/leaf-lines.ts";
import { shortTitle } from "../lines/rule-lines.ts";
import { formatValue, isSensitive } from "../lines/value.ts";
import { counted, thousands } from "../lines/words.ts";
import { declaredRules, weakerLeaves, weakerRules } from "./suspects.ts";

/** What a hazard means for an object, in words: after its name, and after the number of several similar objects. */
export interface DangerWords {
  readonly one: string;
  readonly many: string;
  /** The single dangers, if there is more than one sentence to say. */
  readonly details: readonly string[];
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
  if (seen !== undefined) return same(`: ${seen} (seen now, not part of what is approved)`);
  switch (hazard) {
    case "irreversible":
      return oneWay(change);
    case "outage":
      return outage(change);
    case "weakens-protection":
      return change.rules.length > 0 ? changedRules(change) : weakerValues(change);
    case "loses-foreign-rule": {
      const lost = change.rules.filter(({ action, foreign }) => foreign === true && action === "remove").length;
      return same(` loses ${counted(lost, "foreign rule")}`);
    }
    case "needs-customer":
      return change.kind === "certificate_pack"
        ? words(" needs a DNS record of your own", " need DNS records of your own")
        : words(" needs a DNS record from its customer", " need a DNS record from their customers");
    case "reissue":
      return change.key === ""
        ? same(" orders new certificates")
        : words(" gets a new certificate", " get a new certificate");
    default:
      return hazard satisfies never;
  }
}

/** The words after the name of one object, and after the number of several. */
export function words(one: string, many: string): DangerWords {
  return { one, many, details: [] };
}

/** The same words for one and for several. */
export function same(text: string): DangerWords {
  return words(text, text);
}

/** The migration of the WAF rules cannot be reversed, and it deletes the URI-based overrides. */
function oneWay({ leaves, desired = {} }: Change): DangerWords {
  const lost = leaves.filter(({ path: [field] }) => field === "uri_overrides").length;
  const losing = lost === 0 ? "" : `; deletes ${counted(lost, "URI-based override")} for good`;
  return same(` takes the zone to ${optionalText(desired, "target") ?? "the next step"}, with no way back${losing}`);
}

function outage({ kind, action }: Change): DangerWords {
  if (kindNamed(kind).carries) return same(": hostnames without an origin of their own go offline");
  const until = action === "replace" ? " until the new certificate is ready" : "";
  return words(` goes offline${until}`, ` go offline${until}`);
}

/** The changed values that protect less. */
function weakerValues(change: Change): DangerWords {
  if (change.action === "delete") return words(" no longer protects anything", " no longer protect anything");
  const isNew = change.action === "create";
  const weaker = weakerLeaves(change).filter((leaf) => !isSecret(leaf));
  const [only, ...others] = weaker;
  if (only === undefined) return words(" protects less than now", " protect less than now");
  if (others.length === 0 && formatPath(only.path) === MIN_TLS) return lowerTls(only, isNew);
  const told = weaker.slice(0, MOST_DETAILS);
  const values = told.map((leaf) => `${formatPath(leaf.path)} ${leafValues(leaf, isNew ? "create" : "update")}`);
  const rest = weaker.length - told.length;
  return same(`: ${values.join(", ")}${rest === 0 ? "" : ` and ${thousands(rest)} more`}`);
}

const MIN_TLS = "ssl.settings.min_tls_version";

function lowerTls({ before, after }: LeafChange, isNew: boolean): DangerWords {
  const version = formatValue(after);
  if (isNew) return words(` gets TLS ${version}, below its policies`, ` get TLS ${version}, below their policies`);
  if (before === undefined) return words(` accepts TLS ${version}`, ` accept TLS ${version}`);
  return words(
    ` accepts TLS ${version} (minimum was ${formatValue(before)})`,
    ` accept TLS ${version} (minimum was ${formatValue(before)})`,
  );
}

function changedRules(change: Change): DangerWords {
  const declared = declaredRules(change);
  const told = weakerRules(change);
  const details = told
    .slice(0, MOST_DETAILS)
    .map((rule) => ruleWords(rule, optionalText(declared.get(rule.ref) ?? {}, "action")));
  const rest = told.length - details.length;
  const [only] = details;
  if (details.length === 1 && only !== undefined) return { one: "", many: "", details: [], subject: only };
  const more = rest === 0 ? [] : [`and ${thousands(rest)} more`];
  return { one: " may let more through:", many: " may let more through:", details: [...details, ...more] };
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
