import { Command } from "commander";
import type { Run } from "../context.ts";
import { withProjectFlags, wholeNumber } from "../flags.ts";
import type { StateWriteFlags, Tracked } from "../states.ts";

/** Adds the flags of commands that write a state and nothing live. */
export function withStateWriteFlags(command: Command): Command {
  return withProjectFlags(command)
    .option("--dry-run", "say what would be done, and write nothing")
    .option("--lock-timeout <seconds>", "how long to wait for the state's lock", wholeNumber, 0);
}

/** `zoneform state rm`: forgets an object; nothing live is changed. */
export function stateRemoveCommand(run: Run): Command {
  return withStateWriteFlags(new Command("rm"))
    .description("forget an object; it stays live")
    .argument("<address>", "the object's address")
    .addHelpText("after", "\nExample:\n  $ zoneform state rm 'custom_hostname[\"app.customer-one.net\"]'")
    .action(
      run(async (context, address: string, flags: StateWriteFlags) => {
        const { printSafe } = await import("../state-printing.ts");
        const { forgetObject, trackedObject } = await import("../states.ts");
        const tracked = await trackedObject(context, flags, address);
        if (!flags.dryRun) await forgetObject(context, flags, tracked);
        const verb = flags.dryRun ? "would forget" : "forgot";
        printSafe(context, `${verb} ${tracked.address}; ${wayBack(tracked)}`);
      }),
    );
}

function wayBack({ object, importArguments }: Tracked): string {
  const stays = object.pending ? "a run was stopped while it created it, so it may be live" : "it stays live";
  if (importArguments === undefined) return `${stays}: zoneform plan shows that, where it is declared`;
  return `${stays}, to take it back: zoneform import ${importArguments}`;
}
