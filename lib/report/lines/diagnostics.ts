import { parseAddress } from "../../core/address.ts";
import { defined, type JsonObject } from "../../core/json.ts";
import { type Diagnostic, type Position, formatPosition } from "../../core/diagnostic.ts";
import { FORMAT_VERSION, jsonText } from "../escape/json.ts";
import { neverCommand, escape } from "../escape/terminal.ts";
import { annotationOf, githubText } from "../printers/github.ts";
import { BLANK, type Line, line } from "./lines.ts";
import { type Complete, printLines } from "../printers/text.ts";
import { excerpt, secretLines, showsItsLine } from "./source-excerpt.ts";
import { counted, thousands } from "../../core/words.ts";
import type { FindingGroup } from "../view/view.ts";

/** The formats of `validate --format`. */
export type DiagnosticFormat = "text" | "json" | "github";

/** How diagnostics are printed. */
export interface DiagnosticPrinting {
  readonly format: DiagnosticFormat;
  readonly colour: boolean;
  /**
   * The width of the terminal; absent: lines are never wrapped, so that `file:line:col` and the message stay together.
   */
  readonly columns?: number;
  readonly complete?: Complete;
  /** Returns the line of a file for display; undefined if it is not available. */
  readonly sourceLine?: (at: Position) => string | undefined;
  /** The path of a file from the root of the repository, for `github`. */
  readonly pathOf?: (file: string) => string;
  /** The command only read the configuration, and the last line says so. */
  readonly isNothingSent?: boolean;
}

/** All diagnostics in the chosen format, ended by a newline. An empty list is an empty text, except in JSON. */
export function formatDiagnostics(diagnostics: readonly Diagnostic[], printing: DiagnosticPrinting): string {
  switch (printing.format) {
    case "json":
      return `${jsonText(validationDocument(diagnostics))}\n`;
    case "github":
      return githubText(diagnostics.map(annotationOf), defined({ pathOf: printing.pathOf }));
    case "text":
      return diagnosticsText(diagnostics, printing);
    default:
      return printing.format satisfies never;
  }
}

/** The problems of a configuration, for programs. */
function validationDocument(diagnostics: readonly Diagnostic[]): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    valid: diagnostics.every(({ severity }) => severity !== "error"),
    diagnostics: diagnostics.map(diagnosticDocument),
  };
}

/** A diagnostic for programs. */
export function diagnosticDocument(diagnostic: Diagnostic): JsonObject {
  const { severity, code, message, remedy, commands, at, address } = diagnostic;
  return {
    severity,
    code,
    message,
    ...defined({ remedy, commands }),
    ...(at === undefined ? {} : { at: { file: at.file, line: at.line, column: at.column } }),
    ...defined({ address }),
  };
}

function diagnosticsText(diagnostics: readonly Diagnostic[], printing: DiagnosticPrinting): string {
  const { colour, complete = (command) => command } = printing;
  if (diagnostics.length === 0) return "";
  const excerpts = excerptsOf(diagnostics, printing.sourceLine);
  const blocks = diagnostics.map((diagnostic) => [
    line(0, diagnosticSentence(diagnostic), diagnostic.severity === "error" ? "bad" : "warn"),
    ...(excerpts.get(diagnostic) ?? []),
    ...adviceLines(diagnostic, 2, complete),
  ]);
  const gap = excerpts.size > 0 || printing.isNothingSent ? [BLANK] : [];
  const lines = [...blocks.flatMap((block) => [...block, ...gap]), line(0, sum(diagnostics, printing), "heading")];
  return printLines(lines, { colour, complete, ...defined({ columns: printing.columns }) });
}

/** The lines of files that the diagnostics refer to, each with its value underlined. */
function excerptsOf(
  diagnostics: readonly Diagnostic[],
  sourceLine: DiagnosticPrinting["sourceLine"],
): ReadonlyMap<Diagnostic, readonly Line[]> {
  const excerpts = new Map<Diagnostic, readonly Line[]>();
  const secret = secretLines(diagnostics);
  for (const diagnostic of diagnostics) {
    const { at } = diagnostic;
    if (!at || !showsItsLine(diagnostic) || secret.has(`${at.file}:${at.line}`)) continue;
    const source = sourceLine?.(at);
    if (source !== undefined && source.length <= LONGEST_SHOWN)
      excerpts.set(diagnostic, underlined(source, diagnostic));
  }
  return excerpts;
}

/** Lines that a person wrote are shorter, and searching a longer line for values and secrets would take too long. */
const LONGEST_SHOWN = 64 * 1024;

