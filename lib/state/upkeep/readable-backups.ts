import type { ZoneId } from "../../core/brand.ts";
import { decodeState } from "../codec.ts";
import { StateError } from "../error.ts";
import type { ProjectStore } from "../upkeep.ts";

/** The earlier copies that can be read, newest first; a damaged one is of no use anywhere. */
export async function readableBackups(store: ProjectStore, zone: ZoneId): Promise<readonly number[]> {
  const found: number[] = [];
  for (const serial of await store.backups(zone)) {
    try {
      await decodeState(store.backup(zone, serial), store.describe(zone), zone);
      found.push(serial);
    } catch (thrown) {
      if (!(thrown instanceof StateError)) throw thrown;
    }
  }
  return found;
}
