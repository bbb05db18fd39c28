import { problem, refusal } from "../../lib/core/diagnostic.ts";
import { type Context, print } from "../context.ts";
import { readStateZones, underLock } from "../states.ts";
import { rewritable, rewriteState } from "../../lib/state/upkeep/rewrite.ts";
import { PASSPHRASE } from "../../lib/real/sealing.ts";
import type { StateWriteFlags } from "../flags.ts";

/** Runs `zoneform state encrypt`. */
export async function runStateEncrypt(context: Context, flags: StateWriteFlags): Promise<void> {
  if (!context.env[PASSPHRASE])
    throw refusal(problem("passphrase-missing", { message: "no passphrase to encrypt with" }));
  const { world, zones } = await readStateZones(context, flags);
  for (const zone of zones) {
    const records = flags.dryRun
      ? await rewritable(world.store, zone.id)
      : await underLock(context, flags, { store: world.store, zone }, "state encrypt", (lease) =>
          rewriteState(world, zone, lease),
        );
    const verb = flags.dryRun ? "would encrypt" : "encrypted";
    const done = `${verb} the state of ${zone.name}, and ${records} records next to it`;
    print(context.stdout, records === undefined ? `${zone.name} has no state yet` : done);
  }
}
