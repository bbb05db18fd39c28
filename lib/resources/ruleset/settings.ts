import { optionalObject } from "../../core/decode.ts";
import { equal, type Json, type JsonObject } from "../../core/json.ts";

/** A setting of `set_config` that protects: its values, the weakest first, and the one that a zone usually has. */
interface Protecting {
  readonly values: readonly Json[];
  readonly usual: Json;
}

const SWITCH: Protecting = { values: [false, true], usual: true };

const PROTECTING: Readonly<Record<string, Protecting>> = {
  automatic_https_rewrites: SWITCH,
  bic: SWITCH,
  email_obfuscation: SWITCH,
  hotlink_protection: SWITCH,
  opportunistic_encryption: SWITCH,
  server_side_excludes: SWITCH,
  security_level: { values: ["off", "essentially_off", "low", "medium", "high", "under_attack"], usual: "medium" },
  ssl: { values: ["off", "flexible", "full", "strict", "origin_pull"], usual: "full" },
};

/** Settings that protect nobody. Any other that is not known counts, until it is known. */
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

/** The settings of a rule, and none of a rule that is not there. */
export function settingsOf(rule: JsonObject | undefined): JsonObject {
  return optionalObject(rule ?? {}, "action_parameters") ?? {};
}

/** Whether one of the settings is weaker than before, or nobody can prove that it is not. */
export function isAnyWeaker(from: JsonObject, to: JsonObject): boolean {
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].some((name) => isWeaker(name, from[name], to[name]));
}

/** A setting that no rule sets is as the zone has it, which is not known: then the usual value is what counts. */
function isWeaker(name: string, from: Json | undefined, to: Json | undefined): boolean {
  if (equal(from, to) || INDIFFERENT.includes(name)) return false;
  const known = PROTECTING[name];
  if (!known) return true;
  const usual = known.values.indexOf(known.usual);
  const [before, after] = [from, to].map((value) => (value === undefined ? undefined : known.values.indexOf(value)));
  if (before === -1 || after === -1) return true;
  if (after === undefined) return (before ?? 0) >= usual;
  return after < (before ?? usual);
}

/** Whether a rule with these settings makes something weaker, or stronger, than it usually is. */
export function directionsOf(settings: JsonObject): { readonly isWeakening: boolean; readonly isHardening: boolean } {
  return { isWeakening: isAnyWeaker({}, settings), isHardening: isAnyWeaker(settings, {}) };
}

/** Whether both say something about the same protecting setting, so that it matters which comes last. */
export function sharesSetting(one: JsonObject, other: JsonObject): boolean {
  return Object.keys(one).some((name) => !INDIFFERENT.includes(name) && Object.hasOwn(other, name));
}
