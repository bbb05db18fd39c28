// One of several processes that take the same lock over and over. Plain JavaScript on the built package, because a test
// that kills processes needs processes. Prints a line for each acquisition, and `overlap` when two are inside at once.
// Arguments: the lock's folder, the folder of marks, the number of acquisitions, and after how many disk calls it kills
// itself, wherever that is (0: never).
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { disk } from "../../dist/lib/real/disk.js";
import { identity } from "../../dist/lib/real/identity.js";
import { GenerationLock } from "../../dist/lib/state/engines/local/lock.js";

const [folder, marks, rounds, killAfter] = process.argv.slice(2);
const clock = { now: () => Date.now(), sleep: (milliseconds) => setTimeout(milliseconds / 10) };
const random = { fraction: () => Math.random(), uuid: () => randomUUID(), bytes: (length) => randomBytes(length) };
const fs = mortal(disk("refuse"), Number(killAfter));
const lock = new GenerationLock({ fs, identity: identity(), clock, steady: clock, random }, folder, "the lock");
const holder = { who: "test", processId: process.pid, operation: "test", since: new Date().toISOString() };

for (let round = 0; round < Number(rounds); round++) {
  const lease = await lock.acquire(holder, 60_000);
  writeFileSync(`${marks}/${process.pid}`, "");
  look();
  writeSync(`fence ${lease.fence}\n`);
  if (round % 3 === 0) await setTimeout(1);
  // These calls may be the last: a holder also dies while it holds.
  await lock.check(lease);
  look();
  rmSync(`${marks}/${process.pid}`);
  await lease.release();
}

function look() {
  for (const other of readdirSync(marks)) {
    if (other === String(process.pid)) continue;
    if (lives(Number(other))) writeSync(`overlap with ${other}\n`);
  }
}

/** Decides by other means than the code under test: a killed process has no running thread. */
function lives(pid) {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** Synchronous and complete, so that the line is not lost with the process. */
function writeSync(line) {
  writeFileSync(1, line);
}

function mortal(real, calls) {
  let left = calls;
  const count =
    (action) =>
    (...rest) => {
      left -= 1;
      if (left === 0) process.kill(process.pid, "SIGKILL");
      return action(...rest);
    };
  return Object.fromEntries(Object.entries(real).map(([name, action]) => [name, count(action)]));
}
