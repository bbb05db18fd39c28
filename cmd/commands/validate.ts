import { Command } from "commander";
import type { Run } from "../context.ts";
import { formatFlag, jsonFlag, withProjectFlags } from "../flags.ts";

/** `zoneform validate`: every error of every file in one pass, without a call to the service. */
export function validateCommand(run: Run): Command {
  return withProjectFlags(new Command("validate"))
    .description("check the configuration for errors; makes no API call")
    .addOption(formatFlag(["text", "json", "github"]))
    .addOption(jsonFlag())
    .addHelpText("after", "\nExamples:\n  $ zoneform validate\n  $ zoneform validate --format github")
    .action(run(async () => (await import("../actions/validate.ts")).runValidate));
}
