import { type Diagnostic, error, problem } from "../lib/core/diagnostic.ts";
import type { Reporting } from "./flags.ts";
import { EXIT, type ExitCode } from "../lib/core/exit-code.ts";
import type { Plan } from "../lib/plan/change.ts";
import { jsonText } from "../lib/report/escape/json.ts";
import { adviceLines, diagnosticSentence } from "../lib/report/lines/diagnostics.ts";
import { line } from "../lib/report/lines/lines.ts";
import { planReport } from "../lib/report/sections/plan.ts";
import { plainSection } from "../lib/report/sections/report.ts";
import { annotationOf } from "../lib/report/printers/github.ts";
import { noRunDocument } from "../lib/report/run/report-json.ts";
import { planAnnotations } from "../lib/report/view/annotations.ts";
import type { JsonObject } from "../lib/core/json.ts";
import { completing, type Context, print } from "./context.ts";
import { diagnosticsOf, isInterruption, NOTHING_WRITTEN } from "./failure.ts";
import { annotationsText, applyReports, type Printers, reportPrinters, writeReports } from "./reports.ts";

/** How a command that writes has ended, so far as each format says it. */
export type Ending = Omit<Printers<"apply">, "json"> & { readonly json: () => JsonObject };

/** Prints or writes the ending as the flags ask. Throws `Refusal` if a file cannot be written; then nothing is printed. */
export async function reportEnding(context: Context, flags: Reporting, ending: Ending): Promise<void> {
  await writeEnding(context, flags, ending);
  if (flags.json) print(context.stdout, jsonText(ending.json()));
}

async function writeEnding(context: Context, flags: Reporting, ending: Ending): Promise<void> {
  await writeReports(context, applyReports(flags), { ...ending, json: () => jsonText(ending.json()) });
}

/**
 * Runs a step that may fail before a run has reported its end. If it throws, the reports say why, and the error is
 * rethrown.
 */
export async function reportingStops<T>(context: Context, flags: Reporting, act: () => T | Promise<T>): Promise<T> {
  try {
    // A file that cannot be written is refused before anything happens, and the file of a killed run says that it did
    // not end.
    await writeEnding(context, flags, stopped(context, flags, [NOT_ENDED]));
    return await act();
  } catch (thrown) {
    const isInterrupted = isInterruption(context, thrown);
    const ending = stopped(context, flags, isInterrupted ? [] : await diagnosticsOf(thrown), isInterrupted);
    // If the file cannot be written, the thrown error says so.
    await writeEnding(context, flags, ending).catch(() => undefined);
    if (flags.json) print(context.stdout, jsonText(ending.json()));
    throw thrown;
  }
}

const NOT_ENDED = error(problem("not-ended", {}));

/** No run began: because of its errors, or of an interruption. */
function stopped(
  context: Context,
  flags: Reporting,
  diagnostics: readonly Diagnostic[],
  isInterrupted = false,
): Ending {
  const verdict = isInterrupted ? NOTHING_WRITTEN : "There is no result.";
  const lines = diagnostics.flatMap((each) => [
    line(0, diagnosticSentence(each), "bad"),
    ...adviceLines(each, 2, completing(flags)),
  ]);
  const sections = plainSection(lines, "verdict");
  return {
    json: () => noRunDocument([], new Map(), { diagnostics, isInterrupted }),
    ...reportPrinters(context, flags, { verdict: line(0, verdict), sections }, "zoneform apply"),
    github: () => annotationsText(context, flags, diagnostics.map(annotationOf)),
  };
}

/** Reports that there was nothing to do; the text of the plan already says so on standard output. */
export async function reportNothing(
  context: Context,
  flags: Reporting,
  plan: Plan,
  exitCodes: ReadonlyMap<string, ExitCode>,
): Promise<void> {
  const zones = plan.zones.map(({ zone }) => zone);
  await reportEnding(context, flags, {
    json: () => noRunDocument(zones, exitCodes),
    ...reportPrinters(context, flags, planReport(plan), `zoneform apply ${plan.project}`),
    github: () => annotationsText(context, flags, planAnnotations(plan)),
  });
}

/** Reports that the answer at the prompt was no; standard error already says so. */
export async function reportDeclined(context: Context, flags: Reporting): Promise<void> {
  const declined: Diagnostic = { severity: "error", code: "not-approved", message: "it was not approved" };
  await reportEnding(context, flags, stopped(context, flags, [declined]));
  context.exit(EXIT.error);
}
