import pg from "pg";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { realClock } from "../../lib/real/clock.ts";
import type { Clock } from "../../lib/core/clock.ts";
import { examine } from "../../lib/state/upkeep/doctor.ts";
import { loadState, saveState } from "../../lib/state/load.ts";
import { type Lease, Locked, StoreConflict } from "../../lib/state/lock.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { type Cut, type CuttingProxy, startCuttingProxy } from "../support/cutting-proxy.ts";
import { STORES_FULL } from "../support/full.ts";
import { NO_POSTGRES, type PostgresServer, sharedServer, startServer } from "../support/postgres-server.ts";
import { ask as askServer, openStores, serverAddress } from "../support/postgres-stores.ts";
import { collect, given, HOLDER, random, stateOf, ZONE } from "../support/state-world.ts";

/** Every message with `npm run test:stores`. */
const STEP = STORES_FULL ? 1 : 4;
const RESTARTS = STORES_FULL ? 3 : 1;

/** Longer than any machine needs to start a server: what is tested is that the run goes on. */
const PATIENT = { patienceMilliseconds: 600_000 };

/** Its pauses between two attempts take no time; limits of single statements stay real. */
function hurriedClock(): Clock {
  let ahead = 0;
  return {
    now: () => realClock.now() + ahead,
    sleep: async (delayMilliseconds, signal) => {
      if (delayMilliseconds > 1000) return realClock.sleep(delayMilliseconds, signal);
      ahead += delayMilliseconds;
      // The server has to get its turn too.
      await realClock.sleep(1, signal);
    },
  };
}

interface World {
  readonly store: ProjectStore;
  /** The same state, past the proxy. */
  readonly direct: ProjectStore;
  readonly proxy: CuttingProxy;
  readonly lease: Lease;
}

