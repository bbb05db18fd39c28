import { Command } from "commander";
import { print, type Run } from "../context.ts";
import type { StateWriteFlags } from "../states.ts";
import { withStateWriteFlags } from "./state-rm.ts";

/** `zoneform state encrypt`: writes states and records anew, with the passphrase of now. */
export function stateEncryptCommand(run: Run): Command {
  return withStateWriteFlags(new Command("encrypt"))
    .description("write the states, and the records of runs, anew with ZONEFORM_STATE_PASSPHRASE")
    .addHelpText(
      "after",
      "\nExamples:\n  $ ZONEFORM_STATE_PLAIN=accept zoneform state encrypt\n  $ ZONEFORM_STATE_PASSPHRASE_PREVIOUS=… zoneform state encrypt --zone saas.dev",
    )
    .action(
      run(async (context, flags: StateWriteFlags) => {
        const { error, Refusal } = await import("../../lib/core/diagnostic.ts");
        const { rewritable, rewritten } = await import("../../lib/state/rewrite.ts");
        const { PASSPHRASE } = await import("../../lib/real/sealing.ts");
        const { stateZones, underLock } = await import("../states.ts");
        if (!context.env[PASSPHRASE]) {
          const message = "there is no passphrase to encrypt with";
          throw new Refusal([error({ code: "passphrase-missing", message, remedy: `set ${PASSPHRASE}` })]);
        }
        const { world, zones } = await stateZones(context, flags);
        for (const zone of zones) {
          const records = flags.dryRun
            ? await rewritable(world.store, zone.id)
            : await underLock(context, flags, zone, "state encrypt", (lease) => rewritten(world, zone, lease));
          const verb = flags.dryRun ? "would encrypt" : "encrypted";
          const done = `${verb} the state of ${zone.name}, and ${records} records beside it`;
          print(context.stdout, records === undefined ? `${zone.name} has no state yet` : done);
        }
      }),
    );
}
