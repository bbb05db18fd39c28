// Kills the built `apply` at random moments: `npm run crash:kill -- --runs 1000`, after a build. Each run changes a small zone and
// kills an apply with SIGKILL somewhere between its start and its end. The next apply has to finish without a person. Then
// everything declared has to be live exactly once, and known to the state. Ctrl-C ends the script after the current runs, and
// prints what it has found so far.
//
// - `--state postgres://…` keeps the states in a database, in a new schema for each world. The schemas stay.
// - `--state s3://BUCKET/PREFIX?…` keeps them in a bucket, below a new prefix for each world. The objects stay. A killed run keeps
//   its lock for a minute, so the next apply has to begin within 75 seconds, and many workers (`--workers 16`) save time.
// - `--state http` keeps them on a server of Terraform's HTTP backend in this process. A killed run keeps its lock until
//   `state unlock`, which the script calls before the next apply, as the message says.
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { startHttpServer } from "../../bench/http-server.mjs";
import { chance } from "./chance.mjs";
import { commandLine, start } from "./command.mjs";
import { openJudge } from "./judge.mjs";
import { startService } from "./service.mjs";
import { changedWish, firstWish, projectFolder, writesBetween, writeZone } from "./zone-file.mjs";

/** How many runs share a service and a project: enough for states with a past, few enough for a small log. */
const RUNS_OF_A_WORLD = 50;
/** How often to repeat a command that ended before it could be killed, with another change each time, before giving up. */
const MOST_ESCAPES = 20;
/** How long about an apply works after the last answer: on results, snapshot, journal and lock. */
const AFTERWARDS_MILLISECONDS = 30;
/** How often the apply that finishes after a kill is killed too. */
const SHARE_KILLED_TWICE = 0.2;
const MOST_DETAILS = 20;

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    workers: { type: "string", default: "2" },
    state: { type: "string" },
  },
});
const isOnS3 = values.state?.startsWith("s3:") ?? false;
const isOnHttp = values.state === "http";
/** How long the next run waits for the lock that a killed run left in a bucket. */
const waiting = isOnS3 ? ["--lock-timeout", "75"] : [];
const tally = { runs: 0, killed: 0, inMiddle: 0 };
const found = [];
const [runs, seed, workers] = [values.runs, values.seed, values.workers].map(Number);
const began = performance.now();
const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
report();

/** Takes every nth run, so that a worker's choices do not depend on how fast the others are. */
async function work(worker) {
  for (let first = worker; first < runs && !stop.signal.aborted; first += workers * RUNS_OF_A_WORLD) {
    const last = Math.min(runs, first + workers * RUNS_OF_A_WORLD);
    const random = chance(seed * 1_000_003 + first);
    await inWorld(async (world) => {
      for (let run = first; run < last && !stop.signal.aborted; run += workers) await runOnce(world, random, run);
    });
  }
}

async function inWorld(act) {
  const folder = projectFolder();
  const service = await startService();
  const states = isOnHttp ? await startHttpServer() : undefined;
  if (states) Object.assign(service.env, states.env, { ZONEFORM_STATE: states.address });
  else if (values.state !== undefined) Object.assign(service.env, credentials(), { ZONEFORM_STATE: stateOf(folder) });
  const judge = openJudge(folder, service);
  try {
    await act({ folder, service, states, judge, wish: firstWish(), usualMilliseconds: 500 });
  } finally {
    await judge.close();
    await service.close();
    states?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the S3 client reads from the environment. */
function credentials() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => isOnS3 && name.startsWith("AWS_")));
}

