import { type World, ZONE_ID } from "./emulator.ts";

/** Starts counting how often a custom hostname of the zone is shown, by itself or as the owner of a certificate pack. */
export function countShown({ service }: World): () => number {
  let count = 0;
  let last = "";
  for (const record of service.core.store.zones.get(ZONE_ID)?.hostnames.all() ?? []) {
    const { hostname } = record;
    Object.defineProperty(record, "hostname", {
      get: () => {
        // One display reads the name several times in a row.
        if (last !== hostname) count += 1;
        last = hostname;
        return hostname;
      },
    });
  }
  return () => count;
}
