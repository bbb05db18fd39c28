// Measures what a store costs: an operation of a run at two sizes of the state, and loading a state, on PostgreSQL compared with
// local files. Measures the same on an HTTP server, where each operation sends the whole state and a run makes one for a hundred
// changes, and on S3 if versitygw is installed. With the default sizes it fails if an operation on PostgreSQL costs more than
// twice as much at the larger size, or a load more than 1.5 times as much as from files.
// Usage: node bench/stores.mjs [SMALL LARGE]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { performance } from "node:perf_hooks";
import { zoneId } from "../dist/lib/core/brand.js";
import { realClock, realRandom, realSteadyClock } from "../dist/lib/real/clock.js";
import { disk } from "../dist/lib/real/disk.js";
import { identity } from "../dist/lib/real/identity.js";
import { loadState, saveState } from "../dist/lib/state/load.js";
import { undiciHttp } from "../dist/lib/service/undici-http.js";
import { httpStores } from "../dist/lib/state/engines/http/engine.js";
import { localStores } from "../dist/lib/state/engines/local/engine.js";
import { postgresStores } from "../dist/lib/state/engines/postgres/engine.js";
import { s3Stores } from "../dist/lib/state/engines/s3/engine.js";
import { startHttpServer } from "./http-server.mjs";
import { freePort, startPostgres } from "./postgres-server.mjs";

const ZONE = zoneId("023e105f4ecef8ad9ca31a8372d0c353");
const HOLDER = { who: "bench", processId: process.pid, operation: "bench", since: new Date().toISOString() };
const [OPERATIONS, LOADS] = [400, 5];
/** A few operations on an HTTP server are enough, because each takes long. */
const HTTP_OPERATIONS = 7;
const [MOST_OPERATION, MOST_LOAD] = [2, 1.5];
const given = process.argv.slice(2).map(Number);
const sizes = given.length === 2 ? given : [1000, 100_000];

