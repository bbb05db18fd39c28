import { optionalObject, texts } from "../../core/decode.ts";
import { equal, type Json, type JsonObject } from "../../core/json.ts";

/** The minimum versions to choose from, weakest first. */
const VERSIONS: readonly Json[] = ["1.0", "1.1", "1.2", "1.3"];
/** From this version on, a minimum is safe, whatever the zone's own is. */
const SOUND = VERSIONS.indexOf("1.2");

/** Settings with one protecting value, and that value. */
const SAFE: Readonly<Record<string, Json>> = { tls_1_3: "on", tls_1_2_only: "on" };
/** Settings that protect nobody. An unknown setting counts as protecting. */
const INDIFFERENT: readonly string[] = ["http2", "early_hints"];

/**
 * Whether a hostname's TLS settings let in more than before, or give some client a worse connection. A setting that is
 * absent follows the zone, which is unknown here.
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

/**
 * The quality of a cipher: forward secrecy with authenticated encryption (3), forward secrecy alone (2), neither (1),
 * broken (0). Undefined for unknown names. Names are BoringSSL's.
 */
function rankOf(cipher: string): number | undefined {
  if (/3DES|DES-CBC|RC4|NULL|MD5|EXP/.test(cipher)) return 0;
  const isSealed = /GCM|CCM|CHACHA20/.test(cipher);
  if (/^(?:ECDHE|DHE)-/.test(cipher)) return isSealed ? 3 : 2;
  // These names belong to TLS 1.3, which always has forward secrecy.
  if (/^(?:AEAD|TLS_AES|TLS_CHACHA20)/.test(cipher)) return 3;
  return /^(?:AES|CAMELLIA)/.test(cipher) ? 1 : undefined;
}

const BEST = 3;
/** One cipher of each rank, best first, that is in no list: the service knows more ciphers than any list. */
const UNLISTED: readonly string[] = ["ECDHE-OTHER-GCM", "ECDHE-OTHER-SHA", "AES-OTHER-SHA", "DES-CBC3-OTHER"];

/**
 * Whether some client gets a worse cipher than before, or a client is let in with a cipher worse than all that were
 * accepted. A client uses the first cipher in the list that it supports. No list means every cipher that the service
 * knows, best first.
 */
function areWorse(before: readonly string[], after: readonly string[]): boolean {
  const [from, to] = [offered(before, after), offered(after, before)];
  const isTaken = (ahead: string, other: string, list: readonly string[]): boolean =>
    list.includes(ahead) && (!list.includes(other) || list.indexOf(ahead) < list.indexOf(other));
  return to.some((now) => {
    const isNew = !from.includes(now) && from.every((one) => isWorse(now, one));
    return isNew || from.some((was) => isWorse(now, was) && isTaken(was, now, from) && isTaken(now, was, to));
  });
}

function offered(own: readonly string[], others: readonly string[]): readonly string[] {
  if (own.length > 0) return own;
  return [...others, ...UNLISTED].toSorted((one, other) => (rankOf(other) ?? 0) - (rankOf(one) ?? 0));
}

/** An unknown cipher cannot be proven to be as good as another. */
function isWorse(now: string, was: string): boolean {
  return now !== was && (rankOf(now) ?? 0) < (rankOf(was) ?? BEST);
}
