import { Command, Option } from "commander";
import { type Context, print, printingOn, type Run } from "../context.ts";
import { formatFlag, withRecordFlag, withTargetFlags, withServiceFlags } from "../flags.ts";
import type { SelectionFlags } from "../planning.ts";
import type { RealWorld } from "../../lib/real/world.ts";

type DriftFlags = SelectionFlags & {
  readonly against: "state" | "config";
  readonly format: "text" | "json";
  readonly json?: boolean;
  readonly record: boolean;
};

/**
 * `zoneform drift`: whether somebody changed what was applied. Changes nothing, takes no lock, and needs a read-only token;
 * beside the state it keeps what it saw of hostnames.
 */
export function driftCommand(run: Run): Command {
  return withRecordFlag(withTargetFlags(withServiceFlags(new Command("drift"))))
    .description("exit 3 where somebody changed what was applied, and name each attribute")
    .addOption(
      new Option("--against <what>", "compare live with what was applied, or with the YAML alone (needs no state)")
        .choices(["state", "config"])
        .default("state"),
    )
    .addOption(formatFlag(["text", "json"]))
    .option("--json", "the same as --format json")
    .addHelpText(
      "after",
      "\nExamples:\n  $ zoneform drift || notify-somebody\n  $ zoneform drift --against config --zone saas.dev",
    )
    .action(
      run(async (context, own: DriftFlags, command: Command) => {
        const flags = { ...own, ...command.optsWithGlobals<DriftFlags>() };
        const { openWorld } = await import("../world.ts");
        const world = openWorld(context, flags);
        try {
          await (flags.against === "config" ? compare(context, world, flags) : look(context, world, flags));
        } finally {
          await world.close();
        }
      }),
    );
}

async function look(context: Context, world: RealWorld, flags: DriftFlags): Promise<void> {
  const { driftExit, driftExits } = await import("../../lib/engine/exit.ts");
  const { findDrift } = await import("../../lib/engine/drift.ts");
  const { driftText } = await import("../../lib/report/commands/drift.ts");
  const { driftDocument } = await import("../../lib/report/commands/drift-json.ts");
  const { jsonText } = await import("../../lib/report/escape/json.ts");
  const { reportFailures, selectedOptions } = await import("../planning.ts");
  const options = selectedOptions(flags);
  const { project, zones, failed, warnings } = await findDrift(world, { ...options, records: flags.record });
  const codes = zones.map(({ section, judgement }) => ({ name: section.zone.name, code: driftExit(judgement) }));
  const exits = driftExits(codes, failed);
  await reportFailures(context, flags, { warnings, failed });
  if (isJson(flags)) print(context.stdout, jsonText(driftDocument(project, zones, failed, exits, options.selection)));
  else if (zones.length > 0)
    print(context.stdout, driftText(zones, failed, printingOn(context, flags), world.clock.now(), options.selection));
  context.exit(exits.code);
}

async function compare(context: Context, world: RealWorld, flags: DriftFlags): Promise<void> {
  const { comparisonExit, driftExits } = await import("../../lib/engine/exit.ts");
  const { compareWithConfig } = await import("../../lib/engine/drift.ts");
  const { comparisonDocument, comparisonText } = await import("../../lib/report/commands/against-config.ts");
  const { jsonText } = await import("../../lib/report/escape/json.ts");
  const { reportFailures, selectedOptions } = await import("../planning.ts");
  const { project, zones, failed, warnings } = await compareWithConfig(world, selectedOptions(flags));
  const codes = zones.map(({ zone, judgement }) => ({ name: zone.name, code: comparisonExit(judgement) }));
  const exits = driftExits(codes, failed);
  await reportFailures(context, flags, { warnings, failed });
  if (isJson(flags)) print(context.stdout, jsonText(comparisonDocument(project, zones, failed, exits)));
  else if (zones.length > 0) print(context.stdout, comparisonText(zones, failed, printingOn(context, flags)));
  context.exit(exits.code);
}

function isJson({ json, format }: DriftFlags): boolean {
  return json === true || format === "json";
}
