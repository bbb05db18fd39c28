import type { ZoneId } from "../../core/brand.ts";
import { keysOf } from "./head.ts";
import { create, type Place, sweep, told } from "./place.ts";
import { checkConditions } from "./probe.ts";

/** Checks, before anything is changed live, that objects can be created here. Throws `StateError`. */
export async function checkWritable(place: Place, project: string, zone: ZoneId): Promise<void> {
  await told(place, "written", async () => {
    await checkConditions(place);
    const key = keysOf(project, zone).part(`check-${place.random.uuid()}`, 0);
    await create(place, key, Buffer.from("zoneform\n"));
    await sweep(place, [key]);
  });
}
