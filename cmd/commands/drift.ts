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
import type { SelectionFlags } from "../flags.ts";
import { writeDrift } from "./drift-write.ts";
import { reportText } from "../../lib/report/printers/text.ts";

type DriftFlags = SelectionFlags &
  NotifyFlags & {
    readonly against: "state" | "config";
    readonly format: "text" | "json";
    readonly json?: boolean;
    readonly record: boolean;
    readonly failOn?: readonly string[];
    readonly write?: readonly string[] | true;
    readonly autoApprove?: boolean;
  };

/** Runs `zoneform drift`. */
export async function runDrift(context: Context, own: DriftFlags, command: Command): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<DriftFlags>() };
  const notify = openNotify(context, flags);
  const world = openReadingWorld(context, flags);
  if (flags.write !== undefined) return writeDrift(context, world, { ...flags, write: flags.write });
  const check = flags.against === "config" ? compare : look;
  const { code, ...checked } = await notifyingFailure(context, notify, () => check(context, world, flags));
  context.exit(code);
  if (code !== EXIT.done) await notify(driftNotice(checked, code));
}

/** Returns what was found, and the exit code. */
type Look = (context: Context, world: RealWorld, flags: DriftFlags) => Promise<Checked & { readonly code: ExitCode }>;

const look: Look = async (context, world, flags) => {
  const options = selectedOptions(flags);
  const failOn = readHazards(flags.failOn ?? []);
  const { project, zones, failed, warnings } = await findDrift(world, { ...options, records: flags.record });
  const codes = zones.map(({ section, judgement }) => ({
    name: section.zone.name,
    code: driftExit(judgement, failOn),
  }));
  const exits = driftExits(codes, failed);
  const report = driftReport({ project, zones, failed }, world.clock.now(), options.selection);
  await reportFailures(context, flags, { warnings, failed });
  if (isJson(flags)) print(context.stdout, jsonText(driftDocument(project, zones, failed, exits, options.selection)));
  else if (zones.length > 0) print(context.stdout, reportText(report, printingOn(context, flags)));
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
  if (isJson(flags)) print(context.stdout, jsonText(comparisonDocument(project, zones, failed, exits)));
  else if (zones.length > 0) print(context.stdout, reportText(report, printingOn(context, flags)));
  const found = zones.flatMap(({ judgement }) => judgement.unlike.map(foundUnlike));
  const foreign = zones.flatMap(({ judgement }) => judgement.foreign);
  return { project, report: zones.length > 0 ? report : undefined, found, foreign, failed, code: exits.code };
};

function isJson({ json, format }: DriftFlags): boolean {
  return json === true || format === "json";
}
