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
    if (LONE_BYTE.test(piece)) return [...piece].map((unit) => unit.charCodeAt(0) - FIRST + 0x80);
    return [...ENCODER.encode(piece)];
  });
  return Uint8Array.from(bytes);
}

const FIRST = 0xdc80;
const STRICT = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const ENCODER = new TextEncoder();
/** A unit for a byte, and not the second half of a character that takes two units. */
const LONE_BYTE = /(?<![\ud800-\udbff])[\udc80-\udcff]/;
const LONE_BYTES = /((?<![\ud800-\udbff])[\udc80-\udcff]+)/;

function textOfPieces(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const length = [1, 2, 3, 4].find((size) => at + size <= bytes.length && isText(bytes.subarray(at, at + size)));
    text += length
      ? STRICT.decode(bytes.subarray(at, at + length))
      : String.fromCharCode(FIRST - 0x80 + (bytes[at] ?? 0));
    at += length ?? 1;
  }
  return text;
}

function isText(bytes: Uint8Array): boolean {
  try {
    STRICT.decode(bytes);
    return true;
  } catch {
    return false;
  }
}
