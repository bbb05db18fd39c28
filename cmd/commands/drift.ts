import type { Command } from "commander";
import { type Context, print, printingOn } from "../context.ts";
import { reportFailures, selectedOptions } from "../planning.ts";
import type { RealWorld } from "../../lib/real/world.ts";
import { openReadingWorld } from "../world.ts";
import { comparisonExit, driftExit, driftExits } from "../../lib/engine/exit.ts";
import { readHazards } from "../../lib/engine/selection.ts";
import { compareWithConfig, findDrift } from "../../lib/engine/drift.ts";
import { driftText } from "../../lib/report/commands/drift.ts";
import { driftDocument } from "../../lib/report/commands/drift-json.ts";
import { jsonText } from "../../lib/report/escape/json.ts";
import { comparisonDocument, comparisonText } from "../../lib/report/commands/against-config.ts";
import type { SelectionFlags } from "../flags.ts";
import { writeDrift } from "./drift-write.ts";

type DriftFlags = SelectionFlags & {
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
  const world = openReadingWorld(context, flags);
  if (flags.write !== undefined) await writeDrift(context, world, { ...flags, write: flags.write });
  else await (flags.against === "config" ? compare(context, world, flags) : look(context, world, flags));
}

async function look(context: Context, world: RealWorld, flags: DriftFlags): Promise<void> {
  const options = selectedOptions(flags);
  const failOn = readHazards(flags.failOn ?? []);
  const { project, zones, failed, warnings } = await findDrift(world, { ...options, records: flags.record });
  const codes = zones.map(({ section, judgement }) => ({
    name: section.zone.name,
    code: driftExit(judgement, failOn),
  }));
  const exits = driftExits(codes, failed);
  await reportFailures(context, flags, { warnings, failed });
  if (isJson(flags)) print(context.stdout, jsonText(driftDocument(project, zones, failed, exits, options.selection)));
  else if (zones.length > 0)
    print(
      context.stdout,
      driftText({ project, zones, failed }, printingOn(context, flags), world.clock.now(), options.selection),
    );
  context.exit(exits.code);
}

async function compare(context: Context, world: RealWorld, flags: DriftFlags): Promise<void> {
  const failOn = readHazards(flags.failOn ?? []);
  const { project, zones, failed, warnings } = await compareWithConfig(world, selectedOptions(flags));
  const codes = zones.map(({ zone, judgement }) => ({ name: zone.name, code: comparisonExit(judgement, failOn) }));
  const exits = driftExits(codes, failed);
  await reportFailures(context, flags, { warnings, failed });
  if (isJson(flags)) print(context.stdout, jsonText(comparisonDocument(project, zones, failed, exits)));
  else if (zones.length > 0) print(context.stdout, comparisonText(project, zones, failed, printingOn(context, flags)));
  context.exit(exits.code);
}

function isJson({ json, format }: DriftFlags): boolean {
  return json === true || format === "json";
}
