import { Command } from "commander";
import type { Run } from "../context.ts";
import type { StateWriteFlags } from "../states.ts";
import { withStateWriteFlags } from "./state-rm.ts";

/** `zoneform state mv`: puts a tracked object under another address of its zone; nothing live is changed. */
export function stateMoveCommand(run: Run): Command {
  return withStateWriteFlags(new Command("mv"))
    .description("put a tracked certificate pack under another address; nothing live is changed")
    .argument("<from>", "the object's address")
    .argument("<to>", "the address that it is to have")
    .addHelpText(
      "after",
      "\nExample:\n  $ zoneform state mv 'certificate_pack[\"a.saas.dev\"]' 'certificate_pack[\"a.saas.dev,b.saas.dev\"]'",
    )
    .action(
      run(async (context, from: string, to: string, flags: StateWriteFlags) => {
        const { moved } = await import("../../lib/state/move.ts");
        const { changeState, trackedObject } = await import("../states.ts");
        const { printSafe } = await import("../state-printing.ts");
        const { toAddress } = await import("../state-addresses.ts");
        const tracked = await trackedObject(context, flags, from);
        const target = toAddress(tracked, to);
        // Asked before the lock is taken, and again under it.
        moved(tracked.state, tracked.address, target);
        if (!flags.dryRun)
          await changeState(context, flags, tracked.zone, "state mv", (state) => moved(state, tracked.address, target));
        printSafe(
          context,
          `${flags.dryRun ? "would move" : "moved"} ${tracked.address} to ${target}; live stays as it is`,
        );
      }),
    );
}
