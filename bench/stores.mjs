// What a store costs: an operation of a run at two sizes of the state, and loading a state from PostgreSQL compared
// with local files. With the default sizes it fails if an operation costs more than twice as much at the larger one, or
// a load more than 1.5 times as much as from files. Usage: node bench/stores.mjs [SMALL LARGE]
import { execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { performance } from "node:perf_hooks";
import { zoneId } from "../dist/lib/core/brand.js";
import { realClock, realRandom } from "../dist/lib/real/clock.js";
import { disk } from "../dist/lib/real/disk.js";
import { identity } from "../dist/lib/real/identity.js";
import { loadState, saveState } from "../dist/lib/state/load.js";
import { localStore } from "../dist/lib/state/local/store.js";
import { postgresStores } from "../dist/lib/state/postgres/stores.js";

const ZONE = zoneId("023e105f4ecef8ad9ca31a8372d0c353");
const HOLDER = { who: "bench", processId: process.pid, operation: "bench", since: new Date().toISOString() };
const NOBODY = 65_534;
const [OPERATIONS, LOADS] = [400, 5];
const [MOST_OPERATION, MOST_LOAD] = [2, 1.5];
const given = process.argv.slice(2).map(Number);
const sizes = given.length === 2 ? given : [1000, 100_000];

const binaries = findBinaries();
if (binaries === undefined) {
  console.log("stores: skipped, there is no initdb on the PATH or in /usr/lib/postgresql");
  process.exit();
}
const folder = mkdtempSync(join(tmpdir(), "zoneform-bench-"));
const server = await startServer(join(folder, "server"));
try {
  await measure(server.address);
} finally {
  server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(address) {
  const options = { env: {}, fs: disk(), clock: realClock, random: realRandom, user: "tester" };
  const stores = postgresStores(address, options);
  const costs = [];
  for (const size of sizes) {
    const remote = stores.of(`bench-${size}`);
    const local = localStore(disk("refuse"), join(folder, `local-${size}`), {
      identity: identity(),
      clock: realClock,
      random: realRandom,
    });
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

function findBinaries() {
  const base = "/usr/lib/postgresql";
  const versions = existsSync(base) ? readdirSync(base).sort((left, right) => Number(right) - Number(left)) : [];
  const folders = [...(process.env.PATH ?? "").split(delimiter), ...versions.map((each) => join(base, each, "bin"))];
  return folders.find((each) => ["initdb", "pg_ctl", "postgres"].every((name) => existsSync(join(each, name))));
}

/** A server on loopback; as root it runs as another user, because it refuses root. */
async function startServer(data) {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  const as = isRoot ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"] : [];
  const run = (name, ...args) => {
    const [command, ...rest] = [...as, join(binaries, name), ...args];
    execFileSync(command, rest, { cwd: "/", stdio: "ignore" });
  };
  const port = await freePort();
  run("initdb", "-D", data, "-A", "trust", "-U", "tester", "--no-sync", "-E", "UTF8", "--locale=C");
  const flags = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''`;
  run("pg_ctl", "-D", data, "-l", `${data}.log`, "-w", "-o", flags, "start");
  return {
    address: `postgres://tester@127.0.0.1:${port}/postgres?sslmode=disable`,
    stop: () => run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop"),
  };
}

async function freePort() {
  const listening = createServer();
  await new Promise((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const { port } = listening.address();
  await new Promise((resolve) => listening.close(resolve));
  return port;
}
