import { problem as coreProblem, wordingFrom } from "../../core/diagnostic.ts";
import { isHexId } from "../../core/brand.ts";
import { objects, optionalObject, optionalText, texts } from "../../core/decode.ts";
import { isObject, type Json, type JsonObject, valueAt } from "../../core/json.ts";
import { endOfDay } from "../../core/moment.ts";
import { didYouMean } from "../../core/suggest.ts";
import type { Options } from "../live.ts";
import type { ValueProblem } from "../traits/declared.ts";
import { actionNamed, actionsWith, ONLY_IN, PHASES, phasesOf, RATE_LIMITS, SKIPPABLE } from "./actions.ts";
import { isOurs } from "./arrange.ts";
import { expressionProblems } from "./expressions.ts";
import {
  CATALOGUE_DATE,
  MANAGED_RULESETS,
  managedRuleset,
  managedRulesetId,
  managedRulesetName,
  rulesetWith,
} from "./managed.ts";

/** Codes that only entry points and their rules raise. */
export const CODES = {
  "duplicate-ref": {
    cause: "two rules of an entry point have the same ref, and Zoneform identifies rules by it",
    message: "rule {number} has the same ref {ref}",
    remedy: "give each rule its own ref: Zoneform identifies rules by it",
  },
  "ref-outside-own": {
    cause: "the ref of a declared rule has none of the prefixes of own, so without a state the rule counts as foreign",
    message: "the ref {ref} begins with none of the prefixes of own: {prefixes}",
    remedy: "rename it, or add its prefix to own",
  },
  "action-not-in-phase": {
    cause: "the phase does not support the action",
    message: "the phase {phase} does not support the action {action}",
    remedy: "move the rule to {phases}, or use one of: {actions}",
  },
  "undocumented-action": {
    cause: "a rule of an entry point has an action that Cloudflare documents for no entry point",
    message: "Cloudflare documents the action {action} for no entry point",
    remedy: "use an action that it documents for the phase: {actions}",
  },
  "foreign-parameter": {
    cause: "a rule has a parameter of another action, which Cloudflare refuses",
    message: "the action {action} has no parameter {name}",
    remedy: "remove it, or use the action that has it: {actions}",
  },
  "parameter-not-in-phase": {
    cause: "only rules of another phase can have the parameter",
    message: "rules of the phase {phase} have no {name}",
    remedy: "remove it, or move the rule to {only}",
  },
  "missing-parameter": {
    cause: "a rule lacks a parameter without which Cloudflare refuses it",
    message: "{thing} needs {names}",
    remedy: "add it; for a rule that is live, null keeps its value: {name}: null",
  },
  "exclusive-parameters": {
    cause: "a rule has two parameters of which Cloudflare takes one",
    message: "{first} and {second} exclude each other",
    remedy: "keep one of the two",
  },
  "phase-not-skippable": {
    cause: "a rule skips a phase that Cloudflare does not document as one that can be skipped",
    message: "Cloudflare documents no way to skip the phase {phase}",
    remedy: "use one of: {phases}",
  },
  "ruleset-of-another-phase": {
    cause: "a rule executes a managed ruleset that belongs to another phase",
    message: "the managed ruleset {ruleset} belongs to the phase {own}",
    remedy: "move the rule to {own}",
  },
  "not-in-catalogue": {
    cause:
      "a rule names a managed ruleset, a managed rule or a category that the catalogue in Zoneform lacks; the catalogue has only what is public",
    message: "{what} {name} is not in the catalogue of {date}{more}",
    remedy: "check it in the dashboard, or with GET /zones/ZONE_ID/rulesets: the catalogue has only what is public",
  },
  "unknown-ruleset": {
    cause: "a rule runs or skips a managed ruleset that does not exist",
    message: "there is no managed ruleset {name}",
    remedy: "use one of: {names}, or a ruleset id of 32 hex digits",
  },
  "ignore-foreign-ended": {
    cause:
      "the last day of an entry point's ignore_foreign is over, so foreign rules that let traffic past yours count again",
    message: "ignore_foreign ended on {day}: foreign rules that let traffic past yours are dangers again",
    remedy: "remove ignore_foreign, or set a later date",
  },
  "skip-after-execute": {
    cause: "a skip comes after the rule that runs what it skips, so it has no effect",
    message: "this skip has no effect: rule {number} before it has already run {ruleset}",
    remedy: "move the skip above rule {number}",
  },
} as const;

const problem = wordingFrom(CODES);

/**
 * Managed rulesets become ids, and `enabled` defaults to `true`: a declared rule is meant to run, so disabling it must
 * show as drift. `enabled: null` leaves the switch unmanaged.
 */
