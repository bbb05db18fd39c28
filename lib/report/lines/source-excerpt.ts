import type { Diagnostic } from "../../core/diagnostic.ts";
import type { DiagnosticCode } from "../../core/diagnostic-code.ts";
import { looksSecret } from "../../core/key-material.ts";

/** A line of a file, cut to fit, and its marked part. Offsets count from 0. */
export interface Excerpt {
  readonly text: string;
  readonly start: number;
  readonly length: number;
}

/** Longer lines are cut around the marked part. */
const LONGEST = 120;

/** How a tab is shown: one column wide, and visible. */
const TAB = "→";

/** Marks the omitted part of a line. */
const CUT = "…";

/** Errors that point at a place, not at a value. */
const PLACES: ReadonlySet<DiagnosticCode> = new Set<DiagnosticCode>([
  "missing-key",
  "yaml-syntax",
  "yaml-tab",
  "nested-too-deep",
  "several-documents",
  "source-cut-short",
  "invalid-utf8",
  "control-character",
  "turned-direction",
  "csv-syntax",
  "ndjson-syntax",
]);

/** Errors that concern the whole file: its first line explains nothing. */
const WHOLE_FILES: ReadonlySet<DiagnosticCode> = new Set<DiagnosticCode>([
  "empty-file",
  "file-too-large",
  "file-unreadable",
  "missing-zone",
  "source-empty",
]);

/** Errors about a secret in a file: its line is never shown, whatever else is wrong with it. */
const SECRETS: ReadonlySet<DiagnosticCode> = new Set<DiagnosticCode>(["literal-secret", "endpoint-or-credential"]);

/** Whether the line of a diagnostic helps the reader and may be shown. */
export function showsItsLine({ code, at }: Diagnostic): boolean {
  if (at === undefined || SECRETS.has(code) || WHOLE_FILES.has(code)) return false;
  return code !== "missing-key" || at.line > 1 || at.column > 1;
}

/** The lines that contain a secret, as `file:line`. */
export function secretLines(diagnostics: readonly Diagnostic[]): ReadonlySet<string> {
  return new Set(diagnostics.flatMap(({ code, at }) => (at && SECRETS.has(code) ? [`${at.file}:${at.line}`] : [])));
}

/** The part of a line that a diagnostic concerns. Anything that looks like a secret is masked, letter by letter. */
export function excerpt(line: string, { code, at }: Diagnostic): Excerpt {
  const start = Math.min((at?.column ?? 1) - 1, line.length);
  const length = PLACES.has(code) ? 1 : valueLength(line.slice(start));
  return cut(withoutSecrets(line).replaceAll("\t", TAB), start, length);
}

/** The length of the YAML value or the cell at the start of a text; a map or a list is marked where it begins. */
function valueLength(text: string): number {
  const quoted = /^"(?:[^"\\]|\\.)*"|^'(?:[^']|'')*'/.exec(text)?.[0];
  if (quoted !== undefined) return quoted.length;
  const plain = /^[^\s,;[\]{}#](?:[^,;\]}\s:]|:(?!\s|$)| (?! *#))*/.exec(text)?.[0] ?? "";
  return Math.max(1, plain.trimEnd().length);
}

/** The value of a key that is named like a secret. A reference to a secret is a map, and is shown. */
const SECRET_VALUE = /((?:key|token|secret|password|credential|certificate)["']?\s*:\s*)([^\s{[,}][^,}]*)/gi;

function withoutSecrets(line: string): string {
  return line
    .replace(SECRET_VALUE, (_whole, key: string, value: string) => key + blot(value))
    .replace(/[A-Za-z0-9_+/=-]{20,}/g, (word) => (looksSecret(word) && !isPublic(word) ? blot(word) : word));
}

/** Capitals, optionally with numbers, such as `ECDHE-RSA-AES128-GCM-SHA256`. */
const CIPHER = /^[A-Z]+\d{0,4}(?:[-_][A-Z]*\d{0,4})+$/;

/** The lengths of ids with a few characters too many or too few; a token or a key is longer. */
const ID_LENGTHS = { least: 30, most: 34 } as const;

/**
 * Whether a word is the name of a cipher, or an id with a character or two wrong: the user has to see what is wrong
 * with it.
 */
function isPublic(word: string): boolean {
  const isLong = word.length >= ID_LENGTHS.least && word.length <= ID_LENGTHS.most;
  return CIPHER.test(word) || (isLong && word.replace(/[0-9a-f]/gi, "").length <= 2);
}

function blot(text: string): string {
  return text.replace(/\S/g, "*");
}

function cut(line: string, start: number, length: number): Excerpt {
  if (line.length <= LONGEST) return { text: line, start, length };
  const from = Math.max(0, Math.min(start - LONGEST / 4, line.length - LONGEST));
  const [before, after] = [from > 0 ? CUT : "", from + LONGEST < line.length ? CUT : ""];
  const text = `${before}${line.slice(from, from + LONGEST)}${after}`;
  const shift = start - from + before.length;
  return { text, start: shift, length: Math.min(length, text.length - shift) };
}
