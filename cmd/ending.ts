import { type Diagnostic, error, problem } from "../lib/core/diagnostic.ts";
import type { Reporting } from "./flags.ts";
import { EXIT, type ExitCode } from "../lib/core/exit-code.ts";
import type { Plan } from "../lib/plan/change.ts";
import { jsonText } from "../lib/report/escape/json.ts";
import { noRunDocument } from "../lib/report/run/report-json.ts";
import type { JsonObject } from "../lib/core/json.ts";
import { type Context, print } from "./context.ts";
import { writeOutput } from "./output-file.ts";
import { redactedLines } from "./streams.ts";
import { diagnosticsOf, isInterruption } from "./failure.ts";

/**
 * Prints or writes the document as the flags ask. Throws `Refusal` if its file cannot be written; then nothing is
 * printed.
 */
export async function reportJson(context: Context, flags: Reporting, document: () => JsonObject): Promise<void> {
  await writeReport(context, flags, document);
  if (flags.json) print(context.stdout, jsonText(document()));
}

async function writeReport(context: Context, { jsonFile }: Reporting, document: () => JsonObject): Promise<void> {
  if (jsonFile !== undefined)
    await writeOutput(context, jsonFile, redactedLines(context, [jsonText(document()).trimEnd()]));
}

/**
 * Runs a step that may fail before a run has reported its end. If it throws, the document says why, and the error is
 * rethrown.
 */
export async function reportingStops<T>(context: Context, flags: Reporting, act: () => T | Promise<T>): Promise<T> {
  const stopped = (diagnostics: readonly Diagnostic[], isInterrupted: boolean) => (): JsonObject =>
    noRunDocument([], new Map(), { diagnostics, isInterrupted });
  try {
    // A file that cannot be written is refused before anything happens, and the file of a killed run says that it did
    // not end.
    await writeReport(context, flags, stopped([NOT_ENDED], false));
    return await act();
  } catch (thrown) {
    const isInterrupted = isInterruption(context, thrown);
    const document = stopped(isInterrupted ? [] : await diagnosticsOf(thrown), isInterrupted);
    // If the file cannot be written, the thrown error says so.
    await writeReport(context, flags, document).catch(() => undefined);
    if (flags.json) print(context.stdout, jsonText(document()));
    throw thrown;
  }
}

const NOT_ENDED = error(problem("not-ended", {}));

/** Reports as JSON that there was nothing to do; the text of the plan already says so. */
export async function reportNothing(
  context: Context,
  flags: Reporting,
  { zones }: Plan,
  exitCodes: ReadonlyMap<string, ExitCode>,
): Promise<void> {
  const sections = zones.map(({ zone }) => zone);
  await reportJson(context, flags, () => noRunDocument(sections, exitCodes));
}

/** Reports as JSON that the answer at the prompt was no; standard error already says so. */
export async function reportDeclined(context: Context, flags: Reporting): Promise<void> {
  const declined: Diagnostic = { severity: "error", code: "not-approved", message: "it was not approved" };
  const stopped = { diagnostics: [declined], isInterrupted: false };
  await reportJson(context, flags, () => noRunDocument([], new Map(), stopped));
  context.exit(EXIT.error);
}