export function normalise(desired: JsonObject): JsonObject {
  return { ...desired, rules: objects(desired, "rules").map(normaliseRule) };
}

function normaliseRule(rule: JsonObject): JsonObject {
  const enabled = { enabled: true, ...rule };
  const parameters = optionalObject(rule, "action_parameters");
  if (!parameters) return enabled;
  const id = parameters["id"];
  const named: Record<string, Json> = { ...parameters };
  if (typeof id === "string") named["id"] = managedRulesetId(id);
  if (Array.isArray(parameters["rulesets"])) named["rulesets"] = texts(parameters, "rulesets").map(managedRulesetId);
  const skipped = optionalObject(parameters, "rules");
  if (skipped) {
    named["rules"] = Object.fromEntries(
      Object.entries(skipped).map(([name, rules]) => [managedRulesetId(name), rules]),
    );
  }
  return { ...enabled, action_parameters: named };
}

/** Problems that can never work in an entry point, found before anything is sent. */
export function problems(
  phase: string,
  desired: JsonObject,
  _zone?: string,
  options: Options = {},
): readonly ValueProblem[] {
  const rules = objects(desired, "rules");
  return [
    ...ignoredProblems(options),
    ...duplicateRefs(rules),
    ...rules.flatMap((rule, index) => [
      ...doingProblems(phase, rule, index).map((found) => forNewRules(found, options)),
      ...skippedPhases(rule, index),
      ...unknownRulesets(rule, index),
      ...catalogueProblems(phase, rule, index),
      ...expressionProblems(phase, rule, index),
      ...uselessSkip(rules, rule, index),
      ...refOutsideOwn(rule, index, options),
    ]),
  ];
}

/** A rule may have been live before only in an entry point that is adopted: to keep a value is no help for any other. */
function forNewRules(found: ValueProblem, { adopt }: Options): ValueProblem {
  return found.code === "missing-parameter" && adopt !== true ? { ...found, remedy: "add it" } : found;
}

/** Until when dangerous foreign rules are ignored, in milliseconds since the epoch; undefined if they are not. */
export function ignoredUntil(options: Options): number | undefined {
  return endOfDay(optionalText(optionalObject(options, "ignore_foreign") ?? {}, "until") ?? "");
}

function ignoredProblems(options: Options): readonly ValueProblem[] {
  const day = optionalText(optionalObject(options, "ignore_foreign") ?? {}, "until");
  if (day === undefined) return [];
  const path = ["ignore_foreign", "until"];
  const after = ignoredUntil(options);
  if (after === undefined) return [{ path, ...coreProblem("no-such-date", { message: `${day} is not a date` }) }];
  return [{ path, ...problem("ignore-foreign-ended", { day }), after }];
}

function duplicateRefs(rules: readonly JsonObject[]): ValueProblem[] {
  const first = new Map<string, number>();
  return rules.flatMap((rule, index) => {
    const ref = optionalText(rule, "ref") ?? "";
    const earlier = first.get(ref);
    if (earlier === undefined) {
      first.set(ref, index);
      return [];
    }
    const found = problem("duplicate-ref", { number: earlier + 1, ref: JSON.stringify(ref) });
    return [{ path: ["rules", index, "ref"], ...found }];
  });
}

/** Once such a rule is gone from the state, nothing shows that it was ours, so it is kept as a foreign rule. */
function refOutsideOwn(rule: JsonObject, index: number, options: Options): ValueProblem[] {
  const ref = optionalText(rule, "ref") ?? "";
  if (isOurs(ref, new Set(), options)) return [];
  const own = texts(options, "own");
  const remedy =
    own[0] === undefined
      ? "add its prefix to own"
      : `rename it, for example to ${JSON.stringify(`${own[0]}${ref}`)}, or add its prefix to own`;
  return [
    {
      path: ["rules", index, "ref"],
      ...problem("ref-outside-own", { ref: JSON.stringify(ref), prefixes: own.join(", ") }, { remedy }),
      isWarning: true,
    },
  ];
}

/** What a rule does. With an action of another phase, its parameters are probably right, and the action is wrong. */
function doingProblems(phase: string, rule: JsonObject, index: number): ValueProblem[] {
  const wrong = actionProblems(phase, rule, index);
  if (wrong.some(({ isWarning }) => !isWarning)) return wrong;
  return [
    ...wrong,
    ...parameterProblems(phase, rule, index),
    ...choiceProblems(rule, index),
    ...rateLimitProblems(phase, rule, index),
    ...sensitivityProblems(phase, rule, index),
  ];
}

