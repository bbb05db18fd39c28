import { defined } from "../../core/defined.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import type { Position } from "../../core/diagnostic.ts";
import type { JsonObject } from "../../core/json.ts";
import { FORMAT_VERSION } from "./format-version.ts";
import { diagnosticSentence } from "./diagnostic-lines.ts";
import { commandMessage, commandProperty } from "../escape/github-log.ts";
import { jsonText } from "../escape/json.ts";
import { escape } from "../escape/terminal.ts";
import { type Complete, type Line, line, printLines } from "./lines.ts";
import { counted } from "./words.ts";

/** The formats of `validate --format`. */
export type DiagnosticFormat = "text" | "json" | "github";

/** How diagnostics are printed. */
export interface DiagnosticPrinting {
  readonly format: DiagnosticFormat;
  readonly colour: boolean;
  /** The width of the terminal; absent: lines are never broken, so that `file:line:col` and the message stay together. */
  readonly columns?: number;
  readonly complete?: Complete;
  /** Gives the line of a file for display; undefined where it is not at hand. */
  readonly sourceLine?: (at: Position) => string | undefined;
}

/** All diagnostics in the format asked for, ended by a newline; an empty list is an empty text, but not in JSON. */
export function formatDiagnostics(diagnostics: readonly Diagnostic[], printing: DiagnosticPrinting): string {
  switch (printing.format) {
    case "json":
      return `${jsonText(validationDocument(diagnostics))}\n`;
    case "github":
      return diagnostics.map((diagnostic) => `${annotation(diagnostic)}\n`).join("");
    case "text":
      return diagnosticsText(diagnostics, printing);
    default:
      return printing.format satisfies never;
  }
}

/** What is wrong with a configuration, for programs. */
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
  const { colour, sourceLine, complete = (command) => command } = printing;
  if (diagnostics.length === 0) return "";
  const lines = diagnostics.flatMap((diagnostic) => [
    line(0, diagnosticSentence(diagnostic), diagnostic.severity === "error" ? "bad" : "warn"),
    ...sourceLines(diagnostic.at, sourceLine),
    ...(diagnostic.remedy === undefined ? [] : [line(2, diagnostic.remedy)]),
    ...(diagnostic.commands ?? []).map((command) => line(4, complete(command))),
  ]);
  return printLines([...lines, line(0, sum(diagnostics), "heading")], {
    colour,
    complete,
    ...defined({ columns: printing.columns }),
  });
}

/** The line of the file and a caret below the column; the caret follows what the escaper made of the line. */
function sourceLines(at: Position | undefined, sourceLine: DiagnosticPrinting["sourceLine"]): Line[] {
  const source = at && sourceLine?.(at);
  if (at === undefined || source === undefined) return [];
  const before = escape(source.slice(0, at.column - 1)).length;
  return [line(4, source, "quiet"), line(4, `${" ".repeat(before)}^`, "quiet")].map((each) => ({
    ...each,
    isWhole: true,
  }));
}

function sum(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const warnings = diagnostics.length - errors;
  const parts = [errors > 0 ? [counted(errors, "error")] : [], warnings > 0 ? [counted(warnings, "warning")] : []];
  return parts.flat().join(", ");
}

/** A workflow command of the public CI service (`::error file=..,line=..,col=..,title=..::message`). */
function annotation({ severity, code, message, remedy, commands = [], at, address }: Diagnostic): string {
  const place = at === undefined ? [] : [`file=${commandProperty(at.file)}`, `line=${at.line}`, `col=${at.column}`];
  const object = address === undefined || message.includes(address) ? "" : `${address}: `;
  const text = [`${object}${message}`, ...(remedy === undefined ? [] : [remedy]), ...commands]
    .map(commandMessage)
    .join("%0A");
  return `::${severity} ${[...place, `title=${commandProperty(code)}`].join(",")}::${text}`;
}
