import { Command, Option } from "commander";
import type { Run } from "../context.ts";
import { AUTO_APPROVE, COPY, LOCK_TIMEOUT, withProjectFlags, withStateFlag, wholeNumber } from "../flags.ts";

/** Adds the flags of commands that write a state and nothing live. */
export function withStateWriteFlags(command: Command): Command {
  return withStateFlag(withProjectFlags(command))
    .option("--dry-run", "show what would be done; write nothing")
    .option("--lock-timeout <seconds>", LOCK_TIMEOUT, wholeNumber, 0);
}

/** `zoneform state rm`: forgets an object, or all that is kept of a zone; nothing live is changed. */
export function stateRemoveCommand(run: Run): Command {
  return withStateWriteFlags(new Command("rm"))
    .description("release an object, which stays live; or remove the whole state of a zone (--zone without an address)")
    .argument("[address]", "the object to release (default: the whole zone that --zone names)")
    .addOption(new Option("--copy <name>", COPY).conflicts("force"))
    .option(
      "--force",
      "remove a zone's state even if it protects objects, has unfinished changes, was not moved here completely or cannot be read",
    )
    .option("--auto-approve", AUTO_APPROVE)
    .addHelpText(
      "after",
      "\nExamples:\n  $ zoneform state rm 'custom_hostname[\"app.customer-one.net\"]'\n  $ zoneform state rm --zone saas.dev",
    )
    .action(run(async () => (await import("../actions/state-rm.ts")).runStateRemove));
}