function actionProblems(phase: string, rule: JsonObject, index: number): ValueProblem[] {
  const action = optionalText(rule, "action") ?? "";
  const known = Object.hasOwn(PHASES, phase) ? PHASES[phase] : undefined;
  if (known === undefined || known.includes(action)) return [];
  const path = ["rules", index, "action"];
  const [phases, actions] = [phasesOf(action).join(" or "), known.join(", ")];
  if (phases === "") return [{ path, ...problem("undocumented-action", { action, actions }), isWarning: true }];
  return [{ path, ...problem("action-not-in-phase", { phase, action: JSON.stringify(action), phases, actions }) }];
}

/** Parameters of other actions or phases, and those that are missing. Unknown ones are the schema's affair. */
function parameterProblems(phase: string, rule: JsonObject, index: number): ValueProblem[] {
  const action = optionalText(rule, "action") ?? "";
  const { parameters: own, needs = [] } = actionNamed(action) ?? { parameters: [] };
  const given = Object.keys(optionalObject(rule, "action_parameters") ?? {});
  const at = (name: string): ValueProblem["path"] => ["rules", index, "action_parameters", name];
  const foreign = given.flatMap((name) => {
    const actions = own.includes(name) ? "" : actionsWith(name).join(", ");
    return actions === "" ? [] : [{ path: at(name), ...problem("foreign-parameter", { action, name, actions }) }];
  });
  const misplaced = given.flatMap((name) => (own.includes(name) ? placeProblems(phase, name, at(name)) : []));
  const missing = needs.flatMap((group) => {
    if (group.some((name) => given.includes(name))) return [];
    const possible = group.filter((name) => placeProblems(phase, name, []).length === 0);
    return missingProblem(`the action ${action}`, possible, at(""));
  });
  return [...foreign, ...misplaced, ...missing];
}

function placeProblems(phase: string, name: string, path: ValueProblem["path"]): ValueProblem[] {
  const only = Object.hasOwn(ONLY_IN, name) ? ONLY_IN[name] : undefined;
  return only === undefined || only === phase
    ? []
    : [{ path, ...problem("parameter-not-in-phase", { phase, name, only }) }];
}

/** How many parameters a message lists. */
const MOST_NAMED = 6;

/** The problem that a rule has none of the parameters. The last step of the path is replaced by the first of them. */
function missingProblem(thing: string, group: readonly string[], path: ValueProblem["path"]): ValueProblem[] {
  const [name] = group;
  if (name === undefined) return [];
  const names = group.length > MOST_NAMED ? "at least one of its parameters" : group.join(" or ");
  return [{ path: [...path.slice(0, -1), name], ...problem("missing-parameter", { thing, names, name }) }];
}

function rateLimitProblems(phase: string, rule: JsonObject, index: number): ValueProblem[] {
  const path = ["rules", index, "ratelimit"];
  const limit = optionalObject(rule, "ratelimit");
  if (phase !== RATE_LIMITS) return limit === undefined ? [] : placeProblems(phase, "ratelimit", path);
  const isCounting = rule["action"] !== "execute" && rule["action"] !== "skip";
  if (limit === undefined) return isCounting ? missingProblem(`a rule of the phase ${phase}`, ["ratelimit"], path) : [];
  const group = ["requests_per_period", "score_per_period"];
  return group.some((name) => Object.hasOwn(limit, name)) ? [] : missingProblem("ratelimit", group, [...path, ""]);
}

/** Only the DDoS protection has a sensitivity. */
function sensitivityProblems(phase: string, rule: JsonObject, index: number): ValueProblem[] {
  const overrides = optionalObject(optionalObject(rule, "action_parameters") ?? {}, "overrides") ?? {};
  if (phase.startsWith("ddos_")) return [];
  const at = ["rules", index, "action_parameters", "overrides"];
  const within = ["categories", "rules"].flatMap((list) =>
    objects(overrides, list).map((map, place) => ({ path: [...at, list, place], map })),
  );
  const name = "sensitivity_level";
  return [{ path: at, map: overrides }, ...within]
    .filter(({ map }) => Object.hasOwn(map, name))
    .map(({ path }) => ({
      path: [...path, name],
      ...problem("parameter-not-in-phase", { phase, name, only: "ddos_l7" }),
    }));
}

/** Two values in a map of which there is one. */
interface Choice {
  readonly at: ValueProblem["path"];
  readonly map: JsonObject;
  readonly of: readonly [string, string];
  /** The name of the map if it needs one of the two. */
  readonly needy?: string;
}

