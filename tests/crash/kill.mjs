// Kills the built `apply` at random moments: `npm run crash:kill -- --runs 1000`, after a build. With
// `--state postgres://…` the states are in a database, in a new schema for each world, and with `--state s3://BUCKET/PREFIX?…`
// in a bucket, below a new prefix for each world; both stay there. Many workers at once (`--workers 16`) save time there: in a
// bucket a killed run keeps its lock for a minute, so the next apply has to begin within 75 seconds. With `--state http` they
// are on a server of Terraform's protocol in this process; there a killed run keeps its lock until `state unlock`, which the
// script calls before the next apply, as the message says. Each run changes a small zone and kills an apply with SIGKILL somewhere between its start and its end; the next apply has to finish
// without a person. Then live has to be as declared, once, and known to the state. Ctrl-C ends the script after the
// current runs and prints what was found so far.
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
/** A command that ends before its kill is repeated with another change; more often than this, something is wrong. */
const MOST_ESCAPES = 20;
/** What follows the last answer (results, snapshot, journal, lock) takes about this long. */
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
/** The longest that the next run of a bucket waits for a killed one. */
const waiting = isOnS3 ? ["--lock-timeout", "75"] : [];
const tally = { runs: 0, killed: 0, inMiddle: 0 };
const found = [];
const [runs, seed, workers] = [values.runs, values.seed, values.workers].map(Number);
const began = performance.now();
const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
report();

/** Each worker takes every nth run, so that its choices do not depend on how fast the others are. */
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

/** What the client of a bucket takes from the environment. */
function credentials() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => isOnS3 && name.startsWith("AWS_")));
}

/** A place of its own for each world. */
function stateOf(folder) {
  if (!isOnS3) return `${values.state}${values.state.includes("?") ? "&" : "?"}schema=${schemaOf(folder)}`;
  const [, place, query = ""] = /^([^?]*?)\/*(\?.*)?$/.exec(values.state);
  return `${place}/${schemaOf(folder)}${query}`;
}

/** No two worlds have the same folder. */
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

/** The judge must find no violation in what a killed process left. */
async function countKill({ judge }) {
  const { violations, isInMiddle } = await judge.afterKill();
  tally.killed += 1;
  if (isInMiddle) tally.inMiddle += 1;
  return violations;
}

/** Changes the zone and kills its apply; tries again if the apply was faster. */
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

/** Frees the lock that a killed run left on a server where no lock expires. That of the list of states is freed by any run. */
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
 * Chooses the moment. By the clock alone most kills would fall into the start of the process, so most are tied to the
 * writes that come in: before one takes effect, before its answer, soon after it, or some time after it.
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

/** Applies once: everything after that would be a manual step. */
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
