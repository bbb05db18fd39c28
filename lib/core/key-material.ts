import { SENSITIVE } from "./secret.ts";

/**
 * Removes everything that looks like a key or a certificate: a service or a proxy may repeat a PEM that it was sent,
 * cut it anywhere, and change its line ends. This works without knowing the key.
 */
export function withoutKeyMaterial(text: string): string {
  const hidden = text.replace(PEM, SENSITIVE).replace(RUN, (run) => (isTelling(run) ? SENSITIVE : run));
  return hidden.replace(BEFORE, SENSITIVE).replace(BEHIND, SENSITIVE);
}

/** A line end in any spelling: plain, escaped in JSON (once or twice), or encoded for a URL. */
const LINE_END = String.raw`(?:[ \t]{0,8}(?:[\r\n]|\\{1,8}[rn]|\\{1,8}u000[aAdD]|%0[aAdD])+[ \t]{0,8})`;

/** A base64 character, including the escapes that JSON and URLs use for some of them. */
const CHARACTER = String.raw`(?:[A-Za-z0-9+/=]|\\{1,8}/|\\{1,8}u00(?:2[bBfF]|3[dD])|%2[bBfF]|%3[dD])`;

/** A PEM from its frame to its end, or to the end of the text if it was cut. The frame may be cut too. */
const PEM = new RegExp(
  `-----BEGIN [A-Z0-9 ]{1,40}-----(?:${LINE_END}|${CHARACTER}|[ \\t])*(?:-{1,5}(?:END[A-Z0-9 ]{0,40}-{0,5})?)?`,
  "g",
);

/** Base64 on one or several lines. */
const RUN = new RegExp(`${CHARACTER}+(?:${LINE_END}${CHARACTER}+)*`, "g");

/** The rest of the line before or after, when line ends became blanks. */
const BEFORE = new RegExp(String.raw`(?<![A-Za-z0-9+/=])${CHARACTER}{12,}[ \t]{1,8}\(sensitive\)`, "g");
const BEHIND = new RegExp(String.raw`\(sensitive\)[ \t]{1,8}${CHARACTER}{12,}`, "g");

/** The service's ids have 32 hex digits, and its names have dots, hyphens or underscores: they stay readable. */
const SHORTEST_RUN = 24;

/** A run of this length cannot be a word, even without a digit. */
const CERTAIN_RUN = 40;

/** Base64 of a key mixes upper case, lower case and digits; words, hex digests and paths do not. */
function isTelling(run: string): boolean {
  if (run.length < SHORTEST_RUN || !/[A-Z]/.test(run) || !/[a-z]/.test(run)) return false;
  return run.length >= CERTAIN_RUN || /[0-9+]/.test(run);
}

/** Whether a text is a PEM, or one word of at least 20 letters and digits that is neither an id nor a hostname. */
export function looksSecret(text: string): boolean {
  if (/-----BEGIN/.test(text)) return true;
  const word = text.trim();
  if (word.length < 20 || !/^[A-Za-z0-9_+/=-]+$/.test(word) || /^[0-9a-f]{32}$/.test(word)) return false;
  return /\d/.test(word) && /[A-Za-z]/.test(word);
}
