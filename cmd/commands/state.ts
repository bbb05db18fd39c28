import { columnsOf, type Context, print } from "../context.ts";
import { readStates, trackedObject, readOneStateZone } from "../states.ts";
import { objectDocument, trackedDocument } from "../../lib/report/commands/state.ts";
import { formatTable } from "../../lib/report/lines/table.ts";
import { jsonText } from "../../lib/report/escape/json.ts";
import { refusal } from "../../lib/core/diagnostic.ts";
import { encodeState } from "../../lib/state/codec.ts";
import { loadState } from "../../lib/state/load.ts";
import { refuseSecrets } from "../outputs.ts";
import { printCopy } from "./state-copy.ts";
import type { ProjectFlags } from "../flags.ts";

/** Runs `zoneform state list`. */
export async function runStateList(context: Context, flags: ProjectFlags & { readonly json?: boolean }): Promise<void> {
  const states = await readStates(context, flags);
  if (flags.json) return print(context.stdout, jsonText(trackedDocument(states)));
  const rows: string[][] = [];
  for (const { zone, state } of states) {
    for (const [address, object] of state?.objects ?? [])
      rows.push([zone.name, address, object.id, object.seen?.status ?? ""]);
  }
  print(
    context.stdout,
    rows.length === 0
      ? "the state has no objects yet"
      : formatTable(["zone", "address", "id", "last seen"], rows, {
          ...columnsOf(context.stdout),
          gives: ["last seen", "zone", "id"],
        }),
  );
}

/** Runs `zoneform state show`. */
export async function runStateShow(context: Context, address: string, flags: ProjectFlags): Promise<void> {
  const { object, importId } = await trackedObject(context, flags, address);
  print(context.stdout, jsonText(objectDocument(importId, object)));
}

type PullFlags = ProjectFlags & { readonly copy?: string };

/** Runs `zoneform state pull`. */
export async function runStatePull(context: Context, flags: PullFlags): Promise<void> {
  if (flags.copy !== undefined) return printCopy(context, flags, flags.copy);
  const { world, zone } = await readOneStateZone(context, flags);
  const loaded = await loadState(world.store, zone.id);
  if (!loaded) {
    const remedy = "the first zoneform apply or zoneform import writes it";
    throw refusal({ code: "no-state", message: `${zone.name} has no state yet`, remedy });
  }
  refuseSecrets(context, encodeState(loaded.state), {
    name: `the state of ${zone.name}`,
    remedy: `find the secret in the YAML, in live or among the credentials of the environment, and remove it there; or copy the file itself: ${world.store.describe(zone.id)}`,
  });
  for (const line of encodeState(loaded.state)) print(context.stdout, line);
}
