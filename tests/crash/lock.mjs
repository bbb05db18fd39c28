// Lets processes take one lock over and over, and kills its holders: `npm run crash:lock`, after a build. Whether two ever had the
// lock at once is read from a log to which all processes append, and which records each kill before it is sent. `--design unlink`
// uses the usual lock file, which any process deletes and creates again if its holder is dead; the script shows that this is
// wrong. `--judge LOG` judges a log again.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { chance } from "./chance.mjs";
import { openLog } from "./lock-log.mjs";

const HOLDER = resolve(import.meta.dirname, "lock-holder.mjs");
/** The longest time between two kills, which is about as long as a new process needs to start. */
const LONGEST_PAUSE_MILLISECONDS = 30;
/** Which part of the kills hits a holder. The others hit any process: while it waits, takes or releases the lock. */
const SHARE_OF_HOLDERS = 0.85;
/** If nobody takes the lock for this long, a person would have to help. */
const STUCK_MILLISECONDS = 300_000;
const MOST_DETAILS = 20;

const { values } = parseArgs({
  options: {
    acquisitions: { type: "string", default: "20000" },
    processes: { type: "string", default: "6" },
    kills: { type: "string", default: "2000" },
    seed: { type: "string", default: "1" },
    design: { type: "string", default: "generations" },
    judge: { type: "string" },
  },
});
if (values.judge !== undefined) report(openLog(values.judge).read(), 0);
else if (process.platform === "linux") await contend();
else console.log("skipped: only on Linux can a process see that a holder is dead");

async function contend() {
  const folder = mkdtempSync(join(tmpdir(), "zoneform-crash-"));
  const began = performance.now();
  const crowd = openCrowd(join(folder, "lock"), join(folder, "log"));
  try {
    await killUntilEnough(crowd);
    await crowd.end();
    report(crowd.seen(), Math.round((performance.now() - began) / 1000));
  } finally {
    crowd.abandon();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function killUntilEnough(crowd) {
  const random = chance(Number(values.seed));
  let [last, since] = [0, performance.now()];
  for (let seen = crowd.seen(); !isEnough(seen); seen = crowd.seen()) {
    if (seen.acquisitions > last) [last, since] = [seen.acquisitions, performance.now()];
    if (performance.now() - since > STUCK_MILLISECONDS) throw new Error("nobody can take the lock any more");
    if (seen.holdersKilled >= Number(values.kills)) await setTimeout(LONGEST_PAUSE_MILLISECONDS);
    else if (random.odds(SHARE_OF_HOLDERS)) crowd.kill(Number(seen.inside));
    else crowd.kill(random.pick(crowd.pids()));
    await setTimeout(random.fraction() * LONGEST_PAUSE_MILLISECONDS);
  }
}

function isEnough({ acquisitions, holdersKilled }) {
  return acquisitions >= Number(values.acquisitions) && holdersKilled >= Number(values.kills);
}

/** Runs the processes that take the lock. A new one replaces each that is killed. */
function openCrowd(lock, path) {
  const file = openSync(path, "a");
  const log = openLog(path);
  const living = new Map();
  const arrive = () => {
    const child = spawn(process.execPath, [HOLDER, lock, path, values.design], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    living.set(child.pid, child);
    child.on("exit", () => living.delete(child.pid));
  };
  for (let each = 0; each < Number(values.processes); each += 1) arrive();
  return {
    seen: () => log.read(),
    pids: () => [...living.keys()],
    kill: (pid) => {
      const child = living.get(pid);
      if (!child) return;
      writeSync(file, `kill ${pid}\n`);
      child.kill("SIGKILL");
      living.delete(pid);
      arrive();
    },
    end: async () => {
      const left = [...living.values()];
      for (const child of left) child.kill("SIGTERM");
      await Promise.all(left.map((child) => once(child, "exit")));
    },
    abandon: () => {
      for (const child of living.values()) child.kill("SIGKILL");
    },
  };
}

function report({ acquisitions, kills, holdersKilled, overlaps }, seconds) {
  for (const overlap of overlaps.slice(0, MOST_DETAILS)) console.error(overlap);
  const rest = `overlaps ${overlaps.length}, ${seconds} s`;
  console.log(`acquisitions ${acquisitions}, kills ${kills} (${holdersKilled} holders), ${rest}`);
  process.exitCode = overlaps.length > 0 ? 1 : 0;
}
