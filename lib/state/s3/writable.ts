import type { ZoneId } from "../../core/brand.ts";
import { keysOf } from "./head.ts";
import { create, type Place, remove, told } from "./place.ts";
import { checkConditions } from "./probe.ts";

/** Checks, before anything is changed live, that objects can be created and deleted here. Throws `StateError`. */
export async function checkWritable(place: Place, project: string, zone: ZoneId): Promise<void> {
  await told(place, "written", async () => {
    await checkConditions(place);
    const key = keysOf(project, zone).part(`check-${place.random.uuid()}`, 0);
    await create(place, key, Buffer.from("zoneform\n"));
    // A role that may not delete would leave everything that it replaces.
    await remove(place, key);
  });
}
