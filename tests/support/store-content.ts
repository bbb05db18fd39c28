import type { ProjectStore } from "../../lib/state/upkeep.ts";
import { collect, ZONE } from "./state-world.ts";

/** Everything that each of the engines keeps of a zone, opened, but the mark of a move. */
export async function contentOf(store: ProjectStore): Promise<object> {
  const stored = await store.read(ZONE);
  const copies = [];
  for (const serial of await store.backups(ZONE)) copies.push([serial, await collect(store.backup(ZONE, serial))]);
  const records = [];
  for (const name of (await store.names(ZONE)).filter((each) => each !== "moving")) {
    const lines = await store.kept(ZONE, name);
    records.push([name, lines && (await collect(lines))]);
  }
  return {
    state: stored && (await collect(stored.lines)),
    journal: await collect(store.journal(ZONE)),
    copies,
    records,
  };
}
