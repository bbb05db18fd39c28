import { optionalText } from "../../core/decode.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { StateError } from "../error.ts";
import type { Cipher } from "./cipher.ts";

const FORMAT = "zoneform-sealed";
const VERSION = 1;

/** The least of a sealed line: salt, nonce and tag, in Base64. */
const SEALED = /^[A-Za-z0-9+/]{58,}={0,2}$/;

/** What the lines are part of: `state`, `journal`, or a record that is kept, by its name. */
export type Part = "state" | "journal" | `record ${string}`;

/** How lines are opened. */
export interface Opening {
  /** The passphrase of now and the one before; none where no passphrase is set. */
  readonly ciphers: readonly Cipher[];
  /** Whether lines that are not sealed are read all the same. */
  readonly acceptsPlain: boolean;
  readonly part: Part;
  /** Where the lines are, for messages. */
  readonly where: string;
}

/** Seals lines. The first one of a state keeps its serial in the clear, for the names of its copies, and bound to the rest. */
export async function* sealLines(cipher: Cipher, part: Part, lines: AsyncIterable<string>): AsyncIterable<string> {
  let number = 0;
  for await (const line of lines) {
    number += 1;
    yield sealLine(cipher, part, number, line);
  }
}

/** The number-th line, sealed. */
export function sealLine(cipher: Cipher, part: Part, number: number, line: string): string {
  if (part !== "state" || number > 1) return cipher.seal(placeOf(part, number), line);
  const serial = Number(parsed(line)?.["serial"] ?? 0);
  return JSON.stringify({
    format: FORMAT,
    version: VERSION,
    serial,
    sealed: cipher.seal(headerPlace(serial), line),
  });
}

/**
 * Opens lines. One that does not open is given as it is, for whoever reads it to say that it is damaged; but where no line
 * opens at all it is the passphrase that is wrong. Throws `StateError` then, for lines that are sealed where no
 * passphrase is set, and for lines that are not sealed where one is.
 */
export async function* openLines(opening: Opening, lines: AsyncIterable<string>): AsyncIterable<string> {
  const closed: string[] = [];
  let number = 0;
  let isOpen = false;
  for await (const line of lines) {
    number += 1;
    const opened = openLine(opening, number, line);
    if (opened === undefined && !isOpen) {
      closed.push(line);
      continue;
    }
    isOpen = true;
    yield* closed.splice(0);
    yield opened ?? line;
  }
  if (closed.length > 0) throw notOpened(opening);
}

/** As `openLines`, and never refuses a line: for whoever mends what is damaged. */
export async function* openLoosely(opening: Opening, lines: AsyncIterable<string>): AsyncIterable<string> {
  let number = 0;
  for await (const line of lines) {
    number += 1;
    yield tried({ ...opening, acceptsPlain: true }, number, line) ?? line;
  }
}

function openLine(opening: Opening, number: number, line: string): string | undefined {
  const { ciphers, acceptsPlain, where } = opening;
  if (ciphers.length === 0 && number === 1 && isSealed(line)) throw sealed(where);
  if (ciphers.length > 0 && isPlain(line) && !acceptsPlain) throw plain(where);
  return tried(opening, number, line);
}

function tried({ ciphers, part }: Opening, number: number, line: string): string | undefined {
  if (isPlain(line) || ciphers.length === 0) return line;
  const header = part === "state" && number === 1 ? parsed(line) : undefined;
  const place = header ? headerPlace(Number(header["serial"])) : placeOf(part, number);
  const text = header ? (optionalText(header, "sealed") ?? "") : line;
  for (const cipher of ciphers) {
    const opened = cipher.open(place, text);
    if (opened !== undefined) return opened;
  }
  return undefined;
}

function placeOf(part: Part, number: number): string {
  return `${part} ${number}`;
}

function headerPlace(serial: number): string {
  return `state 1 serial ${serial}`;
}

/** What is written without a seal is JSON, and no sealed line but the header of a state begins as JSON does. */
function isPlain(line: string): boolean {
  return line.startsWith("{") && !isSealed(line);
}

/** Whether it looks like a sealed line; what is damaged may look like neither. */
function isSealed(line: string): boolean {
  return line.startsWith("{") ? parsed(line)?.["format"] === FORMAT : SEALED.test(line);
}

function parsed(line: string): JsonObject | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function sealed(where: string): StateError {
  return new StateError({
    code: "state-sealed",
    message: `${where} is encrypted, and no passphrase is set`,
    remedy: "set ZONEFORM_STATE_PASSPHRASE to the passphrase that it was written with",
  });
}

function plain(where: string): StateError {
  return new StateError({
    code: "state-not-sealed",
    message: `${where} is not encrypted, and a passphrase is set`,
    remedy: "if it may be trusted, set ZONEFORM_STATE_PLAIN=accept for one apply, which encrypts it",
  });
}

function notOpened({ where }: Opening): StateError {
  return new StateError({
    code: "state-not-opened",
    message: `${where} cannot be decrypted: the passphrase is another one, or somebody changed the file`,
    remedy: "set ZONEFORM_STATE_PASSPHRASE to the passphrase that it was written with; nothing was changed",
  });
}
