import type { ZoneId } from "../../lib/core/brand.ts";
import { decodeState } from "../../lib/state/codec.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { collect, ZONE } from "./state-world.ts";

/** Everything that every engine keeps of a zone, read and decoded, except for the mark of a move. */
export async function contentOf(store: ProjectStore, zone: ZoneId = ZONE): Promise<object> {
  const stored = (await store.view(zone)).state;
  const copies = [];
  for (const serial of (await store.view(zone)).backups)
    copies.push([serial, await collect((await store.view(zone)).backup(serial))]);
  const records = [];
  for (const name of (await store.view(zone)).names.filter((each) => each !== "moving")) {
    const lines = (await store.view(zone)).kept(name);
    records.push([name, lines && (await collect(lines))]);
  }
  return {
    state: stored && (await collect(stored.lines)),
    journal: await collect((await store.view(zone)).journal()),
    copies,
    records,
  };
}

/** How many objects each earlier copy has. */
export async function copiesOf(store: ProjectStore): Promise<object> {
  const found = new Map<number, number>();
  for (const serial of (await store.view(ZONE)).backups)
    found.set(serial, (await decodeState((await store.view(ZONE)).backup(serial), "the copy", ZONE)).objects.size);
  return Object.fromEntries(found);
}
