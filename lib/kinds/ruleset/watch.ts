import { bucketed } from "../../core/lists.ts";
import { objects, optionalObject, optionalText, texts } from "../../core/decode.ts";
import { digest } from "../../core/digest.ts";
import { equal, type JsonObject } from "../../core/json.ts";
import { quote } from "../../core/quote.ts";
import type { Live } from "../live.ts";
import type { OtherRule, Watched, WatchInput } from "../traits/shared.ts";
import { canComeFirst, type Rules, skipsTheRest, takesNoMore } from "./ahead.ts";
import { isOurs, refOf, rulesByRef } from "./arrange.ts";
import { arrangeRules, withoutRef } from "./diff.ts";
import { implies } from "./expressions.ts";
import { executedId, expressionOf, hardnessOf, HARDEST, roleOf } from "./roles.ts";
import { ignoredUntil } from "./declared.ts";
import { isAnySetUpWeaker, isSameButForWords, letsNoMorePast } from "./weakens.ts";
import { ruleWords } from "./words.ts";

/**
 * The foreign rules around ours: which of them let traffic past ours, and what changed since the last review. Our rules
 * count as declared, so that only foreign changes make a difference. If one of ours is not live yet, the order that an
 * apply leaves counts as well.
 */
export function watch(input: WatchInput): Watched {
  const { key: phase, desired, live, reviewed } = input;
  const declared = rulesByRef(desired);
  const all = rulesRun(live);
  const isOthers = isOfOthers(input);
  const isForeign = (ref: string): boolean => all.get(ref)?.within !== undefined || isOthers(ref);
  const places = [...all.keys()];
  const planned = desired ? plannedOrder(desired, all, input) : places;
  const areAllLive = [...declared.keys()].every((ref) => all.has(ref));
  const known = reviewed && new Map(underLiveRefs(reviewed, all, phase).map((mark) => [refOf(mark), mark]));
  const around: Around = {
    phase,
    ours: running(declared),
    applied: rulesByRef(input.prior),
    skippable: input.ours,
  };
  const scene: Scene = { input, around, known, orders: areAllLive ? [places] : [places, planned] };
  const judged = new Map([...all].flatMap(([ref, run]) => (isForeign(ref) ? [[ref, judge(ref, run, scene)]] : [])));
  const gone = [...(desired ? (known ?? []) : [])].flatMap(([ref, mark], index): OtherRule[] => {
    const rule = theirs(mark);
    if (!rule || all.has(ref) || declared.has(ref)) return [];
    return [{ ref, at: index + 1, does: ruleWords(rule), change: "removed" }];
  });
  const marks = planned.map((ref) => (isForeign(ref) ? judged.get(ref)?.mark : { ref }));
  return {
    rules: [...[...judged.values()].flatMap(({ rule }) => rule ?? []), ...gone],
    shown: marks.filter((mark) => mark !== undefined),
  };
}

/** What the foreign rules of an entry point are judged by. */
interface Scene {
  readonly input: WatchInput;
  readonly around: Around;
  /** The rules of the last review, by ref and in order; absent if there was none. */
  readonly known: ReadonlyMap<string, JsonObject> | undefined;
  /** The orders of all rules that count. */
  readonly orders: readonly (readonly string[])[];
}

/** A foreign rule, and the mark that a review of it leaves; each is absent if there is nothing to say or keep. */
interface Verdict {
  readonly rule?: OtherRule;
  readonly mark?: JsonObject;
}

function judge(ref: string, { rule, at, does, within }: Run, { input, around, known, orders }: Scene): Verdict {
  const { key: phase, desired, ours, now, options } = input;
  const base: OtherRule = { ref: within ?? ref, at, does };
  const reviewed = known?.get(ref);
  const was = theirs(reviewed);
  const bared = bare(rule, phase);
  const dangerous = orders.map((refs) => ({ ref, rule, refs })).filter((each) => letsPast(each, around));
  if (dangerous.length === 0) {
    if (within !== undefined) return {};
    // Without rules of ours, no other edit matters.
    if (!desired) return { rule: base };
    const isAsReviewed = !known || (was && equal(was, bared));
    return { rule: isAsReviewed ? base : { ...base, change: was ? "changed" : "added" }, mark: bared };
  }
  // A danger that is not shown is not reviewed.
  if (Date.parse(now) < (ignoredUntil(options) ?? 0)) return { rule: base };
  const skips = skippedOfOurs(rule, ours);
  const wasShown = reviewed?.["skips"] !== undefined && skips.every((each) => texts(reviewed, "skips").includes(each));
  const before = was && { ref, rule: was, refs: [...(known?.keys() ?? [])] };
  const isKnown = wasShown && before !== undefined && !dangerous.some((each) => isWider(before, each, around));
  return { rule: { ...base, danger: isKnown ? "known" : "new" }, mark: { ...bared, skips } };
}

