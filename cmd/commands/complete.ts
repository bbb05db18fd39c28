import { Command } from "commander";
import type { Run } from "../context.ts";

/** `zoneform complete SHELL -- WORD…`: what the scripts of `zoneform completion` ask for each Tab. Not shown in the help. */
export function completeCommand(run: Run): Command {
  return new Command("complete")
    .argument("[shell]")
    .argument("[words...]")
    .helpOption(false)
    .action(run(async () => (await import("../actions/complete.ts")).runComplete));
}
