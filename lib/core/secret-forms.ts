/** A shorter value occurs in ordinary words, and masking those would hide more than it protects. */
export const SHORTEST_SECRET = 6;

/** The frame of a PEM. It names the type of its contents, and that is no secret. */
const FRAME = /^-----[A-Z0-9 ]+-----$/;

/** Characters that a terminal or a log shows as line breaks, or in another spelling. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\x00-\x1f\x7f]+/;

/**
 * Every text in which a secret could appear: line by line, each line plain, in base64 (alone or within a longer text), in
 * hex, URL-encoded, and within a JSON text. It omits forms of fewer than `SHORTEST_SECRET` characters.
 */
export function formsOf(secret: string): readonly string[] {
  const telling = linesOf(secret).filter((line) => line.length >= SHORTEST_SECRET);
  // Several lines as a whole need no forms of their own: the line ends between them reveal nothing.
  const parts = telling.length > 0 ? telling : [secret];
  return [...new Set(parts.flatMap(spellings))].filter((form) => form.length >= SHORTEST_SECRET);
}

/** The secret part of a text, in one line: without line ends, indents and the frames of a PEM. */
export function bodyOf(secret: string): string {
  return linesOf(secret).join("");
}

function linesOf(secret: string): readonly string[] {
  const lines = secret.split(CONTROL).map((line) => line.trim());
  return lines.filter((line) => line !== "" && !FRAME.test(line));
}

function spellings(part: string): readonly string[] {
  const bytes = Buffer.from(part, "utf8");
  // A lone half of a surrogate pair cannot be URL-encoded, so we encode the bytes that are really sent.
  const sound = bytes.toString("utf8");
  const inUrl = [encodeURIComponent(sound), new URLSearchParams([["", part]]).toString().slice(1)];
  return [
    part,
    bytes.toString("base64").replace(/=+$/, ""),
    bytes.toString("base64url"),
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase(),
    ...insideBase64(bytes),
    ...inUrl,
    ...inUrl.map((text) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())),
    ...insideJson(part, JSON_LEVELS),
  ];
}

/** A service repeats in JSON what it was sent in JSON, and a report wraps that in JSON again. */
const JSON_LEVELS = 3;

function insideJson(text: string, levels: number): readonly string[] {
  const escaped = JSON.stringify(text).slice(1, -1);
  return levels === 0 ? [] : [escaped, ...insideJson(escaped, levels - 1)];
}

/**
 * Base64 turns three bytes into four characters, so within a longer text (`user:password`) a secret has one of three
 * forms. Characters that also hold bits of the neighbours are left out.
 */
function insideBase64(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const bits = (before + bytes.length) * 8;
    const first = Math.ceil((before * 8) / 6);
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .slice(first, Math.floor(bits / 6));
    return [text, text.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
