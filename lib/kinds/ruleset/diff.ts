import { optionalText } from "../../core/decode.ts";
import { type Cause, causeOf, diff, type FieldRules, type LeafChange, type Satisfied } from "../../core/diff.ts";
import { equal, type JsonObject, leavesAsLive, type Path } from "../../core/json.ts";
import type { Comparison, ComparisonInput, RuleChange } from "../traits/compared.ts";
import type { Hazard, Judged } from "../traits/judged.ts";
import type { Live, Options } from "../live.ts";
import { type Arrangement, arrange, isOurs, refOf, rulesByRef } from "./arrange.ts";

/** Rules have no leaves that behave in ways of their own. */
export const RULES: FieldRules = { fixed: [], writeOnly: [], unordered: [] };
/** Fields of a rule that mean something for its action only, and are not carried over to another. */
export const OF_ACTION: readonly string[] = ["action_parameters", "logging"];

/** Compares an entry point rule by rule: inserted, moved, edited, switched on or off, removed. Rules are known by ref. */
export function compare({ desired, prior, live, options }: ComparisonInput): Comparison {
  const { rules: _rules, ...rest } = desired;
  const { rules: _priorRules, ...priorRest } = prior ?? {};
  const top = diff(rest, prior && priorRest, live.values, RULES, nameStays);
  const sides = {
    wanted: rulesByRef(desired),
    prior: rulesByRef(prior),
    live: rulesByRef(live.values),
    isKnown: prior !== undefined,
  };
  const plan = arrangeRules(desired, prior, live, options);
  const kept = plan.order.filter((ref) => !sides.wanted.has(ref));
  return {
    leaves: top.leaves,
    letGo: [...top.letGo, ...[...sides.wanted.keys()].flatMap((ref) => letGoOf(sides, ref))],
    rules: ruleChanges(sides, plan),
    replaces: [],
    notes: [...(kept.length === 0 ? [] : [keptNote(kept)]), ...nameNotes(rest, live)],
  };
}

/** How many refs a note spells out before it only counts. */
const NAMED = 20;

