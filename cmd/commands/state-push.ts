import { Command } from "commander";
import type { Run } from "../context.ts";
import { withStateWriteFlags } from "./state-rm.ts";

/** `zoneform state push`: puts a state from a file in the place of the stored one. */
export function statePushCommand(run: Run): Command {
  return withStateWriteFlags(new Command("push"))
    .description("replace the state of a zone by one from a file; the replaced one is kept as a copy")
    .argument("<file>", "a file that zoneform state pull has written, or an earlier copy")
    .option("--older", "go back to an earlier state on purpose; it gets a serial above both")
    .addHelpText("after", "\nExample:\n  $ zoneform state push saas.dev.state --zone saas.dev --dry-run")
    .action(run(async () => (await import("../actions/state-push.ts")).runStatePush));
}
