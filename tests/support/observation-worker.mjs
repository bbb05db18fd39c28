// One of several processes that add to the same record of hostnames, and sometimes condense it. Plain JavaScript on the
// built package, because a test that kills processes needs processes. Prints each line once the record has confirmed
// it. Arguments: the folder, the zone, its own name, the number of rounds, and after how many disk calls it kills
// itself, wherever that is (0: never).
import { writeSync } from "node:fs";
import { randomBytes, randomUUID } from "node:crypto";
import { basename, dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { disk } from "../../dist/lib/real/disk.js";
import { identity } from "../../dist/lib/real/identity.js";
import { localStores } from "../../dist/lib/state/engines/local/engine.js";

const [folder, zone, name, rounds, killAfter] = process.argv.slice(2);
const clock = { now: () => Date.now(), sleep: (milliseconds) => setTimeout(milliseconds) };
const random = { fraction: () => Math.random(), uuid: () => randomUUID(), bytes: (length) => randomBytes(length) };
const stores = localStores(mortal(disk("refuse"), Number(killAfter)), dirname(folder), {
  identity: identity(),
  clock,
  steady: clock,
  random,
});
const store = stores.of(basename(folder));

for (let round = 0; round < Number(rounds); round++) {
  const lines = [`{"who":"${name}","round":${round}}`, `{"who":"${name}","again":${round}}`];
  await store.observe(zone, lines);
  for (const line of lines) writeSync(1, `${line}\n`);
  if (round % 5 === Number(name)) await store.condense(zone, (all) => all);
}

/** A disk on which the process kills itself at one call, in the middle of a write if it is one. */
function mortal(real, limit) {
  let calls = 0;
  const dies = () => limit > 0 && ++calls === limit;
  const die = () => process.kill(process.pid, "SIGKILL");
  const wrap = (file) => ({
    write: async (text) => {
      const isLast = dies();
      await file.write(isLast ? text.slice(0, text.length / 2) : text);
      if (isLast) die();
    },
    sync: () => file.sync(),
    close: () => file.close(),
  });
  const call =
    (act) =>
    async (...given) => {
      if (dies()) die();
      return act(...given);
    };
  return {
    ...real,
    create: async (...given) => wrap(await call(real.create)(...given)),
    append: async (...given) => wrap(await call(real.append)(...given)),
    remove: call(real.remove),
    syncDirectory: call(real.syncDirectory),
  };
}
