import { texts } from "../../core/decode.ts";
import { equal, isObject, type Json, type JsonObject, valueAt } from "../../core/json.ts";

/** The least versions that can be chosen, the weakest first. */
const VERSIONS: readonly Json[] = ["1.0", "1.1", "1.2", "1.3"];
/** From this one on a minimum is sound, whatever the zone's own is. */
const SOUND = VERSIONS.indexOf("1.2");

/**
 * Whether a hostname's TLS settings let in more than before: a lower minimum, no TLS 1.3, or a cipher that was not there.
 * What is not set is as the zone has it, which is not known.
 */
export function weakens(from: JsonObject, to: JsonObject): boolean {
  const setting = (values: JsonObject, name: string): Json | undefined => valueAt(values, ["ssl", "settings", name]);
  return (
    isLower(setting(from, "min_tls_version"), setting(to, "min_tls_version")) ||
    isSwitchedOff(setting(from, "tls_1_3"), setting(to, "tls_1_3")) ||
    areMore(ciphersOf(from), ciphersOf(to))
  );
}

function isLower(from: Json | undefined, to: Json | undefined): boolean {
  if (equal(from, to)) return false;
  const [before, after] = [from, to].map((version) => (version === undefined ? undefined : VERSIONS.indexOf(version)));
  if (after === undefined) return before !== 0;
  return after < (before ?? SOUND);
}

function isSwitchedOff(from: Json | undefined, to: Json | undefined): boolean {
  return from === to || to === "on" ? false : to !== undefined || from !== "off";
}

/** Their order counts as well: the service takes the first one that a client has. No list means all that it knows. */
function areMore(from: readonly string[], to: readonly string[]): boolean {
  if (from.length === 0) return false;
  let place = 0;
  const isNext = (cipher: string): boolean => {
    place = from.indexOf(cipher, place) + 1;
    return place > 0;
  };
  return to.length === 0 || !to.every(isNext);
}

function ciphersOf(values: JsonObject): readonly string[] {
  const settings = valueAt(values, ["ssl", "settings"]);
  return isObject(settings) ? texts(settings, "ciphers") : [];
}
