import type { Diagnostic } from "../lib/core/diagnostic.ts";
import { type CommonOptions, type Context, isColoured, print } from "./context.ts";

/** Prints what was thrown as diagnostics on standard error, without a stack (`--debug` adds it); gives the exit code. */
export async function fail(context: Context, options: CommonOptions, thrown: unknown): Promise<number> {
  const { Refusal } = await import("../lib/core/diagnostic.ts");
  const { EXIT } = await import("../lib/core/exit-code.ts");
  const redact = await redactorFor(context);
  if (options.debug)
    print(context.stderr, redact(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)));
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

/** Prints diagnostics for people on standard error. */
export async function printDiagnostics(
  context: Context,
  options: CommonOptions,
  diagnostics: readonly Diagnostic[],
): Promise<void> {
  if (diagnostics.length === 0) return;
  const { formatDiagnostics } = await import("../lib/render/diagnostics.ts");
  const redact = await redactorFor(context);
  print(
    context.stderr,
    redact(formatDiagnostics(diagnostics, { format: "text", colour: isColoured(context, options) })),
  );
}

/** The variables that hold credentials. */
const CREDENTIALS = ["CLOUDFLARE_API_TOKEN", "CLOUDFLARE_API_KEY"];

/** A second line, should a credential ever get into a message: no text about a failure goes out past it. */
async function redactorFor({ env }: Context): Promise<(text: string) => string> {
  const { Secret } = await import("../lib/core/secret.ts");
  const { redactor } = await import("../lib/service/redact.ts");
  return redactor(CREDENTIALS.flatMap((name) => (env[name] ? [new Secret(env[name])] : [])));
}
