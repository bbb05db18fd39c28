import { optionalObject, optionalText, texts } from "../../core/decode.ts";
import { equal, isObject, type Json, type JsonObject } from "../../core/json.ts";
import { rulesByRef } from "./arrange.ts";
import { implies } from "./implies.ts";
import { overridesOf, softens } from "./overrides.ts";
import { isLooser } from "./rate-limit.ts";
import { directionsOf, isAnyWeaker, settingsOf, sharesSetting } from "./settings.ts";

/**
 * What a rule is for: it stops requests, it lets them past others, it sets something up, it does neither, or nobody knows.
 */
type Role = "stops" | "lets-past" | "sets-up" | "neither" | "unknown";

const ROLES: Readonly<Record<string, Role>> = {
  block: "stops",
  challenge: "stops",
  js_challenge: "stops",
  managed_challenge: "stops",
  force_connection_close: "stops",
  ddos_dynamic: "stops",
  execute: "stops",
  score: "stops",
  skip: "lets-past",
  allow: "lets-past",
  bypass: "lets-past",
  set_config: "sets-up",
  compress_response: "neither",
  log: "neither",
  log_custom_field: "neither",
  redirect: "neither",
  rewrite: "neither",
  route: "neither",
  serve_error: "neither",
  set_cache_control: "neither",
  set_cache_settings: "neither",
  set_cache_tags: "neither",
  transform_response_html: "neither",
};

/** Actions that end a request, or make whoever sent it prove that they are a person. */
const CHALLENGES: readonly string[] = ["challenge", "js_challenge", "managed_challenge"];

/** Fields of a rule that stop nothing and let nothing past, or that are compared by their own rules. */
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

type Rules = ReadonlyMap<string, JsonObject>;

/**
 * Whether an entry point protects less with the rules behind than with those before, or nobody can prove that it does not.
 * Rules that are switched off do nothing, so they count as if they were not there.
 */
export function weakens(from: JsonObject, to: JsonObject): boolean {
  const [before, after] = [running(from), running(to)];
  return (
    [...before].some(([ref, rule]) => isWeaker(rule, after.get(ref)) || isInTheWayNoMore(ref, before, after)) ||
    [...after].some(([ref, rule]) => !before.has(ref) && isDangerousToAdd(ref, rule, before, after)) ||
    isReorderedToHarm(before, after)
  );
}

function running(values: JsonObject): Rules {
  return new Map([...rulesByRef(values)].filter(([, rule]) => rule["enabled"] !== false));
}

function roleOf(rule: JsonObject): Role {
  const role = ROLES[optionalText(rule, "action") ?? ""] ?? "unknown";
  return role === "neither" && isObject(rule["exposed_credential_check"]) ? "stops" : role;
}

/** Whether a rule that ran protects less by now. */
function isWeaker(rule: JsonObject, now: JsonObject | undefined): boolean {
  const role = roleOf(rule);
  switch (role) {
    case "stops":
      return now === undefined || !stopsAsMuch(rule, now);
    case "lets-past":
      return now !== undefined && !letsNoMorePast(rule, now);
    case "sets-up":
      return isWeakerSetting(rule, now);
    case "neither":
      return now !== undefined && isDangerousToBecome(now);
    case "unknown":
      return now === undefined || !isSameButForWords(rule, now);
    default:
      return role satisfies never;
  }
}

/**
 * Whether a rule kept requests from others behind it that let them past, and is another one or gone by now: those may let
 * past more than before.
 */
function isInTheWayNoMore(ref: string, before: Rules, after: Rules): boolean {
  const [rule, now] = [before.get(ref) ?? {}, after.get(ref)];
  if (roleOf(rule) !== "lets-past" || !skipsTheRest(rule) || (now && isSameButForWords(rule, now))) return false;
  return behind(ref, before).some((other) => roleOf(after.get(other) ?? {}) === "lets-past");
}

/** Whether a rule that did neither harm nor good does harm by now. */
function isDangerousToBecome(now: JsonObject): boolean {
  const role = roleOf(now);
  if (role === "sets-up") return directionsOf(settingsOf(now)).isWeakening;
  return role === "lets-past" || role === "unknown";
}

function stopsAsMuch(rule: JsonObject, now: JsonObject): boolean {
  const [before, after] = [rule["action"], now["action"]];
  const isHarder = after === "block" && CHALLENGES.some((action) => action === before);
  return (
    (before === after || isHarder) &&
    implies(expressionOf(rule), expressionOf(now)) &&
    !isLooser(optionalObject(rule, "ratelimit"), optionalObject(now, "ratelimit")) &&
    areParametersAsStrict(rule, now) &&
    areOthersEqual(rule, now)
  );
}

function areParametersAsStrict(rule: JsonObject, now: JsonObject): boolean {
  if (now["action"] === "block" || CHALLENGES.some((action) => action === now["action"])) return true;
  if (now["action"] !== "execute") return equal(rule["action_parameters"] ?? {}, now["action_parameters"] ?? {});
  return equal(whatRuns(rule), whatRuns(now)) && !softens(overridesOf(rule), overridesOf(now));
}

/** What a rule executes, without the overrides and what it writes down of a request that matches. */
function whatRuns(rule: JsonObject): JsonObject {
  const parameters = optionalObject(rule, "action_parameters") ?? {};
  const { overrides: _overrides, matched_data: _matched, version, ...rest } = parameters;
  // The service runs the latest version where none is named (public fact).
  return { ...rest, version: version ?? "latest" };
}

