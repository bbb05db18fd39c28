import { Command } from "commander";
import type { Run } from "../context.ts";
import { withProjectFlags, withStateFlag } from "../flags.ts";

/** `zoneform state unlock`: frees a lock whose holder is gone; never without its exact id. */
export function stateUnlockCommand(run: Run): Command {
  return withStateFlag(withProjectFlags(new Command("unlock")))
    .description("unlock the state of a zone whose run is gone; if it still runs, it cannot write any more")
    .argument("<id>", "the exact id of the lock, from the message that reported it")
    .option("--dry-run", "show what would be done; write nothing")
    .addHelpText("after", "\nExample:\n  $ zoneform state unlock 5f1a4a52-9a0c-4a52-8a57-0d2f3b1c9f10 --dry-run")
    .action(run(async () => (await import("../actions/state-unlock.ts")).runStateUnlock));
}
