import { Command } from "commander";
import type { Run } from "../context.ts";
import { withStateWriteFlags } from "./state-rm.ts";

/** `zoneform state merge`: adds the results that a run could not store; the next run would find them out by itself. */
export function stateMergeCommand(run: Run): Command {
  return withStateWriteFlags(new Command("merge"))
    .description("load results that a run could not store (optional: the next run recovers them)")
    .argument("<file>", "the file that the run's report names")
    .addHelpText("after", "\nExample:\n  $ zoneform state merge .zoneform/lost/RUN.results --dry-run")
    .action(run(async () => (await import("../actions/state-merge.ts")).runStateMerge));
}
