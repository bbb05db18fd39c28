import { describe, expect, test } from "vitest";
import { zoneId } from "../../lib/core/brand.ts";
import { disk } from "../../lib/real/disk.ts";
import { httpStores } from "../../lib/state/engines/http/engine.ts";
import { newState } from "../../lib/state/state.ts";
import { beginState, loadState, saveState } from "../../lib/state/load.ts";
import { memory } from "../../lib/state/engines/memory.ts";
import { localStores } from "../../lib/state/engines/local/engine.ts";
import { type Migration, migrationPlace } from "../../lib/state/upkeep/migrate.ts";
import { refusingMoved } from "../../lib/state/zone/marks.ts";
import { bucketStores } from "../../lib/state/engines/s3/engine.ts";
import type { Lease } from "../../lib/state/lock.ts";
import { type StateStores, zoneStores } from "../../lib/state/stores.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { temporaryFolder } from "../support/disk.ts";
import { modelTransport, stateModel } from "../support/http-state-model.ts";
import { memoryBucket } from "../support/memory-bucket.ts";
import { moveStates } from "../support/moving-states.ts";
import { clocksOf, HOLDER, jumpingClock, processOf, random, steadyAs, ZONE } from "../support/state-world.ts";

const PROJECT = "edge";
const OTHER = zoneId("9a7806061c88ada191ed06f989cc3dac");
const MOVED = { diagnostic: { code: "state-moved" } };

/** Places of each engine; each call opens the place as another process does. */
const ENGINES = {
  "a folder": async () => {
    const root = await temporaryFolder();
    return () => localStores(disk("refuse"), root, { identity: processOf(1), ...clocksOf(jumpingClock()), random });
  },
  "a database": async () => {
    const shared = memory();
    const user = { clock: jumpingClock(), random };
    return () => zoneStores(shared.open(user), user);
  },
  "a bucket": async () => {
    const clock = jumpingClock();
    const objects = memoryBucket(() => clock.now());
    // Nobody renews anything: no time passes but that of those who wait.
    const steady = { ...clock, rest: () => new Promise<never>(() => undefined) };
    return () => bucketStores(objects.open(), "", "s3://states", { clock, steady, random });
  },
  "an HTTP server": async () => {
    const model = stateModel("gitlab");
    const clock = jumpingClock();
    const address = "https://states.example/api/v4/projects/1/terraform/state";
    const parts = { env: {}, clock, steady: steadyAs(clock), random, connect: () => modelTransport(model) };
    return () => httpStores(address, parts);
  },
} satisfies Readonly<Record<string, () => Promise<() => StateStores>>>;

const WORLD = { clock: jumpingClock(), random };

/** Begins the state of a zone, as an apply does that holds its lock. */
async function begin(store: ProjectStore, lease: Lease, id = OTHER): Promise<void> {
  await beginState(store, lease, { id, name: `${id}.net` }, random);
}

/** Moves the states; `interrupt` may act when a lock is wanted. */
async function move(migration: Migration, interrupt: () => Promise<void> = async () => undefined): Promise<void> {
  await moveStates(migration, async (store, zone) => {
    await interrupt();
    return store.lock(zone, HOLDER, 0);
  });
}

describe.each(Object.entries(ENGINES))(
  "states that move from %s while another zone is applied for the first time",
  (_, open) => {
    async function opened(): Promise<{
      migration: Migration;
      apply: ProjectStore;
      /** The same place, for a command that comes later. */
      later: () => ProjectStore;
      after: ProjectStore;
    }> {
      const old = await open();
      const folder = await temporaryFolder();
      const next = localStores(disk("refuse"), folder, { identity: processOf(1), ...clocksOf(jumpingClock()), random });
      const from = old();
      const migration: Migration = {
        project: PROJECT,
        from: migrationPlace(from, PROJECT, WORLD),
        to: migrationPlace(next, PROJECT, WORLD),
      };
      const apply = refusingMoved(old(), WORLD).of(PROJECT);
      const lease = await apply.lock(ZONE, HOLDER, 0);
      await begin(apply, lease, ZONE);
      await lease.release();
      return {
        migration,
        apply,
        later: () => refusingMoved(old(), WORLD).of(PROJECT),
        after: refusingMoved(next, WORLD).of(PROJECT),
      };
    }

    test("leave none behind: the state of an apply that begins after the last check is withdrawn, and its error names the new place", async () => {
      const { migration, apply } = await opened();
      const lease = await apply.lock(OTHER, HOLDER, 0);
      expect(await loadState(apply, OTHER)).toBeUndefined();
      await move(migration);
      const first = newState({ id: OTHER, name: "other.net" }, random);
      await expect(saveState(apply, lease, undefined, first)).rejects.toMatchObject(MOVED);
      await lease.release();
      expect(await migration.from.store.zones()).toEqual([ZONE]);
      await expect(apply.lock(OTHER, HOLDER, 0)).rejects.toMatchObject(MOVED);
    });

    test("keep the copies of a state that was removed before, if the state of an apply is withdrawn", async () => {
      const { migration, apply } = await opened();
      const before = await apply.lock(OTHER, HOLDER, 0);
      await begin(apply, before);
      await apply.retire(OTHER, before);
      await before.release();
      const copies = async (): Promise<readonly (string | undefined)[]> =>
        (await migration.from.store.files(OTHER)).flatMap(({ role, copy }) => (role === "set-aside" ? [copy] : []));
      const kept = await copies();
      expect(kept).toHaveLength(1);
      const lease = await apply.lock(OTHER, HOLDER, 0);
      await move(migration);
      const first = newState({ id: OTHER, name: "other.net" }, random);
      await expect(saveState(apply, lease, undefined, first)).rejects.toMatchObject(MOVED);
      await lease.release();
      expect(await copies()).toEqual(kept);
    });

    test("take along a state that is begun while they wait for a lock", async () => {
      const { migration, apply, later, after } = await opened();
      let isBegun = false;
      await move(migration, async () => {
        if (isBegun) return;
        isBegun = true;
        const lease = await apply.lock(OTHER, HOLDER, 0);
        await begin(apply, lease);
        await lease.release();
      });
      await expect(loadState(later(), OTHER)).rejects.toMatchObject(MOVED);
      expect(await loadState(after, OTHER)).toMatchObject({ state: { zone: { id: OTHER } } });
    });

    test("take along a state that is begun just before the old place records that they moved", async () => {
      const { migration, apply, later, after } = await opened();
      const { mark } = migration.from;
      let isBegun = false;
      const change: typeof mark.change = async (...how) => {
        if (!isBegun) {
          isBegun = true;
          const lease = await apply.lock(OTHER, HOLDER, 0);
          await begin(apply, lease);
          await lease.release();
        }
        return mark.change(...how);
      };
      await move({ ...migration, from: { ...migration.from, mark: { ...mark, change } } });
      await expect(loadState(later(), OTHER)).rejects.toMatchObject(MOVED);
      expect(await loadState(after, OTHER)).toMatchObject({ state: { zone: { id: OTHER } } });
      expect(await loadState(after, ZONE)).toMatchObject({ state: { zone: { id: ZONE } } });
    });
  },
);
