import { Command } from "commander";
import type { Run } from "../context.ts";
import { withProjectFlags, wholeNumber } from "../flags.ts";

/** Adds the flags of commands that write a state and nothing live. */
export function withStateWriteFlags(command: Command): Command {
  return withProjectFlags(command)
    .option("--dry-run", "say what would be done, and write nothing")
    .option("--lock-timeout <seconds>", "how long to wait for the state's lock", wholeNumber, 0);
}

/** `zoneform state rm`: forgets an object, or all that is kept of a zone; nothing live is changed. */
export function stateRemoveCommand(run: Run): Command {
  return withStateWriteFlags(new Command("rm"))
    .description("forget an object, which stays live; or, with --zone and no address, remove the whole state of a zone")
    .argument("[address]", "the object's address; left out for the whole zone that --zone names")
    .option("--force", "remove a zone's state also where it protects objects, has open intents or cannot be read")
    .option("--auto-approve", "do not ask before the state of a zone is removed")
    .addHelpText(
      "after",
      "\nExample:\n  $ zoneform state rm 'custom_hostname[\"app.customer-one.net\"]'\n\nA zone that was deleted at the service, by its name or its id:\n  $ zoneform state rm --zone saas.dev",
    )
    .action(run(async () => (await import("../actions/state-rm.ts")).runStateRemove));
}
