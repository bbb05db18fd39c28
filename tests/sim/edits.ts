import type { Json } from "../../lib/core/json.ts";
import type { Dice } from "./dice.ts";
import type { OutsideAct } from "./scenario.ts";

/** Tiers in metadata. */
export const TIERS = ["gold", "silver", "bronze"] as const;
/** Names of our rules. */
export const RULES = ["a", "b", "c", "d"] as const;
/** Hosts of certificate packs, in order. */
export const PACKS = ["*.saas.net,saas.net", "saas.net,shop.saas.net"] as const;
/** Authorities that packs may name. */
export const PACK_AUTHORITIES = ["google", "lets_encrypt"] as const;

/** Settings of `ssl` that the YAML never declares. */
const SETTINGS: readonly [Setting, ...Setting[]] = [
  { setting: "ciphers", value: ["ECDHE-RSA-AES128-GCM-SHA256"] },
  { setting: "ciphers", value: ["AES128-SHA", "ECDHE-ECDSA-AES128-GCM-SHA256"] },
  { setting: "early_hints", value: "on" },
  { setting: "early_hints", value: "off" },
  { setting: "http2", value: "off" },
  { setting: "http2", value: "on" },
  { setting: "tls_1_3", value: "on" },
  { setting: "tls_1_3", value: "off" },
];

interface Setting {
  readonly setting: string;
  readonly value: Json;
}

/** Mostly of undeclared fields. */
export function hostnameEdit(dice: Dice, name: string): OutsideAct {
  const throwOf = dice.fraction();
  if (throwOf < 0.45) return { act: "edit-ssl", name, ...dice.pick(SETTINGS) };
  if (throwOf < 0.8) return { act: "edit-note", name, note: `note ${dice.below(100)}` };
  return { act: "edit", name, tier: dice.pick(TIERS) };
}

/** Edits foreign rules and the entry point's own fields; seldom one of our rules. */
export function rulesEdit(dice: Dice): OutsideAct {
  const name = dice.pick(["x", "y", "z"]);
  const throwOf = dice.fraction();
  if (throwOf < 0.35) return { act: "add-rule", name };
  if (throwOf < 0.55) return { act: "edit-foreign-rule", name, path: `/elsewhere/${dice.below(9)}` };
  if (throwOf < 0.65) return { act: "drop-foreign-rule", name };
  if (throwOf < 0.9) return { act: "describe", text: `text ${dice.below(100)}` };
  return { act: "edit-rule", name: dice.pick(RULES) };
}

/** Values of the settings that zones hold, by their names. */
export const SETTING_VALUES: ReadonlyMap<string, readonly [string, ...string[]]> = new Map([
  ["min_tls_version", ["1.0", "1.2", "1.3"]],
  ["always_use_https", ["off", "on"]],
  ["ssl", ["full", "flexible", "strict"]],
]);

/** Another value of a setting, or the same one again. */
export function settingEdit(dice: Dice, name: string): OutsideAct {
  return { act: "setting", name, value: dice.pick(SETTING_VALUES.get(name) ?? ["on"]) };
}

/** Longer than any seed lasts: no act would explain a hold that comes back by itself in the middle of a request. */
const SUSPENDED_DAYS = 90;

/** Sets, changes, suspends or releases the hold. */
export function holdEdit(dice: Dice): OutsideAct {
  return dice.pick<OutsideAct>([
    { act: "hold", subdomains: false },
    { act: "hold", subdomains: true },
    { act: "suspend-hold", days: SUSPENDED_DAYS },
    { act: "release-hold" },
  ]);
}
