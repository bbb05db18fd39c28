// One of the processes of `lock.mjs`. It takes and releases the lock, over and over, until it is killed or told to stop.
// Arguments: the lock's folder, the log and the design of the lock. It logs a line after it has taken the lock, and one before it
// releases it. Each is appended by a single write, so that the order of the lines is the order of what happened.
import { randomBytes, randomUUID } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { disk } from "../../dist/lib/real/disk.js";
import { identity } from "../../dist/lib/real/identity.js";
import { GenerationLock } from "../../dist/lib/state/engines/local/lock.js";
import { unlinkLock } from "./unlink-lock.mjs";

/** How many times shorter the waits for the lock are here. */
const SPEED_UP = 20;
/** How long to wait for the lock: longer than the script runs. */
const PATIENCE_MILLISECONDS = 3_600_000;

const [folder, path, design] = process.argv.slice(2);
const clock = { now: () => Date.now(), sleep: (milliseconds) => setTimeout(milliseconds / SPEED_UP) };
const random = { fraction: () => Math.random(), uuid: () => randomUUID(), bytes: (length) => randomBytes(length) };
const lock =
  design === "unlink"
    ? unlinkLock(folder)
    : new GenerationLock(
        { fs: disk("refuse"), identity: identity(), clock, steady: clock, random },
        folder,
        "the lock",
      );
const holder = { who: "test", processId: process.pid, operation: "test", since: new Date().toISOString() };
const log = openSync(path, "a");
const stop = new AbortController();
process.on("SIGTERM", () => stop.abort());

for (let round = 0; !stop.signal.aborted; round++) {
  const lease = await lock.acquire(holder, PATIENCE_MILLISECONDS);
  note("enter", lease.fence);
  // Sometimes it holds the lock for a while, like a process that works. Otherwise it releases it at once.
  if (round % 4 === 0) await setTimeout(1);
  await lock.check(lease);
  note("leave", lease.fence);
  await lease.release();
}
closeSync(log);

function note(word, fence) {
  writeSync(log, `${word} ${process.pid} ${fence}\n`);
}
