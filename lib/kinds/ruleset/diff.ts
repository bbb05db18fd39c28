import { optionalText } from "../../core/decode.ts";
import {
  type Cause,
  causeOf,
  diff,
  type FieldRules,
  isDrift,
  type LeafChange,
  type Satisfied,
} from "../../core/diff.ts";
import {
  defined,
  equal,
  formatPath,
  isObject,
  type JsonObject,
  leaves as leavesOf,
  leavesAsLive,
  type Path,
  valueAt,
} from "../../core/json.ts";
import type { Comparison, ComparisonInput, RuleChange } from "../traits/compared.ts";
import type { Live, Options } from "../live.ts";
import { excludedBy, mergedRule, OF_ACTION } from "./actions.ts";
import { ruleWords } from "./words.ts";
import { type Arrangement, arrange, isMisplaced, isOurs, placeOf, refOf, rulesByRef } from "./arrange.ts";

/** No field of a rule needs special treatment. */
export const RULES: FieldRules = { fixed: [], writeOnly: [], unordered: [] };

/**
 * Compares an entry point rule by rule: inserted, moved, edited, enabled, disabled, removed. Refs identify the rules.
 */
export function compare(input: ComparisonInput): Comparison {
  const { desired, prior, live, options } = input;
  const { rules: _rules, ...rest } = desired;
  const { rules: _priorRules, ...priorRest } = prior ?? {};
  const top = diff(rest, prior && priorRest, live.values, RULES, nameStays);
  const sides = {
    desired: rulesByRef(desired),
    prior: rulesByRef(prior),
    live: rulesByRef(live.values),
    isKnown: prior !== undefined,
  };
  const plan = arrangeRules(desired, prior, live, options);
  const inTheWay = misplaced(input);
  return {
    leaves: top.leaves,
    letGo: [...top.letGo, ...[...sides.desired.keys()].flatMap((ref) => letGoOf(sides, ref))],
    rules: [...ruleChanges(sides, plan, inTheWay), ...displacements(inTheWay, input, plan)],
    replaces: [],
    notes: nameNotes(rest, live),
  };
}

/**
 * The name is set at creation and never changes (docs/service.md#rulesets), so a difference on a live entry point is
 * ignored.
 */
const nameStays: Satisfied = (name) => (name === "name" ? true : undefined);

function nameNotes({ name }: JsonObject, live: Live): string[] {
  const current = live.values["name"];
  if (name === undefined || name === null || name === current) return [];
  return [`the entry point keeps its name ${JSON.stringify(current)}: Cloudflare sets a name at creation only`];
}

/** Fields of a rule that are no longer declared. Fields of another action than the desired one are removed. */
function letGoOf({ desired, prior, live }: Sides, ref: string): Path[] {
  const rule = desired.get(ref) ?? {};
  const last = prior.get(ref);
  if (!last || !live.has(ref)) return [];
  const isOfAction = ([field]: Path): boolean => rule["action"] !== last["action"] && OF_ACTION.includes(field ?? "");
  const { letGo } = diff(withoutRef(rule), withoutRef(last), {}, RULES);
  return letGo.filter((path) => !isOfAction(path) && !isExcluded(rule, path)).map((path) => ["rules", ref, ...path]);
}

/** Whether a declared parameter takes the place of the one at the path, so that it does not stay live. */
function isExcluded(rule: JsonObject, path: Path): boolean {
  const action = optionalText(rule, "action") ?? "";
  return path.some((name, depth) => {
    const map = valueAt(rule, path.slice(0, depth));
    return isObject(map) && excludedBy(name, action).some((other) => (map[other] ?? null) !== null);
  });
}

/** The desired order of an entry point, from the declared rules, the rules that were ours, and the live ones. */
export function arrangeRules(
  desired: JsonObject,
  prior: JsonObject | undefined,
  live: Live,
  options: Options,
): Arrangement {
  const priorRefs = new Set(rulesByRef(prior).keys());
  const liveRefs = [...rulesByRef(live.values).keys()];
  const isRemovable = (ref: string): boolean => isOurs(ref, priorRefs, options);
  return arrange(liveRefs, [...rulesByRef(desired).keys()], isRemovable, placeOf(options));
}

/** The rules of an entry point by ref, in order: declared, last applied, and live. */
export interface RuleSides {
  readonly desired: ReadonlyMap<string, JsonObject>;
  readonly prior: ReadonlyMap<string, JsonObject>;
  readonly live: ReadonlyMap<string, JsonObject>;
}

interface Sides extends RuleSides {
  /** Whether the entry point was applied before. */
  readonly isKnown: boolean;
}

