import type { Diagnostic } from "../lib/core/diagnostic.ts";
import { type CommonOptions, type Context, isColoured, print } from "./context.ts";

/** Prints what was thrown as diagnostics on standard error, without a stack (`--debug` adds it); gives the exit code. */
export async function fail(context: Context, options: CommonOptions, thrown: unknown): Promise<number> {
  const { Refusal } = await import("../lib/core/diagnostic.ts");
  const { EXIT } = await import("../lib/core/exit-code.ts");
  if (options.debug) await printStacks(context, thrown);
  if (thrown === context.signal.reason && context.signal.aborted) {
    print(context.stderr, "interrupted; nothing was written");
    return EXIT.interrupted;
  }
  if (thrown instanceof Refusal) {
    await printDiagnostics(context, options, thrown.diagnostics);
    return thrown.exitCode;
  }
  const { explainFailure } = await import("../lib/service/explain-failure.ts");
  await printDiagnostics(context, options, [explainFailure(thrown)]);
  return EXIT.error;
}

/** The stacks of what was thrown and of what that was caused by, for whoever looks into a fault of ours. */
async function printStacks(context: Context, thrown: unknown): Promise<void> {
  const { errorText } = await import("../lib/render/error-text.ts");
  print(context.stderr, errorText(thrown));
}

/** Prints diagnostics for people on standard error. */
export async function printDiagnostics(
  context: Context,
  options: CommonOptions,
  diagnostics: readonly Diagnostic[],
): Promise<void> {
  if (diagnostics.length === 0) return;
  const { formatDiagnostics } = await import("../lib/render/diagnostics.ts");
  print(context.stderr, formatDiagnostics(diagnostics, { format: "text", colour: isColoured(context, options) }));
}
