import { beforeAll, describe, expect, test } from "vitest";
import { type ZoneId, zoneId } from "../../lib/core/brand.ts";
import { realClock } from "../../lib/real/clock.ts";
import type { Clock } from "../../lib/core/clock.ts";
import { saveState } from "../../lib/state/load.ts";
import { migrationPlace } from "../../lib/state/upkeep/migrate.ts";
import { type Lease, Locked } from "../../lib/state/lock.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { moveStates } from "../support/moving-states.ts";
import { NO_POSTGRES } from "../support/postgres-server.ts";
import { ask, beginAndStay, openStores, serverAddress } from "../support/postgres-stores.ts";
import { collect, HOLDER, jumpingClock, random, stateOf, ZONE } from "../support/state-world.ts";

const ZONES: readonly ZoneId[] = Array.from({ length: 40 }, (_, index) => zoneId(index.toString(16).padStart(32, "0")));

/** A role that may have this many connections, and the address with which it logs in. */
async function limitedAddress(limit: number): Promise<{ readonly role: string; readonly address: string }> {
  const [server, role] = [await serverAddress(), `limited_${random.uuid().replaceAll("-", "_")}`];
  await ask(
    server,
    `CREATE ROLE ${role} LOGIN CONNECTION LIMIT ${limit}; GRANT CREATE ON DATABASE postgres TO ${role}`,
  );
  return { role, address: server.replace("tester@", `${role}@`) };
}

async function saveIn(store: ProjectStore, zone: ZoneId): Promise<Lease> {
  const lease = await store.lock(zone, HOLDER, 0);
  await store.checkWritable(zone, 1000);
  await saveState(store, lease, undefined, stateOf(1, { zone: { id: zone, name: `${zone}.example` } }));
  return lease;
}

describe.skipIf(NO_POSTGRES)(`one session holds the locks of all zones${NO_POSTGRES ?? ""}`, () => {
  let address = "";
  beforeAll(async () => {
    address = await serverAddress();
  });

  test("forty zones at once are locked and written by a role that may have five connections", async () => {
    const store = openStores((await limitedAddress(5)).address, { schema: schemaName() }).of("shop");
    const leases = await Promise.all(ZONES.map((zone) => saveIn(store, zone)));
    expect(await store.zones()).toEqual(ZONES);
    for (const lease of leases) await lease.release();
    for (const zone of ZONES) expect(await store.holding(zone)).toBeUndefined();
  });

  test("forty zones move from one schema to another with ten connections", async () => {
    const limited = await limitedAddress(10);
    const places = [schemaName(), schemaName()].map((schema) => {
      const stores = openStores(limited.address, { schema });
      return migrationPlace(stores, "shop", { clock: realClock, random });
    });
    const [from, to] = places;
    if (!from || !to) throw new Error("there are two places");
    for (const zone of ZONES) await (await saveIn(from.store, zone)).release();
    expect(await moveStates({ project: "shop", from, to })).toEqual(ZONES);
    expect(await to.store.zones()).toEqual(ZONES);
  });

  test("a process that has a zone's lock does not get it again, and gets it once it has given it back", async () => {
    const store = openStores(address).of(`p-${random.uuid()}`);
    const lease = await store.lock(ZONE, HOLDER, 0);
    await expect(store.lock(ZONE, HOLDER, 0)).rejects.toSatisfy(
      (thrown) => thrown instanceof Locked && thrown.holding.unlockId === lease.id && thrown.holding.isAlive === true,
    );
    const [next] = await Promise.all([store.lock(ZONE, HOLDER, 5000), lease.release()]);
    expect(next.fence).toBe(lease.fence + 1);
    await next.release();
  });

  test("a job that waits for a lock asks about every two seconds", async () => {
    const project = `p-${random.uuid()}`;
    const lease = await openStores(address).of(project).lock(ZONE, HOLDER, 0);
    const [clock, pauses] = [jumpingClock(), new Array<number>()];
    const sleep: Clock["sleep"] = (milliseconds, signal) => {
      // Other waits are limits of single statements, which are ended by their answers.
      if (milliseconds <= 2000) pauses.push(milliseconds);
      return milliseconds <= 2000 ? clock.sleep(milliseconds, signal) : realClock.sleep(milliseconds, signal);
    };
    const waiting = openStores(address, { clock: { ...clock, sleep } }).of(project);
    await expect(waiting.lock(ZONE, HOLDER, 60_000)).rejects.toBeInstanceOf(Locked);
    expect(pauses.length).toBeLessThan(60);
    await lease.release();
  });

  test("when the session ends, each zone continues with its own lock", async () => {
    const project = `p-${random.uuid()}`;
    const store = openStores(address).of(project);
    const held = await Promise.all(
      ZONES.slice(0, 5).map(async (zone) => ({ zone, lease: await store.lock(zone, HOLDER, 0) })),
    );
    const backend = `SELECT DISTINCT backend FROM zoneform.zones WHERE project = '${project}'`;
    const before = await ask(address, backend);
    expect(before).toHaveLength(1);
    await ask(address, `SELECT pg_terminate_backend(backend) FROM (${backend}) AS found`);
    await Promise.all(held.map(({ zone, lease }) => store.append(zone, lease, [zone])));
    for (const { zone } of held) expect(await collect((await store.view(zone)).journal())).toEqual([zone]);
    const after = await ask(address, backend);
    expect(after).toHaveLength(1);
    expect(after).not.toEqual(before);
    await Promise.all(held.map(({ lease }) => lease.release()));
  });

  test("a session that ends while a zone is idle does not let the same process take its lock twice", async () => {
    const project = `p-${random.uuid()}`;
    const store = openStores(address).of(project);
    const lease = await store.lock(ZONE, HOLDER, 0);
    await ask(address, `SELECT pg_terminate_backend(backend) FROM zoneform.zones WHERE project = '${project}'`);
    await expect(store.lock(ZONE, HOLDER, 0)).rejects.toBeInstanceOf(Locked);
    await store.append(ZONE, lease, ["one"]);
  });

  test("a server without a connection left says so, and how many a command uses", async () => {
    const { role, address: limited } = await limitedAddress(1);
    await beginAndStay(limited, "SELECT 1");
    const store = openStores(limited, { patienceMilliseconds: 0 }).of("shop");
    await expect(store.lock(ZONE, HOLDER, 0)).rejects.toMatchObject({
      diagnostic: {
        code: "state-unreachable",
        message: expect.stringContaining(`no connection left for this role: too many connections for role "${role}"`),
        remedy: expect.stringContaining("a command uses at most five"),
      },
    });
  });
});

function schemaName(): string {
  return `sessions_${random.uuid().replaceAll("-", "_")}`;
}
