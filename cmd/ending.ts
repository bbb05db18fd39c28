import { EXIT, type ExitCode } from "../lib/core/exit-code.ts";
import type { Diagnostic } from "../lib/core/diagnostic.ts";
import type { Plan } from "../lib/plan/change.ts";
import { jsonText } from "../lib/report/escape/json.ts";
import { noRunDocument } from "../lib/report/run/report-json.ts";
import { type Context, print } from "./context.ts";
import { diagnosticsOf, isInterruption } from "./failure.ts";

/** Whether the end is reported as JSON. Then standard output is one document, whatever the ending. */
interface Reporting {
  readonly json?: boolean;
}

/** Does what may fail before a run has reported its end. With `--json` the document then says why; throws it all the same. */
export async function reportingStops<T>(context: Context, { json }: Reporting, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (thrown) {
    if (json) await printStop(context, thrown);
    throw thrown;
  }
}

async function printStop(context: Context, thrown: unknown): Promise<void> {
  const isInterrupted = isInterruption(context, thrown);
  const diagnostics = isInterrupted ? [] : await diagnosticsOf(thrown);
  print(context.stdout, jsonText(noRunDocument([], new Map(), { diagnostics, isInterrupted })));
}

/** Reports that there was nothing to do; the text of the plan says it by itself. */
export function reportNothing(
  context: Context,
  { json }: Reporting,
  { zones }: Plan,
  exitCodes: ReadonlyMap<string, ExitCode>,
): void {
  const sections = zones.map(({ zone }) => zone);
  if (json) print(context.stdout, jsonText(noRunDocument(sections, exitCodes)));
}

/** Reports that whoever was asked said no, which standard error has said already. */
export function reportDeclined(context: Context, { json }: Reporting): void {
  const declined: Diagnostic = { severity: "error", code: "not-approved", message: "it was not approved" };
  if (json)
    print(context.stdout, jsonText(noRunDocument([], new Map(), { diagnostics: [declined], isInterrupted: false })));
  context.exit(EXIT.error);
}