/** The rules of a review. A rule that was put back unchanged under another ref now has that ref. */
function underLiveRefs(
  reviewed: readonly JsonObject[],
  all: ReadonlyMap<string, Run>,
  phase: string,
): readonly JsonObject[] {
  const refs = new Set(reviewed.map(refOf));
  const others = new Map([...all].filter(([ref]) => !refs.has(ref)));
  return reviewed.map((mark) => {
    const was = all.has(refOf(mark)) ? undefined : theirs(mark);
    const found = [...(was ? others : [])].find(([, { rule }]) =>
      equal(withoutRef(was ?? {}), withoutRef(bare(rule, phase))),
    );
    if (!found) return mark;
    others.delete(found[0]);
    return { ...mark, ref: found[0] };
  });
}

/** See `Shared.unchanged`. A rule that now takes more from ours differs from what was shown. */
export function unchanged(
  shown: readonly JsonObject[],
  { key: phase, prior, live }: Pick<WatchInput, "key" | "prior" | "live">,
): readonly JsonObject[] {
  const ours = rulesByRef(prior);
  const around: Around = { phase, ours: running(ours), applied: ours, skippable: new Set() };
  const all = rulesRun(live);
  const refs = [...all.keys()];
  const seen = new Map(shown.map((rule) => [refOf(rule), rule]));
  return [...all].flatMap(([ref, { rule }]) => {
    if (ours.has(ref)) return [{ ref }];
    const mark = seen.get(ref);
    if (!mark || !equal(theirs(mark), bare(rule, phase))) return [];
    return takesMore({ ref, rule, refs: [...seen.keys()] }, { ref, rule, refs }, around) ? [] : [mark];
  });
}

/**
 * See `Shared.narrowed`. A rule that was not reviewed as a danger may stand ahead of more rules: if it becomes a
 * danger, it is new. Rules of ours that the review does not have go where the run put them among the foreign ones.
 */
export function narrowed(reviewed: readonly JsonObject[], shown: readonly JsonObject[]): readonly JsonObject[] {
  const place = new Map(shown.map((rule, index) => [refOf(rule), index]));
  const placeOf = (rule: JsonObject): number => place.get(refOf(rule)) ?? Infinity;
  const ours = new Map(shown.flatMap((rule) => (theirs(rule) ? [] : [[refOf(rule), rule]])));
  const kept = reviewed.filter((rule) => (theirs(rule) ? !ours.has(refOf(rule)) : place.has(refOf(rule))));
  const now = kept.toSorted((left, right) => placeOf(left) - placeOf(right));
  const oursBehind = (rule: JsonObject, rules: readonly JsonObject[]): readonly JsonObject[] =>
    rules.slice(rules.indexOf(rule) + 1).filter((other) => !theirs(other));
  const isAheadOfMore = now.some((rule) => {
    const before = oursBehind(rule, kept);
    return rule["skips"] !== undefined && oursBehind(rule, now).some((other) => !before.includes(other));
  });
  for (const rule of kept) ours.delete(refOf(rule));
  return [...ours.values()].reduce(
    (rules, rule) => {
      const index = rules.findIndex((other) => theirs(other) && placeOf(other) > placeOf(rule));
      return rules.toSpliced(index < 0 ? rules.length : index, 0, rule);
    },
    isAheadOfMore ? kept : now,
  );
}

/** A rule that an entry point runs: its own, or one of a custom ruleset that it executes. */
interface Run {
  readonly rule: JsonObject;
  /** Its position, from 1, or the position of the rule that executes it. */
  readonly at: number;
  readonly does: string;
  /** The ref of the rule that executes it. */
  readonly within?: string;
}

