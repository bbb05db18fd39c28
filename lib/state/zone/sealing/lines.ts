import { createHash } from "node:crypto";
import { optionalText } from "../../../core/decode.ts";
import { type JsonObject, parseObject } from "../../../core/json.ts";
import { refuseNewer } from "../../error.ts";
import type { Cipher } from "./cipher.ts";
import { notDecryptedFault, plainFault, sealedFault } from "./faults.ts";
import type { Seal } from "../../engine.ts";

const FORMAT = "zoneform-sealed";
const VERSION = 1;

/** The length of the shortest encrypted line after its origin: salt, nonce and tag, in Base64. */
const SHORTEST_SEALED = 60;
/** Searched for, because a pattern that matches a whole line of 45 MB overflows the stack. */
const NOT_BASE64 = /[^A-Za-z0-9+/]/;

/**
 * Replaces an encrypted line that cannot be decrypted. It is JSON, so that it is not taken for a line that a crash cut
 * off.
 */
const DAMAGED = "{}";

/** The part that the lines belong to: `state`, `journal`, or a kept record, by its name. */
export type Part = "state" | "journal" | `record ${string}`;

/** How to decrypt lines. */
export interface Decryption {
  /** The ciphers of the present and the previous passphrase; empty without a passphrase. Called at the first line. */
  readonly ciphers: () => Promise<readonly Cipher[]>;
  /** Whether to read lines that are not encrypted. */
  readonly acceptsPlain: boolean;
  readonly part: Part;
  /** Where the lines are, for messages. */
  readonly where: string;
}

/** Gives the lines of a part their origin; called once, with the first line. */
type Originating = (first: string) => Promise<Origin>;

/**
 * Encrypts lines. The first line of a state keeps its serial in the clear, for the names of its copies, but bound to
 * the rest.
 */
export async function* sealLines(
  cipher: Cipher,
  part: Part,
  lines: AsyncIterable<string>,
  originating: Originating,
): AsyncIterable<string> {
  let number = 0;
  let origin: Origin | undefined;
  for await (const line of lines) {
    number += 1;
    origin ??= await originating(line);
    yield sealLine(cipher, part, number, line, origin);
  }
}

/** Encrypts the line with that number. */
export function sealLine(cipher: Cipher, part: Part, number: number, line: string, origin: Origin): string {
  const sealedFor = (place: string): string => `${writtenOrigin(origin)}${cipher.seal(place, line)}`;
  if (part !== "state" || number > 1) return sealedFor(placeOf(part, number, origin));
  const serial = Number(parsed(line)?.["serial"] ?? 0);
  return JSON.stringify({
    format: FORMAT,
    version: VERSION,
    serial,
    sealed: sealedFor(headerPlace(serial, origin)),
  });
}

/**
 * Decrypts lines. An encrypted line that cannot be decrypted is returned as a damaged one, so that the reader reports
 * it; but if none of them can be, the passphrase may be wrong, and this throws `StateError`. It also throws for
 * encrypted lines without a passphrase, and for unencrypted lines although there is one. A line of another lineage or
 * epoch than the lines before it counts as damaged, even if it can be decrypted.
 */
export async function* decryptLines(decryption: Decryption, lines: AsyncIterable<string>): AsyncIterable<string> {
  const unread: string[] = [];
  const isNext = inOneOrigin(decryption.part);
  let number = 0;
  let isReadable = false;
  let hasSealed = false;
  for await (const line of lines) {
    number += 1;
    const ciphers = await decryption.ciphers();
    refuse(decryption, ciphers, number, line);
    const decrypted = ciphers.length === 0 ? line : decryptLine(decryption.part, ciphers, number, line);
    const isUnreadable = decrypted === undefined && isSealed(line);
    hasSealed ||= isUnreadable;
    const given = isUnreadable || (decrypted !== undefined && !isNext(line)) ? DAMAGED : (decrypted ?? line);
    if (decrypted === undefined && !isReadable) {
      unread.push(given);
      continue;
    }
    isReadable = true;
    yield* unread.splice(0);
    yield given;
  }
  // Truncated or overwritten lines can never be decrypted, and no longer look encrypted.
  if (!isReadable && hasSealed) throw notDecryptedFault(decryption.where);
  yield* unread;
}

function refuse({ acceptsPlain, where }: Decryption, ciphers: readonly Cipher[], number: number, line: string): void {
  if (number === 1 && isSealed(line)) {
    refuseNewer(parsed(line) ?? {}, VERSION, "the state", where);
    if (ciphers.length === 0) throw sealedFault(where);
  }
  if (ciphers.length > 0 && !acceptsPlain && isPlain(line)) throw plainFault(where);
}

/** Returns a function that says of each line in turn whether it can follow the lines before it. */
function inOneOrigin(part: Part): (line: string) => boolean {
  let before: Origin | undefined;
  return (line) => {
    const { origin } = isPlain(line) ? {} : unpacked(part, line);
    if (!origin) return true;
    if (before && !isContinued(part === "journal", before, origin)) return false;
    before = origin;
    return true;
  };
}

/**
 * Decrypts one line: the text before encryption, or the line itself if it never was encrypted; undefined if it cannot
 * be decrypted.
 */
export function decryptLine(part: Part, ciphers: readonly Cipher[], number: number, line: string): string | undefined {
  if (isPlain(line)) return line;
  const { origin, serial, rest } = unpacked(part, line);
  if (!origin) return undefined;
  const place = serial !== undefined && number === 1 ? headerPlace(serial, origin) : placeOf(part, number, origin);
  for (const cipher of ciphers) {
    const decrypted = cipher.decrypt(place, rest);
    if (decrypted !== undefined) return decrypted;
  }
  return undefined;
}

