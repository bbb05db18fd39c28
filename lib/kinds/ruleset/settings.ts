import { optionalObject } from "../../core/decode.ts";
import { equal, type Json, type JsonObject } from "../../core/json.ts";
import { isWeakerSomewhere, type Layer } from "./layers.ts";
import { expressionOf } from "./roles.ts";

/**
 * A setting of `set_config` that protects: its values, weakest first. What the zone has for requests that no rule
 * matches is unknown: values up to `idle` are no stronger than that, values from `sound` on no weaker.
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

/** Settings that protect nobody. Any other setting that is not known here counts as protecting. */
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
export function isAnySettingWeaker(before: readonly JsonObject[], after: readonly JsonObject[]): boolean {
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
