import { Command } from "commander";
import { print, printingOn, type Run } from "../context.ts";
import { formatFlag, withRecordFlag, withSelectionFlags, withServiceFlags } from "../flags.ts";
import type { SelectionFlags } from "../planning.ts";

type DriftFlags = SelectionFlags & {
  readonly format: "text" | "json";
  readonly json?: boolean;
  readonly record: boolean;
};

/**
 * `zoneform drift`: whether somebody changed what was applied. Changes nothing, takes no lock, and needs a read-only token;
 * beside the state it keeps what it saw of hostnames.
 */
export function driftCommand(run: Run): Command {
  return withRecordFlag(withSelectionFlags(withServiceFlags(new Command("drift"))))
    .description("exit 3 where somebody changed what was applied, and name each attribute")
    .addOption(formatFlag(["text", "json"]))
    .option("--json", "the same as --format json")
    .addHelpText("after", "\nExample:\n  $ zoneform drift || notify-somebody")
    .action(
      run(async (context, own: DriftFlags, command: Command) => {
        const flags = { ...own, ...command.optsWithGlobals<DriftFlags>() };
        const { driftExit, exitOf } = await import("../../lib/exit.ts");
        const { onlyDrift } = await import("../../lib/plan/drift.ts");
        const { driftText } = await import("../../lib/render/drift.ts");
        const { jsonText } = await import("../../lib/render/escape/json.ts");
        const { planDocument } = await import("../../lib/render/json.ts");
        const { planned } = await import("../planning.ts");
        const { openWorld } = await import("../world.ts");
        const world = openWorld(context, flags);
        try {
          const { plan } = await planned(context, world, flags, { records: flags.record });
          const { byZone, code } = exitOf(plan, driftExit);
          const isJson = flags.json || flags.format === "json";
          const text = isJson
            ? jsonText(planDocument(onlyDrift(plan), byZone))
            : driftText(plan, printingOn(context, flags));
          print(context.stdout, text);
          context.exit(code);
        } finally {
          await world.close();
        }
      }),
    );
}
