import { columnsOf, type Context, print, type ProjectFlags } from "../context.ts";
import { readStates, trackedObject } from "../states.ts";
import { objectDocument, trackedDocument } from "../../lib/report/commands/state.ts";
import { formatTable } from "../../lib/report/lines/table.ts";
import { jsonText } from "../../lib/report/escape/json.ts";

/** What `zoneform state list` does. */
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

/** What `zoneform state show` does. */
export async function runStateShow(context: Context, address: string, flags: ProjectFlags): Promise<void> {
  const { object, importId } = await trackedObject(context, flags, address);
  print(context.stdout, jsonText(objectDocument(importId, object)));
}
