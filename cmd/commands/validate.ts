import { Command } from "commander";
import type { Run } from "../context.ts";
import { formatFlag, jsonFlag, withProjectFlags } from "../flags.ts";

/** `zoneform validate`: every error of every file in one pass, without a call to the service. */
export function validateCommand(run: Run): Command {
  return withProjectFlags(new Command("validate"))
    .description("check the configuration without calling the service")
    .addOption(formatFlag(["text", "json", "github"]))
    .addOption(jsonFlag())
    .addHelpText("after", "\nExample:\n  $ zoneform validate --format github")
    .action(run(async () => (await import("../actions/validate.ts")).runValidate));
}
