import { type Context, print, type ProjectFlags } from "../context.ts";
import { readStates, trackedObject } from "../states.ts";
import { formatTable } from "../../lib/report/lines/table.ts";
import { jsonText } from "../../lib/report/escape/json.ts";

/** What `zoneform state list` does. */
export async function runStateList(context: Context, flags: ProjectFlags): Promise<void> {
  const rows: string[][] = [];
  for (const { zone, state } of await readStates(context, flags)) {
    for (const [address, object] of state?.objects ?? [])
      rows.push([zone.name, address, object.id, object.seen?.status ?? ""]);
  }
  print(
    context.stdout,
    rows.length === 0 ? "the state has no objects yet" : formatTable(["zone", "address", "id", "last seen"], rows),
  );
}

/** What `zoneform state show` does. */
export async function runStateShow(context: Context, address: string, flags: ProjectFlags): Promise<void> {
  const { object, importId } = await trackedObject(context, flags, address);
  print(context.stdout, jsonText({ import_id: importId, ...object }));
}
