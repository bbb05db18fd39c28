import { expect, it } from "vitest";
import { applyExit } from "../../../lib/engine/exit.ts";
import { placeError } from "../../../lib/state/error.ts";
import { openRig, type Rig } from "../../support/engine.ts";
import { memoryStore } from "../../support/memory-store.ts";
import { changedStore } from "../../support/changed-store.ts";
import { runText } from "../../support/texts.ts";

const ZONES = ["1", "2", "3"].map((digit) => ({ id: digit.repeat(32), name: `zone${digit}.net` }));

/** A project of three zones, each with a hostname to create; `locks` gets each try to take a lock once the server is gone. */
function rigOf(isGone: () => boolean, locks: string[]): Rig {
  const files = ZONES.map((zone) => [
    `zones/${zone.name}.yaml`,
    { version: 1, zone, custom_hostnames: { lifecycle: "zoneform", entries: [{ hostname: `a.${zone.name}` }] } },
  ]);
  return openRig({
    zones: ZONES,
    files: Object.fromEntries(files),
    store: (clock) => {
      const store = memoryStore(clock);
      return changedStore(store, {
        lock: async (zone, holder, wait) => {
          if (!isGone()) return store.lock(zone, holder, wait);
          locks.push(zone);
          throw placeError({ code: "state-unreachable", message: `the state of ${zone} cannot be reached` });
        },
      });
    },
  });
}

it.each([1, 3])(
  "a server that becomes unreachable when %i of three zones begin at once is one error, and no later zone waits for it",
  async (zonesInParallel) => {
    let isGone = false;
    const locks: string[] = [];
    const rig = rigOf(() => isGone, locks);
    const plan = await rig.plan();
    isGone = true;
    const report = await rig.apply(plan, { zonesInParallel });
    expect(locks).toHaveLength(zonesInParallel);
    const exits = applyExit(report);
    expect([exits.code, ...exits.byZone.values()]).toEqual([1, 1, 1, 1]);
    const said = runText(report, { colour: false });
    expect(said.match(/cannot be reached/g)).toHaveLength(1);
    expect(said).toContain("Zones zone1.net, zone2.net, zone3.net: nothing was started\n");
    isGone = false;
    expect(applyExit(await rig.run()).code).toBe(0);
  },
);
