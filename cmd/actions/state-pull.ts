import { type Context, print, type ProjectFlags } from "../context.ts";
import { error, Refusal } from "../../lib/core/diagnostic.ts";
import { encodeState } from "../../lib/state/codec.ts";
import { loadState } from "../../lib/state/load.ts";
import { refuseSecrets } from "../intact.ts";
import { printCopy } from "./state-copy.ts";
import { readOneStateZone } from "../states.ts";

type PullFlags = ProjectFlags & { readonly copy?: string };

/** What `zoneform state pull` does. */
export async function runStatePull(context: Context, flags: PullFlags): Promise<void> {
  if (flags.copy !== undefined) return printCopy(context, flags, flags.copy);
  const { world, zone } = await readOneStateZone(context, flags);
  const loaded = await loadState(world.store, zone.id);
  if (!loaded) {
    const remedy = "the first zoneform apply or zoneform import writes it";
    throw new Refusal([error({ code: "no-state", message: `${zone.name} has no state yet`, remedy })]);
  }
  refuseSecrets(context, encodeState(loaded.state), {
    name: `the state of ${zone.name}`,
    remedy: `find the secret in the YAML, in live or among the credentials of the environment, and remove it there; or copy the file itself: ${world.store.describe(zone.id)}`,
  });
  for (const line of encodeState(loaded.state)) print(context.stdout, line);
}
