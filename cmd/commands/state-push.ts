import { shellQuoted } from "../../lib/core/quote.ts";
import { type Context, print, printingOn } from "../context.ts";
import { readOneStateZone, underLock } from "../states.ts";
import { checkReplacement } from "../../lib/state/upkeep/restore.ts";
import { decodeState } from "../../lib/state/codec.ts";
import { loadState, saveState } from "../../lib/state/load.ts";
import { newestSerial, readTrail } from "../../lib/state/trail.ts";
import { readLines } from "../files.ts";
import type { StateWriteFlags } from "../flags.ts";

type PushFlags = StateWriteFlags & { readonly older?: boolean };

/** Runs `zoneform state push`. */
export async function runStatePush(context: Context, file: string, flags: PushFlags): Promise<void> {
  const { world, zone } = await readOneStateZone(context, flags);
  const lines = readLines(world.fs, context.cwd, file, STATE_FILE);
  const given = await decodeState(world.store.decrypted(zone.id, lines, file), file, zone.id);
  // Accepts an older state that was put back: this command is a way out of that.
  const older = { acceptsOlder: true };
  const newest = newestSerial(await readTrail(await world.store.view(zone.id)), given.lineage);
  const how = { isOlder: flags.older === true, newest };
  const before = await loadState(world.store, zone.id, older);
  const next = checkReplacement(before?.state, given, how);
  const count = `${given.objects.size} objects, ${before?.state.objects.size ?? 0} before`;
  if (flags.dryRun) {
    return print(context.stdout, `would store ${file} as serial ${next.serial + 1} of ${zone.name} (${count})`);
  }
  const saved = await underLock(context, flags, { store: world.store, zone }, "state push", async (lease) => {
    const stored = await loadState(world.store, zone.id, older);
    // The results of an interrupted run get their own serial, so that they can be restored.
    const kept = stored?.hasJournal ? await saveState(world.store, lease, stored.version, stored.state) : stored;
    const putBack = flags.older ? { by: "state push --older", serial: given.serial } : undefined;
    return saveState(
      world.store,
      lease,
      kept?.version,
      checkReplacement(kept?.state, given, how),
      putBack && { putBack },
    );
  });
  const { complete } = printingOn(context, flags);
  const kept = before ? "the state that was there is kept as an earlier copy; " : "";
  const said = [
    `stored ${file} as serial ${saved.state.serial} of ${zone.name} (${count})`,
    `${kept}to see what differs from live:`,
    `  ${complete(`zoneform plan --zone ${shellQuoted(zone.name)}`)}`,
  ];
  print(context.stdout, said.join("\n"));
}

const STATE_FILE = {
  name: "the state",
  damage: "state-damaged",
  remedy: "give a file from zoneform state pull; nothing was changed",
} as const;