function keptNote(kept: readonly string[]): string {
  const rest = kept.length - NAMED;
  const named = `${kept.slice(0, NAMED).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
  return `${kept.length} foreign ${kept.length === 1 ? "rule" : "rules"} kept (not in the YAML): ${named}`;
}

/** A name is given at creation and never changes (docs/service.md#rulesets), so on a live entry point there is nothing to do about it. */
const nameStays: Satisfied = (name) => (name === "name" ? true : undefined);

function nameNotes({ name }: JsonObject, live: Live): string[] {
  const current = live.values["name"];
  if (name === undefined || name === null || name === current) return [];
  return [`the entry point keeps its name ${JSON.stringify(current)}: the service sets a name at creation only`];
}

/** Leaves of a rule that are declared no more. Those that belong to another action than the wanted one go with it. */
function letGoOf({ wanted, prior, live }: Sides, ref: string): Path[] {
  const rule = wanted.get(ref) ?? {};
  const last = prior.get(ref);
  if (!last || !live.has(ref)) return [];
  const isOfAction = ([field]: Path): boolean => rule["action"] !== last["action"] && OF_ACTION.includes(field ?? "");
  const { letGo } = diff(withoutRef(rule), withoutRef(last), {}, RULES);
  return letGo.filter((path) => !isOfAction(path)).map((path) => ["rules", ref, ...path]);
}

/** The wanted order of an entry point, from what is declared, what was ours, and what is live. */
export function arrangeRules(
  desired: JsonObject,
  prior: JsonObject | undefined,
  live: Live,
  options: Options,
): Arrangement {
  const priorRefs = new Set(rulesByRef(prior).keys());
  const place = options["place"] === "first" ? "first" : "last";
  const liveRefs = [...rulesByRef(live.values).keys()];
  return arrange(liveRefs, [...rulesByRef(desired).keys()], (ref) => isOurs(ref, priorRefs, options), place);
}

/** The rules of an entry point by ref, in their order: as declared, as last applied, as live has them. */
export interface RuleSides {
  readonly wanted: ReadonlyMap<string, JsonObject>;
  readonly prior: ReadonlyMap<string, JsonObject>;
  readonly live: ReadonlyMap<string, JsonObject>;
}

interface Sides extends RuleSides {
  /** Whether the entry point was applied before. */
  readonly isKnown: boolean;
}

function ruleChanges(sides: Sides, plan: Arrangement): RuleChange[] {
  const from = new Map([...sides.live.keys()].map((ref, index) => [ref, index + 1]));
  const to = new Map(plan.order.map((ref, index) => [ref, index + 1]));
  const removed = [...plan.removed].map((ref) => removal(sides, ref, from.get(ref) ?? 0));
  const others = plan.order.flatMap((ref) => {
    const wanted = sides.wanted.get(ref);
    if (!wanted) return [];
    if (plan.inserted.has(ref)) return [insertion(sides, ref, wanted, to.get(ref) ?? 0)];
    const place = { from: from.get(ref) ?? 0, to: to.get(ref) ?? 0 };
    const moved = plan.moved.has(ref) ? [movement(sides, ref, wanted, place)] : [];
    return [...moved, ...edits(sides, ref, wanted, place)];
  });
  return [...removed, ...others];
}

function removal(sides: Sides, ref: string, from: number): RuleChange {
  const live = sides.live.get(ref) ?? {};
  const wasOurs = sides.prior.has(ref);
  // Ours and no longer declared: you took it out. Never ours: somebody added it where all rules are ours.
  const cause: Cause = wasOurs || !sides.isKnown ? "config" : "drift";
  return {
    action: "remove",
    ref,
    title: titleOf(live),
    from,
    leaves: [],
    cause,
    ...(wasOurs ? {} : { foreign: true as const }),
  };
}

function insertion(sides: Sides, ref: string, wanted: JsonObject, to: number): RuleChange {
  const prior = sides.prior.get(ref);
  const cause = prior === undefined ? "config" : equal(prior, wanted) ? "drift" : "both";
  const { leaves } = diff(withoutRef(wanted), undefined, {}, RULES);
  return { action: "insert", ref, title: titleOf(wanted), to, leaves, cause };
}

function movement(sides: Sides, ref: string, wanted: JsonObject, place: { from: number; to: number }): RuleChange {
  const { wishIsOld, liveIsOld, liveIsWish } = orders(sides);
  return {
    action: "move",
    ref,
    title: titleOf(wanted),
    ...place,
    leaves: [],
    // Where those that were applied are as wished already, it only makes room for one that was not.
    cause: causeOf(wishIsOld, liveIsOld || liveIsWish, sides.prior.has(ref)),
  };
}

/** Whose order of the rules is as last applied, of those that are declared, applied and live: what was added or removed is no move. */
export function orders({ wanted, prior, live }: RuleSides): {
  readonly wishIsOld: boolean;
  readonly liveIsOld: boolean;
  readonly liveIsWish: boolean;
} {
  const ofAll = (side: ReadonlyMap<string, unknown>): string[] =>
    [...side.keys()].filter((ref) => wanted.has(ref) && prior.has(ref) && live.has(ref));
  const [wish, old, now] = [ofAll(wanted), ofAll(prior), ofAll(live)];
  return { wishIsOld: equal(wish, old), liveIsOld: equal(now, old), liveIsWish: equal(now, wish) };
}

function edits(sides: Sides, ref: string, wanted: JsonObject, place: { from: number; to: number }): RuleChange[] {
  const prior = sides.prior.get(ref);
  const { leaves } = diff(
    withoutRef(wanted),
    prior && withoutRef(prior),
    withDefaults(sides.live.get(ref) ?? {}),
    RULES,
  );
  const isSwitch = (leaf: LeafChange): boolean => leaf.path.length === 1 && leaf.path[0] === "enabled";
  const base = { ref, title: titleOf(wanted), ...place };
  const switched = leaves.filter(isSwitch).map((leaf): RuleChange => {
    return { ...base, action: leaf.after === true ? "enable" : "disable", leaves: [leaf], cause: leaf.cause };
  });
  const edited = leaves.filter((leaf) => !isSwitch(leaf));
  return edited.length === 0
    ? switched
    : [...switched, { ...base, action: "edit", leaves: edited, cause: causeOfAll(edited) }];
}

/** The service fills these in on every rule (docs/service.md#rules), so their absence in an answer means them. */
export function withDefaults(rule: JsonObject): JsonObject {
  return { enabled: true, description: "", ...rule };
}

/** A rule without the name that it is known by. */
export function withoutRef(rule: JsonObject): JsonObject {
  const { ref: _ref, ...rest } = rule;
  return rest;
}

/** One cause for several leaves: theirs where they agree, else `both`. */
export function causeOfAll(leaves: readonly LeafChange[]): Cause {
  const [first, ...others] = new Set(leaves.map(({ cause }) => cause));
  return first !== undefined && others.length === 0 ? first : "both";
}

/** What the reader knows a rule by: its description, else its expression. */
export function titleOf(rule: JsonObject): string {
  return optionalText(rule, "description") || optionalText(rule, "expression") || "";
}

/** The declared rules that are live, with the declared leaves as live has them. Rules that are not declared were never ours. */
export function applied(spec: JsonObject, live: Live): JsonObject {
  const current = rulesByRef(live.values);
  const { rules: _rules, ...rest } = spec;
  const rules = [...rulesByRef(spec)].flatMap(([ref, rule]) => {
    const found = current.get(ref);
    return found ? [leavesAsLive(rule, withDefaults(found))] : [];
  });
  // In live order, because the order is what would have been applied as well.
  const place = new Map([...current.keys()].map((ref, index) => [ref, index]));
  const inLiveOrder = rules.toSorted((left, right) => (place.get(refOf(left)) ?? 0) - (place.get(refOf(right)) ?? 0));
  return { ...leavesAsLive(rest, live.values), rules: inLiveOrder };
}

/** The rules that were applied as live has them, and among them those that somebody added where they are ours to remove. */
export function valuesSince(last: JsonObject, live: Live, options: Options): JsonObject {
  const known = rulesByRef(applied(last, live));
  const ours = new Set(rulesByRef(last).keys());
  const now = [...rulesByRef(live.values)].flatMap(
    ([ref, rule]) => known.get(ref) ?? (isOurs(ref, ours, options) ? rule : []),
  );
  return { rules: now };
}

/** The whole of it: a PUT replaces every rule, those of others included, and their order matters. */
export function guarded(live: Live): JsonObject {
  return live.values;
}

/** A rule that was never ours and goes is somebody's loss. */
export function hazards({ comparison }: Parameters<Judged["hazards"]>[0]): readonly Hazard[] {
  return comparison?.rules.some((rule) => rule.foreign) ? ["loses-foreign-rule"] : [];
}