function letsNoMorePast(rule: JsonObject, now: JsonObject): boolean {
  if (roleOf(now) !== "lets-past") return !isDangerousToBecome(now);
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

/** A setting holds for the requests of its rule: where those change, it depends on what the rule does for them. */
function isWeakerSetting(rule: JsonObject, now: JsonObject | undefined): boolean {
  const before = settingsOf(rule);
  if (now !== undefined && roleOf(now) !== "sets-up") return isDangerousToBecome(now) || isAnyWeaker(before, {});
  const after = settingsOf(now);
  if (isAnyWeaker(before, after)) return true;
  if (now === undefined || expressionOf(rule) === expressionOf(now)) return false;
  const isHardening = directionsOf(before).isHardening && !implies(expressionOf(rule), expressionOf(now));
  return isHardening || (directionsOf(after).isWeakening && !implies(expressionOf(now), expressionOf(rule)));
}

/** A new rule does harm where it lets past what stands behind it, or makes a setting weaker than others make it. */
function isDangerousToAdd(ref: string, rule: JsonObject, before: Rules, after: Rules): boolean {
  const role = roleOf(rule);
  switch (role) {
    case "stops":
    case "neither":
      return false;
    case "unknown":
      return true;
    case "sets-up":
      return (
        directionsOf(settingsOf(rule)).isWeakening ||
        [...before.values()].some((other) => isAnyWeaker(shared(settingsOf(other), rule), settingsOf(rule)))
      );
    case "lets-past":
      return !skipsOnlyHere(rule) || behind(ref, after).some((other) => isKnownToStop(other, before));
    default:
      return role satisfies never;
  }
}

/** Of the settings of another rule those that this one sets as well. */
function shared(settings: JsonObject, rule: JsonObject): JsonObject {
  const own = settingsOf(rule);
  return { ...own, ...Object.fromEntries(Object.entries(settings).filter(([name]) => Object.hasOwn(own, name))) };
}

/** Whether a rule only skips rules of its own entry point, which have to stand behind it (public fact). */
function skipsOnlyHere(rule: JsonObject): boolean {
  const fields = Object.keys(optionalObject(rule, "action_parameters") ?? {});
  return rule["action"] === "skip" && fields.every((field) => ["ruleset", "rulesets", "rules"].includes(field));
}

function behind(ref: string, rules: Rules): readonly string[] {
  const refs = [...rules.keys()];
  return refs.slice(refs.indexOf(ref) + 1);
}

function isKnownToStop(ref: string, before: Rules): boolean {
  const rule = before.get(ref);
  return rule !== undefined && roleOf(rule) !== "neither";
}

/** Whether two rules stand the other way round, and that can matter. */
function isReorderedToHarm(before: Rules, after: Rules): boolean {
  const isMeant = (ref: string): boolean => before.has(ref) && roleOf(after.get(ref) ?? {}) !== "neither";
  const order = [...after.keys()].filter(isMeant);
  const place = new Map([...before.keys()].map((ref, index) => [ref, index]));
  const placeOf = (ref: string): number => place.get(ref) ?? -1;
  if (order.every((ref, index) => index === 0 || placeOf(order[index - 1] ?? "") < placeOf(ref))) return false;
  return order.some((ahead, index) =>
    order
      .slice(index + 1)
      .some(
        (later) => placeOf(later) < placeOf(ahead) && !canComeFirst(after.get(ahead) ?? {}, after.get(later) ?? {}),
      ),
  );
}

/** Whether a rule that stood behind another may as well stand ahead of it. */
function canComeFirst(rule: JsonObject, other: JsonObject): boolean {
  const roles = [roleOf(rule), roleOf(other)];
  if (roles.includes("unknown")) return false;
  if (roles.includes("sets-up")) return !sharesSetting(settingsOf(rule), settingsOf(other));
  if (roleOf(rule) === "stops") return roleOf(other) === "lets-past" || stopsAlike(rule, other);
  return roleOf(other) === "lets-past" && !skipsTheRest(rule) && !skipsTheRest(other);
}

/** What two rules do to a request that both match does not depend on which comes first, or is more than before. */
function stopsAlike(rule: JsonObject, other: JsonObject): boolean {
  const isPlain = ({ action, ratelimit }: JsonObject): boolean =>
    !isObject(ratelimit) && (action === "block" || CHALLENGES.some((challenge) => challenge === action));
  return isPlain(rule) && isPlain(other) && (rule["action"] === "block" || rule["action"] === other["action"]);
}

function skipsTheRest(rule: JsonObject): boolean {
  return rule["action"] !== "skip" || optionalObject(rule, "action_parameters")?.["ruleset"] !== undefined;
}

function areOthersEqual(rule: JsonObject, now: JsonObject): boolean {
  const fields = new Set([...Object.keys(rule), ...Object.keys(now)]);
  return [...fields].every((field) => COMPARED_APART.includes(field) || equal(rule[field], now[field]));
}

function isSameButForWords(rule: JsonObject, now: JsonObject): boolean {
  const compared: readonly string[] = ["action", "expression", "action_parameters", "ratelimit"];
  const meant = (from: JsonObject): readonly (Json | null)[] => compared.map((field) => from[field] ?? null);
  return areOthersEqual(rule, now) && equal(meant(rule), meant(now));
}

function expressionOf(rule: JsonObject): string {
  return optionalText(rule, "expression") ?? "";
}
