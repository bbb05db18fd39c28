import { projectsIn } from "../../lib/state/stores.ts";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { postgresStores } from "../../lib/state/engines/postgres/engine.ts";
import { deriveKey, placeKeys, rememberKeys } from "../../lib/state/zone/sealing/cipher.ts";
import { sealedStore } from "../support/changed-store.ts";
import { Secret } from "../../lib/core/secret.ts";
import { beginState, saveState } from "../../lib/state/load.ts";
import { Journal } from "../../lib/state/open-journal.ts";
import { type Authority, hasOpenssl, makeAuthority } from "../support/authority.ts";
import { startCuttingProxy } from "../support/cutting-proxy.ts";
import { startPooler } from "../support/pooler.ts";
import { NO_POSTGRES, type PostgresServer, startServer } from "../support/postgres-server.ts";
import { beginAndStay, openStores, serverAddress } from "../support/postgres-stores.ts";
import {
  addressOf,
  collect,
  given,
  HOLDER,
  hostname,
  jumpingClock,
  random,
  stateOf,
  steadyAs,
  ZONE,
} from "../support/state-world.ts";
import pg from "pg";

const SKIP = NO_POSTGRES ?? (hasOpenssl() ? undefined : ", skipped: there is no openssl");

/** The code of what the store throws; undefined if it works. */
async function codeOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return undefined;
  } catch (thrown) {
    return typeof thrown === "object" && thrown !== null && "diagnostic" in thrown ? thrown.diagnostic : thrown;
  }
}

describe("a port of another service", () => {
  /** What one lock says, and how often it connected. */
  async function said(parameters: string, answer: (first: Buffer) => string): Promise<unknown> {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.on("error", () => undefined);
      socket.once("data", (first) => socket.write(answer(first)));
      onTestFinished(() => void socket.destroy());
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "string" ? 0 : address?.port;
    const stores = openStores(`postgres://tester@127.0.0.1:${port}/postgres?${parameters}`, {
      env: { HOME: "/nowhere" },
    });
    const found = await codeOf(stores.of("shop").lock(ZONE, HOLDER, 0));
    return { found, connections };
  }

  test.each(["prefer", "disable", "require"])("is no PostgreSQL server, and is asked once: %s", async (mode) => {
    expect(await said(`sslmode=${mode}`, () => "HTTP/1.1 400 Bad Request\r\n\r\n")).toEqual({
      found: expect.objectContaining({
        code: "state-address",
        message: expect.stringContaining("is no PostgreSQL server"),
      }),
      connections: 1,
    });
  });

  test("without the TLS that the address asks for is reported at once", async () => {
    expect(await said("sslmode=require", () => "N")).toEqual({
      found: expect.objectContaining({ code: "state-address", message: expect.stringContaining("does not speak TLS") }),
      connections: 1,
    });
  });
});

