import { Command } from "commander";
import type { Run } from "../context.ts";
import { COPY, withProjectFlags, withStateFlag } from "../flags.ts";

/** `zoneform state pull`: the state as it is stored, on standard output. */
export function statePullCommand(run: Run): Command {
  return withStateFlag(withProjectFlags(new Command("pull")))
    .description("print the stored state of a zone, with the results of an interrupted run")
    .option("--copy <name>", COPY)
    .addHelpText("after", "\nExample:\n  $ zoneform state pull --zone saas.dev > saas.dev.state")
    .action(run(async () => (await import("../actions/state-pull.ts")).runStatePull));
}