async function begin(clock: Clock = realClock, { patienceMilliseconds } = PATIENT): Promise<World> {
  const address = await serverAddress();
  const proxy = await startCuttingProxy(Number(new URL(address).port));
  const project = `p-${random.uuid()}`;
  const through = address.replace(/:\d+\//, `:${proxy.port}/`);
  const store = openStores(through, { clock, patienceMilliseconds }).of(project);
  const lease = await store.lock(ZONE, HOLDER, 0);
  return { store, direct: openStores(address).of(project), proxy, lease };
}

/** What a run does with its store, and what is there afterwards. */
const OPERATIONS: Readonly<Record<string, (world: World) => Promise<void>>> = {
  append: async ({ store, direct, lease }) => {
    await store.append(ZONE, lease, ["one", "two"]);
    await store.append(ZONE, lease, ["three"]);
    expect(await collect((await direct.view(ZONE)).journal())).toEqual(["one", "two", "three"]);
  },
  write: async ({ store, direct, lease }) => {
    await store.append(ZONE, lease, ["folded"]);
    const first = await store.write(ZONE, lease, undefined, given(['{"serial":1}', "a"]));
    const second = await store.write(ZONE, lease, first, given(['{"serial":2}', "b"]));
    const stored = (await direct.view(ZONE)).state;
    expect(stored?.version).toBe(second);
    expect(stored && (await collect(stored.lines))).toEqual(['{"serial":2}', "b"]);
    expect((await direct.view(ZONE)).backups).toEqual([1]);
    expect(await collect((await direct.view(ZONE)).journal())).toEqual([]);
  },
  "records and observations": async ({ store, direct, lease }) => {
    await store.keep(ZONE, lease, "run-1", given(["kept"]));
    await store.keep(ZONE, lease, "run-2", given(["discarded"]));
    await store.discard(ZONE, lease, "run-2");
    await store.observe(ZONE, ["seen"]);
    expect((await direct.view(ZONE)).names).toEqual(["run-1"]);
    expect([...new Set(await collect(direct.observations(ZONE)))]).toEqual(["seen"]);
  },
  upkeep: async ({ store, direct, lease }) => {
    await store.append(ZONE, lease, ["bad"]);
    await store.setAside(ZONE, lease, "journal");
    await store.rewriteJournal(ZONE, lease, given(["good"]));
    expect(await collect((await direct.view(ZONE)).journal())).toEqual(["good"]);
    expect((await direct.files(ZONE)).map(({ role }) => role).sort()).toEqual(["journal", "set-aside"]);
  },
  "release and lock": async ({ store, direct, lease }) => {
    await store.checkLease(ZONE, lease);
    await lease.release();
    const next = await direct.lock(ZONE, HOLDER, 600_000);
    await expect(store.lock(ZONE, HOLDER, 0)).rejects.toThrow(Locked);
    await next.release();
    const last = await store.lock(ZONE, HOLDER, 600_000);
    expect(last.fence).toBeGreaterThan(next.fence);
    await store.unlock(ZONE, last.id);
    expect(await direct.holding(ZONE)).toBeUndefined();
  },
};

describe.skipIf(NO_POSTGRES)(`connections that are cut${NO_POSTGRES ?? ""}`, () => {
  const cases = Object.keys(OPERATIONS).flatMap((name) =>
    (["before", "after"] as const).map((cut): readonly [string, Cut] => [name, cut]),
  );
  test.each(cases)("%s: a cut %s any message changes nothing that a run sees or leaves", async (name, cut) => {
    for (let message = 1; ; message += STEP) {
      const world = await begin();
      world.proxy.cutAt(message, cut);
      await OPERATIONS[name]?.(world);
      if (!world.proxy.hasCut()) return expect(message).toBeGreaterThan(2);
    }
  });

  test("a session that the server ended is replaced; the lock and the epoch stay", async () => {
    const { store, lease } = await begin();
    await store.append(ZONE, lease, ["before"]);
    await ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE '%${lease.id}'`);
    await store.append(ZONE, lease, ["after"]);
    expect(await collect((await store.view(ZONE)).journal())).toEqual(["before", "after"]);
    expect(await store.holding(ZONE)).toMatchObject({ unlockId: lease.id, isAlive: true });
  });

  test("a server that stays away ends the wait; once it is back, the run may still save its results", async () => {
    const { store, proxy, lease } = await begin(hurriedClock(), { patienceMilliseconds: 60_000 });
    proxy.setDown(true);
    const failure = await store.append(ZONE, lease, ["lost"]).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ diagnostic: { code: "state-unreachable" } });
    proxy.setDown(false);
    await store.write(ZONE, lease, undefined, given(["saved"]));
    expect((await store.view(ZONE)).state).toBeDefined();
  });

  test("a run that reconnects to a lock that another run took gets an error, and writes nothing", async () => {
    const { store, direct, proxy, lease } = await begin();
    await store.append(ZONE, lease, ["mine"]);
    proxy.setDown(true);
    const next = await direct.lock(ZONE, HOLDER, 600_000);
    proxy.setDown(false);
    await expect(store.append(ZONE, lease, ["late"])).rejects.toThrow(StoreConflict);
    await direct.append(ZONE, next, ["theirs"]);
    expect(await collect((await direct.view(ZONE)).journal())).toEqual(["mine", "theirs"]);
  });

  test("a server that comes back without a confirmed line is not trusted", async () => {
    const { store, lease } = await begin();
    await store.append(ZONE, lease, ["confirmed"]);
    await ask("DELETE FROM zoneform.journal WHERE line = 'confirmed'");
    await ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE '%${lease.id}'`);
    const failure = await store.append(ZONE, lease, ["next"]).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ diagnostic: { code: "state-unreachable" } });
    await expect(store.append(ZONE, lease, ["again"])).rejects.toThrow("came back without");
  });

  test("unlocking ends no session", async () => {
    const { direct, store, lease } = await begin();
    await direct.unlock(ZONE, lease.id);
    const sessions = await ask(`SELECT 1 FROM pg_stat_activity WHERE application_name LIKE '%${lease.id}'`);
    expect(sessions).toHaveLength(1);
    await direct.lock(ZONE, HOLDER, 0);
    await expect(store.checkLease(ZONE, lease)).rejects.toThrow(StoreConflict);
  });

  test("an abandoned holder is seen as dead, and blocks no run", async () => {
    const address = await serverAddress();
    const project = `p-${random.uuid()}`;
    const dying = openStores(address);
    const lease = await dying.of(project).lock(ZONE, HOLDER, 0);
    await dying.close();
    const store = openStores(address).of(project);
    const next = await store.lock(ZONE, HOLDER, 600_000);
    expect(next.fence).toBe(lease.fence + 1);
    expect((await store.view(ZONE)).taken).toMatchObject({ holder: { id: next.id } });
  });
});

describe.skipIf(NO_POSTGRES)(`a server that restarts${NO_POSTGRES ?? ""}`, () => {
  test.each(["immediate", "fast"] as const)("a run continues after a restart (%s)", async (how) => {
    const server = await ownServer();
    const store = openStores(server.address(), PATIENT).of("shop");
    const lease = await store.lock(ZONE, HOLDER, 0);
    const expected: string[] = [];
    for (let round = 1; round <= RESTARTS; round += 1) {
      await store.append(ZONE, lease, [`before ${round}`]);
      await server.stop(how);
      const appended = store.append(ZONE, lease, [`after ${round}`]);
      await server.start();
      await appended;
      expected.push(`before ${round}`, `after ${round}`);
    }
    expect(await collect((await store.view(ZONE)).journal())).toEqual(expected);
  });
});

async function ownServer(): Promise<PostgresServer> {
  // Without fsync a crash may lose what was confirmed.
  const server = await startServer({ settings: { fsync: "on" } });
  onTestFinished(() => server.remove());
  return server;
}

async function ask(statement: string): Promise<readonly unknown[]> {
  return askAt(await sharedServer(inject("sharedFolder")), statement);
}

async function askAt(connectionString: string, statement: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query(statement);
  await client.end();
  return rows;
}

