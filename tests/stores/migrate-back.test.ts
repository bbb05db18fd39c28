import { expect, test } from "vitest";
import { realClock } from "../../lib/real/clock.ts";
import { disk } from "../../lib/real/disk.ts";
import { loadState, saveState } from "../../lib/state/load.ts";
import { localStores } from "../../lib/state/engines/local/engine.ts";
import { migrationPlace, type MigrationPlace } from "../../lib/state/upkeep/migrate.ts";
import { refusingMoved } from "../../lib/state/zone/marks.ts";
import type { StateStores } from "../../lib/state/stores.ts";
import { temporaryFolder } from "../support/disk.ts";
import { startHttpStates } from "../support/http-state-server.ts";
import { moveStates } from "../support/moving-states.ts";
import { NO_POSTGRES } from "../support/postgres-server.ts";
import { openStores, serverAddress } from "../support/postgres-stores.ts";
import { startS3Server } from "../support/s3-server.ts";
import { openS3Stores } from "../support/s3-stores.ts";
import { clocksOf, LEASED, HOLDER, processOf, random, stateOf, ZONE } from "../support/state-world.ts";
import { contentOf } from "../support/store-content.ts";

const WORLD = { clock: realClock, random };
const OTHER_LINEAGE = "0b0f7a0e-7d5c-4b7e-9d3c-2f1e6a5b4c3d";

async function folder(): Promise<StateStores> {
  const parts = { identity: processOf(1), ...clocksOf(realClock), random };
  return localStores(disk("refuse"), `${await temporaryFolder()}/states`, parts);
}

const PLACES = {
  "a folder": folder,
  PostgreSQL: async (): Promise<StateStores> => openStores(await serverAddress()),
  HTTP: async (): Promise<StateStores> => (await startHttpStates("gitlab")).open(),
  S3: async (): Promise<StateStores> => openS3Stores((await startS3Server()).address("team")),
} as const;

function placeOf(stores: StateStores, project: string): MigrationPlace {
  return migrationPlace(stores, project, WORLD);
}

/** Writes a state so often; gives the last serial. */
async function write({ store }: MigrationPlace, lineage: string, times: number): Promise<number> {
  const lease = await store.lock(ZONE, HOLDER, 0);
  let saved = await saveState(store, lease, undefined, stateOf(2, { lineage, serial: 0 }));
  for (let time = 1; time < times; time += 1) saved = await saveState(store, lease, saved.version, saved.state);
  await lease.release();
  return saved.state.serial;
}

for (const [name, open] of Object.entries(PLACES)) {
  const missing = name === "PostgreSQL" ? NO_POSTGRES : undefined;
  /** States that moved away from the place, and began anew at the other one, with lower serials. */
  const away = async (
    times: number,
  ): Promise<{ stores: StateStores; project: string; first: MigrationPlace; second: MigrationPlace }> => {
    const project = `p-${random.uuid()}`;
    const stores = await open();
    const [first, second] = [placeOf(stores, project), placeOf(await folder(), project)];
    await write(first, stateOf(1).lineage, 8);
    await moveStates({ project, from: first, to: second });
    const lease = await second.store.lock(ZONE, HOLDER, 0);
    await second.store.retire(ZONE, lease);
    await lease.release();
    expect(await write(second, OTHER_LINEAGE, times)).toBe(times);
    return { stores, project, first, second };
  };

  test.skipIf(missing)(
    `a state that began anew elsewhere moves back to its earlier place, and nothing of the earlier one is left (${name})${missing ?? ""}`,
    async () => {
      const { stores, project, first, second } = await away(2);
      const content = await contentOf(second.store);
      await moveStates({ project, from: second, to: first });
      expect(await contentOf(first.store)).toEqual(content);
      expect((await first.store.files(ZONE)).filter(({ role }) => role === "set-aside")).toEqual([]);
      const store = refusingMoved(stores, WORLD).of(project);
      const loaded = await loadState(store, ZONE);
      const lease = await store.lock(ZONE, HOLDER, 0);
      await saveState(store, lease, loaded?.version, loaded?.state ?? expect.fail("no state"));
      await lease.release();
      expect((await loadState(store, ZONE))?.state.serial).toBe(3);
    },
  );

  test.skipIf(missing)(
    `a zone whose state was removed elsewhere can begin anew at its earlier place once the others are back (${name})${missing ?? ""}`,
    async () => {
      const { stores, project, first, second } = await away(1);
      const lease = await second.store.lock(ZONE, HOLDER, 0);
      await second.store.retire(ZONE, lease);
      await lease.release();
      await moveStates({ project, from: second, to: first });
      const begun = { ...first, store: refusingMoved(stores, WORLD).of(project) };
      expect(await write(begun, OTHER_LINEAGE, 1)).toBe(1);
    },
  );

  test.skipIf(missing)(
    `a move that was interrupted before it deleted what was left there is completed (${name})${missing ?? ""}`,
    async () => {
      const { stores, project, first, second } = await away(1);
      const content = await contentOf(second.store);
      await first.mark.change(() => ({ direction: "here", other: second.name, zones: [ZONE] }), LEASED);
      await moveStates({ project, from: second, to: first });
      expect(await contentOf(first.store)).toEqual(content);
      expect((await loadState(refusingMoved(stores, WORLD).of(project), ZONE))?.state.serial).toBe(1);
    },
  );
}
