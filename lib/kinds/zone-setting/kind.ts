import { wordingFrom } from "../../core/diagnostic.ts";
import { optionalBoolean, text } from "../../core/decode.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { refused } from "../../service/explanations/entry.ts";
import { defineSetting } from "../define-setting.ts";
import type { KindOf } from "../kind-of.ts";

/** Codes that only zone settings raise. */
const CODES = {
  "setting-not-editable": {
    cause: "Cloudflare does not allow changing the setting in this zone",
    message: "Cloudflare does not allow changing {setting} in this zone",
    remedy: "leave it out, or change the zone's subscription",
  },
} as const;

const problem = wordingFrom(CODES);

const SWITCH = ["off", "on"];

/**
 * The known settings, with their values from the least protecting to the most. A value that is not listed cannot be
 * compared.
 */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  always_use_https: SWITCH,
  automatic_https_rewrites: SWITCH,
  min_tls_version: ["1.0", "1.1", "1.2", "1.3"],
  opportunistic_encryption: SWITCH,
  security_level: ["off", "essentially_off", "low", "medium", "high", "under_attack"],
  ssl: ["off", "flexible", "full", "strict"],
  tls_1_3: ["off", "on"],
};

/** One setting of the zone, by the service's name for it: the minimum TLS version, the SSL mode, and so on. */
export const zoneSetting: KindOf<"zone_setting", never, keyof typeof CODES> = defineSetting({
  name: "zone_setting",
  stage: 6,
  section: { key: "zone_settings", required: "value" },
  keys: Object.keys(SETTINGS),
  path: (key) => `/settings/${key}`,
  family: "settings",
  codes: {
    1006: refused("Cloudflare knows no setting of this name", "leave it out"),
    1007: refused(
      "the setting does not allow this value",
      "use one of the values under zone_settings in docs/configuration.md",
    ),
    1015: refused("this setting cannot be changed in this zone", CODES["setting-not-editable"].remedy),
  },
  ownCodes: CODES,
  decode: (from) => ({
    values: { value: text(from, "value") },
    status: { editable: optionalBoolean(from, "editable") ?? true },
  }),
  write: ({ value }) => ({ method: "PATCH", body: { value: value ?? null } }),
  objections: (_values, { key, status }) =>
    status["editable"] === false ? [problem("setting-not-editable", { setting: key })] : [],
  weakens,
  hcl: {
    type: "cloudflare_zone_setting",
    importId: ({ zone, key }) => `${zone.id}/${key}`,
    attributes: ({ zone, key, values }) => [
      ["zone_id", zone.id],
      ["setting_id", key],
      ["value", values["value"] ?? null],
    ],
  },
});

/** If two values cannot be compared, every change between them may weaken. */
function weakens(from: JsonObject, to: JsonObject, key: string): boolean {
  const rank = (value: Json | undefined): number =>
    typeof value === "string" ? (SETTINGS[key]?.indexOf(value) ?? -1) : -1;
  const [before, after] = [from["value"], to["value"]];
  if (before === after) return false;
  return rank(before) < 0 || rank(after) < rank(before);
}