function choiceProblems(rule: JsonObject, index: number): ValueProblem[] {
  const parameters = optionalObject(rule, "action_parameters") ?? {};
  const at = ["rules", index, "action_parameters"];
  const exclusive = actionNamed(optionalText(rule, "action") ?? "")?.exclusive ?? [];
  // Only comments of the client say so of a skip, and a live rule may have what is unmanaged beside what is declared.
  const doubt = rule["action"] === "skip" ? { isWarning: true as const } : {};
  const choices = [...exclusive.map((of) => ({ at, map: parameters, of })), ...choicesWithin(parameters, at)];
  return choices.flatMap(({ at: path, map, of: [first, second], needy }: Choice) => {
    const [hasFirst, hasSecond] = [Object.hasOwn(map, first), Object.hasOwn(map, second)];
    if (hasFirst && hasSecond)
      return [{ path: [...path, second], ...problem("exclusive-parameters", { first, second }), ...doubt }];
    return hasFirst || hasSecond || needy === undefined ? [] : missingProblem(needy, [first, second], [...path, ""]);
  });
}

/** The choices in maps of parameters: a value or an expression that computes it, a status or a range of them. */
function choicesWithin(parameters: JsonObject, at: ValueProblem["path"]): readonly Choice[] {
  const computed = (path: readonly string[]): Choice[] => {
    const map = valueAt(parameters, path);
    return isObject(map) && map["operation"] !== "remove"
      ? [{ at: [...at, ...path], map, of: ["value", "expression"], needy: path.at(-1) ?? "" }]
      : [];
  };
  const headers = Object.keys(optionalObject(parameters, "headers") ?? {});
  const edge = optionalObject(parameters, "edge_ttl") ?? {};
  const times = objects(edge, "status_code_ttl").map((map, place): Choice => {
    const path = [...at, "edge_ttl", "status_code_ttl", place];
    return { at: path, map, of: ["status_code", "status_code_range"], needy: "an entry of status_code_ttl" };
  });
  return [
    ...[
      ["uri", "path"],
      ["uri", "query"],
      ["from_value", "target_url"],
    ].flatMap(computed),
    ...headers.flatMap((name) => computed(["headers", name])),
    ...times,
  ];
}

function skippedPhases(rule: JsonObject, index: number): ValueProblem[] {
  if (rule["action"] !== "skip") return [];
  return texts(optionalObject(rule, "action_parameters") ?? {}, "phases").flatMap((phase, place) => {
    if (SKIPPABLE.includes(phase)) return [];
    const meant = Object.hasOwn(PHASES, phase) ? "" : didYouMean(phase, SKIPPABLE);
    const found = problem("phase-not-skippable", { phase, phases: SKIPPABLE.join(", ") }, { remedy: meant });
    const path = ["rules", index, "action_parameters", "phases", place];
    return [{ path, ...found, ...(meant === "" ? { isWarning: true } : {}) }];
  });
}

function unknownRulesets(rule: JsonObject, index: number): ValueProblem[] {
  const parameters = optionalObject(rule, "action_parameters") ?? {};
  const at = ["rules", index, "action_parameters"] as const;
  const named: { path: (string | number)[]; name: string }[] = [];
  if (rule["action"] === "execute" && typeof parameters["id"] === "string") {
    named.push({ path: [...at, "id"], name: parameters["id"] });
  }
  texts(parameters, "rulesets").forEach((name, place) => named.push({ path: [...at, "rulesets", place], name }));
  for (const name of Object.keys(optionalObject(parameters, "rules") ?? {}))
    named.push({ path: [...at, "rules", name], name });
  return named
    .filter(({ name }) => !isHexId(name) && !Object.hasOwn(MANAGED_RULESETS, name))
    .map(({ path, name }) => {
      const known = Object.keys(MANAGED_RULESETS);
      const values = { name: JSON.stringify(name), names: known.join(", ") };
      return { path, ...problem("unknown-ruleset", values, { remedy: didYouMean(name, known) }) };
    });
}

/** The phases in which only managed rulesets are executed. */
const ONLY_MANAGED = /^ddos_|_firewall_managed$|_sanitize$/;

