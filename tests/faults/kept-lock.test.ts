import { expect, test } from "vitest";
import { reportText } from "../../lib/report/run/report.ts";
import { StateError } from "../../lib/state/error.ts";
import { memoryStore } from "../support/memory-store.ts";
import { openRig, type Rig, ZONE } from "../support/engine.ts";

/** A project whose store cannot be reached any more when its lock is to be given back. */
function rigOf(more: { readonly keepsLocks?: true }): Rig {
  const entries = [{ hostname: "a.customer.net" }];
  return openRig({
    files: { "zones/a.yaml": { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", entries } } },
    store: (clock) => {
      const store = memoryStore(clock);
      const release = async (): Promise<void> => {
        throw new StateError({ code: "state-unreachable", message: "the server of the states did not come back" });
      };
      return { ...store, ...more, lock: async (...given) => ({ ...(await store.lock(...given)), release }) };
    },
  });
}

test("the report has the command that unlocks the state, where the store keeps the locks of dead runs", async () => {
  const kept = await rigOf({ keepsLocks: true }).run();
  const id = kept.zones[0]?.keptLock;
  expect(reportText(kept, { colour: false })).toContain(`      zoneform state unlock ${id} --zone ${ZONE.name}\n`);
  expect((await rigOf({}).run()).zones[0]).not.toHaveProperty("keptLock");
});
