import { SENSITIVE } from "./secret.ts";

/**
 * The text without what looks like a key or a certificate: a service or a proxy that repeats what it was sent may repeat
 * a PEM, cut it anywhere, and write its line ends as it likes. Whose key it is need not be known.
 */
export function withoutKeyMaterial(text: string): string {
  const hidden = text.replace(PEM, SENSITIVE).replace(RUN, (run) => (isTelling(run) ? SENSITIVE : run));
  return hidden.replace(BEFORE, SENSITIVE).replace(BEHIND, SENSITIVE);
}

/** A line end as a text may hold it: as it is, escaped in JSON (and that in JSON again), or encoded for a URL. */
const LINE_END = String.raw`(?:[ \t]{0,8}(?:[\r\n]|\\{1,8}[rn]|\\{1,8}u000[aAdD]|%0[aAdD])+[ \t]{0,8})`;

/** A character of base64, with the ways in which JSON and URLs write those that mean something to them. */
const CHARACTER = String.raw`(?:[A-Za-z0-9+/=]|\\{1,8}/|\\{1,8}u00(?:2[bBfF]|3[dD])|%2[bBfF]|%3[dD])`;

/** From the frame of a PEM to its end, or to the end of the text where it was cut. The frame itself may be cut as well. */
const PEM = new RegExp(
  `-----BEGIN [A-Z0-9 ]{1,40}-----(?:${LINE_END}|${CHARACTER}|[ \\t])*(?:-{1,5}(?:END[A-Z0-9 ]{0,40}-{0,5})?)?`,
  "g",
);

/** Base64 over one line or several. */
const RUN = new RegExp(`${CHARACTER}+(?:${LINE_END}${CHARACTER}+)*`, "g");

/** What is left of the line before or behind, where the line ends were made blanks. */
const BEFORE = new RegExp(String.raw`(?<![A-Za-z0-9+/=])${CHARACTER}{12,}[ \t]{1,8}\(sensitive\)`, "g");
const BEHIND = new RegExp(String.raw`\(sensitive\)[ \t]{1,8}${CHARACTER}{12,}`, "g");

/** The ids of the service have 32 hex digits, its names have dots, hyphens or underscores: they all stay readable. */
const SHORTEST_RUN = 24;

/** From this length on no digit is needed to see that it is no word. */
const CERTAIN_RUN = 40;

/** Base64 of a key mixes upper case, lower case and digits; words, hex digests and paths do not. */
function isTelling(run: string): boolean {
  if (run.length < SHORTEST_RUN || !/[A-Z]/.test(run) || !/[a-z]/.test(run)) return false;
  return run.length >= CERTAIN_RUN || /[0-9+]/.test(run);
}
