import type { Secret } from "../core/secret.ts";

/** What stands in a secret's place, as `Secret` prints itself. */
const MASK = "(sensitive)";
/** A shorter value is found in ordinary words, and masking those would hide more than it protects. */
const SHORTEST = 6;

/**
 * A filter for text that is about to leave the process: the second line behind `Secret`, for the secret that got into a
 * message all the same. Finds it as it is, in base64, URL-encoded, inside a JSON text, and by the lines of a PEM.
 * Give it whole lines: a secret that is cut in two is not found.
 */
export function redactor(secrets: readonly Secret[]): (text: string) => string {
  const forms = [...new Set(secrets.flatMap((secret) => formsOf(secret.reveal())))].filter(
    (form) => form.length >= SHORTEST,
  );
  if (forms.length === 0) return (text) => text;
  // The longest first, so that of a form within a form nothing is left standing.
  const longestFirst = forms.sort((left, right) => right.length - left.length);
  const pattern = new RegExp(longestFirst.map(escape).join("|"), "g");
  return (text) => text.replace(pattern, MASK);
}

function formsOf(secret: string): readonly string[] {
  if (secret.length < SHORTEST) return [];
  const lines = secret.split(/\r?\n/).filter((line) => line !== secret && !line.startsWith("-----"));
  return [secret, ...lines].flatMap((part) => (part.length < SHORTEST ? [] : spellings(part)));
}

function spellings(part: string): readonly string[] {
  const bytes = Buffer.from(part, "utf8");
  return [
    part,
    bytes.toString("base64").replace(/=+$/, ""),
    bytes.toString("base64url"),
    encodeURIComponent(bytes.toString("utf8")),
    new URLSearchParams([["", part]]).toString().slice(1),
    JSON.stringify(part).slice(1, -1),
  ];
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