interface Unpacked {
  readonly origin: Origin | undefined;
  readonly rest: string;
  /** Only the header of a state has one. */
  readonly serial?: number;
}

/** The readable parts of an encrypted line. */
function unpacked(part: Part, line: string): Unpacked {
  const header = part === "state" ? parsed(line) : undefined;
  if (!header) return splitOrigin(line);
  return { ...splitOrigin(optionalText(header, "sealed") ?? ""), serial: Number(header["serial"]) };
}

function placeOf(part: Part, number: number, origin: Origin): string {
  return `${part} ${number}${boundOrigin(origin)}`;
}

function headerPlace(serial: number, origin: Origin): string {
  return `state 1 serial ${serial}${boundOrigin(origin)}`;
}

/** A line that was written without encryption is complete JSON; of the encrypted lines, only a state's header is. */
export function isPlain(line: string): boolean {
  const value = parsed(line);
  return value !== undefined && value["sealed"] === undefined;
}

/** Whether it looks like an encrypted line; one that a crash cut off does not. */
export function isSealed(line: string): boolean {
  if (line.startsWith("{")) return parsed(line)?.["sealed"] !== undefined;
  const { rest } = splitOrigin(line);
  return rest.length % 4 === 0 && rest.length >= SHORTEST_SEALED && !NOT_BASE64.test(rest.replace(/={1,2}$/, ""));
}

function parsed(line: string): JsonObject | undefined {
  return line.startsWith("{") ? parseObject(line) : undefined;
}

/**
 * Which state an encrypted line belongs to, and under which lock it was written. It stands unencrypted before the line,
 * and the line can be decrypted only with it.
 */
export interface Origin {
  /** A short digest of the state's lineage, because the lineage itself stays hidden; `-` if there was no state yet. */
  readonly lineage: string;
  /** The fence of the lease, which rises with each holder. */
  readonly epoch: number;
}

/** 72 bits, in Base64 for URLs: two lineages never share them by chance. */
const LINEAGE_CHARACTERS = 12;
const NO_LINEAGE = "-";

const WRITTEN = /^(\d{1,15})\.([A-Za-z0-9_-]{12}|-)\./;

/** The origin of lines that the holder of a lease writes to a state of this lineage. */
export function originOf(lineage: string | undefined, epoch: number): Origin {
  if (lineage === undefined) return { lineage: NO_LINEAGE, epoch };
  return { lineage: createHash("sha256").update(lineage).digest("base64url").slice(0, LINEAGE_CHARACTERS), epoch };
}

/** The origin as written before a line. */
function writtenOrigin({ epoch, lineage }: Origin): string {
  return `${epoch}.${lineage}.`;
}

/** The origin as part of the place that the line is bound to. */
function boundOrigin({ epoch, lineage }: Origin): string {
  return ` lineage ${lineage} epoch ${epoch}`;
}

/** A line without its origin, and the origin, if it begins with one. */
function splitOrigin(line: string): { readonly origin: Origin | undefined; readonly rest: string } {
  const [all = "", epoch, lineage] = WRITTEN.exec(line) ?? [];
  if (epoch === undefined || lineage === undefined) return { origin: undefined, rest: line };
  return { origin: { lineage, epoch: Number(epoch) }, rest: line.slice(all.length) };
}

/** Whether one part can have both lines, the second after the first. A later holder may continue a journal. */
function isContinued(isJournal: boolean, before: Origin, next: Origin): boolean {
  if (next.lineage !== before.lineage) return false;
  return isJournal ? next.epoch >= before.epoch : next.epoch === before.epoch;
}

/** How far away a repair looks for the original place of a line: a lost or added line end moves the lines after it. */
const FARTHEST = 8;

/** Replaces a line that was written without the passphrase; it cannot be mistaken for a complete line. */
const NOT_OURS = "";

/**
 * Like `decryptLines`, for repairs: it refuses nothing, and finds lines that moved. It empties an unencrypted line where
 * all should be encrypted, and a line of another lineage or an earlier epoch, so that nothing that was written without
 * the passphrase is kept.
 */
export async function* decryptLoosely(decryption: Decryption, lines: AsyncIterable<string>): AsyncIterable<string> {
  const isNext = inOneOrigin(decryption.part);
  let number = 0;
  let shift = 0;
  for await (const line of lines) {
    number += 1;
    const ciphers = await decryption.ciphers();
    const found = isSealed(line) ? nearest(decryption.part, ciphers, number, shift, line) : undefined;
    shift = found?.shift ?? shift;
    const isUnsealed = ciphers.length > 0 && !decryption.acceptsPlain && isPlain(line);
    const isStrange = isUnsealed || (found !== undefined && !isNext(line));
    yield isStrange ? NOT_OURS : (found?.text ?? line);
  }
}

/** Whether any of the lines is encrypted, and whether one of them can be decrypted, in its place or near it. */
export async function sealOf({ part, ciphers }: Decryption, lines: AsyncIterable<string>): Promise<Seal> {
  let number = 0;
  let found: Seal = "none";
  for await (const line of lines) {
    number += 1;
    if (!isSealed(line)) continue;
    if (nearest(part, await ciphers(), number, 0, line)) return "readable";
    found = "unreadable";
  }
  return found;
}

function nearest(
  part: Part,
  ciphers: readonly Cipher[],
  number: number,
  shift: number,
  line: string,
): { readonly text: string; readonly shift: number } | undefined {
  for (let distance = 0; distance <= FARTHEST; distance += 1) {
    for (const candidate of distance === 0 ? [shift] : [shift - distance, shift + distance]) {
      const text = decryptLine(part, ciphers, number + candidate, line);
      if (text !== undefined) return { text, shift: candidate };
    }
  }
  return undefined;
}
