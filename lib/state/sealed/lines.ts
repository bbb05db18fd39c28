import { optionalText } from "../../core/decode.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import type { Cipher } from "./cipher.ts";
import { notOpenedFault, plainFault, sealedFault } from "./faults.ts";

const FORMAT = "zoneform-sealed";
const VERSION = 1;

/** The least of a sealed line: salt, nonce and tag, in Base64. */
const SEALED = /^[A-Za-z0-9+/]{58,}={0,2}$/;

/** What stands for a line that was sealed and does not open: JSON, so that nobody takes it for one that a crash cut short. */
const DAMAGED = "{}";

/** What the lines are part of: `state`, `journal`, or a record that is kept, by its name. */
export type Part = "state" | "journal" | `record ${string}`;

/** How lines are opened. */
export interface Opening {
  /** The passphrase of now and the one before; none where no passphrase is set. Asked for when there is a line. */
  readonly ciphers: () => Promise<readonly Cipher[]>;
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
 * Opens lines. One that was sealed and does not open is given as one that is damaged, for whoever reads it to say so; but
 * where not one of the sealed lines opens it may be the passphrase that is wrong. Throws `StateError` then, for lines that
 * are sealed where no passphrase is set, and for lines that are not sealed where one is.
 */
export async function* openLines(opening: Opening, lines: AsyncIterable<string>): AsyncIterable<string> {
  const closed: string[] = [];
  let number = 0;
  let isOpen = false;
  let hasSealed = false;
  for await (const line of lines) {
    number += 1;
    const ciphers = await opening.ciphers();
    refuse(opening, ciphers, number, line);
    const opened = ciphers.length === 0 ? line : openLine(opening.part, ciphers, number, line);
    const isClosed = opened === undefined && isSealed(line);
    hasSealed ||= isClosed;
    const given = opened ?? (isClosed ? DAMAGED : line);
    if (opened === undefined && !isOpen) {
      closed.push(given);
      continue;
    }
    isOpen = true;
    yield* closed.splice(0);
    yield given;
  }
  // Of lines that were cut short or overwritten none is sealed any more, and no passphrase would open them.
  if (!isOpen && hasSealed) throw notOpenedFault(opening.where);
  yield* closed;
}

function refuse({ acceptsPlain, where }: Opening, ciphers: readonly Cipher[], number: number, line: string): void {
  if (ciphers.length === 0 && number === 1 && isSealed(line)) throw sealedFault(where);
  if (ciphers.length > 0 && !acceptsPlain && isPlain(line)) throw plainFault(where);
}

/** The line as it was before it was sealed, or as it is where it never was; undefined where it does not open. */
export function openLine(part: Part, ciphers: readonly Cipher[], number: number, line: string): string | undefined {
  if (isPlain(line)) return line;
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

/** What is written without a seal is whole JSON, and of sealed lines only the header of a state is. */
export function isPlain(line: string): boolean {
  const value = parsed(line);
  return value !== undefined && value["sealed"] === undefined;
}

/** Whether it looks like a sealed line; one that a crash cut short looks like none. */
export function isSealed(line: string): boolean {
  return line.startsWith("{") ? parsed(line)?.["sealed"] !== undefined : line.length % 4 === 0 && SEALED.test(line);
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
