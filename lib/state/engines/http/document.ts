import { problem } from "../../../core/diagnostic.ts";
import { gunzipSync, gzipSync } from "node:zlib";
import { type Codec, named, optional, struct } from "../../../core/codec.ts";
import {
  boolean,
  decodeOr,
  objects,
  optionalNumber,
  optionalObject,
  optionalText,
  text,
  texts,
  wholeNumber,
} from "../../../core/decode.ts";
import { isObject, type JsonObject } from "../../../core/json.ts";
import type { Entry } from "../../engine.ts";
import { StateError } from "../../error.ts";
import { decodeHolder, encodeHolder, type LockHolder } from "../../lock.ts";
import { foreignState, notAState, webPage } from "./failure.ts";

/**
 * The format version, in the place of Terraform's own. It is so high that Terraform refuses to read the state, instead
 * of taking it for an empty one.
 */
const VERSION = 1000;
const FORMAT = "zoneform-http-1";

/** Everything that is stored for a zone: one JSON object, replaced as a whole. */
export interface Contents {
  /** Rises with each holder of the lock. */
  readonly fence: number;
  /** Who took the lock last. */
  readonly holder: LockHolder | undefined;
  /** Whether that holder still has it. */
  readonly isLocked: boolean;
  /**
   * Where the server was seen to enforce its locks: it gave the lock to nobody else, and refused a write under another
   * id.
   */
  readonly strictAt?: string | undefined;
  /** The highest serial of a state that a holder of the lock found. */
  readonly highest: number;
  readonly entries: readonly StoredEntry[];
  readonly journal: readonly string[];
}

/** Compressed lines. Each write sends everything, and these are read rarely. */
type Packed = string;

/** An entry with its lines. They are absent if its start has all of them. */
export interface StoredEntry extends Entry {
  readonly content?: readonly string[] | Packed;
}

const ENTRY: Codec<StoredEntry> = struct<StoredEntry>({
  name: text,
  tag: text,
  bytes: wholeNumber,
  start: texts,
  isWhole: named("whole", boolean),
  content: (from, name) => (typeof from[name] === "string" ? text(from, name) : optional(texts)(from, name)),
});

/** The contents as one write left them. */
export interface Stored<Body> {
  /** Rises with each write. GitLab and Gitea name their versions by it. */
  readonly serial: number;
  readonly lineage: string;
  /** The id of exactly one write. */
  readonly write: string;
  readonly body: Body;
}

/** A zone that has nothing stored. */
export const NOTHING: Contents = {
  fence: 0,
  holder: undefined,
  isLocked: false,
  highest: 0,
  entries: [],
  journal: [],
};

/** Writes the JSON object around a body. The serial comes first, because GitLab reads only up to it. */
export function encodeStored(kind: "zone" | "index", { serial, lineage, write, body }: Stored<JsonObject>): string {
  return JSON.stringify({ version: VERSION, serial, lineage, zoneform: { format: FORMAT, kind, write, ...body } });
}

/**
 * Reads the JSON object around a body. Throws `StateError` for a web page, a damaged object, and an object of another
 * program.
 */
export function decodeStored(kind: "zone" | "index", body: string, where: string): Stored<JsonObject> {
  const found = parsed(body, where);
  const inner = optionalObject(found, "zoneform");
  if (!inner) throw foreignState(where, whoseState(found));
  if (inner["format"] !== FORMAT) throw newer(where);
  return readWhole(where, () => {
    if (text(inner, "kind") !== kind) throw foreignState(where, "another part of Zoneform's states");
    const [serial, lineage] = [wholeNumber(found, "serial"), text(found, "lineage")];
    return { serial, lineage, write: text(inner, "write"), body: inner };
  });
}

function parsed(body: string, where: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw /^\s*</.test(body) ? webPage(where) : notAState(where, "the answer is no whole JSON");
  }
  if (!isObject(value)) throw notAState(where, "the answer is no JSON object");
  return value;
}

function whoseState(found: JsonObject): string {
  return optionalText(found, "terraform_version") === undefined ? "of another program" : "a state of Terraform";
}

function newer(where: string): StateError {
  return new StateError(problem("state-newer", { what: `the state at ${where}`, versions: "" }));
}

/** Runs a decoder. Throws `StateError` if the object is damaged. */
export function readWhole<T>(where: string, read: () => T): T {
  return decodeOr(read, (cause) => {
    const message = `the state at ${where} is damaged: ${cause.message}`;
    throw new StateError(problem("state-damaged", { message }), { cause });
  });
}

/** The owner of contents, so that a copy of another zone's object in its place is noticed. */
export interface Owner {
  readonly project: string;
  readonly zone: string;
}

/** The contents as JSON. */
export function encodeContents({ project, zone }: Owner, contents: Contents): JsonObject {
  const { fence, holder, isLocked, strictAt, highest, entries, journal } = contents;
  return {
    project,
    zone,
    fence,
    is_held: isLocked,
    ...(strictAt === undefined ? {} : { strict_at: strictAt }),
    highest,
    ...(holder ? { holder: encodeHolder(holder) } : {}),
    entries: entries.map(ENTRY.encode),
    journal,
  };
}

/** Decodes the contents. Throws `StateError` if they are damaged or belong to another zone. */
export function decodeContents(owner: Owner, from: JsonObject, where: string): Contents {
  return readWhole(where, () => {
    if (text(from, "project") !== owner.project || text(from, "zone") !== owner.zone)
      throw foreignState(where, "the state of another project or zone");
    const holder = optionalObject(from, "holder");
    return {
      fence: wholeNumber(from, "fence"),
      holder: holder && decodeHolder(holder),
      isLocked: from["is_held"] === true,
      strictAt: optionalText(from, "strict_at"),
      highest: optionalNumber(from, "highest") ?? 0,
      entries: objects(from, "entries").map(ENTRY.decode),
      journal: texts(from, "journal"),
    };
  });
}

/** Compresses lines. */
export function pack(lines: readonly string[]): Packed {
  return gzipSync(lines.map((line) => `${line}\n`).join("")).toString("base64");
}

/** The lines of a pack. Throws an `Error` if it is damaged. */
export function unpack(packed: Packed): readonly string[] {
  return gunzipSync(Buffer.from(packed, "base64")).toString("utf8").split("\n").slice(0, -1);
}