describe.skipIf(SKIP)(`TLS${SKIP ?? ""}`, () => {
  let folder = "";
  let server: PostgresServer;
  let ours: Authority;
  let other: Authority;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "zoneform-tls-"));
    [ours, other] = [makeAuthority(folder, "ours"), makeAuthority(folder, "other")];
    const own = ours.issue("localhost");
    server = await startServer({
      settings: { ssl: "on", ssl_cert_file: "server.crt", ssl_key_file: "server.key", ssl_ca_file: "root.crt" },
      files: {
        "server.crt": own.read("cert"),
        "server.key": own.read("key"),
        "root.crt": readFileSync(ours.root, "utf8"),
      },
      rules: [
        "host all tester 127.0.0.1/32 trust",
        "hostssl all with_tls 127.0.0.1/32 trust",
        "hostnossl all without_tls 127.0.0.1/32 trust",
        "hostssl all with_cert 127.0.0.1/32 cert",
        "host all with_password 127.0.0.1/32 scram-sha-256",
      ],
    });
    for (const name of ["with_tls", "without_tls", "with_cert", "with_password"])
      await ask(server.address(), `CREATE ROLE ${name} LOGIN SUPERUSER PASSWORD 'correct-horse-battery'`);
  });

  afterAll(async () => {
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const read = (
    user: string,
    parameters: string,
    env: Record<string, string> = {},
    host = "127.0.0.1",
  ): Promise<unknown> =>
    codeOf(
      openStores(`postgres://${user}@${host}:${server.port}/postgres?${parameters}`, {
        env: { HOME: folder, ...env },
        patienceMilliseconds: 0,
      })
        .of("shop")
        .lock(ZONE, HOLDER, 0)
        .then((lease) => lease.release()),
    );

  test.each([
    ["disable", "without_tls", undefined],
    ["disable", "with_tls", "state-denied"],
    ["allow", "without_tls", undefined],
    ["allow", "with_tls", undefined],
    ["prefer", "without_tls", undefined],
    ["prefer", "with_tls", undefined],
    ["require", "with_tls", undefined],
    ["require", "without_tls", "state-denied"],
  ])("sslmode=%s, a server that lets %s in: %s", async (mode, user, code) => {
    const found = await read(user, `sslmode=${mode}`);
    if (code === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject({ code });
  });

  test.each([
    ["verify-ca", "127.0.0.1", true],
    ["verify-full", "localhost", true],
    // The certificate names localhost only.
    ["verify-full", "127.0.0.1", false],
  ])("sslmode=%s at %s with the right authority: %s", async (mode, host, works) => {
    const found = await read("with_tls", `sslmode=${mode}`, { PGSSLROOTCERT: ours.root }, host);
    if (works) expect(found).toBeUndefined();
    else expect(found).toMatchObject({ code: "state-unreachable" });
  });

  test.each(["require", "verify-ca", "verify-full"])("sslmode=%s refuses another authority", async (mode) => {
    const env = { PGSSLROOTCERT: other.root };
    expect(await read("with_tls", `sslmode=${mode}`, env, "localhost")).toMatchObject({ code: "state-unreachable" });
  });

  test("sslmode=verify-full without an authority is refused before anything is sent", async () => {
    expect(await read("with_tls", "sslmode=verify-full")).toMatchObject({ code: "state-address" });
  });

  test("a client certificate lets its owner in", async () => {
    const own = ours.issue("with_cert");
    const env = { PGSSLCERT: own.cert, PGSSLKEY: own.key, PGSSLMODE: "verify-full", PGSSLROOTCERT: ours.root };
    expect(await read("with_cert", "", env, "localhost")).toBeUndefined();
    expect(await read("with_cert", "sslmode=require")).toMatchObject({ code: "state-denied" });
  });

  test.each([
    ["with_password", "sslmode=require", undefined],
    ["with_password", "sslmode=disable", "state-denied"],
    ["with_tls", "sslmode=require", "state-denied"],
    ["with_cert", "sslmode=require", "state-denied"],
  ])("channel_binding=require needs a login that is bound to TLS: %s, %s", async (user, parameters, code) => {
    const found = await read(user, `${parameters}&channel_binding=require`, { PGPASSWORD: "correct-horse-battery" });
    if (code === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject({ code });
  });

  test("through a proxy, the certificate of the server behind it is verified", async () => {
    const proxy = await startCuttingProxy(server.port);
    const address = `postgres://with_tls@localhost:${proxy.port}/postgres?sslmode=verify-full`;
    const through = (rootCert: string): Promise<unknown> =>
      codeOf(
        openStores(address, { env: { PGSSLROOTCERT: rootCert }, patienceMilliseconds: 0 })
          .of("shop")
          .view(ZONE),
      );
    expect(await through(ours.root)).toBeUndefined();
    expect(await through(other.root)).toMatchObject({ code: "state-unreachable" });
  });

  test("a password comes from the address, the environment or the password file, and reaches no message", async () => {
    const file = join(folder, "pgpass");
    writeFileSync(file, `127.0.0.1:*:postgres:with_password:correct-horse-battery\n`, { mode: 0o600 });
    const learned: Secret[] = [];
    const stores = openStores(`postgres://with_password@127.0.0.1:${server.port}/postgres`, {
      env: { PGPASSFILE: file },
      learn: (secret) => learned.push(secret),
    });
    expect(await codeOf(stores.of("shop").view(ZONE))).toBeUndefined();
    expect(learned.map((secret) => secret.reveal())).toContain("correct-horse-battery");
    expect(await read("with_password:correct-horse-battery", "")).toBeUndefined();
    expect(await read("with_password", "", { PGPASSWORD: "correct-horse-battery" })).toBeUndefined();
    const unnamed = openStores(`postgres://127.0.0.1:${server.port}/postgres`, { user: "nobody" });
    expect(await codeOf(unnamed.of("shop").view(ZONE))).toMatchObject({
      code: "state-denied",
      message: expect.stringContaining('the address has no user, and "nobody" was tried'),
    });
    chmodSync(file, 0o644);
    expect(await read("with_password", "", { PGPASSFILE: file })).toMatchObject({ code: "state-denied" });
    const wrong = await read("with_password:guessed-and-wrong", "");
    expect(wrong).toMatchObject({ code: "state-denied" });
    expect(JSON.stringify(wrong)).not.toMatch(/guessed-and-wrong|with_password/);
    expect(stores.describe()).not.toMatch(/with_password|horse/);
  });
});

describe.skipIf(NO_POSTGRES)(`poolers${NO_POSTGRES ?? ""}`, () => {
  const through = async (mode: Parameters<typeof startPooler>[1]): Promise<string> => {
    const port = await startPooler(Number(new URL(await serverAddress()).port), mode);
    return `postgres://tester@127.0.0.1:${port}/postgres?sslmode=disable`;
  };

  test("behind a pooler that gives each statement another session, a run writes nothing and says why", async () => {
    const [address, project] = [await through({ sessions: 3 }), `p-${random.uuid()}`];
    const store = openStores(address).of(project);
    const write = async (): Promise<void> => {
      const lease = await store.lock(ZONE, HOLDER, 0);
      for (const line of ["one", "two", "three"]) await store.append(ZONE, lease, [line]);
    };
    expect(await codeOf(write())).toMatchObject({ code: "state-pooler" });
  });

  test("a run that such a pooler stopped leaves the lock free for a run that names the server", async () => {
    const project = `p-${random.uuid()}`;
    const pooled = openStores(await through({ sessions: 3 })).of(project);
    expect(
      await codeOf(pooled.lock(ZONE, HOLDER, 0).then((lease) => pooled.append(ZONE, lease, ["one"]))),
    ).toMatchObject({ code: "state-pooler" });
    const direct = openStores(await serverAddress()).of(project);
    const lease = await direct.lock(ZONE, HOLDER, 0);
    await direct.append(ZONE, lease, ["one"]);
  });

  test("of two runs that get one session of the server, never both have the lock", async () => {
    const [address, project] = [await through({ sessions: 1 }), `p-${random.uuid()}`];
    const [first, second] = [openStores(address).of(project), openStores(address).of(project)];
    const lease = await first.lock(ZONE, HOLDER, 0);
    expect(await codeOf(second.lock(ZONE, HOLDER, 0))).toMatchObject({ code: "state-pooler" });
    await first.append(ZONE, lease, ["one"]);
    await lease.release();
  });

  test("readers need no session of their own", async () => {
    const project = `p-${random.uuid()}`;
    const direct = openStores(await serverAddress()).of(project);
    await direct.write(ZONE, await direct.lock(ZONE, HOLDER, 0), undefined, given(["kept"]));
    const { state } = await openStores(await through({ sessions: 3 }))
      .of(project)
      .view(ZONE);
    expect(state && (await collect(state.lines))).toEqual(["kept"]);
  });

  test("a pooler that gives each client a session can be used", async () => {
    const store = openStores(await through("session")).of(`p-${random.uuid()}`);
    expect(await codeOf(store.lock(ZONE, HOLDER, 0).then((lease) => lease.release()))).toBeUndefined();
  });
});

describe.skipIf(NO_POSTGRES)(`tables${NO_POSTGRES ?? ""}`, () => {
  test("eight runs that find no tables make them only once", async () => {
    const [address, schema] = [await serverAddress(), schemaName()];
    const runs = Array.from({ length: 8 }, async (_, index) => {
      const lease = await openStores(address, { schema }).of(`p${index}`).lock(ZONE, HOLDER, 0);
      await lease.release();
    });
    await Promise.all(runs);
    expect(await ask(address, `SELECT version FROM ${schema}.version`)).toEqual([{ version: 1 }]);
  });

  test("an interrupted command does not wait for a session that is stuck in making them", async () => {
    const [address, schema] = [await serverAddress(), schemaName()];
    const name = `zoneform tables ${schema}`;
    await beginAndStay(address, `BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('${name}', 0))`);
    const locked = openStores(address, { schema }).of("shop").lock(ZONE, HOLDER, 0, AbortSignal.timeout(300));
    await expect(locked).rejects.toMatchObject({ name: "TimeoutError" });
  });

  test("reading makes no tables, and projects do not see each other", async () => {
    const [address, schema] = [await serverAddress(), schemaName()];
    const stores = openStores(address, { schema });
    expect((await stores.of("shop").view(ZONE)).state).toBeUndefined();
    expect(projectsIn(await stores.kept())).toEqual([]);
    expect(await ask(address, `SELECT 1 FROM pg_namespace WHERE nspname = '${schema}'`)).toEqual([]);
    for (const project of ["shop", "blog"]) {
      const lease = await stores.of(project).lock(ZONE, HOLDER, 0);
      await stores.of(project).write(ZONE, lease, undefined, given([project]));
    }
    expect(projectsIn(await stores.kept())).toEqual(["blog", "shop"]);
    for (const project of ["shop", "blog"]) {
      const stored = (await stores.of(project).view(ZONE)).state;
      expect(stored && (await collect(stored.lines))).toEqual([project]);
      expect(await stores.of(project).zones()).toEqual([ZONE]);
    }
  });

  test("replaced lines stay for an hour, and are deleted with the next write after that", async () => {
    const [address, schema] = [await serverAddress(), schemaName()];
    const store = openStores(address, { schema }).of("shop");
    const lease = await store.lock(ZONE, HOLDER, 0);
    const count = async (table: string): Promise<unknown> =>
      ask(address, `SELECT count(*)::integer AS rows FROM ${schema}.${table}`).then(([row]) => row);
    const keep = (line: string): Promise<void> => store.keep(ZONE, lease, "run-1", given([line]));
    await store.append(ZONE, lease, ["folded"]);
    await store.write(ZONE, lease, undefined, given(["state"]));
    for (const line of ["one", "two", "three"]) await keep(line);
    expect([await count("bodies"), await count("journal")]).toEqual([{ rows: 4 }, { rows: 1 }]);
    const earlier = "now() - interval '61 minutes'";
    await ask(
      address,
      `UPDATE ${schema}.bodies SET loose_since = ${earlier} WHERE loose_since IS NOT NULL;
      UPDATE ${schema}.old_journals SET since = ${earlier}`,
    );
    await keep("four");
    expect([await count("bodies"), await count("journal")]).toEqual([{ rows: 3 }, { rows: 0 }]);
  });

  test("no table has a readable line or the name of an object of an encrypted state", async () => {
    const [address, schema] = [await serverAddress(), schemaName()];
    const stores = openStores(address, { schema });
    const sealing = {
      passphrase: new Secret("correct horse"),
      acceptsPlain: false,
      random,
      keyOf: placeKeys(stores, rememberKeys(deriveKey), { clock: jumpingClock(), random }),
    };
    const store = sealedStore(stores.of("shop"), sealing);
    const lease = await store.lock(ZONE, HOLDER, 0);
    const zone = { id: ZONE, name: "saas.eu" };
    const begun = await beginState(store, lease, zone, random);
    const saved = await saveState(store, lease, begun.version, {
      ...stateOf(20),
      lineage: begun.state.lineage,
      serial: begun.state.serial,
    });
    const journal = new Journal(store, ZONE, lease, { clock: jumpingClock(), run: "run-1", state: saved.state });
    await journal.intend({ address: addressOf(21), action: "create", object: hostname(21) });
    await store.keep(ZONE, lease, "run-1", given([addressOf(22)]));
    await store.observe(ZONE, [addressOf(23)]);
    await store.setAside(ZONE, lease, "journal");
    const tables = await ask(
      address,
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = '${schema}'::regnamespace`,
    );
    const dump = await Promise.all(tables.map((row) => ask(address, `SELECT * FROM ${schema}.${nameIn(row)}`)));
    expect(dump.flat().length).toBeGreaterThan(8);
    expect(JSON.stringify(dump)).not.toMatch(/customer|app-\d|saas\.eu|custom_hostname|"address"|lineage/);
  });
});

describe.skipIf(NO_POSTGRES)(`least privileges, with the SQL of docs/postgres.md${NO_POSTGRES ?? ""}`, () => {
  const docs = readFileSync(join(import.meta.dirname, "../../docs/postgres.md"), "utf8");
  const blocks = (when: string): readonly string[] =>
    [...docs.matchAll(/<!-- (.+) -->\s*```sql\n([\s\S]*?)```/g)].flatMap(([, found, sql]) =>
      found === when ? [sql ?? ""] : [],
    );

  test("each role can do its job, and no more", async () => {
    const server = await startServer();
    onTestFinished(() => server.remove());
    const as = (user: string): ReturnType<ReturnType<typeof openStores>["of"]> =>
      openStores(server.address(user)).of("shop");
    for (const sql of blocks("before the first apply")) await ask(server.address(), sql);
    const lease = await as("zoneform_apply").lock(ZONE, HOLDER, 0);
    await lease.release();
    for (const sql of blocks("after the first apply")) await ask(server.address(), sql);
    for (const user of ["zoneform_apply", "zoneform_write"]) {
      const store = as(user);
      await store.checkWritable(ZONE, 1000);
      const held = await store.lock(ZONE, HOLDER, 600_000);
      await store.append(ZONE, held, ["one"]);
      await store.keep(ZONE, held, "run-1", given(["record"]));
      await store.write(ZONE, held, (await store.view(ZONE)).state?.version, given([user]));
      await store.observe(ZONE, ["seen"]);
      await held.release();
    }
    for (const user of ["zoneform_read", "zoneform_observe"]) {
      const store = as(user);
      expect(await codeOf(store.view(ZONE))).toBeUndefined();
      expect(await store.holding(ZONE)).toBeUndefined();
      expect((await store.view(ZONE)).backups).toHaveLength(1);
      expect(await codeOf(store.lock(ZONE, HOLDER, 0))).toMatchObject({ code: "state-denied" });
      expect(await codeOf(store.checkWritable(ZONE, 1000))).toMatchObject({ code: "state-denied" });
    }
    expect(await codeOf(as("zoneform_read").observe(ZONE, ["no"]))).toMatchObject({ code: "state-denied" });
    await as("zoneform_observe").observe(ZONE, ["yes"]);
    await as("zoneform_observe").condense(ZONE, (lines) => lines);
    expect(new Set(await collect(as("zoneform_read").observations(ZONE)))).toEqual(new Set(["seen", "yes"]));
    await ask(server.address(), "CREATE ROLE stranger LOGIN");
    expect(await codeOf(as("stranger").view(ZONE))).toMatchObject({ code: "state-denied" });
  });
});

describe("addresses", () => {
  const open = (address: string, env: Record<string, string> = {}): (() => unknown) => {
    const clock = jumpingClock();
    const options = { env, fs: { read: never, stat: never }, clock, steady: steadyAs(clock), random, user: "me" };
    return () => postgresStores(address, options).describe();
  };
  const never = (): Promise<never> => Promise.reject(new Error("nothing is read"));

  test.each([
    ["postgres://db.example/states", {}, "postgres://db.example:5432/states?schema=zoneform"],
    [
      "postgresql://me:pa%40ss@db.example:6543/states?schema=other",
      {},
      "postgres://db.example:6543/states?schema=other",
    ],
    [
      "postgres://",
      { PGHOST: "db", PGPORT: "1", PGDATABASE: "d", PGUSER: "u", PGPASSWORD: "p" },
      "postgres://db:1/d?schema=zoneform",
    ],
    ["postgres://one:1,two/d", {}, "postgres://one:1,two:5432/d?schema=zoneform"],
    ["postgres://[::1]:5433/d", {}, "postgres://[::1]:5433/d?schema=zoneform"],
  ])("%s is described without user and password", (address, env, described) => {
    expect(open(address, env)()).toBe(described);
    // Whoever pastes it comes to the same place.
    expect(open(described)()).toBe(described);
  });

  test.each([
    "postgres://u:secret-word@h:port/d",
    "postgres://u:secret-word@h/d?sslmode=perhaps",
    "postgres://u:secret-word@h/d?unknown=1",
    "postgres://u:secret-word%@h/d",
    "postgres://u:secret-word@h/d?schema=a-b",
    "mysql://u:secret-word@h/d",
    "postgres://u:secret-word@h:0/d",
  ])("%s is refused, and its password reaches no message", (address) => {
    expect(open(address)).toThrow("the address of the state cannot be used");
    expect(open(address)).not.toThrow("secret-word");
  });
});

function schemaName(): string {
  return `s_${random.uuid().replaceAll("-", "")}`;
}

function nameIn(row: unknown): string {
  return typeof row === "object" && row !== null && "name" in row ? String(row.name) : "";
}

async function ask(connectionString: string, statement: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
