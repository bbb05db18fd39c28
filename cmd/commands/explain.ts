import { Command } from "commander";
import type { Run } from "../context.ts";
import { formatFlag, jsonFlag } from "../flags.ts";

/** `zoneform explain [CODE]`: cause and remedy of a code or status of the service, or of a code of ours. */
export function explainCommand(run: Run): Command {
  return new Command("explain")
    .description("explain a code, a status or a word, and say what to do")
    .argument("[code]", "such as 1469, caa_error, outage, held, or an error text of Cloudflare (default: list all)")
    .addOption(formatFlag(["text", "json"]))
    .addOption(jsonFlag())
    .addHelpText("after", "\nExamples:\n  $ zoneform explain 1408\n  $ zoneform explain weakens-protection")
    .action(run(async () => (await import("../actions/explain.ts")).runExplain));
}
