import { optionalObject, optionalText, texts } from "../../core/decode.ts";
import { equal, type Json, type JsonObject } from "../../core/json.ts";
import { isAnyTakenAway, type Rules, skipsTheRest } from "./ahead.ts";
import { rulesByRef } from "./arrange.ts";
import { implies } from "./implies.ts";
import { MANAGED_RULESETS } from "./managed.ts";
import { isAnyRunSofter, overridesOf, runsAsMuch, softens } from "./overrides.ts";
import { isLooser } from "./rate-limit.ts";
import { executedId, expressionOf, hardnessOf, roleOf } from "./roles.ts";
import { isAnySettingWeaker } from "./settings.ts";

/** Fields of a rule that neither stop requests nor let them pass, or that are compared by their own functions. */
const COMPARED_APART: readonly string[] = [
  "ref",
  "id",
  "version",
  "last_updated",
  "categories",
  "description",
  "enabled",
  "logging",
  "action",
  "expression",
  "action_parameters",
  "ratelimit",
];

/**
 * Whether the entry point of a phase may protect less with the later rules than with the earlier ones. Disabled rules
 * do nothing, so they count as absent.
 */
export function weakens(from: JsonObject, to: JsonObject, phase: string): boolean {
  const [before, after] = [running(from), running(to)];
  return (
    [...before].some(([ref, rule]) => isLost(rule, sameSort(rule, after.get(ref), phase), phase)) ||
    [...before.keys()].some((ref) => isInTheWayNoMore(ref, before, after, phase)) ||
    [...after].some(([ref, rule]) => !sameSort(rule, before.get(ref), phase) && isDangerousToAdd(rule, phase)) ||
    isAnyTakenAway(before, after, phase) ||
    isAnySetUpWeaker(settingUp(before, phase), settingUp(after, phase))
  );
}

function running(values: JsonObject): Rules {
  return new Map([...rulesByRef(values)].filter(([, rule]) => rule["enabled"] !== false));
}

/** A rule's counterpart. One that does something else counts as gone, and as new. */
function sameSort(rule: JsonObject, other: JsonObject | undefined, phase: string): JsonObject | undefined {
  return other && roleOf(rule, phase) === roleOf(other, phase) ? other : undefined;
}

/** Whether a rule that ran may protect less now. */
function isLost(rule: JsonObject, now: JsonObject | undefined, phase: string): boolean {
  const role = roleOf(rule, phase);
  switch (role) {
    case "stops":
      return now === undefined || !stopsAsMuch(rule, now);
    case "lets-past":
      return now !== undefined && !letsNoMorePast(rule, now);
    case "sets-up":
      return now !== undefined && !areOthersEqual(rule, now);
    case "neither":
      return false;
    case "unknown":
      return now === undefined || !isSameButForWords(rule, now);
    default:
      return role satisfies never;
  }
}

/**
 * Whether a rule that was changed or removed had kept requests from later rules that let them pass: those may let more
 * pass now.
 */
function isInTheWayNoMore(ref: string, before: Rules, after: Rules, phase: string): boolean {
  const [rule, now] = [before.get(ref) ?? {}, after.get(ref)];
  const isInTheWay = roleOf(rule, phase) === "lets-past" && skipsTheRest(rule);
  if (!isInTheWay || (now && isSameButForWords(rule, now))) return false;
  return behind(ref, before).some((other) => roleOf(after.get(other) ?? {}, phase) === "lets-past");
}

function behind(ref: string, rules: Rules): readonly string[] {
  const refs = [...rules.keys()];
  return refs.slice(refs.indexOf(ref) + 1);
}

/**
 * Whether a new rule is dangerous by itself. What it takes from later rules, and what it sets, is compared with those.
 */
function isDangerousToAdd(rule: JsonObject, phase: string): boolean {
  const role = roleOf(rule, phase);
  switch (role) {
    case "stops":
      return isSofterThanByItself(rule);
    case "lets-past":
      return !skipsOnlyHere(rule);
    case "unknown":
      return true;
    case "sets-up":
    case "neither":
      return false;
    default:
      return role satisfies never;
  }
}

