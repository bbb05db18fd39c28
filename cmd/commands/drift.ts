import type { Command } from "commander";
import { EXIT, type ExitCode } from "../../lib/core/exit-code.ts";
import { type Checked, driftNotice } from "../../lib/report/notice.ts";
import { type NotifyFlags, notifyingFailure, openNotify } from "../notify.ts";
import { type Context, print, printingOn } from "../context.ts";
import { reportFailures, selectedOptions } from "../planning.ts";
import type { RealWorld } from "../../lib/real/world.ts";
import { openReadingWorld } from "../world.ts";
import { comparisonExit, driftExit, driftExits } from "../../lib/engine/exit.ts";
import { readHazards } from "../../lib/engine/selection.ts";
import { compareWithConfig, findDrift } from "../../lib/engine/drift.ts";
import { driftReport } from "../../lib/report/commands/drift.ts";
import { driftDocument } from "../../lib/report/commands/drift-json.ts";
import { foundUnlike } from "../../lib/report/view/found.ts";
import { jsonText } from "../../lib/report/escape/json.ts";
import { comparisonDocument, comparisonReport } from "../../lib/report/commands/against-config.ts";
import { prometheusText } from "../../lib/report/printers/prometheus.ts";
import { driftAnnotations } from "../../lib/report/view/annotations.ts";
import { driftMetrics, type JudgedZone, type Looked } from "../../lib/report/view/metrics.ts";
import type { JsonObject } from "../../lib/core/json.ts";
import { guardOutputs } from "../outputs.ts";
import { annotationsText, type ReportFile, reportPrinters, reportsOf, writeReports } from "../reports.ts";
import type { SelectionFlags } from "../flags.ts";
import { writeDrift } from "./drift-write.ts";
import { reportText } from "../../lib/report/printers/text.ts";
import type { Report } from "../../lib/report/sections/report.ts";

type DriftFlags = SelectionFlags &
  NotifyFlags & {
    readonly against: "state" | "config";
    readonly format: "text" | "json";
    readonly json?: boolean;
    readonly record: boolean;
    readonly failOn?: readonly string[];
    readonly report?: readonly string[];
    readonly write?: readonly string[] | true;
    readonly autoApprove?: boolean;
  };

/** Runs `zoneform drift`. */
export async function runDrift(context: Context, own: DriftFlags, command: Command): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<DriftFlags>() };
  const notify = openNotify(context, flags);
  const reports = reportsOf("drift", flags.report);
  await guardOutputs(context, flags, { written: reports.map(({ file }) => file) });
  const world = openReadingWorld(context, flags);
  if (flags.write !== undefined) return writeDrift(context, world, { ...flags, write: flags.write });
  const check = flags.against === "config" ? compare : look;
  const { code, ...checked } = await notifyingFailure(context, notify, () =>
    check(context, world, { ...flags, reports }),
  );
  context.exit(code);
  if (code !== EXIT.done) await notify(() => driftNotice(checked, code));
}

type LookFlags = DriftFlags & { readonly reports: readonly ReportFile<"drift">[] };

/** Returns what was found, and the exit code. */
type Look = (context: Context, world: RealWorld, flags: LookFlags) => Promise<Checked & { readonly code: ExitCode }>;

const look: Look = async (context, world, flags) => {
  const options = selectedOptions(flags);
  const failOn = readHazards(flags.failOn ?? []);
  const { project, zones, failed, warnings } = await findDrift(world, { ...options, records: flags.record });
  const codes = zones.map(({ section, judgement }) => ({
    name: section.zone.name,
    code: driftExit(judgement, failOn),
  }));
  const exits = driftExits(codes, failed);
  const now = world.clock.now();
  const report = driftReport({ project, zones, failed }, now, options.selection);
  await reportFailures(context, flags, { warnings, failed });
  const judged = zones.map(({ section, judgement }) => ({ zone: section.zone, judgement }));
  const document = driftDocument(project, zones, failed, exits, options.selection);
  await show(context, flags, { project, zones: judged, failed, now, document, report });
  const found = zones.flatMap(({ judgement }) => judgement.drifted);
  const foreign = zones.flatMap(({ judgement }) => judgement.foreign);
  return { project, report: zones.length > 0 ? report : undefined, found, foreign, failed, code: exits.code };
};

const compare: Look = async (context, world, flags) => {
  const failOn = readHazards(flags.failOn ?? []);
  const { project, zones, failed, warnings } = await compareWithConfig(world, selectedOptions(flags));
  const codes = zones.map(({ zone, judgement }) => ({ name: zone.name, code: comparisonExit(judgement, failOn) }));
  const exits = driftExits(codes, failed);
  const report = comparisonReport(project, zones, failed);
  await reportFailures(context, flags, { warnings, failed });
  const document = comparisonDocument(project, zones, failed, exits);
  await show(context, flags, { project, zones, failed, now: world.clock.now(), document, report });
  const found = zones.flatMap(({ judgement }) => judgement.unlike.map(foundUnlike));
  const foreign = zones.flatMap(({ judgement }) => judgement.foreign);
  return { project, report: zones.length > 0 ? report : undefined, found, foreign, failed, code: exits.code };
};

/** What a check found. */
interface Shown extends Looked<JudgedZone> {
  readonly document: JsonObject;
  readonly report: Report;
}

/** Prints the result, and writes it in the formats of the reports. */
async function show(context: Context, flags: LookFlags, shown: Shown): Promise<void> {
  const { project, zones, failed, document, report } = shown;
  if (isJson(flags)) print(context.stdout, jsonText(document));
  else if (zones.length > 0) print(context.stdout, reportText(report, printingOn(context, flags)));
  await writeReports(context, flags.reports, {
    ...reportPrinters(context, flags, report, `zoneform drift ${project}`),
    json: () => jsonText(document),
    github: () => annotationsText(context, flags, driftAnnotations(zones, failed)),
    prometheus: () => prometheusText(driftMetrics(shown)),
  });
}

function isJson({ json, format }: DriftFlags): boolean {
  return json === true || format === "json";
}
