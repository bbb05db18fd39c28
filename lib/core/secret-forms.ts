/** A shorter value is found in ordinary words, and masking those would hide more than it protects. */
export const SHORTEST_SECRET = 6;

/** What frames a PEM. It says what kind of thing stands between, which is no secret. */
const FRAME = /^-----[A-Z0-9 ]+-----$/;

/** What a terminal or a log shows on lines of their own, or in another spelling. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\x00-\x1f\x7f]+/;

/**
 * Every text in which a secret could be met: line by line, each line as it is, in base64 (alone or inside of a
 * longer text), URL-encoded, and inside of a JSON text. Forms of fewer than `SHORTEST_SECRET` characters are left out.
 */
export function formsOf(secret: string): readonly string[] {
  const telling = linesOf(secret).filter((line) => line.length >= SHORTEST_SECRET);
  // The whole of several lines needs no forms of its own: what is between the lines tells nothing.
  const parts = telling.length > 0 ? telling : [secret];
  return [...new Set(parts.flatMap(spellings))].filter((form) => form.length >= SHORTEST_SECRET);
}

/** What is secret of a text, in one line: without line ends, indents and the frames of a PEM. */
export function bodyOf(secret: string): string {
  return linesOf(secret).join("");
}

function linesOf(secret: string): readonly string[] {
  const lines = secret.split(CONTROL).map((line) => line.trim());
  return lines.filter((line) => line !== "" && !FRAME.test(line));
}

function spellings(part: string): readonly string[] {
  const bytes = Buffer.from(part, "utf8");
  // A lone half of a surrogate pair cannot be URL-encoded; the bytes of what it is sent as can.
  const sound = bytes.toString("utf8");
  const inUrl = [encodeURIComponent(sound), new URLSearchParams([["", part]]).toString().slice(1)];
  return [
    part,
    bytes.toString("base64").replace(/=+$/, ""),
    bytes.toString("base64url"),
    ...insideBase64(bytes),
    ...inUrl,
    ...inUrl.map((text) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())),
    ...insideJson(part, JSON_LEVELS),
  ];
}

/** A service says in JSON what it was sent in JSON, and a report says that in JSON again. */
const JSON_LEVELS = 3;

function insideJson(text: string, levels: number): readonly string[] {
  const escaped = JSON.stringify(text).slice(1, -1);
  return levels === 0 ? [] : [escaped, ...insideJson(escaped, levels - 1)];
}

/**
 * Base64 writes three bytes as four characters, so inside of a longer text (`user:password`) a secret looks in one of
 * three ways. Characters that also hold bits of the neighbours are left out.
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
