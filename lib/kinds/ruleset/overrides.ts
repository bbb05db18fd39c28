import { objects, optionalNumber, optionalObject, optionalText } from "../../core/decode.ts";
import { causeOf, type LeafChange } from "../../core/diff.ts";
import { defined, equal, formatPath, isList, isObject, type Json, type JsonObject } from "../../core/json.ts";
import { quote } from "../../core/quote.ts";
import { managedRuleName } from "./managed.ts";
import { executedId, expressionOf, hardnessOf } from "./roles.ts";
import { excludes, implies } from "./expressions.ts";

/** The OWASP rule that blocks by score, and its default threshold (docs/service.md#managed-rulesets). */
const SCORE_RULE = "6179ae15870a4bb7b2d480d4843b323c";
const USUAL_THRESHOLD = 40;

/** From the least sensitive to the most. */
const SENSITIVITIES: readonly string[] = ["eoff", "low", "medium", "default"];

/** Whether the overrides of a managed ruleset disable or soften something that the previous ones did not. */
export function softens(from: JsonObject | undefined, to: JsonObject | undefined): boolean {
  const [before, after] = [partsOf(from), partsOf(to)];
  const isReordered = !equal(inBoth(before, after), inBoth(after, before));
  return isReordered || [...new Set([...before.keys(), ...after.keys()])].some((key) => isSofter(key, before, after));
}

type Parts = ReadonlyMap<string, JsonObject>;

/** Each override under what it applies to. If categories overlap, the later one wins, so their order counts. */
function partsOf(overrides: JsonObject = {}): Parts {
  const { categories: _categories, rules: _rules, ...all } = overrides;
  return new Map([
    ["all", all],
    ...objects(overrides, "categories").map(
      (each) => [`category ${optionalText(each, "category") ?? ""}`, each] as const,
    ),
    ...objects(overrides, "rules").map((each) => [`rule ${optionalText(each, "id") ?? ""}`, each] as const),
  ]);
}

function inBoth(parts: Parts, others: Parts): readonly string[] {
  return [...parts.keys()].filter((key) => key.startsWith("category ") && others.has(key));
}

const KNOWN: readonly string[] = ["action", "enabled", "sensitivity_level", "score_threshold", "category", "id"];

function isSofter(key: string, before: Parts, after: Parts): boolean {
  const [from, to] = [before.get(key) ?? {}, after.get(key) ?? {}];
  const others = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter((field) => !KNOWN.includes(field));
  return (
    isDisabling(from["enabled"], to["enabled"]) ||
    isLowerAction(optionalText(from, "action"), optionalText(to, "action")) ||
    isLessSensitive(optionalText(from, "sensitivity_level"), optionalText(to, "sensitivity_level")) ||
    isHigherThreshold(thresholdOf(key, from), thresholdOf(key, to)) ||
    others.some((field) => !equal(from[field], to[field]))
  );
}

/** Without an override, a managed rule has its default: perhaps disabled, perhaps only logging. */
function isDisabling(from: Json | undefined, to: Json | undefined): boolean {
  return from !== to && to !== true && !(from === false && to === undefined);
}

function isLowerAction(from: string | undefined, to: string | undefined): boolean {
  if (from === to || to === "block") return false;
  if (to === undefined) return from !== "log";
  const [before, after] = [hardnessOf(from), hardnessOf(to)];
  return before === undefined || after === undefined || after <= before;
}

function isLessSensitive(from: string | undefined, to: string | undefined): boolean {
  if (from === to || to === "default") return false;
  if (to === undefined) return from !== "eoff";
  return from === undefined || SENSITIVITIES.indexOf(to) < SENSITIVITIES.indexOf(from);
}

function thresholdOf(key: string, part: JsonObject): number | undefined {
  return optionalNumber(part, "score_threshold") ?? (key === `rule ${SCORE_RULE}` ? USUAL_THRESHOLD : undefined);
}

function isHigherThreshold(from: number | undefined, to: number | undefined): boolean {
  if (from === to) return false;
  return from === undefined || to === undefined || to > from;
}

/** One of the three values of a field. */
export type Side = "prior" | "before" | "after";

/** A field of one override. Its name says which one, because its path is that of the whole list. */
export type OverrideLeaf = LeafChange & { readonly name: string };

const LISTS: Readonly<Record<string, { readonly key: string; readonly noun: string }>> = {
  "action_parameters.overrides.rules": { key: "id", noun: "rule" },
  "action_parameters.overrides.categories": { key: "category", noun: "category" },
};

/**
 * A changed list of overrides, field by field of each rule and category that it names, and the order of those that both
 * sides have. `from` and `to` are the sides to compare. Undefined for any other field, and for a list that names one twice.
 */