function ruleChanges(sides: Sides, plan: Arrangement, inTheWay: readonly Misplaced[]): RuleChange[] {
  const from = new Map([...sides.live.keys()].map((ref, index) => [ref, index + 1]));
  const to = new Map(plan.order.map((ref, index) => [ref, index + 1]));
  const removed = [...plan.removed].map((ref) => removal(sides, ref, from.get(ref) ?? 0));
  const others = plan.order.flatMap((ref) => {
    const desired = sides.desired.get(ref);
    if (!desired) return [];
    if (plan.inserted.has(ref)) return [insertion(sides, ref, desired, to.get(ref) ?? 0)];
    const place = { from: from.get(ref) ?? 0, to: to.get(ref) ?? 0 };
    const moved = plan.moved.has(ref) ? [movement(sides, ref, desired, place, inTheWay)] : [];
    return [...moved, ...edits(sides, ref, desired, place)];
  });
  return [...removed, ...others];
}

/** Foreign rules that our rules move past, because `place` says on which side of them ours stand. */
function displacements(
  inTheWay: readonly Misplaced[],
  { live }: ComparisonInput,
  { order, displaced }: Arrangement,
): RuleChange[] {
  const from = [...rulesByRef(live.values).keys()];
  return inTheWay
    .filter(({ ref }) => displaced.has(ref))
    .map(({ ref, rule, cause }) => ({
      action: "move",
      ref,
      title: ruleWords(rule),
      from: from.indexOf(ref) + 1,
      to: order.indexOf(ref) + 1,
      leaves: [],
      cause,
      foreign: true,
    }));
}

/** A foreign rule on the wrong side of ours. */
interface Misplaced {
  readonly ref: string;
  readonly rule: JsonObject;
  readonly cause: Cause;
}

/**
 * The foreign rules on the wrong side of the declared rules that are live. They were put there since, unless they stood
 * so at the last review (`reviewed`), or none of these rules was applied yet.
 */
export function misplaced({ desired, prior, live, options, reviewed }: ComparisonInput): readonly Misplaced[] {
  const place = placeOf(options);
  if (place === undefined) return [];
  const [declared, applied] = [rulesByRef(desired), rulesByRef(prior)];
  const rules = rulesByRef(live.values);
  const marked = reviewed?.map(refOf);
  const [refs, ours] = [[...rules.keys()], new Set(applied.keys())];
  const isForeign = (ref: string): boolean => !declared.has(ref) && !isOurs(ref, ours, options);
  return [...rules].flatMap(([ref, rule]) => {
    if (!isForeign(ref) || !isMisplaced(ref, refs, declared, place)) return [];
    const isOld = marked !== undefined && isMisplaced(ref, marked, declared, place);
    const isNew = !isOld && isMisplaced(ref, refs, applied, place);
    return [{ ref, rule, cause: isNew ? "drift" : "config" }];
  });
}

function removal(sides: Sides, ref: string, from: number): RuleChange {
  const live = sides.live.get(ref) ?? {};
  const wasOurs = sides.prior.has(ref);
  // A rule that was ours was removed from the YAML. One that never was ours was added outside Zoneform where all rules
  // are ours.
  const cause: Cause = wasOurs || !sides.isKnown ? "config" : "drift";
  return {
    action: "remove",
    ref,
    title: titleOf(live),
    from,
    leaves: [],
    cause,
    ...(wasOurs ? { lost: live } : { lost: withoutParameters(live), foreign: true as const }),
  };
}

/** The removal of each rule that was ours, when the whole entry point is deleted. */
export function removals(live: JsonObject, prior: JsonObject | undefined, cause: Cause): readonly RuleChange[] {
  const ours = rulesByRef(prior);
  return [...rulesByRef(live)].flatMap(([ref, rule], index): RuleChange[] =>
    ours.has(ref)
      ? [{ action: "remove", ref, title: titleOf(rule), from: index + 1, leaves: [], cause, lost: rule }]
      : [],
  );
}

/** Fields of a rule that hold no secrets. */
const SHOWN: readonly string[] = ["id", "ref", "action", "expression", "description", "enabled"];

/** A foreign rule as plans show it: with only the names of its parameters, which may hold secrets of others. */
function withoutParameters(rule: JsonObject): JsonObject {
  const shown = Object.fromEntries(Object.entries(rule).filter(([field]) => SHOWN.includes(field)));
  const hidden = Object.fromEntries(Object.entries(rule).filter(([field]) => !SHOWN.includes(field)));
  const parameters = leavesOf(hidden).map(({ path }) => formatPath(path));
  return parameters.length === 0 ? shown : { ...shown, parameters };
}

function insertion(sides: Sides, ref: string, desired: JsonObject, to: number): RuleChange {
  const prior = sides.prior.get(ref);
  const cause = prior === undefined ? "config" : equal(prior, desired) ? "drift" : "both";
  const { leaves } = diff(withoutRef(desired), undefined, {}, RULES);
  return { action: "insert", ref, title: titleOf(desired), to, leaves, cause };
}

function movement(
  sides: Sides,
  ref: string,
  desired: JsonObject,
  place: { from: number; to: number },
  inTheWay: readonly Misplaced[],
): RuleChange {
  const { desiredIsPrior, liveIsPrior, liveIsDesired } = orders(sides);
  const isOrdered = liveIsPrior || liveIsDesired;
  return {
    action: "move",
    ref,
    title: titleOf(desired),
    ...place,
    leaves: [],
    // If the applied rules already have the desired order, it only moves past a foreign rule or makes room for a new
    // one.
    cause: causeOf(desiredIsPrior, isOrdered && !inTheWay.some(isDrift), sides.prior.has(ref)),
  };
}

