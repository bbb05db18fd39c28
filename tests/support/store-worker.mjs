// A process that uses a store as it is told on its standard input, a JSON line at a time, and answers each line with
// one. Plain JavaScript on the built package, because a test that kills or stops a holder needs a process.
// Argument: where the states are, as JSON: { folder } or { address, project }.
import { createInterface } from "node:readline";
import { realClock, realRandom, realSteadyClock } from "../../dist/lib/real/clock.js";
import { disk } from "../../dist/lib/real/disk.js";
import { identity } from "../../dist/lib/real/identity.js";
import { localStores } from "../../dist/lib/state/engines/local/engine.js";
import { postgresStores } from "../../dist/lib/state/engines/postgres/engine.js";
import { s3Stores } from "../../dist/lib/state/engines/s3/engine.js";

const place = JSON.parse(process.argv[2] ?? "{}");
const store = openStore();
let lease;

const operations = {
  lock: async ({ zone, holder, waitMilliseconds }) => {
    lease = await store.lock(zone, holder, waitMilliseconds);
    return { id: lease.id, fence: lease.fence };
  },
  append: ({ zone, lines }) => store.append(zone, lease, lines),
  release: () => lease.release(),
  /** Adds one to the number in the state, this many times, under the lock each time. */
  count: async ({ zone, holder, times }) => {
    for (let time = 0; time < times; time += 1) {
      const held = await store.lock(zone, { ...holder, processId: process.pid }, 600_000);
      const found = (await store.view(zone)).state;
      let number = 0;
      if (found) for await (const line of found.lines) number = Number(line);
      await store.write(zone, held, found?.version, lines([String(number + 1)]));
      await held.release();
    }
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { operation, ...rest } = JSON.parse(line);
  let reply;
  try {
    reply = { value: (await operations[operation](rest)) ?? null };
  } catch (error) {
    reply = { error: error.name, message: error.message };
  }
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
process.exit();

function openStore() {
  if (place.folder !== undefined)
    return localStores(disk("refuse"), place.folder, {
      identity: identity(),
      clock: realClock,
      steady: realSteadyClock,
      random: realRandom,
    }).of("suite");
  const options = {
    env: {},
    fs: disk(),
    clock: realClock,
    steady: realSteadyClock,
    random: realRandom,
    user: "tester",
  };
  if (place.address.startsWith("s3:")) return s3Stores(place.address, options).of(place.project);
  return postgresStores(place.address, options).of(place.project);
}

async function* lines(all) {
  yield* all;
}
