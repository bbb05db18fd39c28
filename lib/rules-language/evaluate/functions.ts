import { createHash, createHmac } from "node:crypto";
import { type Address, formatAddress, networkOf } from "../addresses.ts";
import { integerInJson, stringInJson } from "./json.ts";
import { patternOf } from "./pattern.ts";
import {
  byteLength,
  bytesAsUnits,
  endsWithBytes,
  joinBytes,
  lowerAscii,
  sliceBytes,
  startsWithBytes,
  textOfUnits,
  upperAscii,
} from "./text.ts";
import { bytesOfText, textOfBytes } from "../utf8.ts";
import { compareValues, isAddress, isArray, isMap, isNumber, type Value } from "./values.ts";
import { decodeUrl } from "./url.ts";
import { matchWildcard, readWildcard } from "./wildcard.ts";

type Maybe = Value | undefined;

/** What a function makes of its arguments. Undefined, a missing value, also if an argument does not fit. */
export type Implementation = (...values: readonly Maybe[]) => Maybe;

/** What each function does. A function that is not here has a missing value; `any` and `all` are part of the evaluator. */
export const FUNCTIONS: ReadonlyMap<string, Implementation> = new Map<string, Implementation>([
  ["cidr", (address, bits4, bits6) => (isAddress(address) ? maskAddress(address, bits4, bits6) : undefined)],
  ["cidr6", (address, bits6) => (isAddress(address) ? maskAddress(address, 32, bits6) : undefined)],
  ["coalesce", (...values) => values.find((value) => value !== undefined)],
  ["concat", concat],
  ["decode_base64", ofText(decodeBase64)],
  ["encode_base64", (text, flags = "") => (isText(text) && isText(flags) ? encodeBase64(text, flags) : undefined)],
  ["ends_with", ofTexts(endsWithBytes)],
  ["has_key", (map, key) => (isMap(map) && isText(key) ? map.has(key) : undefined)],
  ["has_value", hasValue],
  ["hash_in_range", hashInRange],
  ["is_timed_hmac_valid_v0", isTimedHmacValid],
  [
    "join",
    (items, separator) =>
      isArray(items) && isText(separator) ? joinBytes(items.filter(isText), separator) : undefined,
  ],
  ["len", (value) => (isText(value) ? byteLength(value) : lengthOf(value))],
  ["lookup_json_integer", (text, ...path) => (isText(text) && isPath(path) ? integerInJson(text, path) : undefined)],
  ["lookup_json_string", (text, ...path) => (isText(text) && isPath(path) ? stringInJson(text, path) : undefined)],
  ["lower", ofText(lowerAscii)],
  ["regex_replace", replaceByRegex],
  ["remove_bytes", ofTexts(removeBytes)],
  ["remove_query_args", removeArguments],
  ["sha256", ofText((text) => textOfBytes(createHash("sha256").update(bytesOfText(text)).digest()))],
  ["split", split],
  ["starts_with", ofTexts(startsWithBytes)],
  ["substring", substring],
  ["to_string", (value) => (isAddress(value) ? formatAddress(value) : scalarText(value))],
  ["upper", ofText(upperAscii)],
  ["url_decode", (text, options = "") => (isText(text) && isText(options) ? decodeUrl(text, options) : undefined)],
  ["uuidv4", ofText(uuid)],
  ["wildcard_replace", replaceByWildcard],
]);

function isText(value: Maybe): value is string {
  return typeof value === "string";
}

function ofText(make: (text: string) => Maybe): Implementation {
  return (text) => (isText(text) ? make(text) : undefined);
}

function ofTexts(make: (left: string, right: string) => Maybe): Implementation {
  return (left, right) => (isText(left) && isText(right) ? make(left, right) : undefined);
}

function maskAddress(address: Address, bits4: Maybe, bits6: Maybe): Maybe {
  const bits = address.bits === 32 ? bits4 : bits6;
  if (bits === undefined || !isNumber(bits)) return undefined;
  const [value] = networkOf(address, Math.min(Math.max(Number(bits), 0), address.bits));
  return { bits: address.bits, value };
}

/** Missing values count as empty, unless all are missing. */
function concat(...values: readonly Maybe[]): Maybe {
  const present = values.filter((value) => value !== undefined);
  if (present.length === 0) return undefined;
  return present.every(isArray) ? present.flat() : joinBytes(present.map((value) => scalarText(value) ?? ""));
}

/** Standard and without padding, unless the flags have `u` (for URLs) or `p` (padding). */
function encodeBase64(text: string, flags: string): string {
  const encoded = Buffer.from(bytesOfText(text)).toString(flags.includes("u") ? "base64url" : "base64");
  const bare = encoded.replace(/=+$/, "");
  return flags.includes("p") ? bare.padEnd(Math.ceil(bare.length / 4) * 4, "=") : bare;
}

function decodeBase64(text: string): Maybe {
  return /^[A-Za-z0-9+/]*={0,2}$/.test(text) ? textOfBytes(Buffer.from(text, "base64")) : undefined;
}