/** What the catalogue of managed rulesets says of the rulesets, rules and categories that a rule names. */
function catalogueProblems(phase: string, rule: JsonObject, index: number): ValueProblem[] {
  const parameters = optionalObject(rule, "action_parameters") ?? {};
  const at = ["rules", index, "action_parameters"];
  const executed = rule["action"] === "execute" ? (executedBy(rule) ?? "") : "";
  const named = [
    ...(executed === "" ? [] : [{ path: [...at, "id"], name: executed }]),
    ...texts(parameters, "rulesets").map((name, place) => ({ path: [...at, "rulesets", place], name })),
  ];
  const unknown = named.filter(({ name }) => isHexId(name) && managedRuleset(name) === undefined);
  const own = managedRuleset(executed)?.phase ?? phase;
  const misplaced = { ruleset: managedRulesetName(executed), own };
  const overrides = optionalObject(parameters, "overrides") ?? {};
  const listed = (list: string, key: string): Named[] =>
    objects(overrides, list).map((each, place) => {
      return { path: [...at, "overrides", list, place, key], name: optionalText(each, key) ?? "" };
    });
  return [
    ...(ONLY_MANAGED.test(phase) ? notInCatalogue("the managed ruleset", unknown, []) : []),
    ...(own === phase ? [] : [{ path: [...at, "id"], ...problem("ruleset-of-another-phase", misplaced) }]),
    ...unknownCategories(executed, listed("categories", "category")),
    ...unknownRules(executed, listed("rules", "id")),
    ...unknownSkippedRules(optionalObject(parameters, "rules") ?? {}, [...at, "rules"]),
  ];
}

function unknownSkippedRules(skipped: JsonObject, at: ValueProblem["path"]): readonly ValueProblem[] {
  return Object.keys(skipped).flatMap((ruleset) => {
    const named = texts(skipped, ruleset).map((name, place) => ({ path: [...at, ruleset, place], name }));
    return unknownRules(managedRulesetId(ruleset), named);
  });
}

/** What a rule names, and where. */
interface Named {
  readonly path: ValueProblem["path"];
  readonly name: string;
}

function unknownCategories(id: string, named: readonly Named[]): readonly ValueProblem[] {
  const known = managedRuleset(id)?.categories ?? [];
  // Each vulnerability is a category of its own.
  const unknown = named.filter(({ name }) => known.length > 0 && !known.includes(name) && !name.startsWith("cve-"));
  return notInCatalogue("the category", unknown, known);
}

function unknownRules(id: string, named: readonly Named[]): readonly ValueProblem[] {
  const known = Object.keys(managedRuleset(id)?.rules ?? {});
  const unknown = named.filter(({ name }) => known.length > 0 && !known.includes(name));
  return notInCatalogue("the rule", unknown, known);
}

/** A warning for each name that resembles a known one or is another ruleset's, and one for all others. */
function notInCatalogue(what: string, unknown: readonly Named[], known: readonly string[]): readonly ValueProblem[] {
  const remedies = unknown.map(({ name }) => {
    const other = rulesetWith(name);
    return other === undefined ? didYouMean(name, known) : `it is a rule of ${managedRulesetName(other)}`;
  });
  const others = unknown.filter((_each, place) => remedies[place] === "");
  return unknown.flatMap(({ path, name }, place): readonly ValueProblem[] => {
    const remedy = remedies[place] ?? "";
    if (remedy === "" && name !== others[0]?.name) return [];
    const more = remedy === "" && others.length > 1 ? ` (and ${others.length - 1} more)` : "";
    const found = problem("not-in-catalogue", { what, name, date: CATALOGUE_DATE, more }, { remedy });
    return [{ path, ...found, isWarning: true }];
  });
}

/** A skip only affects later execute rules (docs/service.md#rules), so one after its execute does nothing. */
function uselessSkip(rules: readonly JsonObject[], rule: JsonObject, index: number): ValueProblem[] {
  if (rule["action"] !== "skip") return [];
  const parameters = optionalObject(rule, "action_parameters") ?? {};
  const byList = texts(parameters, "rulesets").map((id, place) => ({ id, path: ["rulesets", place] }));
  const byRules = Object.keys(optionalObject(parameters, "rules") ?? {}).map((id) => ({ id, path: ["rules", id] }));
  return [...byList, ...byRules].flatMap(({ id, path }) => {
    const executes = (candidate: JsonObject): boolean =>
      candidate["action"] === "execute" && executedBy(candidate) === managedRulesetId(id);
    const isBefore = rules.slice(0, index).some(executes);
    if (!isBefore || rules.slice(index + 1).some(executes)) return [];
    const executing = rules.findIndex(executes) + 1;
    const values = { number: executing, ruleset: managedRulesetName(managedRulesetId(id)) };
    return [{ path: ["rules", index, "action_parameters", ...path], ...problem("skip-after-execute", values) }];
  });
}

function executedBy(rule: JsonObject): string | undefined {
  const parameters = rule["action_parameters"];
  const id = isObject(parameters) ? optionalText(parameters, "id") : undefined;
  return id === undefined ? undefined : managedRulesetId(id);
}
