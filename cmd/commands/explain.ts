import { Command } from "commander";
import type { Run } from "../context.ts";
import { formatFlag, jsonFlag } from "../flags.ts";

/** `zoneform explain [CODE]`: cause and remedy of a code or status of the service, or of a code of ours. */
export function explainCommand(run: Run): Command {
  return new Command("explain")
    .description("say what a code, a status or a text of the service means, and what to do")
    .argument("[code]", "such as 1469, moved, caa_error, or a text of verification_errors; all of them without it")
    .addOption(formatFlag(["text", "json"]))
    .addOption(jsonFlag())
    .addHelpText("after", "\nExample:\n  $ zoneform explain 1408")
    .action(run(async () => (await import("../actions/explain.ts")).runExplain));
}
