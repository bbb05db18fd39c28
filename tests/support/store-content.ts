import type { ZoneId } from "../../lib/core/brand.ts";
import type { ProjectStore } from "../../lib/state/upkeep.ts";
import { collect, ZONE } from "./state-world.ts";

/** Everything that each of the engines keeps of a zone, opened, but the mark of a move. */
export async function contentOf(store: ProjectStore, zone: ZoneId = ZONE): Promise<object> {
  const stored = await store.read(zone);
  const copies = [];
  for (const serial of await store.backups(zone)) copies.push([serial, await collect(store.backup(zone, serial))]);
  const records = [];
  for (const name of (await store.names(zone)).filter((each) => each !== "moving")) {
    const lines = await store.kept(zone, name);
    records.push([name, lines && (await collect(lines))]);
  }
  return {
    state: stored && (await collect(stored.lines)),
    journal: await collect(store.journal(zone)),
    copies,
    records,
  };
}
