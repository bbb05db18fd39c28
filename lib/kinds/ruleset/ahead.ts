import { optionalObject, optionalText, texts } from "../../core/decode.ts";
import { equal, type JsonObject } from "../../core/json.ts";
import { excludes, implies } from "./expressions.ts";
import { onlyBlocksMore, overridesOf, runsAsMuch, whatRuns } from "./overrides.ts";
import { expressionOf, HARDEST, hardnessOf, roleOf } from "./roles.ts";

/** The rules that run, by ref, in order. */
export type Rules = ReadonlyMap<string, JsonObject>;

/**
 * Whether a rule newly runs before another one and takes requests away from it, by letting them pass or ending them in
 * a softer way. It does not matter whether it was added, enabled, widened or moved there.
 */
export function isAnyTakenAway(before: Rules, after: Rules, phase: string): boolean {
  const place = new Map([...before.keys()].map((ref, index) => [ref, index]));
  const placeOf = (ref: string): number => place.get(ref) ?? Infinity;
  const order = [...after];
  return order.some(([ref, rule], index) => {
    const was = before.get(ref);
    const isOld = was !== undefined && takesNoMore(was, rule, phase);
    return order.slice(index + 1).some(([later]) => {
      const other = before.get(later);
      if (!other || (isOld && placeOf(ref) < placeOf(later))) return false;
      return !canComeFirst(rule, other, phase);
    });
  });
}

/**
 * Whether the previous rules already took all requests that a rule keeps from later rules, in the same way or a softer
 * one.
 */
export function takesNoMore(was: JsonObject, now: JsonObject, phase: string): boolean {
  const role = roleOf(now, phase);
  if (role !== roleOf(was, phase)) return false;
  // Whether other rules do more by themselves is decided rule by rule.
  if (role !== "stops") return true;
  if (!implies(expressionOf(now), expressionOf(was))) return false;
  if (!equal(was["ratelimit"] ?? null, now["ratelimit"] ?? null)) return false;
  if ((hardnessOf(optionalText(was, "action")) ?? 0) > 0) return true;
  if (was["action"] !== now["action"]) return false;
  return now["action"] === "execute"
    ? equal(whatRuns(was), whatRuns(now)) && onlyBlocksMore(overridesOf(was), overridesOf(now))
    : equal(was["action_parameters"] ?? {}, now["action_parameters"] ?? {});
}

/** Whether it is harmless that a rule now runs before another one. */
export function canComeFirst(rule: JsonObject, other: JsonObject, phase: string): boolean {
  const [role, ofOther] = [roleOf(rule, phase), roleOf(other, phase)];
  if (role === "neither" || ofOther === "neither") return true;
  if (role === "unknown") return false;
  if (role === "stops" && (ofOther === "lets-past" || ofOther === "sets-up")) return true;
  if (role === "stops" && stopsAsHard(rule, other)) return true;
  // Two rules that set something up are compared by what they set.
  if (role === "sets-up" && (ofOther === "sets-up" || ofOther === "stops")) return true;
  if (role === "lets-past" && ofOther === "lets-past" && !skipsTheRest(other)) return true;
  return ofOther !== "unknown" && canMeetNoRequest(rule, other);
}

/** Whether no request concerns both rules. A rate limit may count more requests than it stops. */
function canMeetNoRequest(rule: JsonObject, other: JsonObject): boolean {
  const counted = optionalObject(other, "ratelimit")?.["counting_expression"];
  return (counted ?? "") === "" && excludes(expressionOf(rule), expressionOf(other));
}

/** Whether a rule ends its requests at least as hard as the other rule would have. */
function stopsAsHard(rule: JsonObject, other: JsonObject): boolean {
  if (rule["action"] === "execute") return other["action"] === "execute" && runsAsMuch(other, rule);
  const hardness = hardnessOf(optionalText(rule, "action"));
  if (hardness === 0) return true;
  if (hardness !== HARDEST && (hardness === undefined || rule["action"] !== other["action"])) return false;
  const limit = optionalObject(other, "ratelimit");
  // A request that ends before a rate limit is no longer counted there.
  return (
    limit === undefined ||
    (implies(expressionOf(other), expressionOf(rule)) && !isLooser(limit, optionalObject(rule, "ratelimit")))
  );
}

/** Whether requests that a rule lets pass skip all later rules. */
export function skipsTheRest(rule: JsonObject): boolean {
  const parameters = optionalObject(rule, "action_parameters") ?? {};
  return rule["action"] !== "skip" || parameters["ruleset"] !== undefined || parameters["phase"] !== undefined;
}

/** Values of a rate limit that stop more when they are higher. */
const HIGHER_IS_STRICTER: readonly string[] = ["period", "mitigation_timeout"];
/** Values of a rate limit that stop more when they are lower. */
const LOWER_IS_STRICTER: readonly string[] = ["requests_per_period", "score_per_period"];

/** Whether a rate limit may stop less than the previous one. Without a rate limit, every request is stopped. */
export function isLooser(from: JsonObject | undefined, to: JsonObject | undefined): boolean {
  if (equal(from, to) || !to) return false;
  if (!from) return true;
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].some((field) => isLooserIn(field, from, to));
}

function isLooserIn(field: string, from: JsonObject, to: JsonObject): boolean {
  const [before, after] = [from[field], to[field]];
  if (equal(before, after)) return false;
  // Without it, requests that the cache answers count too.
  if (field === "requests_to_origin") return after === true;
  if (field === "characteristics") return areCountedApart(texts(from, field), texts(to, field));
  if (typeof before !== "number" || typeof after !== "number") return true;
  if (HIGHER_IS_STRICTER.includes(field)) return after < before;
  return !LOWER_IS_STRICTER.includes(field) || after > before;
}

/**
 * Requests that differ in a characteristic are counted separately, so with fewer characteristics more requests count
 * together.
 */
function areCountedApart(before: readonly string[], after: readonly string[]): boolean {
  return after.length === 0 || after.some((characteristic) => !before.includes(characteristic));
}
