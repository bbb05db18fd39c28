import { defined } from "../lib/core/json.ts";
import { type Diagnostic, Refusal, type Position } from "../lib/core/diagnostic.ts";
import { EXIT } from "../lib/core/exit-code.ts";
import { BrokenConfiguration } from "../lib/engine/world.ts";
import { errorText, type DiagnosticPrinting, formatDiagnostics } from "../lib/report/lines/diagnostics.ts";
import { explainFailure } from "../lib/service/explain-failure.ts";
import { type Context, errorExit, print, printingOn } from "./context.ts";
import { dirname, resolve } from "node:path";
import { disk } from "../lib/real/disk.ts";
import { showsItsLine } from "../lib/report/lines/source-excerpt.ts";
import type { Where } from "./printed-commands.ts";
import type { CommonOptions } from "./flags.ts";

/**
 * Prints an error as diagnostics on standard error, without a stack (`--debug` adds it); returns the exit code. A
 * command that is interrupted after its first write reports that itself, and does not throw.
 */
export async function fail(context: Context, options: SourceOptions, thrown: unknown): Promise<number> {
  if (options.debug) await printStacks(context, thrown);
  if (isInterruption(context, thrown)) {
    print(context.stderr, NOTHING_WRITTEN);
    return EXIT.interrupted;
  }
  const isNothingSent = thrown instanceof BrokenConfiguration;
  await printDiagnostics(context, options, await diagnosticsOf(thrown), { isNothingSent });
  const code = thrown instanceof Refusal ? thrown.exitCode : EXIT.error;
  return code === EXIT.error ? errorExit(context) : code;
}

/** What an interrupted command says if it has written nothing. */
export const NOTHING_WRITTEN = "interrupted; nothing was written";

/** Whether SIGINT, SIGTERM or SIGHUP caused this error. */
export function isInterruption({ signal }: Context, thrown: unknown): boolean {
  return signal.aborted && thrown === signal.reason;
}

/** A thrown error as diagnostics. */
export async function diagnosticsOf(thrown: unknown): Promise<readonly Diagnostic[]> {
  if (thrown instanceof Refusal) return thrown.diagnostics;
  return [explainFailure(thrown)];
}

/** Prints the stacks of an error and its causes (`--debug`). */
async function printStacks(context: Context, thrown: unknown): Promise<void> {
  print(context.stderr, errorText(thrown));
}

/** Prints diagnostics for people on standard error. */
export async function printDiagnostics(
  context: Context,
  options: SourceOptions,
  diagnostics: readonly Diagnostic[],
  { isNothingSent = false }: Pick<DiagnosticPrinting, "isNothingSent"> = {},
): Promise<void> {
  if (diagnostics.length === 0) return;
  const sourceLine = isNothingSent ? await readSourceLines(context, options, diagnostics) : undefined;
  const printing = { format: "text", ...printingOn(context, options, context.stderr), isNothingSent } as const;
  print(context.stderr, formatDiagnostics(diagnostics, { ...printing, ...defined({ sourceLine }) }));
}

/** Flags that say where the files of a project are. */
export type SourceOptions = CommonOptions & Where & { readonly source?: Readonly<Record<string, string>> };

/** How many bytes of a file to search for a line: an error must be printed at once. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Reads the lines of the project's files that diagnostics refer to. A file that cannot be read, or is not UTF-8, has no
 * lines to show.
 */
export async function readSourceLines(
  { cwd }: Context,
  { config, source = {} }: SourceOptions,
  diagnostics: readonly Diagnostic[],
): Promise<(at: Position) => string | undefined> {
  const wanted = new Map<string, Set<number>>();
  for (const { at } of diagnostics.filter(showsItsLine)) {
    if (at) wanted.set(at.file, (wanted.get(at.file) ?? new Set()).add(at.line));
  }
  const found = new Map<string, ReadonlyMap<number, string>>();
  for (const [file, numbers] of config === undefined ? [] : wanted) {
    // A file from the command line is relative to the process, all others to the project.
    const isNamed = Object.values(source).includes(file);
    const path = isNamed ? resolve(cwd, file) : resolve(cwd, dirname(config ?? ""), file);
    found.set(file, await linesIn(path, numbers));
  }
  return ({ file, line }) => found.get(file)?.get(line);
}

async function linesIn(path: string, wanted: ReadonlySet<number>): Promise<ReadonlyMap<number, string>> {
  const lines = new Map<number, string>();
  const last = Math.max(...wanted);
  const decoder = new TextDecoder();
  let [number, bytes, open] = [1, 0, ""];
  const keep = (line: string): void => {
    if (wanted.has(number)) lines.set(number, line.replace(/\r$/, ""));
    number += 1;
  };
  try {
    for await (const piece of disk().stream(path)) {
      bytes += piece.length;
      const parts = (open + decoder.decode(piece, { stream: true })).split("\n");
      open = parts.pop() ?? "";
      for (const line of parts) keep(line);
      if (number > last || bytes > MOST_BYTES) return lines;
    }
    keep(open);
  } catch {
    return new Map();
  }
  return lines;
}
