import { Command } from "commander";
import type { Run } from "../context.ts";
import { withStateWriteFlags } from "./state-rm.ts";

/** `zoneform state push`: puts a state from a file in the place of the stored one. */
export function statePushCommand(run: Run): Command {
  return withStateWriteFlags(new Command("push"))
    .description("replace the stored state of a zone with a file; keeps a copy of the old state")
    .argument("<file>", "a file from zoneform state pull, or an earlier copy")
    .option("--older", "allow to go back to an earlier state; it gets a serial above both")
    .addHelpText("after", "\nExample:\n  $ zoneform state push saas.dev.state --zone saas.dev --dry-run")
    .action(run(async () => (await import("../actions/state-push.ts")).runStatePush));
}
