import type { Scanner } from "./scanner.ts";
import { textOfBytes, wellFormed } from "./utf8.ts";

/** A string as it was read: its value, and the number of `#` of a raw one. */
export interface ReadString {
  readonly value: string;
  readonly hashes?: number;
}

/** How the backslashes of a quoted string are read. A raw string has none. */
export type Escaping = "basic" | "regex";

/** Reads a quoted or a raw string. Reports what is wrong and returns undefined if there is none. */
export function readString(scanner: Scanner, escaping: Escaping): ReadString | undefined {
  if (scanner.next === "r") return readRaw(scanner);
  return escaping === "basic" ? readQuoted(scanner) : readQuotedRegex(scanner);
}

/** The most `#` of a raw string. */
const MAX_HASHES = 255;
const HASHES = /#*/y;

function readRaw(scanner: Scanner): ReadString | undefined {
  const begin = scanner.at;
  scanner.at += 1;
  const hashes = scanner.peek(HASHES);
  scanner.at += hashes.length;
  if (hashes.length > MAX_HASHES) {
    const message = `this raw string begins with ${hashes.length} #, at most ${MAX_HASHES} are allowed`;
    scanner.report("syntax", scanner.since(begin), message);
    return undefined;
  }
  if (!scanner.take('"')) {
    scanner.report("syntax", scanner.since(begin), `a raw string begins with r${hashes}"`, 'write a " here');
    return undefined;
  }
  const start = scanner.at;
  const close = `"${hashes}`;
  const end = scanner.text.indexOf(close, start);
  scanner.at = end === -1 ? scanner.text.length : end + close.length;
  if (end === -1) {
    scanner.isCutShort = true;
    const span = { start: begin, end: start };
    scanner.report("syntax", span, "this raw string is never closed", `close it with ${close}`);
    return undefined;
  }
  return { value: wellFormed(scanner.text.slice(start, end)), hashes: hashes.length };
}

/** What has no special meaning in a quoted string. */
const PLAIN = /[^"\\]*/y;

function readQuoted(scanner: Scanner): ReadString | undefined {
  const begin = scanner.at;
  scanner.at += 1;
  const plain = scanner.peek(PLAIN);
  scanner.at += plain.length;
  if (scanner.take('"')) return { value: wellFormed(plain) };
  return readEscaped(scanner, begin, plain);
}

/** The rest of a quoted string from its first backslash on. It may hold bytes that are no text. */
function readEscaped(scanner: Scanner, begin: number, plain: string): ReadString | undefined {
  const pieces: (string | number)[] = [plain];
  let isGood = true;
  for (;;) {
    const piece = scanner.peek(PLAIN);
    if (piece !== "") pieces.push(piece);
    scanner.at += piece.length;
    if (scanner.take('"')) break;
    if (scanner.next === "") return reportUnclosed(scanner, begin);
    const escaped = readEscape(scanner);
    if (escaped === undefined) isGood = false;
    else pieces.push(escaped);
  }
  return isGood ? { value: joined(pieces) } : undefined;
}

const ESCAPE = /\\(?:["\\]|x[0-9A-Fa-f]{2}|[0-7]{3})/y;

/** A character, or the number of a byte. */
function readEscape(scanner: Scanner): string | number | undefined {
  const start = scanner.at;
  const escape = scanner.peek(ESCAPE);
  const byte = escape[1] === "x" ? Number.parseInt(escape.slice(2), 16) : Number.parseInt(escape.slice(1), 8);
  if (escape !== "" && !(byte > 0xff)) {
    scanner.at += escape.length;
    return Number.isNaN(byte) ? escape.charAt(1) : byte;
  }
  scanner.at += scanner.text.codePointAt(start + 1) === undefined ? 1 : 2;
  const written = scanner.text.slice(start, scanner.at);
  scanner.report(
    "syntax",
    scanner.since(start),
    `${written} is no escape of a quoted string: there are \\" and \\\\, \\x with two hexadecimal digits, and \\ with three octal digits up to \\377`,
    `write \\${written} for a backslash, or a raw string such as r"${written}"`,
  );
  return undefined;
}

function joined(pieces: readonly (string | number)[]): string {
  if (pieces.every((piece) => typeof piece === "string")) return wellFormed(pieces.join(""));
  const encoder = new TextEncoder();
  const bytes = pieces.flatMap((piece) => (typeof piece === "string" ? [...encoder.encode(piece)] : [piece]));
  return textOfBytes(Uint8Array.from(bytes));
}

/**
 * A regular expression in quotes. Its backslashes belong to the expression, but for `\"`; and inside of `[…]` a quote needs
 * none.
 */
function readQuotedRegex(scanner: Scanner): ReadString | undefined {
  const begin = scanner.at;
  scanner.at += 1;
  let value = "";
  let isInClass = false;
  for (;;) {
    const unit = scanner.next;
    if (unit === "") return reportUnclosed(scanner, begin);
    if (unit === '"' && !isInClass) break;
    if (unit === "[") isInClass = true;
    if (unit === "]") isInClass = false;
    if (unit === "\\") {
      const escaped = scanner.text.charAt(scanner.at + 1);
      if (escaped !== '"' || isInClass) value += unit;
      scanner.at += 1;
      if (scanner.next === "") return reportUnclosed(scanner, begin);
    }
    value += scanner.next;
    scanner.at += 1;
  }
  scanner.at += 1;
  return { value: wellFormed(value) };
}

function reportUnclosed(scanner: Scanner, begin: number): undefined {
  scanner.at = scanner.text.length;
  scanner.isCutShort = true;
  scanner.report("syntax", { start: begin, end: begin + 1 }, "this string is never closed", 'close it with a "');
  return undefined;
}

/**
 * Where each unit of a string's value stands in the text, and where it ends. Undefined if a byte of the string is written as
 * its number.
 */
export function placesOf(text: string, start: number, value: string): readonly number[] | undefined {
  const places: number[] = [];
  let at = start;
  for (const unit of value) {
    if (!text.startsWith(unit, at) && text[at] === "\\") at += 1;
    if (!text.startsWith(unit, at)) return undefined;
    for (let offset = 0; offset < unit.length; offset += 1) places.push(at + offset);
    at += unit.length;
  }
  return [...places, at];
}