/** Who changed the order of the rules that are declared, applied and live. Added and removed rules are no moves. */
export function orders({ desired, prior, live }: RuleSides): {
  readonly desiredIsPrior: boolean;
  readonly liveIsPrior: boolean;
  readonly liveIsDesired: boolean;
} {
  const ofAll = (side: ReadonlyMap<string, unknown>): string[] =>
    [...side.keys()].filter((ref) => desired.has(ref) && prior.has(ref) && live.has(ref));
  const [ofDesired, ofPrior, ofLive] = [ofAll(desired), ofAll(prior), ofAll(live)];
  return {
    desiredIsPrior: equal(ofDesired, ofPrior),
    liveIsPrior: equal(ofLive, ofPrior),
    liveIsDesired: equal(ofLive, ofDesired),
  };
}

function edits(sides: Sides, ref: string, desired: JsonObject, place: { from: number; to: number }): RuleChange[] {
  const prior = sides.prior.get(ref);
  const live = withDefaults(sides.live.get(ref) ?? {});
  const { leaves: declared } = diff(withoutRef(desired), prior && withoutRef(prior), live, RULES);
  const leaves = [...declared, ...replacedLeaves(desired, live, prior)];
  const isSwitch = (leaf: LeafChange): boolean => leaf.path.length === 1 && leaf.path[0] === "enabled";
  const base = { ref, title: titleOf(desired), ...place };
  const switched = leaves.filter(isSwitch).map((leaf): RuleChange => {
    return { ...base, action: leaf.after === true ? "enable" : "disable", leaves: [leaf], cause: leaf.cause };
  });
  const edited = leaves.filter((leaf) => !isSwitch(leaf));
  return edited.length === 0
    ? switched
    : [...switched, { ...base, action: "edit", leaves: edited, cause: causeOfAll(edited) }];
}

/** Live parameters that do not stay beside the declared ones: of another action, or excluded. */
function replacedLeaves(desired: JsonObject, live: JsonObject, prior: JsonObject | undefined): LeafChange[] {
  const written = mergedRule(desired, live);
  return leavesOf(live).flatMap(({ path, value: before }): LeafChange[] => {
    if (valueAt(written, path) !== undefined) return [];
    const last = valueAt(prior, path);
    const isForeign = prior !== undefined && !equal(last, before);
    return [{ path, before, ...defined({ prior: last }), cause: isForeign ? "drift" : "config" }];
  });
}

/** The service sets these on every rule (docs/service.md#rules), so a missing one has this value. */
export function withDefaults(rule: JsonObject): JsonObject {
  return { enabled: true, description: "", ...rule };
}

/** A rule without its ref. */
export function withoutRef(rule: JsonObject): JsonObject {
  const { ref: _ref, ...rest } = rule;
  return rest;
}

/** One cause for several fields: theirs if they agree, else `both`. */
export function causeOfAll(leaves: readonly LeafChange[]): Cause {
  const [first, ...others] = new Set(leaves.map(({ cause }) => cause));
  return first !== undefined && others.length === 0 ? first : "both";
}

/** How readers recognise a rule: by its description, else its expression. */
export function titleOf(rule: JsonObject): string {
  return optionalText(rule, "description") || optionalText(rule, "expression") || "";
}

/**
 * The declared rules that are live, with the live values of their declared fields. Undeclared rules were never ours.
 */
export function applied(desired: JsonObject, live: Live): JsonObject {
  const current = rulesByRef(live.values);
  const { rules: _rules, ...rest } = desired;
  const rules = [...rulesByRef(desired)].flatMap(([ref, rule]) => {
    const found = current.get(ref);
    return found ? [leavesAsLive(rule, withDefaults(found))] : [];
  });
  // In live order, because an apply would have written that order too.
  const place = new Map([...current.keys()].map((ref, index) => [ref, index]));
  const inLiveOrder = rules.toSorted((left, right) => (place.get(refOf(left)) ?? 0) - (place.get(refOf(right)) ?? 0));
  return { ...leavesAsLive(rest, live.values), rules: inLiveOrder };
}

/** The live version of the rules that were applied, with added rules that are ours to remove. */
export function valuesSince(last: JsonObject, live: Live, options: Options): JsonObject {
  const known = rulesByRef(applied(last, live));
  const ours = new Set(rulesByRef(last).keys());
  const now = [...rulesByRef(live.values)].flatMap(
    ([ref, rule]) => known.get(ref) ?? (isOurs(ref, ours, options) ? rule : []),
  );
  return { rules: now };
}

/** Everything: a PUT replaces every rule, even foreign ones, and their order matters. */
export function guarded(live: Live): JsonObject {
  return live.values;
}
