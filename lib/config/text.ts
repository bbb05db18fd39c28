import { type Diagnostic, error, type Position, problem, warning } from "../core/diagnostic.ts";
import type { Report } from "./report.ts";

/** Decodes the bytes of a file: UTF-8, no NUL or other control characters. Drops a byte order mark. */
export function decodeText(bytes: Uint8Array, file: string, report: Report): string | undefined {
  const loose = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  const badByte = firstBadCharacter(loose, bytes);
  if (badByte !== undefined) return report(invalidUtf8(positionIn(loose, badByte, file)));
  const text = loose.startsWith("\uFEFF") ? loose.slice(1) : loose;
  const control = text.search(CONTROL);
  if (control >= 0) return report(controlCharacter(text.charCodeAt(control), positionIn(text, control, file)));
  return text;
}

/** Every control character except tab, line feed and carriage return. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\x00-\x08\x0B\x0C\x0E-\x1F\x7F]/;

/** The error for a file that is not UTF-8. */
export function invalidUtf8(at: Position): Diagnostic {
  return error(problem("invalid-utf8", {}, { at }));
}

/** The error for a control character; `code` is its code point. */
export function controlCharacter(code: number, at: Position): Diagnostic {
  const name = code === 0 ? "a NUL character" : `a control character (U+${code.toString(16).padStart(4, "0")})`;
  return error(problem("control-character", { message: `the file contains ${name}` }, { at }));
}

/** The index of the first control character, or undefined. */
export function findControlCharacter(text: string): number | undefined {
  const index = text.search(CONTROL);
  return index < 0 ? undefined : index;
}

/** Finds the first replacement character that stands for bytes which were not UTF-8. */
function firstBadCharacter(loose: string, bytes: Uint8Array): number | undefined {
  let byte = 0;
  let counted = 0;
  for (let index = loose.indexOf("\uFFFD"); index >= 0; index = loose.indexOf("\uFFFD", index + 1)) {
    byte += Buffer.byteLength(loose.slice(counted, index));
    if (bytes[byte] !== 0xef || bytes[byte + 1] !== 0xbf || bytes[byte + 2] !== 0xbd) return index;
    counted = index;
  }
  return undefined;
}

/** The line and column of an index in a text. */
export function positionIn(text: string, index: number, file: string): Position {
  let line = 1;
  let start = 0;
  for (let next = text.indexOf("\n"); next >= 0 && next < index; next = text.indexOf("\n", next + 1)) {
    line += 1;
    start = next + 1;
  }
  return { file, line, column: index - start + 1 };
}

/** Characters that change the direction of text, raw or as YAML and JSON escapes. */
const TURNING =
  /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\\u(?:061[cC]|200[eEfF]|202[a-eA-E]|206[6-9])|\\U0000(?:061[cC]|200[eEfF]|202[a-eA-E]|206[6-9])/g;

/** How many places to warn about. */
const MOST_WARNINGS = 20;

/**
 * Warns about each place where a file changes the text direction, in values and comments: reviewers then see another
 * order than the parser. Some languages need it, so it is no error.
 */
export function warnOfTurns(text: string, place: (offset: number) => Position, report: Report): void {
  for (const { index } of [...text.matchAll(TURNING)].slice(0, MOST_WARNINGS)) {
    report(warning(problem("turned-direction", {}, { at: place(index) })));
  }
}
