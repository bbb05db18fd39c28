import { copy, isObject, type Json, type JsonObject } from "../json.ts";
import { hostnameError, type HostnameCode } from "./errors.ts";

const SWITCHES: ReadonlyMap<string, HostnameCode> = new Map([
  ["http2", 1422],
  ["tls_1_2_only", 1423],
  ["tls_1_3", 1424],
  ["early_hints", 1434],
]);

const TLS_VERSIONS = ["1.0", "1.1", "1.2", "1.3"];

/** Reads and checks `ssl.settings`. Throws 1422 to 1425, 1442, 1443, and 1434 for anything else that is wrong. */
export function checkedSettings(value: Json | undefined): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw hostnameError(1434, "settings must be an object");
  const settings = copy(value);
  for (const [name, setting] of Object.entries(settings)) {
    if (setting === null) delete settings[name];
    else checkSetting(name, setting);
  }
  if (settings["ciphers"] !== undefined && settings["min_tls_version"] === "1.3") throw hostnameError(1443);
  return settings;
}

function checkSetting(name: string, setting: Json): void {
  const code = SWITCHES.get(name);
  if (code !== undefined) {
    if (setting !== "on" && setting !== "off") throw hostnameError(code);
  } else if (name === "min_tls_version") {
    if (typeof setting !== "string" || !TLS_VERSIONS.includes(setting)) throw hostnameError(1425);
  } else if (name === "ciphers") {
    if (!Array.isArray(setting) || !setting.every(isCipher)) throw hostnameError(1442);
  } else throw hostnameError(1434, `The setting ${name} is not known`);
}

/** BoringSSL names, such as ECDHE-RSA-AES128-GCM-SHA256 (docs/service.md#custom-hostname-record). */
function isCipher(value: Json): boolean {
  return typeof value === "string" && /^[A-Z0-9]+(-[A-Z0-9]+)+$/.test(value);
}
