import type { ZoneId } from "../../core/brand.ts";
import { keysOf } from "./head.ts";
import { create, findIfAny, type Place, remove, replace, told } from "./place.ts";
import { checkConditions } from "./probe.ts";

/** Checks, before anything is changed live, that objects can be created and deleted here. Throws `StateError`. */
export async function checkWritable(place: Place, project: string, zone: ZoneId): Promise<void> {
  await told(place, "written", async () => {
    await checkConditions(place);
    const { check } = keysOf(project, zone);
    const bytes = Buffer.from(`${place.random.uuid()}\n`);
    // It is there if a run was killed here. If another run is faster, that one has shown the same.
    const found = await findIfAny(place, check);
    await (found ? replace(place, check, found.tag, bytes) : create(place, check, bytes));
    // A role that may not delete would leave everything that it replaces.
    await remove(place, check);
  });
}