export function overrideLeaves(leaf: LeafChange, from: Side, to: Side): readonly OverrideLeaf[] | undefined {
  const list = LISTS[formatPath(leaf.path)];
  const [prior, before, after] = [leaf.prior, leaf.before, leaf.after].map((value) => list && byName(value, list.key));
  if (list === undefined || prior === undefined || before === undefined || after === undefined) return undefined;
  const sides = { prior, before, after };
  const names = [...new Set([...sides[from].keys(), ...sides[to].keys()])];
  const { path, cause, origin } = leaf;
  const leafOf = (
    name: string,
    valueIn: (side: ReadonlyMap<string, JsonObject>) => Json | undefined,
  ): OverrideLeaf[] => {
    const values = { prior: valueIn(prior), before: valueIn(before), after: valueIn(after) };
    const isSame = (one: Side, other: Side): boolean => equal(values[one] ?? null, values[other] ?? null);
    if (isSame(from, to)) return [];
    // Of one list, the YAML may change one override, and somebody else another one.
    const own = cause === "both" ? causeOf(isSame("after", "prior"), isSame("before", "prior"), true) : cause;
    return [{ path, cause: own, name, ...defined({ ...values, origin }) }];
  };
  const common = (side: ReadonlyMap<string, JsonObject>): string[] =>
    [...side.keys()].filter((name) => sides[from].has(name) && sides[to].has(name));
  return [
    ...names.flatMap((name) => {
      const fields = new Set([sides[from], sides[to]].flatMap((side) => Object.keys(side.get(name) ?? {})));
      return [...fields].flatMap((field) =>
        leafOf(`override of ${whichOverride(list.noun, name)}: ${field}`, (side) => side.get(name)?.[field]),
      );
    }),
    ...leafOf(`order of the overrides by ${list.noun}`, common),
  ];
}

/** The overrides of a list by what they are for; undefined if it has something else, or one of them twice. */
function byName(list: Json | undefined, key: string): ReadonlyMap<string, JsonObject> | undefined {
  const items = list === undefined ? [] : isList(list) ? list : [list];
  const named = items.flatMap((item) => {
    if (!isObject(item)) return [];
    const { [key]: name, ...fields } = item;
    return typeof name === "string" ? [[name, fields] as const] : [];
  });
  const found = new Map(named);
  return found.size === items.length ? found : undefined;
}

/** `rule "949110: Inbound Anomaly Score Exceeded" (6179ae15870a4bb7b2d480d4843b323c)`, or `category wordpress`. */
function whichOverride(noun: string, name: string): string {
  const known = noun === "rule" ? managedRuleName(name) : undefined;
  if (known !== undefined) return `${noun} ${quote(known)} (${name})`;
  return `${noun} ${/^[\w.-]+$/.test(name) ? name : quote(name)}`;
}

/** The overrides of a rule that executes a managed ruleset. */
export function overridesOf(rule: JsonObject): JsonObject | undefined {
  return optionalObject(optionalObject(rule, "action_parameters") ?? {}, "overrides");
}

/** What a rule executes, without its overrides and its logging. */
export function whatRuns(rule: JsonObject): JsonObject {
  const parameters = optionalObject(rule, "action_parameters") ?? {};
  const { overrides: _overrides, matched_data: _matched, version, ...rest } = parameters;
  // The service runs the latest version if none is named (docs/service.md#rules).
  return { ...rest, version: version ?? "latest" };
}

/** Whether a rule runs the same ruleset as another one, and no softer. */
export function runsAsMuch(rule: JsonObject, now: JsonObject): boolean {
  return equal(whatRuns(rule), whatRuns(now)) && !softens(overridesOf(rule), overridesOf(now));
}

/**
 * Whether the changed overrides only make more rules block, so that no rule challenges a request that it let pass
 * before.
 */
export function onlyBlocksMore(from: JsonObject | undefined, to: JsonObject | undefined): boolean {
  const [before, after] = [partsOf(from), partsOf(to)];
  return [...new Set([...before.keys(), ...after.keys()])].every(
    (key) => equal(before.get(key), after.get(key)) || after.get(key)?.["action"] === "block",
  );
}

/**
 * Whether protection that always runs is softer for some request than before. If several rules match, the first one
 * decides; without any, the defaults apply.
 */
export function isAnyRunSofter(before: readonly JsonObject[], after: readonly JsonObject[]): boolean {
  const ids = new Set([...before, ...after].map(executedId));
  return [...ids].some((id) => {
    const [from, to] = [before, after].map((rules) => runsOf(id, rules));
    return isWeakerSomewhere(from ?? [], to ?? [], (was, is) => !runsAsMuch(was, is));
  });
}

function runsOf(id: string | undefined, rules: readonly JsonObject[]): readonly Layer<JsonObject>[] {
  const own = rules.filter((rule) => executedId(rule) === id);
  const byItself = { action_parameters: id === undefined ? {} : { id } };
  return [
    ...own.map((rule) => ({ expression: expressionOf(rule), value: rule })),
    { expression: "true", value: byItself },
  ];
}

/** A value that rules set for the requests that an expression matches. */
export interface Layer<V> {
  readonly expression: string;
  readonly value: V;
}

/**
 * Whether some request may get a weaker value than before. In each list the first matching layer decides, and the last
 * one matches every request. A weaker value counts unless no request can move from the one layer to the other.
 */
export function isWeakerSomewhere<V>(
  before: readonly Layer<V>[],
  after: readonly Layer<V>[],
  isWeaker: (from: V, to: V) => boolean,
): boolean {
  return before.some((was, index) =>
    after.some(
      (is, place) =>
        isWeaker(was.value, is.value) &&
        !excludes(was.expression, is.expression) &&
        !isDecidedEarlier(was, is, [...before.slice(0, index), ...after.slice(0, place)]),
    ),
  );
}

/** Whether one of the earlier layers, which then decides, matches every request that both layers match. */
function isDecidedEarlier<V>(was: Layer<V>, is: Layer<V>, ahead: readonly Layer<V>[]): boolean {
  return (
    ahead.some(({ expression }) => expression === was.expression || expression === is.expression) ||
    ahead.some(({ expression }) => implies(was.expression, expression) || implies(is.expression, expression))
  );
}
