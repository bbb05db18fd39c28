import { Command, Option } from "commander";
import type { Run } from "../context.ts";
import { formatFlag, withRecordFlag, withTargetFlags, withServiceFlags } from "../flags.ts";

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
    .action(run(async () => (await import("../actions/drift.ts")).runDrift));
}
