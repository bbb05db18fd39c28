import { type Secret, SENSITIVE } from "./secret.ts";

/** Knows the secrets of this process, and removes them from texts that leave it. */
export interface Redaction {
  /**
   * Adds a secret to look for. Returns false, when it is added, for a plain word: then only its encoded forms are
   * looked for.
   */
  learn(secret: Secret): boolean;
  /** The text with every known secret replaced, in any of its forms. Forms do not cross line ends. */
  redact(text: string): string;
}

/** A shorter value occurs in ordinary words, and masking those would hide more than it protects. */
export const SHORTEST_SECRET = 6;

/** The longest plain word. Names that the program itself writes are hardly longer. */
const LONGEST_WORD = 19;

/**
 * Whether a secret is a plain word, such as `postgres` or `custom_hostname`: lower-case letters, perhaps with a capital
 * first, in parts joined by `_`. It stays readable: reports contain such words too, and hiding them would hide nothing,
 * because words can be guessed.
 */
export function isPlainWord(text: string): boolean {
  const word = text.trim();
  return word.length >= SHORTEST_SECRET && word.length <= LONGEST_WORD && /^[A-Z]?[a-z]+(?:_[a-z]+)*$/.test(word);
}

/** One mark for each hash of three characters. */
const MARKS = 2 ** 16;

function markAt(text: string, at: number): number {
  return (text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2)) % MARKS;
}

/** Marks where a long text was cut. The cut may have split a secret, and even its beginning reveals too much. */
const CUT = "…";

/**
 * Opens the second defence after `Secret`, for a secret that got into a text anyway: through a foreign library, a
 * service that repeats what it was sent, or a dump. It does not find secrets shorter than `SHORTEST_SECRET`.
 */
export function openRedaction(): Redaction {
  const learned = new Set<string>();
  // A certificate has a few hundred forms and a project may have a thousand certificates. So forms are indexed by their
  // first six characters, and marks of their first three rule out most places of a text.
  const byBeginning = new Map<string, readonly string[]>();
  const marks = new Uint8Array(MARKS);

  /** The length of the longest form at a place; 0 for none. */
  const lengthAt = (text: string, at: number): number => {
    if (marks[markAt(text, at)] === 0) return 0;
    const forms = byBeginning.get(text.slice(at, at + SHORTEST_SECRET)) ?? [];
    const whole = forms.find((form) => text.startsWith(form, at));
    if (whole !== undefined || forms.length === 0) return whole?.length ?? 0;
    const cut = text.indexOf(CUT, at);
    return cut >= 0 && forms.some((form) => form.startsWith(text.slice(at, cut))) ? cut - at : 0;
  };

  return {
    learn: (secret) => {
      const text = secret.reveal();
      if (!learned.has(text)) {
        learned.add(text);
        for (const form of formsOf(text)) {
          const beginning = form.slice(0, SHORTEST_SECRET);
          const forms = [...(byBeginning.get(beginning) ?? []), form];
          byBeginning.set(
            beginning,
            forms.sort((left, right) => right.length - left.length),
          );
          marks[markAt(form, 0)] = 1;
        }
      }
      return !isPlainWord(text);
    },
    redact: (text) => {
      if (byBeginning.size === 0) return text;
      let [done, from] = ["", 0];
      for (let at = 0; at + SHORTEST_SECRET <= text.length; at += 1) {
        const length = lengthAt(text, at);
        if (length === 0) continue;
        done += text.slice(from, at) + SENSITIVE;
        from = at + length;
        at = from - 1;
      }
      return done + text.slice(from);
    },
  };
}

/** The frame of a PEM. It names the type of its contents, and that is no secret. */
const FRAME = /^-----[A-Z0-9 ]+-----$/;

/** Characters that a terminal or a log shows as line breaks, or in another spelling. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\x00-\x1f\x7f]+/;

/**
 * Every text in which a secret could appear: line by line, each line plain, in base64 (alone or within a longer text), in
 * hex, URL-encoded, and within a JSON text. It omits a plain word and forms of fewer than `SHORTEST_SECRET` characters.
 */
function formsOf(secret: string): readonly string[] {
  const telling = linesOf(secret).filter((line) => line.length >= SHORTEST_SECRET);
  // Several lines as a whole need no forms of their own: the line ends between them reveal nothing.
  const parts = telling.length > 0 ? telling : [secret];
  const forms = [...new Set(parts.flatMap(spellings))].filter((form) => form.length >= SHORTEST_SECRET);
  return isPlainWord(secret) ? forms.filter((form) => form !== secret.trim()) : forms;
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

/**
 * How many levels of JSON to expect: a service repeats in JSON what it was sent in JSON, and a report wraps that in
 * JSON again.
 */
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
