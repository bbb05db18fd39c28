import { optionalObject, texts } from "../../core/decode.ts";
import { equal, type Json, type JsonObject } from "../../core/json.ts";
import { areWorse } from "./ciphers.ts";

/** The minimum versions to choose from, weakest first. */
const VERSIONS: readonly Json[] = ["1.0", "1.1", "1.2", "1.3"];
/** From this version on, a minimum is safe, whatever the zone's own is. */
const SOUND = VERSIONS.indexOf("1.2");

/** Settings with one protecting value, and that value. */
const SAFE: Readonly<Record<string, Json>> = { tls_1_3: "on", tls_1_2_only: "on", early_data: "off" };
/** Settings that protect nobody. Any other setting that is not known here counts as protecting. */
const INDIFFERENT: readonly string[] = ["http2", "early_hints"];

/**
 * Whether a hostname's TLS settings let in more than before, or give some client a worse connection. What is not set
 * follows the zone, which is unknown here.
 */
export function weakens(from: JsonObject, to: JsonObject): boolean {
  const [before, after] = [settingsOf(from), settingsOf(to)];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].some((name) => {
    if (name === "min_tls_version") return isLower(before[name], after[name]);
    if (name === "ciphers") return areCiphersWorse(before, after);
    if (INDIFFERENT.includes(name)) return false;
    return isUnsafe(SAFE[name], before[name], after[name]);
  });
}

/** The settings that are set; null and empty texts are not. */
function settingsOf(values: JsonObject): JsonObject {
  const settings = optionalObject(optionalObject(values, "ssl") ?? {}, "settings") ?? {};
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null && value !== ""));
}

function isLower(from: Json | undefined, to: Json | undefined): boolean {
  if (equal(from, to)) return false;
  const ranks = [from, to].map((version) => (version === undefined ? undefined : VERSIONS.indexOf(version)));
  if (ranks.includes(-1)) return true;
  const [before, after] = ranks;
  if (after === undefined) return before !== 0;
  return after < (before ?? SOUND);
}

function areCiphersWorse(before: JsonObject, after: JsonObject): boolean {
  const [from, to] = [texts(before, "ciphers"), texts(after, "ciphers")];
  return !equal(from, to) && areWorse(from, to);
}

/** We do not know whether the zone has the safe value by itself. */
function isUnsafe(safe: Json | undefined, from: Json | undefined, to: Json | undefined): boolean {
  if (equal(from, to)) return false;
  if (safe === undefined) return true;
  return to === undefined ? from === safe : to !== safe;
}
