import { isIPv4, isIPv6 } from "node:net";
import { isObject, type Json, type JsonObject } from "./json.ts";
import { ServiceError } from "./messages.ts";

/** How a member of `data` stands in the content: a number up to a limit, a word, a text in quotes, the rest, or a length in metres. */
type Part = number | "seconds" | "metres" | "word" | "text" | "rest";

const BYTE = 255;
const SHORT = 65_535;
const SERVICE_BINDING = { priority: SHORT, target: "word", value: "rest" } as const;
const CERTIFICATE_HASH = { usage: BYTE, selector: BYTE, matching_type: BYTE, certificate: "word" } as const;

/** The types of records that have `data`: its members, in the order in which the content has them (docs/service.md#dns-records). */
const STRUCTURED: Readonly<Record<string, Readonly<Record<string, Part>>>> = {
  CAA: { flags: BYTE, tag: "word", value: "text" },
  CERT: { type: SHORT, key_tag: SHORT, algorithm: BYTE, certificate: "word" },
  DNSKEY: { flags: SHORT, protocol: BYTE, algorithm: BYTE, public_key: "word" },
  DS: { key_tag: SHORT, algorithm: BYTE, digest_type: BYTE, digest: "word" },
  HTTPS: SERVICE_BINDING,
  LOC: {
    lat_degrees: 90,
    lat_minutes: 59,
    lat_seconds: "seconds",
    lat_direction: "word",
    long_degrees: 180,
    long_minutes: 59,
    long_seconds: "seconds",
    long_direction: "word",
    altitude: "metres",
    size: "metres",
    precision_horz: "metres",
    precision_vert: "metres",
  },
  NAPTR: { order: SHORT, preference: SHORT, flags: "text", service: "text", regex: "text", replacement: "word" },
  SMIMEA: CERTIFICATE_HASH,
  SRV: { priority: SHORT, weight: SHORT, port: SHORT, target: "word" },
  SSHFP: { algorithm: BYTE, type: BYTE, fingerprint: "word" },
  SVCB: SERVICE_BINDING,
  TLSA: CERTIFICATE_HASH,
  URI: { weight: SHORT, target: "text" },
};

/** The other types, each with whether a content is valid, and what is answered for one that is not. 1004 is inferred. */
const PLAIN: Readonly<Record<string, readonly [is: (content: string) => boolean, code: number, text: string]>> = {
  A: [isIPv4, 9005, "Content for A record must be a valid IPv4 address."],
  AAAA: [isIPv6, 9006, "Content for AAAA record must be a valid IPv6 address."],
  CNAME: [isName, 9007, "Content for CNAME record is invalid."],
  MX: [isName, 1004, "DNS Validation Error: Content for MX record must be a hostname."],
  NS: [isName, 1004, "DNS Validation Error: Content for NS record must be a hostname."],
  OPENPGPKEY: [isFilled, 1004, "DNS Validation Error: content is required"],
  PTR: [isName, 1004, "DNS Validation Error: Content for PTR record must be a hostname."],
  TXT: [isFilled, 1004, "DNS Validation Error: content is required"],
};

/** The types with a priority of their own, beside the content. */
const WITH_PRIORITY: ReadonlySet<string> = new Set(["MX", "URI"]);

/** What the type of a record decides about it. */
export interface RecordContent {
  readonly content: string;
  readonly data: JsonObject | undefined;
  readonly priority: number | undefined;
}

/** Whether there are records of the type. */
export function isRecordType(type: string): boolean {
  return Object.hasOwn(STRUCTURED, type) || Object.hasOwn(PLAIN, type);
}

/**
 * Reads the content of a record of a known type. `data` and `content` say the same; `data` counts if a body has both. Throws
 * 9005 to 9007 or 1004 for a wrong content, and 9101 for a member of `data` that is missing or wrong.
 */
export function readContent(type: string, body: JsonObject): RecordContent {
  const priority = WITH_PRIORITY.has(type) ? readNumber("priority", body["priority"], SHORT) : undefined;
  const parts = STRUCTURED[type];
  const sent = typeof body["content"] === "string" ? body["content"].trim() : "";
  if (parts !== undefined) {
    const given = isObject(body["data"]) ? body["data"] : parsed(parts, sent);
    const data = Object.fromEntries(
      Object.entries(parts).map(([name, part]) => [name, readPart(name, part, given[name])]),
    );
    return { content: written(parts, data), data, priority };
  }
  const [isValid, code, message] = PLAIN[type] ?? [isFilled, 1004, ""];
  const content = isValid === isName ? sent.toLowerCase().replace(/(?<=.)\.$/, "") : sent;
  if (!isValid(content)) throw new ServiceError(400, { code, message });
  return { content, data: undefined, priority };
}

function readPart(name: string, part: Part, value: Json | undefined): Json {
  if (typeof part === "number") return readNumber(name, value, part);
  if (part === "seconds") return readNumber(name, value, 59.999);
  if (part === "metres") return readNumber(name, value ?? 0, 90_000_000, -100_000);
  if (typeof value !== "string" || (part === "word" && value === "")) throw required(name);
  return part === "word" ? value.replace(/(?<=.)\.$/, "") : value;
}

/** A number, which clients also send as a string. */
function readNumber(name: string, value: Json | undefined, most: number, least = 0): number {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  if (typeof number !== "number" || Number.isNaN(number) || number < least || number > most) throw required(name);
  return number;
}

/** The text of users' reports. The service also answers it for a wrong value (inferred). */
function required(name: string): ServiceError {
  return new ServiceError(400, { code: 9101, message: `${name} is a required data field.` });
}

/** The members of a content. The first ones that are missing, as in an SRV record that leaves out its priority, are an error. */
function parsed(parts: Readonly<Record<string, Part>>, content: string): JsonObject {
  const words = content.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? [];
  const entries = Object.entries(parts).map(([name, part], index): [string, Json] => {
    const word = part === "rest" ? words.slice(index).join(" ") : (words[index] ?? "");
    return [name, part === "metres" ? word.replace(/m$/, "") : part === "text" ? unquoted(word) : word];
  });
  return Object.fromEntries(entries.filter(([name, value]) => value !== "" || parts[name] === "rest"));
}

function written(parts: Readonly<Record<string, Part>>, data: JsonObject): string {
  return Object.entries(parts)
    .map(([name, part]) => writtenPart(part, data[name]))
    .join(" ")
    .trim();
}

function writtenPart(part: Part, value: Json | undefined): string {
  if (part === "text") return JSON.stringify(value);
  if (part === "metres") return `${Number(value).toFixed(2)}m`;
  return part === "seconds" ? Number(value).toFixed(3) : typeof value === "object" ? "" : String(value ?? "");
}

function unquoted(word: string): string {
  return word.startsWith('"') ? word.slice(1, -1).replace(/\\(.)/g, "$1") : word;
}

function isName(content: string): boolean {
  return (
    content === "." ||
    (content.length < 256 &&
      /^(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/.test(content) &&
      !isIPv4(content))
  );
}

function isFilled(content: string): boolean {
  return content !== "";
}