describe.skipIf(NO_POSTGRES ?? (STORES_FULL ? undefined : "only in full"))(
  `a primary that fails over to its standby${NO_POSTGRES ?? (STORES_FULL ? "" : ", only with npm run test:stores")}`,
  () => {
    test("a run continues at the standby, and no confirmed write is lost", async () => {
      const primary = await ownServer();
      const standby = await startServer({ standbyOf: primary, settings: { fsync: "on" } });
      onTestFinished(() => standby.remove());
      await askAt(primary.address(), "ALTER SYSTEM SET synchronous_standby_names = '*'");
      await askAt(primary.address(), "SELECT pg_reload_conf()");
      const address = `postgres://tester@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`;
      const store = openStores(address, PATIENT).of("shop");
      const lease = await store.lock(ZONE, HOLDER, 0);
      const version = await store.write(ZONE, lease, undefined, given(["snapshot"]));
      await store.append(ZONE, lease, ["before"]);
      await primary.stop("immediate");
      const appended = store.append(ZONE, lease, ["after"]);
      await askAt(standby.address(), "SELECT pg_promote()");
      await appended;
      expect(await collect((await store.view(ZONE)).journal())).toEqual(["before", "after"]);
      expect((await store.view(ZONE)).state?.version).toBe(version);
      expect(await store.holding(ZONE)).toMatchObject({ unlockId: lease.id, isAlive: true });
      await lease.release();
    });
  },
);

describe.skipIf(NO_POSTGRES)(
  `a state whose chunks other runs delete as left over, as its run sleeps${NO_POSTGRES ?? ""}`,
  () => {
    const LONG_AGO = "now() - interval '61 minutes'";

    /** Writes a state of three chunks; `sleep` happens after so many. Nothing of it may be stored. */
    async function refused(chunks: number, sleep: (address: string, schema: string) => Promise<void>): Promise<void> {
      const [address, schema] = [await serverAddress(), `sleep_${random.uuid().replaceAll("-", "_")}`];
      const store = openStores(address, { schema }).of("shop");
      const lease = await store.lock(ZONE, HOLDER, 0);
      const before = await store.write(ZONE, lease, undefined, given(["before"]));
      await store.append(ZONE, lease, ["intent"]);
      async function* slowly(): AsyncIterable<string> {
        for (let chunk = 0; chunk <= 3; chunk += 1) {
          if (chunk === chunks) await sleep(address, schema);
          if (chunk < 3) yield "x".repeat(300_000);
        }
      }
      await expect(store.write(ZONE, lease, before, slowly())).rejects.toThrow("took over an hour");
      const view = await store.view(ZONE);
      expect(view.state?.version).toBe(before);
      expect(view.state && (await collect(view.state.lines))).toEqual(["before"]);
      expect(await collect(view.journal())).toEqual(["intent"]);
      expect(await askServer(address, `SELECT FROM ${schema}.bodies WHERE chunks = 3`)).toEqual([]);
      await store.append(ZONE, lease, ["goes on"]);
    }

    test.each([1, 2, 3])("is not stored: after chunk %i of 3", (chunks) =>
      refused(chunks, async (address, schema) => {
        await askServer(address, `UPDATE ${schema}.bodies SET loose_since = ${LONG_AGO} WHERE loose_since IS NOT NULL`);
        const other = openStores(address, { schema }).of("blog");
        const lease = await other.lock(ZONE, HOLDER, 0);
        await other.write(ZONE, lease, undefined, given(["other"]));
        await lease.release();
      }),
    );

    test("is not stored: at the moment at which they are named", () =>
      refused(3, async (address, schema) => {
        const upkeep = new pg.Client({ connectionString: address });
        await upkeep.connect();
        onTestFinished(() => upkeep.end());
        await upkeep.query(`BEGIN; DELETE FROM ${schema}.bodies WHERE loose_since IS NOT NULL`);
        const isAwaited = `SELECT FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))`;
        const ends = async (): Promise<void> => {
          while ((await upkeep.query(isAwaited)).rowCount === 0);
          await upkeep.query("COMMIT");
        };
        void ends();
      }));
  },
);

describe.skipIf(NO_POSTGRES)(`rows that somebody changed${NO_POSTGRES ?? ""}`, () => {
  const KEY = "(SELECT key FROM zoneform.zones WHERE project = '$project')";
  const BODY = `(SELECT body FROM zoneform.entries WHERE name = 'state' AND zone = ${KEY})`;

  test.each([
    ["the largest serial of the column", `UPDATE zoneform.zones SET serial = 9223372036854775807 WHERE key = ${KEY}`],
    ["no size of a body", `UPDATE zoneform.bodies SET bytes = NULL WHERE key = ${BODY}`],
    ["no lines of a body", `UPDATE zoneform.bodies SET chunks = NULL WHERE key = ${BODY}`],
  ])("are a damaged state, for plan and doctor: %s", async (_what, statement) => {
    const [address, project] = [await serverAddress(), `p-${random.uuid()}`];
    const store = openStores(address).of(project);
    const lease = await store.lock(ZONE, HOLDER, 0);
    await saveState(store, lease, undefined, stateOf(2));
    await lease.release();
    await askServer(address, statement.replaceAll("$project", project));
    await expect(loadState(store, ZONE)).rejects.toMatchObject({ diagnostic: { code: "state-damaged" } });
    const { findings } = await examine(store, ZONE, 0);
    expect(findings.map(({ code }) => code)).toContain("state-damaged");
  });
});