/** The carets are placed under the escaped line. */
function underlined(source: string, diagnostic: Diagnostic): readonly Line[] {
  const { text, start, length } = excerpt(source, diagnostic);
  const before = escape(text.slice(0, start)).length;
  const marked = Math.max(1, escape(text.slice(start, start + length)).length);
  const carets = `${" ".repeat(before)}${"^".repeat(marked)}`;
  return [line(4, text, "quiet"), line(4, carets, "quiet")].map((each) => ({ ...each, isWhole: true }));
}

function sum(diagnostics: readonly Diagnostic[], { isNothingSent }: DiagnosticPrinting): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const warnings = diagnostics.length - errors;
  const parts = [errors > 0 ? [counted(errors, "error")] : [], warnings > 0 ? [counted(warnings, "warning")] : []];
  const counts = parts.flat().join(", ");
  if (!isNothingSent) return counts;
  const files = new Set(diagnostics.flatMap(({ at }) => at?.file ?? [])).size;
  return `${counts}${files === 0 ? "" : ` in ${counted(files, "file")}`}.${errors > 0 ? " Nothing was sent." : ""}`;
}

/** How many causes of causes to show; an error can be its own cause. */
const MOST_CAUSES = 8;

/** The stack of an error and of its causes, each line made safe: a message may contain text from a service. */
export function errorText(thrown: unknown): string {
  return causes(thrown)
    .map((each, index) => `${index === 0 ? "" : "caused by: "}${stackOf(each)}`)
    .flatMap((text) => text.split("\n"))
    .map((line) => neverCommand(escape(line)))
    .join("\n");
}

function causes(thrown: unknown): readonly unknown[] {
  const found = [thrown];
  for (let next = causeOf(thrown); next !== undefined && found.length < MOST_CAUSES; next = causeOf(next))
    found.push(next);
  return found;
}

function causeOf(thrown: unknown): unknown {
  return thrown instanceof Error ? thrown.cause : undefined;
}

function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}

/** A diagnostic on one line: place, object, severity, message, code. */
export function diagnosticSentence(diagnostic: Diagnostic): string {
  const { at, address, severity, message, code } = diagnostic;
  const place = at === undefined ? "" : `${formatPosition(at)}: `;
  const object = address === undefined || isNamed(address, message) ? "" : `${address}: `;
  return `${place}${severity}: ${object}${message} [${code}]`;
}

/**
 * What to do, and the commands that do it. A remedy may have several lines: YAML, or cases that end with a colon. Each
 * case is followed by the next command, and the last case by all that are left.
 */
export function adviceLines({ remedy, commands = [] }: Diagnostic, indent: number, complete: Complete): Line[] {
  const texts = remedy === undefined ? [] : remedy.split("\n");
  const cases = texts.filter((text) => text.endsWith(":")).length;
  let used = 0;
  const next = (): readonly string[] => {
    const from = used;
    used += 1;
    return commands.slice(from, used < cases ? used : commands.length);
  };
  const lineOf = (command: string): Line => line(indent + 2, complete(command));
  const advice = texts.flatMap((text) => [line(indent, text), ...(text.endsWith(":") ? next().map(lineOf) : [])]);
  return cases === 0 ? [...advice, ...commands.map(lineOf)] : advice;
}

/** Whether a message already names the object: by its address, or by its key if only one zone is concerned. */
function isNamed(address: string, message: string): boolean {
  if (message.includes(address)) return true;
  const { zone, key } = parseAddress(address) ?? {};
  return zone === undefined && key !== undefined && message.split(/[\s",]+/).includes(key);
}

/** How many findings of one code to show: a large zone has thousands of foreign hostnames. */
const MOST_FINDINGS = 5;

/** Findings of one code; a short report shows the first and counts the rest. */
export function findingLines({ code, findings }: FindingGroup): Line[] {
  const lines = findings.map((finding) => [
    line(0, diagnosticSentence(finding), finding.severity === "error" ? "bad" : "plain"),
    ...(finding.remedy === undefined ? [] : [line(4, finding.remedy, "quiet")]),
  ]);
  const others = lines.length - MOST_FINDINGS;
  if (others <= 0) return lines.flat();
  const more: Line = { ...line(0, `and ${thousands(others)} more [${code}]`), only: "cut" };
  const rest = lines.slice(MOST_FINDINGS).flat();
  return [...lines.slice(0, MOST_FINDINGS).flat(), more, ...rest.map((each): Line => ({ ...each, only: "full" }))];
}

/** What to do, with its command on a line of its own. */
export function remedyLines(indent: number, remedy: string): Line[] {
  const [, text, command] = /^(.*): (zoneform [a-z][^;]*)$/s.exec(remedy) ?? [];
  if (text === undefined || command === undefined) return [line(indent, `to do: ${remedy}`, "quiet")];
  return [line(indent, `to do: ${text}:`, "quiet"), line(indent + 2, command)];
}