/** The address of a world's states, which no other world uses. */
function stateOf(folder) {
  if (!isOnS3) return `${values.state}${values.state.includes("?") ? "&" : "?"}schema=${schemaOf(folder)}`;
  const [, place, query = ""] = /^([^?]*?)\/*(\?.*)?$/.exec(values.state);
  return `${place}/${schemaOf(folder)}${query}`;
}

/** The schema of a world, named after its folder, which no other world has. */
function schemaOf(folder) {
  return `crash_${folder
    .replace(/[^a-z0-9]/gi, "_")
    .toLowerCase()
    .slice(-40)}`;
}

async function runOnce(world, random, run) {
  await killOne(world, random);
  const violations = await countKill(world);
  if (random.odds(SHARE_KILLED_TWICE) && (await killed(world, random)).isKilled)
    violations.push(...(await countKill(world)));
  violations.push(...(await recover(world)));
  for (const violation of violations) found.push({ run, ...violation });
  tally.runs += 1;
}

/** Counts a kill, and has the judge check what the killed process left. */
async function countKill({ judge }) {
  const { violations, isInMiddle } = await judge.afterKill();
  tally.killed += 1;
  if (isInMiddle) tally.inMiddle += 1;
  return violations;
}

/** Changes the zone and kills its apply. Tries again if the apply ended before. */
async function killOne(world, random) {
  let last = "";
  for (let escapes = 0; escapes < MOST_ESCAPES; escapes += 1) {
    world.service.settle();
    const wish = changedWish(world.wish, random);
    world.writes = writesBetween(world.wish, wish);
    world.wish = wish;
    writeZone(world.folder, wish);
    const { isKilled, printed } = await killed(world, random);
    if (isKilled) return;
    last = printed;
  }
  throw new Error(`${MOST_ESCAPES} commands ended before they were killed; the last one printed:\n${last}`);
}

async function killed(world, random) {
  await unlock(world);
  const running = apply(world, 1 + random.below(4));
  arm(world, running, random);
  const { signal, printed } = await running.ended;
  world.service.offWrite();
  clearTimeout(world.timer);
  return { isKilled: signal === "SIGKILL", printed };
}

/** Frees the lock of a zone that a killed run left on an HTTP server, where no lock expires. Any run frees the lock of the list of states. */
async function unlock({ folder, service, states }) {
  for (const [name, id] of states?.held() ?? []) {
    if (name === "zoneform-index") continue;
    const { code, printed } = await start(commandLine(["state", "unlock", id]), { cwd: folder, env: service.env })
      .ended;
    if (code !== 0) throw new Error(`state unlock ${id} ends with ${code}: ${printed}`);
  }
}

function apply({ folder, service }, parallelism) {
  const args = ["apply", "--auto-approve", "--parallelism", String(parallelism), ...waiting];
  return start(commandLine(args), { cwd: folder, env: service.env });
}

/**
 * Chooses the moment of the kill. By the clock alone most kills would hit the start of the process, so most are tied to a write
 * that comes in: before it takes effect, before its answer, soon after, or some time after.
 */
function arm(world, running, random) {
  const [kind, number, part] = [random.below(5), 1 + random.below(world.writes), random.fraction()];
  const later = (milliseconds) => {
    world.timer = setTimeout(() => running.kill(), milliseconds);
  };
  if (kind === 0) return later(part * world.usualMilliseconds);
  world.service.onWrite((count, carryOut) => {
    if (count !== number) return carryOut();
    if (kind === 1) return void running.kill();
    const answer = carryOut();
    if (kind === 2) running.kill();
    else later(part * (kind === 3 ? 2 : AFTERWARDS_MILLISECONDS));
    return answer;
  });
}

/** Applies once, because a second apply would be a manual step. */
async function recover(world) {
  await unlock(world);
  const began = performance.now();
  const { code, printed } = await apply(world, 4).ended;
  world.usualMilliseconds = performance.now() - began;
  if (code === 0) return world.judge.afterRecovery(world.wish);
  return [{ what: "manual steps", detail: `apply ends with ${code}: ${printed}` }];
}

function report() {
  const count = (what) => found.filter((violation) => violation.what === what).length;
  for (const { run, what, detail } of found.slice(0, MOST_DETAILS)) {
    console.error(`run ${run} (seed ${seed}): ${what}: ${detail}`);
  }
  const seconds = Math.round((performance.now() - began) / 1000);
  const counts = ["lost", "duplicates", "unreadable", "manual steps", "not as declared"].map(
    (what) => `${what} ${count(what)}`,
  );
  console.log(
    `runs ${tally.runs}, killed ${tally.killed} (${tally.inMiddle} mid-write), ${counts.join(", ")}; ${seconds} s`,
  );
  process.exitCode = found.length > 0 ? 1 : 0;
}
