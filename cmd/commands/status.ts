import { Command, InvalidArgumentError } from "commander";
import type { Diagnostic } from "../../lib/core/diagnostic.ts";
import { print, printingOn, type Run, type ServiceFlags } from "../context.ts";
import { printDiagnostics } from "../failure.ts";
import { formatFlag, withRecordFlag, withServiceFlags } from "../flags.ts";
import { projectOptions } from "../project.ts";

interface StatusFlags extends ServiceFlags {
  readonly format: "text" | "json";
  /** In days. */
  readonly expiringWithin: number;
  readonly record: boolean;
}

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

/** `zoneform status`: what of the custom hostnames needs somebody. Changes nothing, and takes no lock. */
export function statusCommand(run: Run): Command {
  return withRecordFlag(withServiceFlags(new Command("status")))
    .description("what is held, blocked, moved, deleted by the service, expiring, or pointing elsewhere")
    .option("--expiring-within <days>", "name certificates that expire within this time", days, 30)
    .addOption(formatFlag(["text", "json"]))
    .addHelpText("after", "\nExample:\n  $ zoneform status --zone saas.dev --expiring-within 14d")
    .action(
      run(async (context, own: StatusFlags, command: Command) => {
        const flags = { ...own, ...command.optsWithGlobals<StatusFlags>() };
        const { inspect } = await import("../../lib/engine.ts");
        const { zoneStatus } = await import("../../lib/hostnames/status.ts");
        const { jsonText } = await import("../../lib/render/escape/json.ts");
        const { statusDocument, statusText } = await import("../../lib/render/status.ts");
        const { openWorld } = await import("../world.ts");
        const world = openWorld(context, flags);
        try {
          const zones = [];
          const noted: Diagnostic[] = [];
          const options = { ...projectOptions(flags), records: flags.record };
          for await (const { input, section } of inspect(world, options, (found) => void noted.push(found)))
            zones.push(zoneStatus(input, section, flags.expiringWithin * DAY_MILLISECONDS));
          const isJson = flags.format === "json";
          const text = isJson ? jsonText(statusDocument(zones)) : statusText(zones, printingOn(context, flags));
          print(context.stdout, text);
          await printDiagnostics(context, flags, noted);
        } finally {
          await world.close();
        }
      }),
    );
}

/** `30d` or `30`. */
function days(text: string): number {
  const [, count] = /^(\d{1,5})d?$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError("a number of days is wanted, such as 30d");
  return Number(count);
}
