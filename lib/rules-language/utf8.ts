/**
 * The text of bytes. A byte that is no UTF-8 becomes one of the units U+DC80 to U+DCFF, which no text has, so that nothing is
 * lost and different bytes give different texts.
 */
export function textOfBytes(bytes: Uint8Array): string {
  try {
    return STRICT.decode(bytes);
  } catch {
    return textOfPieces(bytes);
  }
}

/** The bytes of a text that `textOfBytes` made; any other text in UTF-8. */
export function bytesOfText(text: string): Uint8Array {
  if (!LONE_BYTE.test(text)) return ENCODER.encode(text);
  const bytes = text.split(LONE_BYTES).flatMap((piece) => {
    if (LONE_BYTE.test(piece)) return Array.from(piece, (unit) => unit.charCodeAt(0) - FIRST + 0x80);
    return [...ENCODER.encode(piece)];
  });
  return Uint8Array.from(bytes);
}

/** The text without halves of characters, which are no text: the replacement character stands for them. */
export function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "\ufffd");
}

/** Whether all bytes of a text are UTF-8. */
export function isText(text: string): boolean {
  return !LONE_BYTE.test(text);
}

const FIRST = 0xdc80;
const STRICT = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const ENCODER = new TextEncoder();
/** The units for bytes. With the flag `u` they are none that are half of a character. */
const LONE_BYTE = /[\udc80-\udcff]/u;
const LONE_BYTES = /([\udc80-\udcff]+)/u;

function textOfPieces(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const length = [1, 2, 3, 4].find((size) => at + size <= bytes.length && isUtf8(bytes.subarray(at, at + size)));
    text += length
      ? STRICT.decode(bytes.subarray(at, at + length))
      : String.fromCharCode(FIRST - 0x80 + (bytes[at] ?? 0));
    at += length ?? 1;
  }
  return text;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    STRICT.decode(bytes);
    return true;
  } catch {
    return false;
  }
}
