import { defined } from "../lib/core/defined.ts";
import { type Diagnostic, Refusal } from "../lib/core/diagnostic.ts";
import { EXIT } from "../lib/core/exit-code.ts";
import { explainFailure } from "../lib/service/explain-failure.ts";
import { errorText } from "../lib/report/lines/error-text.ts";
import { BrokenConfiguration } from "../lib/engine/world.ts";
import { type DiagnosticPrinting, formatDiagnostics } from "../lib/report/lines/diagnostics.ts";
import { type Context, errorExit, print, printingOn } from "./context.ts";
import { readSourceLines, type SourceOptions } from "./source-lines.ts";

/**
 * Prints what was thrown as diagnostics on standard error, without a stack (`--debug` adds it); gives the exit code.
 * A command that is interrupted after its first write says so itself, and does not throw.
 */
export async function fail(context: Context, options: SourceOptions, thrown: unknown): Promise<number> {
  if (options.debug) await printStacks(context, thrown);
  if (isInterruption(context, thrown)) {
    print(context.stderr, "interrupted; nothing was written");
    return EXIT.interrupted;
  }
  const isNothingSent = thrown instanceof BrokenConfiguration;
  await printDiagnostics(context, options, await diagnosticsOf(thrown), { isNothingSent });
  const code = thrown instanceof Refusal ? thrown.exitCode : EXIT.error;
  return code === EXIT.error ? errorExit(context) : code;
}

/** Whether this was thrown because SIGINT, SIGTERM or SIGHUP came. */
export function isInterruption({ signal }: Context, thrown: unknown): boolean {
  return signal.aborted && thrown === signal.reason;
}

/** What was thrown, as diagnostics. */
export async function diagnosticsOf(thrown: unknown): Promise<readonly Diagnostic[]> {
  if (thrown instanceof Refusal) return thrown.diagnostics;
  return [explainFailure(thrown)];
}

/** Prints the stacks of what was thrown and of its causes (`--debug`). */
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