/**
 * The rules that an entry point runs, in order: its own by ref, and those of other rulesets by a key that is no ref.
 */
function rulesRun({ values, status }: Live): ReadonlyMap<string, Run> {
  const customs = optionalObject(status, "custom_rulesets") ?? {};
  const own = [...rulesByRef(values)];
  return new Map(
    own.flatMap(([ref, rule], index): [string, Run][] => {
      const at = index + 1;
      const custom = rule["enabled"] === false ? {} : (optionalObject(customs, executedId(rule) ?? "") ?? {});
      const inside = objects(custom, "rules").map((each, place): [string, Run] => {
        // No ref contains a line break.
        const run = { ...asRunBy(rule, each), ref: `${ref}\n${refOf(each)}` };
        const does = `executes ${quote(optionalText(custom, "name") ?? "")}, whose #${place + 1} ${ruleWords(run)}`;
        return [run.ref, { rule: run, at, does, within: ref }];
      });
      return [[ref, { rule, at, does: ruleWords(rule) }], ...inside];
    }),
  );
}

/** A rule of a custom ruleset as if it stood in the entry point. "The current ruleset" then means none of ours. */
function asRunBy(execute: JsonObject, rule: JsonObject): JsonObject {
  const [outer, inner] = [expressionOf(execute), expressionOf(rule)];
  const { ruleset: _ruleset, ...parameters } = optionalObject(rule, "action_parameters") ?? {};
  const expression = implies("true", outer) ? inner : `(${outer}) and (${inner})`;
  return { ...rule, expression, action_parameters: parameters };
}

/** The order that an apply leaves. */
function plannedOrder(
  desired: JsonObject,
  all: ReadonlyMap<string, Run>,
  { prior, live, options }: WatchInput,
): readonly string[] {
  const inside = bucketed([...all.keys()], (ref) => all.get(ref)?.within ?? "");
  return arrangeRules(desired, prior, live, options).order.flatMap((ref) => [ref, ...(inside.get(ref) ?? [])]);
}

function isOfOthers({ desired, prior, options }: WatchInput): (ref: string) => boolean {
  const [declared, applied] = [rulesByRef(desired), new Set(rulesByRef(prior).keys())];
  return (ref) => !declared.has(ref) && !isOurs(ref, applied, desired ? options : { own: [] });
}

/**
 * A foreign rule of a review, as opposed to the ref of one of ours. Beside it, `skips` has what it was shown to skip of
 * ours outside its entry point; absent if it was not shown as a danger.
 */
function theirs(mark: JsonObject | undefined): JsonObject | undefined {
  const { skips: _skips, ...rule } = mark ?? {};
  return rule["action"] === undefined ? undefined : rule;
}

/**
 * Without the id, which says no more than the ref. Parameters that are only compared, such as headers, may hold
 * secrets, so only their digest is kept.
 */
function bare({ id: _id, ...rule }: JsonObject, phase: string): JsonObject {
  const parameters = optionalObject(rule, "action_parameters");
  if (!parameters || roleOf(rule, phase) !== "neither") return rule;
  return { ...rule, action_parameters: { digest: digest(parameters) } };
}

function running(rules: Rules): Rules {
  return new Map([...rules].filter(([, rule]) => rule["enabled"] !== false));
}

/** A foreign rule in an order of all rules. */
interface Standing {
  readonly ref: string;
  readonly rule: JsonObject;
  readonly refs: readonly string[];
}

/** What a foreign rule could let traffic past. */
interface Around {
  readonly phase: string;
  /** Our rules that run in its entry point. */
  readonly ours: Rules;
  /** Our rules at the last apply. */
  readonly applied: Rules;
  /** Kinds and keys of everything that is ours. */
  readonly skippable: ReadonlySet<string>;
}

/** Whether a foreign rule lets traffic past ours. A block never does. */
function letsPast(standing: Standing, around: Around): boolean {
  const { rule } = standing;
  if (rule["enabled"] === false || hardnessOf(optionalText(rule, "action")) === HARDEST) return false;
  return skippedOfOurs(rule, around.skippable).length > 0 || victims(standing, around).length > 0;
}

