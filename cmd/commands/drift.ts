import { Command, Option } from "commander";
import type { Run } from "../context.ts";
import {
  SAME_AS_JSON,
  failOnFlag,
  formatFlag,
  withRecordFlag,
  withTargetFlags,
  withServiceFlags,
  withStateFlag,
} from "../flags.ts";

/**
 * `zoneform drift`: whether somebody changed what was applied. Changes nothing, takes no lock, and needs a read-only token;
 * beside the state it records what it saw.
 */
export function driftCommand(run: Run): Command {
  return withRecordFlag(withTargetFlags(withStateFlag(withServiceFlags(new Command("drift")))))
    .description("report what changed outside Zoneform since the last apply")
    .addOption(
      new Option("--against <what>", "compare live with the state, or with the YAML only (needs no state)")
        .choices(["state", "config"])
        .default("state"),
    )
    .addOption(failOnFlag())
    .addOption(formatFlag(["text", "json"]))
    .option("--json", SAME_AS_JSON)
    .addHelpText(
      "after",
      "\nExamples:\n  $ zoneform drift || notify-on-call\n  $ zoneform drift --against config --zone saas.dev\n  $ zoneform drift --fail-on outage,weakens-protection",
    )
    .action(run(async () => (await import("../actions/drift.ts")).runDrift));
}
