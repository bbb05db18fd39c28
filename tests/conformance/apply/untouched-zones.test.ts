import { describe, expect, test } from "vitest";
import { zoneId } from "../../../lib/core/brand.ts";
import { HOLDER, openRig, type Rig } from "../../support/engine.ts";

const ZONES = ["a", "b"].map((letter) => ({ id: zoneId(letter.repeat(32)), name: `${letter}.net` }));

function zoneFile({ id, name }: { id: string; name: string }, tag: string): object {
  const hostname = { hostname: `app.${name}`, ssl: { method: "http" }, custom_metadata: { tag } };
  return { version: 1, zone: { id, name }, custom_hostnames: { lifecycle: "zoneform", entries: [hostname] } };
}

/** Two zones that were applied. */
async function applied(): Promise<Rig> {
  const files = Object.fromEntries(ZONES.map((zone) => [`zones/${zone.name}.yaml`, zoneFile(zone, "1")]));
  const rig = openRig({ zones: ZONES, files });
  await rig.run();
  return rig;
}

describe("a zone in which the plan changes nothing", () => {
  test("is neither locked nor written by the apply", async () => {
    const rig = await applied();
    const [first, second] = ZONES;
    if (!first || !second) throw new Error("there are two zones");
    rig.write(`zones/${first.name}.yaml`, zoneFile(first, "2"));
    const before = await rig.state(second.id);
    // Somebody has the other zone's lock.
    const lease = await rig.world().store.lock(second.id, HOLDER, 0);
    const report = await rig.run();
    await lease.release();
    expect(report.zones.map(({ ended, locked }) => [ended.length, locked])).toEqual([
      [1, undefined],
      [0, undefined],
    ]);
    expect(await rig.state(second.id)).toEqual(before);
  });
});