const server = await startPostgres();
if (server === undefined) {
  console.log("stores: skipped, there is no initdb on the PATH or in /usr/lib/postgresql");
  process.exit();
}
const folder = mkdtempSync(join(tmpdir(), "zoneform-bench-"));
try {
  await measure(server.address);
  await measureHttp();
  await measureS3();
} finally {
  server.remove();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(address) {
  const options = {
    env: {},
    fs: disk(),
    clock: realClock,
    steady: realSteadyClock,
    random: realRandom,
    user: "tester",
  };
  const stores = postgresStores(address, options);
  const costs = [];
  for (const size of sizes) {
    const remote = stores.of(`bench-${size}`);
    const local = localStores(disk("refuse"), join(folder, `local-${size}`), {
      identity: identity(),
      clock: realClock,
      steady: realSteadyClock,
      random: realRandom,
    }).of("bench");
    for (const store of [remote, local]) await saveOnce(store, size);
    const lease = await remote.lock(ZONE, HOLDER, 0);
    costs.push(await medianOf(OPERATIONS, () => remote.append(ZONE, lease, [`{"record":"${"x".repeat(500)}"}`])));
    await remote.rewriteJournal(ZONE, lease, nothing());
    await lease.release();
    const load = {
      remote: await medianOf(LOADS, () => loadState(remote, ZONE)),
      local: await medianOf(LOADS, () => loadState(local, ZONE)),
    };
    console.log(
      `${size} objects: an operation ${costs.at(-1).toFixed(2)} ms; a load ${load.remote.toFixed(0)} ms, from files ${load.local.toFixed(0)} ms (${(load.remote / load.local).toFixed(2)} times)`,
    );
    if (size === sizes.at(-1)) check("a load, compared with files", load.remote / load.local, MOST_LOAD);
  }
  check("an operation at the larger size", costs[1] / costs[0], MOST_OPERATION);
  await stores.close();
}

/** Measures the HTTP server, without a limit: an operation takes longer the larger the state is. */
async function measureHttp() {
  const { address, env, stop } = await startHttpServer();
  const connect = () => undiciHttp({ bodyLimitBytes: 1024 ** 3 });
  const options = { env, clock: realClock, steady: realSteadyClock, random: realRandom, connect };
  const stores = httpStores(address, options);
  for (const size of sizes) {
    const store = stores.of(`bench-${size}`);
    await saveOnce(store, size);
    const lease = await store.lock(ZONE, HOLDER, 0);
    const cost = await medianOf(HTTP_OPERATIONS, () => store.append(ZONE, lease, [`{"record":"${"x".repeat(500)}"}`]));
    await store.rewriteJournal(ZONE, lease, nothing());
    await lease.release();
    const load = await medianOf(LOADS, () => loadState(store, ZONE));
    console.log(
      `${size} objects over HTTP: an operation, one for a hundred changes, ${cost.toFixed(1)} ms; a load ${load.toFixed(0)} ms`,
    );
  }
  await stores.close();
  stop();
}

/** Measures S3, without a limit, because the time depends on the server. */
async function measureS3() {
  const named = process.env.ZONEFORM_VERSITYGW ?? "";
  const folders = (process.env.PATH ?? "").split(delimiter).map((each) => join(each, "versitygw"));
  const program = [named, ...folders].find((path) => path !== "" && existsSync(path));
  if (program === undefined) {
    console.log("on S3: skipped, there is no versitygw on the PATH or in ZONEFORM_VERSITYGW");
    return;
  }
  const [port, objects] = [await freePort(), join(folder, "objects")];
  mkdirSync(join(objects, "states"), { recursive: true });
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: "bench",
    AWS_SECRET_ACCESS_KEY: "bench-secret",
    AWS_REGION: "us-east-1",
  });
  const flags = ["--access", "bench", "--secret", "bench-secret", "--port", `127.0.0.1:${port}`, "posix", objects];
  const engine = spawn(program, flags, { stdio: "ignore" });
  const address = `s3://states/bench?endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}`;
  const stores = s3Stores(address, { env: {}, clock: realClock, steady: realSteadyClock, random: realRandom });
  try {
    for (const size of sizes) {
      const store = stores.of(`bench-${size}`);
      // The engine may still be starting: the store retries until it answers.
      await saveOnce(store, size);
      const lease = await store.lock(ZONE, HOLDER, 0);
      const operation = await medianOf(OPERATIONS, () =>
        store.append(ZONE, lease, [`{"record":"${"x".repeat(500)}"}`]),
      );
      await store.rewriteJournal(ZONE, lease, nothing());
      await lease.release();
      const load = await medianOf(LOADS, () => loadState(store, ZONE));
      console.log(`${size} objects on S3: an operation ${operation.toFixed(2)} ms; a load ${load.toFixed(0)} ms`);
    }
  } finally {
    await stores.close();
    const ended = once(engine, "exit");
    engine.kill();
    await ended;
  }
}

function check(what, times, most) {
  const isTooMuch = given.length === 0 && times > most;
  console.log(`${what}: ${times.toFixed(2)} times${given.length === 0 ? `, at most ${most}` : ""}`);
  if (isTooMuch) process.exitCode = 1;
}

async function saveOnce(store, size) {
  const objects = new Map();
  for (let index = 0; index < size; index += 1) {
    const key = `app-${index}.customer.net`;
    const applied = { ssl: { method: "http", type: "dv", settings: { min_tls_version: "1.2" } } };
    objects.set(`custom_hostname["${key}"]`, { kind: "custom_hostname", key, id: `id-${index}`, applied });
  }
  const zone = { id: ZONE, name: "saas.eu" };
  const state = { zone, lineage: realRandom.uuid(), serial: 0, secretKey: "ab".repeat(32), objects };
  const lease = await store.lock(ZONE, HOLDER, 0);
  await saveState(store, lease, undefined, state);
  await lease.release();
}

async function medianOf(times, act) {
  const taken = [];
  for (let time = 0; time < times; time += 1) {
    const begin = performance.now();
    await act();
    taken.push(performance.now() - begin);
  }
  return taken.sort((left, right) => left - right)[Math.floor(times / 2)];
}

async function* nothing() {}
