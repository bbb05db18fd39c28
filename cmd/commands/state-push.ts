import { Command } from "commander";
import { print, type Run } from "../context.ts";
import type { StateWriteFlags } from "../states.ts";
import { withStateWriteFlags } from "./state-rm.ts";

type PushFlags = StateWriteFlags & { readonly older?: boolean };

/** `zoneform state push`: puts a state from a file in the place of the stored one. */
export function statePushCommand(run: Run): Command {
  return withStateWriteFlags(new Command("push"))
    .description("replace the state of a zone by one from a file; the replaced one is kept as a copy")
    .argument("<file>", "a file that zoneform state pull has written, or an earlier copy")
    .option("--older", "go back to an earlier state on purpose; it gets a serial above both")
    .addHelpText("after", "\nExample:\n  $ zoneform state push saas.dev.state --zone saas.dev --dry-run")
    .action(
      run(async (context, file: string, flags: PushFlags) => {
        const { admit } = await import("../../lib/state/admit.ts");
        const { decodeState } = await import("../../lib/state/codec.ts");
        const { loadState, saveState } = await import("../../lib/state/load.ts");
        const { newestSerial, readTrail } = await import("../../lib/state/trail.ts");
        const { readStateLines } = await import("../state-addresses.ts");
        const { oneStateZone, underLock, withUpkeep } = await import("../states.ts");
        const { world, zone } = await oneStateZone(context, flags);
        const lines = readStateLines(world.fs, context.cwd, file);
        const given = await decodeState(withUpkeep(world.store).opened(zone.id, lines, file), file, zone.id);
        // Also over an older state that somebody put back: this command is one of the ways out.
        const older = { acceptsOlder: true };
        const newest = newestSerial(await readTrail(world.store, zone.id), given.lineage);
        const how = { isOlder: flags.older === true, newest };
        const before = await loadState(world.store, zone.id, older);
        const next = admit(before?.state, given, how);
        const count = `${given.objects.size} objects, ${before?.state.objects.size ?? 0} before`;
        if (flags.dryRun) {
          return print(context.stdout, `would store ${file} as serial ${next.serial + 1} of ${zone.name} (${count})`);
        }
        const saved = await underLock(context, flags, zone, "state push", async (lease) => {
          const stored = await loadState(world.store, zone.id, older);
          // What an interrupted run left is a serial of its own, so that it can be gone back to.
          const kept = stored?.hasJournal ? await saveState(world.store, lease, stored.version, stored.state) : stored;
          const putBack = flags.older ? { by: "state push --older", serial: given.serial } : undefined;
          return saveState(world.store, lease, kept?.version, admit(kept?.state, given, how), putBack && { putBack });
        });
        print(context.stdout, `stored ${file} as serial ${saved.state.serial} of ${zone.name} (${count})`);
      }),
    );
}
