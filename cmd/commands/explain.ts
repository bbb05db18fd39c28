import { Command } from "commander";
import type { Run } from "../context.ts";
import { formatFlag, jsonFlag } from "../flags.ts";

/** `zoneform explain [WORD...]`: cause and remedy of a code or status of the service, or of a word of ours. */
export function explainCommand(run: Run): Command {
  return new Command("explain")
    .description("explain a code, a status or a word, and say what to do")
    .argument("[words...]", "such as 1469, caa_error, outage, foreign rule, or an error text (default: list all)")
    .addOption(formatFlag(["text", "json"]))
    .addOption(jsonFlag())
    .addHelpText("after", "\nExamples:\n  $ zoneform explain 1408\n  $ zoneform explain weakens-protection")
    .action(run(async () => (await import("../actions/explain.ts")).runExplain));
}
