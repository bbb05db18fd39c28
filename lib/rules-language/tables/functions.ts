import {
  CUSTOM,
  ERRORS,
  RATE_LIMIT,
  REDIRECT,
  REQUEST_HEADERS,
  RESPONSE_HEADERS,
  TRANSFORM,
  URL_REWRITE,
} from "./phases.ts";
import type { FunctionEntry, Parameter } from "./shape.ts";
import type { ArrayType, MapType, Type } from "../types.ts";

const ARRAY: ArrayType = { array: "unknown" };
const MAP: MapType = { map: "unknown" };
const SCALARS: readonly Type[] = ["string", "int", "bool", "ip"];
const CONDITIONS: Parameter = { types: [{ array: "bool" }] };
const BITS_4: Parameter = { name: "ipv4_network_bits", types: ["int"], range: [1, 32] };
const BITS_6: Parameter = { name: "ipv6_network_bits", types: ["int"], range: [1, 128] };
const ADDRESS: Parameter = { name: "address", types: ["ip"], only: "value" };
const KEY: Parameter = { name: "key", types: ["string", "int"] };
const FLAGS: Parameter = { name: "flags", types: ["string"], only: "literal", isOptional: true };
const SOURCE: Parameter = { name: "source", types: ["string"], only: "value" };

const TABLE: Readonly<Record<string, FunctionEntry>> = {
  all: { parameters: [CONDITIONS], returns: "bool" },
  any: { parameters: [CONDITIONS], returns: "bool" },
  bit_slice: {
    parameters: [text("protocol", "value"), int("offset_start"), int("offset_end")],
    returns: "int",
    packets: "only",
  },
  cidr: { parameters: [ADDRESS, BITS_4, BITS_6], returns: "ip", phases: [CUSTOM, RATE_LIMIT] },
  cidr6: { parameters: [ADDRESS, BITS_6], returns: "ip", phases: [CUSTOM, RATE_LIMIT] },
  coalesce: {
    parameters: [{ types: [...SCALARS, ARRAY] }, { types: [...SCALARS, ARRAY] }],
    isVariadic: true,
    returns: "same",
  },
  concat: {
    parameters: [{ types: ["string", ARRAY] }, { types: ["string", ARRAY] }],
    isVariadic: true,
    atMost: 32,
    returns: "same",
  },
  decode_base64: { parameters: [SOURCE], returns: "string", phases: [...TRANSFORM, CUSTOM, RATE_LIMIT] },
  encode_base64: { parameters: [text("input"), FLAGS], returns: "string", phases: [REQUEST_HEADERS, RESPONSE_HEADERS] },
  ends_with: { parameters: [SOURCE, text("substring")], returns: "bool" },
  has_key: { parameters: [{ name: "map", types: [MAP] }, text("key")], returns: "bool" },
  has_value: {
    parameters: [
      { name: "map", types: [ARRAY, MAP] },
      { name: "value", types: SCALARS },
    ],
    returns: "bool",
  },
  hash_in_range: {
    parameters: [int("start"), int("end"), { name: "field", types: SCALARS, only: "value" }],
    isVariadic: true,
    returns: "int",
  },
  is_timed_hmac_valid_v0: {
    parameters: [
      text("Key", "literal"),
      text("MessageMAC", "value"),
      int("ttl", "literal"),
      int("currentTimeStamp"),
      { ...int("lengthOfSeparator", "literal"), isOptional: true },
      FLAGS,
    ],
    returns: "bool",
    needs: "Pro",
  },
  join: {
    parameters: [{ name: "items", types: [{ array: "string" }] }, text("separator")],
    returns: "string",
    phases: [...TRANSFORM, CUSTOM, ERRORS],
  },
  len: { parameters: [{ types: ["string", ARRAY], only: "value" }], returns: "int" },
  lookup_json_integer: { parameters: [text("field", "value"), KEY], isVariadic: true, returns: "int" },
  lookup_json_string: { parameters: [text("field", "value"), KEY], isVariadic: true, returns: "string" },
  lower: { parameters: [SOURCE], returns: "string" },
  regex_replace: {
    parameters: [
      text("source"),
      { ...text("regular_expression", "literal"), is: "regex" },
      text("replacement", "literal"),
    ],
    returns: "string",
    phases: [...TRANSFORM, REDIRECT],
    isOnce: true,
    isForValues: true,
  },
  remove_bytes: { parameters: [SOURCE, text("bytes", "literal")], returns: "string" },
  remove_query_args: {
    parameters: [text("field", "value"), text("query_param", "literal")],
    isVariadic: true,
    returns: "string",
    phases: TRANSFORM,
    isForValues: true,
  },
  sha256: { parameters: [text("input")], returns: "string", needs: "Enterprise add-on" },
  split: {
    parameters: [
      text("input", "value"),
      { ...text("separator", "literal"), is: "non-empty" },
      { ...int("limit", "literal"), range: [1, 128], isOptional: true },
    ],
    returns: { array: "string" },
    phases: [RESPONSE_HEADERS, ERRORS],
  },
  starts_with: { parameters: [SOURCE, text("substring")], returns: "bool" },
  substring: {
    parameters: [text("field", "value"), int("start"), { ...int("end"), isOptional: true }],
    returns: "string",
  },
  to_string: {
    parameters: [{ types: ["int", "bool", "ip"] }],
    returns: "string",
    phases: [...TRANSFORM, REDIRECT],
    isForValues: true,
  },
  upper: { parameters: [SOURCE], returns: "string" },
  url_decode: { parameters: [SOURCE, { ...FLAGS, name: "options" }], returns: "string" },
  uuidv4: { parameters: [SOURCE], returns: "string", phases: TRANSFORM, isForValues: true },
  wildcard_replace: {
    parameters: [
      SOURCE,
      { ...text("wildcard_pattern", "literal"), is: "wildcard" },
      text("replacement", "literal"),
      FLAGS,
    ],
    returns: "string",
    phases: [URL_REWRITE, REDIRECT],
    isOnce: true,
    isForValues: true,
  },
};

/** The functions of the language by name, as the documentation had them on `TABLE_DATE`. */
export const FUNCTIONS: ReadonlyMap<string, FunctionEntry> = new Map(Object.entries(TABLE));

function text(name: string, only?: "literal" | "value"): Parameter {
  return { name, types: ["string"], ...(only && { only }) };
}

function int(name: string, only?: "literal" | "value"): Parameter {
  return { name, types: ["int"], ...(only && { only }) };
}
