import { optionalObject, optionalText, texts } from "../../core/decode.ts";
import { equal, type Json, type JsonObject } from "../../core/json.ts";
import { isAnyTakenAway, isLooser, type Rules, skipsTheRest } from "./ahead.ts";
import { rulesByRef } from "./arrange.ts";
import { implies } from "./expressions.ts";
import { MANAGED_RULESETS } from "./managed.ts";
import { isAnyRunSofter, isWeakerSomewhere, type Layer, overridesOf, runsAsMuch, softens } from "./overrides.ts";
import { executedId, expressionOf, hardnessOf, roleOf } from "./roles.ts";

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
 * Whether a new rule is dangerous by itself. What it takes from later rules, and what it sets, is compared elsewhere.
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

/**
 * A setting of `set_config` that protects: its values, weakest first. The zone's value for requests that no rule
 * matches is unknown: values up to `idle` are no stronger than it, values from `sound` on no weaker.
 */
interface Protecting {
  readonly values: readonly Json[];
  readonly idle: Json;
  readonly sound: Json;
}

const SWITCH: Protecting = { values: [false, true], idle: false, sound: true };

const PROTECTING: Readonly<Record<string, Protecting>> = {
  automatic_https_rewrites: SWITCH,
  bic: SWITCH,
  email_obfuscation: SWITCH,
  hotlink_protection: SWITCH,
  opportunistic_encryption: SWITCH,
  server_side_excludes: SWITCH,
  security_level: {
    values: ["off", "essentially_off", "low", "medium", "high", "under_attack"],
    idle: "essentially_off",
    // "Under attack" is set by hand, for some hours.
    sound: "high",
  },
  ssl: { values: ["off", "flexible", "full", "strict", "origin_pull"], idle: "off", sound: "strict" },
};

/** Settings that protect nobody. An unknown setting counts as protecting. */
const INDIFFERENT: readonly string[] = [
  "autominify",
  "content_converter",
  "disable_apps",
  "disable_pay_per_crawl",
  "disable_railgun",
  "disable_rum",
  "disable_zaraz",
  "fonts",
  "mirage",
  "polish",
  "redirects_for_ai_training",
  "request_body_buffering",
  "response_body_buffering",
  "rocket_loader",
  "sxg",
];

/** Whether rules that set something up may leave a setting weaker for some request. */
function isAnySettingWeaker(before: readonly JsonObject[], after: readonly JsonObject[]): boolean {
  const names = new Set([...before, ...after].flatMap((rule) => Object.keys(settingsOf(rule))));
  return [...names].some((name) => {
    if (INDIFFERENT.includes(name)) return false;
    const [from, to] = [layersOf(before, name), layersOf(after, name)];
    return (
      JSON.stringify(from) !== JSON.stringify(to) && isWeakerSomewhere(from, to, (was, is) => isWeaker(name, was, is))
    );
  });
}

/** If several rules match a request, the last one decides (docs/service.md#rules); without any, the zone does. */
function layersOf(rules: readonly JsonObject[], name: string): readonly Layer<Json | undefined>[] {
  const setting = rules.flatMap((rule) => {
    const value = settingsOf(rule)[name] ?? undefined;
    return value === undefined ? [] : [{ expression: expressionOf(rule), value }];
  });
  return [...setting.toReversed(), { expression: "true", value: undefined }];
}

function settingsOf(rule: JsonObject): JsonObject {
  return optionalObject(rule, "action_parameters") ?? {};
}

/** `undefined` stands for the zone's value. */
function isWeaker(name: string, from: Json | undefined, to: Json | undefined): boolean {
  if (equal(from, to)) return false;
  const known = Object.hasOwn(PROTECTING, name) ? PROTECTING[name] : undefined;
  if (!known) return true;
  const rankOf = (value: Json): number => known.values.indexOf(value);
  const ranks = [from, to].map((value) => (value === undefined ? undefined : rankOf(value)));
  if (ranks.includes(-1)) return true;
  const [before, after] = ranks;
  if (before === undefined) return (after ?? 0) < rankOf(known.sound);
  return after === undefined ? before > rankOf(known.idle) : after < before;
}