function hasValue(of: Maybe, value: Maybe): Maybe {
  if (value === undefined || !(isArray(of) || isMap(of))) return undefined;
  return [...of.values()].flat().some((element) => compareValues(element, value) === 0);
}

/** The service does not say how it hashes, so the same request can get another number from it. */
function hashInRange(start: Maybe, end: Maybe, ...values: readonly Maybe[]): Maybe {
  if (start === undefined || end === undefined || !isNumber(start) || !isNumber(end) || start >= end) return undefined;
  const hash = createHash("sha256")
    .update(JSON.stringify(values.map((value) => scalarText(value) ?? null)))
    .digest();
  return BigInt(start) + (hash.readBigUInt64BE() % (BigInt(end) - BigInt(start)));
}

/** The message, the separator, the second when it was signed, and the signature. */
const TOKEN = /^([^]+)([0-9]{10})-([^]{43,})$/;

function isTimedHmacValid(...[key, token, ttl, now, separator = 0, flags = ""]: readonly Maybe[]): Maybe {
  if (!isText(key) || !isText(token) || !isText(flags)) return undefined;
  if (ttl === undefined || now === undefined || !isNumber(ttl) || !isNumber(now) || !isNumber(separator))
    return undefined;
  const [, head = "", signed = "", written = ""] = TOKEN.exec(bytesAsUnits(token)) ?? [];
  const message = head.slice(0, head.length - Number(separator));
  if (message === "" || BigInt(now) >= BigInt(signed) + BigInt(ttl)) return false;
  const signature = createHmac("sha256", bytesOfText(key))
    .update(message + signed, "latin1")
    .digest("base64");
  if (flags.includes("s")) return written === signature.replace(/=+$/, "").replaceAll("+", "-").replaceAll("/", "_");
  return decodeUrl(written.replaceAll("+", "%2B"), "") === signature;
}

function lengthOf(value: Maybe): Maybe {
  return isArray(value) ? value.length : undefined;
}

function isPath(values: readonly Maybe[]): values is readonly (string | number | bigint)[] {
  return values.every((value) => isText(value) || (value !== undefined && isNumber(value)));
}

function replaceByRegex(text: Maybe, pattern: Maybe, replacement: Maybe): Maybe {
  if (!isText(text) || !isText(pattern) || !isText(replacement)) return undefined;
  const compiled = patternOf(pattern);
  if (compiled === undefined) return undefined;
  const match = compiled.first(text);
  return match === undefined ? text : joinBytes([match.before, fill(replacement, match.groups), match.after]);
}

function replaceByWildcard(...[text, pattern, replacement, flags = ""]: readonly Maybe[]): Maybe {
  if (!isText(text) || !isText(pattern) || !isText(replacement) || !isText(flags)) return undefined;
  const captures = matchWildcard(readWildcard(pattern, flags.includes("s")), text);
  return captures === undefined ? text : fill(replacement, [text, ...captures]);
}

/** Puts groups in the places of `${1}`, `${2}` and so on. `$$` is a dollar sign. */
function fill(replacement: string, groups: readonly string[]): string {
  const parts = replacement.split(/(\$\$|\$\{[0-9]+\})/).map((part) => {
    const group = /^\$\{([0-9]+)\}$/.exec(part)?.[1];
    if (group !== undefined) return groups[Number(group)] ?? "";
    return part === "$$" ? "$" : part;
  });
  return joinBytes(parts);
}

function removeBytes(text: string, bytes: string): string {
  const unwanted = new Set(bytesAsUnits(bytes));
  return textOfUnits(bytesAsUnits(text).replaceAll(/[^]/g, (byte) => (unwanted.has(byte) ? "" : byte)));
}

function removeArguments(query: Maybe, ...names: readonly Maybe[]): Maybe {
  if (!isText(query)) return undefined;
  return query
    .split("&")
    .filter((argument) => !names.includes(argument.split("=", 1)[0]))
    .join("&");
}

/** The last part of at most `limit` has the rest. */
function split(text: Maybe, separator: Maybe, limit: Maybe = Number.MAX_SAFE_INTEGER): Maybe {
  if (!isText(text) || !isText(separator) || separator === "" || !isNumber(limit)) return undefined;
  const [units, between] = [bytesAsUnits(text), bytesAsUnits(separator)];
  const parts = units.split(between);
  const most = Number(limit);
  const kept = parts.length <= most ? parts : [...parts.slice(0, most - 1), parts.slice(most - 1).join(between)];
  return kept.map(textOfUnits);
}

function substring(text: Maybe, start: Maybe, end?: Maybe): Maybe {
  if (!isText(text) || start === undefined || !isNumber(start)) return undefined;
  if (end === undefined) return sliceBytes(text, Number(start));
  return isNumber(end) ? sliceBytes(text, Number(start), Number(end)) : undefined;
}

function scalarText(value: Maybe): string | undefined {
  if (isText(value)) return value;
  return typeof value === "boolean" || (value !== undefined && isNumber(value)) ? String(value) : undefined;
}

/** A random UUID (RFC 9562) from a source of randomness: the same source gives the same one. */
function uuid(seed: string): string {
  const bytes = createHash("sha256").update(bytesOfText(seed)).digest();
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString("hex", 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
