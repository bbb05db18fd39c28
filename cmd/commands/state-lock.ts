import { Command } from "commander";
import type { Run } from "../context.ts";
import { withProjectFlags, withStateFlag } from "../flags.ts";

/** `zoneform state lock`: who holds the lock of each zone. */
export function stateLockCommand(run: Run): Command {
  return withStateFlag(withProjectFlags(new Command("lock")))
    .description("show who holds the lock of each zone, since when, and how to free it")
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExample:\n  $ zoneform state lock --zone saas.dev")
    .action(run(async () => (await import("../actions/state-lock.ts")).runStateLock));
}