/** What each product is among the things that Zoneform manages: settings of the zone, phases, or nothing. */
const PRODUCTS: Readonly<Record<string, readonly string[]>> = {
  bic: ["browser_check"],
  hot: ["hotlink_protection"],
  rateLimit: ["http_ratelimit"],
  securityLevel: ["security_level"],
  uaBlock: [],
  waf: ["http_request_firewall_managed", "waf_migration"],
  zoneLockdown: [],
};

/** See `Shared.isSkippable`. */
export function isSkippable({ kind, key }: { readonly kind: string; readonly key: string }): boolean {
  return kind === "ruleset" || Object.values(PRODUCTS).some((ours) => ours.includes(kind) || ours.includes(key));
}

/** The phases and settings of ours that a rule skips, and unknown products. */
function skippedOfOurs(rule: JsonObject, skippable: ReadonlySet<string>): readonly string[] {
  const parameters = optionalObject(rule, "action_parameters") ?? {};
  if (rule["action"] !== "skip" || implies(expressionOf(rule), "false")) return [];
  const known = (product: string): readonly string[] | undefined =>
    Object.hasOwn(PRODUCTS, product) ? PRODUCTS[product] : undefined;
  return [
    ...texts(parameters, "phases").filter((phase) => skippable.has(phase)),
    ...texts(parameters, "products").flatMap(
      (product) => known(product)?.filter((each) => skippable.has(each)) ?? [product],
    ),
  ];
}

/** Our rules of the entry point that a rule takes requests from. */
function victims({ ref, rule, refs }: Standing, { phase, ours }: Pick<Around, "phase" | "ours">): readonly string[] {
  if (roleOf(rule, phase) === "sets-up") return setUpVictims({ ref, rule, refs }, { phase, ours });
  return refs.slice(refs.indexOf(ref) + 1).filter((other) => {
    const our = ours.get(other);
    return our !== undefined && takesFrom(rule, our, phase);
  });
}

function takesFrom(rule: JsonObject, our: JsonObject, phase: string): boolean {
  if (rule["action"] === "execute" && executedId(rule) !== executedId(our)) return false;
  if (rule["action"] === "skip" && !skipsTheRest(rule) && !skippedRulesets(rule).includes(executedId(our) ?? ""))
    return false;
  return !canComeFirst(rule, our, phase);
}

function skippedRulesets(rule: JsonObject): readonly string[] {
  const parameters = optionalObject(rule, "action_parameters") ?? {};
  return [...texts(parameters, "rulesets"), ...Object.keys(optionalObject(parameters, "rules") ?? {})];
}

/** Our rules that set something up, if with another such rule some request gets less of it. */
function setUpVictims(
  { ref, rule, refs }: Standing,
  { phase, ours }: Pick<Around, "phase" | "ours">,
): readonly string[] {
  const settingUp = (each: JsonObject | undefined): JsonObject[] =>
    each && roleOf(each, phase) === "sets-up" ? [each] : [];
  const without = refs.flatMap((other) => settingUp(ours.get(other)));
  const withIt = refs.flatMap((other) => (other === ref ? [rule] : settingUp(ours.get(other))));
  const isWeaker = without.length > 0 && isAnySetUpWeaker(without, withIt);
  return isWeaker ? refs.filter((other) => settingUp(ours.get(other)).length > 0) : [];
}

/** Whether a rule lets more past ours than before. */
function isWider(was: Standing, now: Standing, around: Around): boolean {
  return doesMore(was.rule, now.rule, around.phase) || takesMore(was, now, around);
}

function doesMore(was: JsonObject, now: JsonObject, phase: string): boolean {
  const role = roleOf(now, phase);
  if (isSameButForWords(was, now)) return false;
  if (role !== roleOf(was, phase)) return true;
  if (role === "stops") return !takesNoMore(was, now, phase);
  return role !== "lets-past" || !letsNoMorePast(was, now);
}

/**
 * Whether a rule takes requests from rules of ours that it left alone before. A rule of ours that the review does not
 * have and that was never applied was put there by us.
 */
function takesMore(was: Standing, now: Standing, around: Around): boolean {
  const before = victims(was, around);
  const isJudged = (ref: string): boolean => was.refs.includes(ref) || around.applied.has(ref);
  return victims(now, around).some((other) => isJudged(other) && !before.includes(other));
}
