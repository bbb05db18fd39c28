import { Command } from "commander";
import type { Run } from "../context.ts";
import { SAME_AS_JSON, formatFlag } from "../flags.ts";

/** `zoneform show FILE`: a saved plan for people, or as one JSON document for programs. */
export function showCommand(run: Run): Command {
  return new Command("show")
    .description("print a saved plan")
    .argument("<plan>", "a saved plan (zoneform plan --out FILE)")
    .addOption(formatFlag(["text", "json"]))
    .option("--json", SAME_AS_JSON)
    .addHelpText("after", "\nExample:\n  $ zoneform show plan.zfplan --format json | jq .hash")
    .action(run(async () => (await import("../actions/show.ts")).runShow));
}
