// The strings of the language are bytes. Here they are texts (`utf8.ts`), and almost all of them are ASCII, where a unit is a
// byte: each function has a short way for those.
import { bytesOfText, textOfBytes } from "../utf8.ts";

const ASCII = /^[\0-\x7f]*$/;

/** How many bytes a text has. */
export function byteLength(text: string): number {
  return ASCII.test(text) ? text.length : bytesOfText(text).length;
}

/** A part of a text, by bytes. Positions below zero count from the end. */
export function sliceBytes(text: string, start: number, end?: number): string {
  return ASCII.test(text) ? text.slice(start, end) : textOfBytes(bytesOfText(text).slice(start, end));
}

/** Texts one after the other. Bytes that are UTF-8 only together become the character that they are. */
export function joinBytes(texts: readonly string[], separator = ""): string {
  const joined = texts.join(separator);
  return isUtf8(joined) ? joined : textOfBytes(bytesOfText(joined));
}

/** The order of two texts by their bytes: below zero, zero, or above. */
export function compareBytes(left: string, right: string): number {
  if (left === right) return 0;
  if (isOrderedByUnits(left) && isOrderedByUnits(right)) return left < right ? -1 : 1;
  return Buffer.compare(bytesOfText(left), bytesOfText(right));
}

/** Whether the bytes of a text contain those of another one. */
export function containsBytes(text: string, part: string): boolean {
  return isUtf8(part) ? text.includes(part) : bytesAsUnits(text).includes(bytesAsUnits(part));
}

/** Whether the bytes of a text begin with those of another one. */
export function startsWithBytes(text: string, part: string): boolean {
  return isUtf8(part) ? text.startsWith(part) : bytesAsUnits(text).startsWith(bytesAsUnits(part));
}

/** Whether the bytes of a text end with those of another one. */
export function endsWithBytes(text: string, part: string): boolean {
  return isUtf8(part) ? text.endsWith(part) : bytesAsUnits(text).endsWith(bytesAsUnits(part));
}

/** The letters A to Z in lower case. */
export function lowerAscii(text: string): string {
  return ASCII.test(text) ? text.toLowerCase() : text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The letters a to z in upper case. */
export function upperAscii(text: string): string {
  return ASCII.test(text) ? text.toUpperCase() : text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** A text with one unit, U+0000 to U+00FF, for each byte: for engines that know units only. */
export function bytesAsUnits(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(bytesOfText(text)).toString("latin1");
}

/** The text that `bytesAsUnits` made units of. */
export function textOfUnits(units: string): string {
  return ASCII.test(units) ? units : textOfBytes(Buffer.from(units, "latin1"));
}

/** Units from U+D800 on can be part of a character that takes two, and those come after all others. */
function isOrderedByUnits(text: string): boolean {
  return !/[\ud800-\uffff]/.test(text);
}

/** Whether a text has no byte that is no UTF-8. */
export function isUtf8(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
