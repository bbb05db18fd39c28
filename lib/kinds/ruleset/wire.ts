import { DecodeError, id, objects, optionalId, optionalText } from "../../core/decode.ts";
import { equal, type JsonObject } from "../../core/json.ts";
import type { ComparisonInput } from "../traits/compared.ts";
import type { Live, Options } from "../live.ts";
import { mergedRule } from "./actions.ts";
import { refOf, rulesByRef } from "./arrange.ts";
import { arrangeRules } from "./diff.ts";

/** Fields of a rule that the service sets (docs/service.md#rules). */
const SERVER_FILLED = ["version", "last_updated", "categories"];

/**
 * Decodes an entry point of the service. An empty `id`, `version` or `ref` counts as absent
 * (docs/service.md#waf-migration). Throws `DecodeError` for the ruleset of another phase.
 */
export function decode(phase: string, from: JsonObject): Live {
  const own = optionalText(from, "phase") ?? phase;
  if (own !== phase) throw new DecodeError("phase", JSON.stringify(phase), own, "another");
  const description = optionalText(from, "description") ?? "";
  return {
    id: id(from),
    key: phase,
    values: { name: optionalText(from, "name") ?? "", description, rules: objects(from, "rules").map(decodeRule) },
    status: { version: optionalText(from, "version") ?? "" },
  };
}

function decodeRule(rule: JsonObject): JsonObject {
  optionalId(rule);
  const kept = Object.entries(rule).filter(
    ([field, value]) => !SERVER_FILLED.includes(field) && value !== null && value !== undefined,
  );
  const shown = Object.fromEntries(kept.filter(([field, value]) => !(field === "id" && value === "")));
  return { ...shown, ref: refOf(shown) };
}

/** The body that creates an entry point. */
export function encodeCreate(desired: JsonObject): JsonObject {
  return { name: "default", ...desired };
}

/**
 * The body that replaces an entry point: the rules in their desired order, ours with the declared values; unmanaged
 * values and foreign rules are copied from the re-read. It includes the ids, so that rules keep their identity.
 */
export function encodeUpdate(
  desired: JsonObject,
  prior: JsonObject | undefined,
  live: Live,
  options: Options,
): JsonObject {
  const declared = rulesByRef(desired);
  const current = rulesByRef(live.values);
  const rules = arrangeRules(desired, prior, live, options).order.map((ref) => {
    const own = declared.get(ref);
    const found = current.get(ref);
    return own === undefined ? (found ?? {}) : found === undefined ? own : mergedRule(own, found);
  });
  // The name is set at creation and never changes (docs/service.md#rulesets).
  const { rules: _rules, name: _name, ...top } = desired;
  const { rules: _liveRules, ...liveTop } = live.values;
  return { ...liveTop, ...top, rules };
}

/** The single rule in which a body differs from live, with the body of its own call; undefined for any other difference. */
export function onlyEdited(
  live: JsonObject,
  body: JsonObject,
): { readonly id: string; readonly rule: JsonObject } | undefined {
  const { rules: _liveRules, ...liveTop } = live;
  const { rules: _rules, ...top } = body;
  const [before, after] = [objects(live, "rules"), objects(body, "rules")];
  const [edited, ...others] = after.flatMap((rule, index) => (equal(rule, before[index]) ? [] : [{ rule, index }]));
  if (!edited || others.length > 0 || before.length !== after.length || !equal(liveTop, top)) return undefined;
  const { id: known, ...rule } = edited.rule;
  const found = before[edited.index];
  return typeof known === "string" && known === found?.["id"] && rule["ref"] === found["ref"]
    ? { id: known, rule }
    : undefined;
}

/** The body that removes our rules and keeps foreign ones. */
export function encodeWithout(live: Live, isOurRule: (ref: string) => boolean): JsonObject {
  return { ...live.values, rules: objects(live.values, "rules").filter((rule) => !isOurRule(refOf(rule))) };
}

/** What an import writes into the YAML, without the ids that the service gave the rules. */
export function declared(live: Live): JsonObject {
  return readable(live.values);
}

/** The desired entry point, with foreign rules in their places. Its name is the live one, which never changes. */
export function whole({ desired, prior, live, options }: ComparisonInput): JsonObject {
  return readable({ ...encodeUpdate(desired, prior, live, options), name: live.values["name"] ?? "" });
}

/** Without ids and empty texts, and with each rule's ref first. */
function readable(values: JsonObject): JsonObject {
  const [name, description] = [optionalText(values, "name"), optionalText(values, "description")];
  return {
    ...(name ? { name } : {}),
    ...(description ? { description } : {}),
    rules: objects(values, "rules").map(({ id: _id, ref = "", ...rest }) => ({ ref, ...rest })),
  };
}