/** Whether a rule softens managed rules that Free zones have without any rule (docs/service.md#managed-rulesets). */
function isSofterThanByItself(rule: JsonObject): boolean {
  return executedId(rule) === MANAGED_RULESETS["cloudflare_free_managed"] && softens(undefined, overridesOf(rule));
}

/** Whether a rule only skips later rules of its own entry point (docs/service.md#rules). */
function skipsOnlyHere(rule: JsonObject): boolean {
  const fields = Object.keys(optionalObject(rule, "action_parameters") ?? {});
  return rule["action"] === "skip" && fields.every((field) => ["ruleset", "rulesets", "rules"].includes(field));
}

function stopsAsMuch(rule: JsonObject, now: JsonObject): boolean {
  const isWider = !implies(expressionOf(now), expressionOf(rule));
  return (
    isAsHard(rule, now) &&
    implies(expressionOf(rule), expressionOf(now)) &&
    !(isWider && isSofterThanByItself(now)) &&
    !isLooser(optionalObject(rule, "ratelimit"), optionalObject(now, "ratelimit")) &&
    areOthersEqual(rule, now)
  );
}

function isAsHard(rule: JsonObject, now: JsonObject): boolean {
  const [before, after] = [optionalText(rule, "action"), optionalText(now, "action")];
  const [was, is] = [hardnessOf(before), hardnessOf(after)];
  if (was !== undefined && is !== undefined) return before === after || is > was;
  if (before !== after) return false;
  return after === "execute"
    ? runsAsMuch(rule, now)
    : equal(rule["action_parameters"] ?? {}, now["action_parameters"] ?? {});
}

/** Whether an edited rule that lets requests past others lets no more of them past. */
export function letsNoMorePast(rule: JsonObject, now: JsonObject): boolean {
  return (
    rule["action"] === now["action"] &&
    implies(expressionOf(now), expressionOf(rule)) &&
    skipsNoMore(optionalObject(rule, "action_parameters") ?? {}, optionalObject(now, "action_parameters") ?? {}) &&
    areOthersEqual(rule, now)
  );
}

const SKIPPED_LISTS: readonly string[] = ["products", "phases", "rulesets"];

function skipsNoMore(before: JsonObject, now: JsonObject): boolean {
  return Object.keys(now).every((field) => {
    if (equal(before[field], now[field])) return true;
    if (SKIPPED_LISTS.includes(field)) return isSubset(texts(now, field), texts(before, field));
    if (field !== "rules") return false;
    const skipped = optionalObject(before, "rules") ?? {};
    return Object.keys(optionalObject(now, "rules") ?? {}).every((id) =>
      isSubset(texts(optionalObject(now, "rules") ?? {}, id), texts(skipped, id)),
    );
  });
}

function isSubset(inner: readonly string[], outer: readonly string[]): boolean {
  return inner.length > 0 && inner.every((item) => outer.includes(item));
}

/**
 * Whether rules that set something up, or that override protection which always runs, may leave some request with less.
 */
export function isAnySetUpWeaker(before: readonly JsonObject[], after: readonly JsonObject[]): boolean {
  const isRun = (rule: JsonObject): boolean => rule["action"] === "execute";
  const isSetting = (rule: JsonObject): boolean => !isRun(rule);
  return (
    isAnySettingWeaker(before.filter(isSetting), after.filter(isSetting)) ||
    isAnyRunSofter(before.filter(isRun), after.filter(isRun))
  );
}

function settingUp(rules: Rules, phase: string): readonly JsonObject[] {
  return [...rules.values()].filter((rule) => roleOf(rule, phase) === "sets-up");
}

function areOthersEqual(rule: JsonObject, now: JsonObject): boolean {
  const fields = new Set([...Object.keys(rule), ...Object.keys(now)]);
  return [...fields].every((field) => COMPARED_APART.includes(field) || equal(rule[field], now[field]));
}

/** Whether two rules do the same. */
export function isSameButForWords(rule: JsonObject, now: JsonObject): boolean {
  const compared: readonly string[] = ["action", "expression", "action_parameters", "ratelimit"];
  const meant = (from: JsonObject): readonly (Json | null)[] => compared.map((field) => from[field] ?? null);
  return areOthersEqual(rule, now) && equal(meant(rule), meant(now));
}
