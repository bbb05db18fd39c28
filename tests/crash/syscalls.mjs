// Kills the built command at each system call that changes a file of the state: `npm run crash:syscalls`, after a build. There
// are five scenarios. Before each kill, folder and service are put back to the start of the scenario. After it, one apply has
// to finish without a person, as after a random kill. `--every 20` takes only each 20th call, and `--only update` only one
// scenario.
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { commandLine, start } from "./command.mjs";
import { openJudge } from "./judge.mjs";
import { startService } from "./service.mjs";
import { callsOf, killAt, whyNoStrace } from "./strace.mjs";
import { firstWish, projectFolder, writeZone } from "./zone-file.mjs";

const APPLY = ["apply", "--auto-approve", "--parallelism", "1"];
const FORGOTTEN = "h0.customer.net";
const MOST_DETAILS = 20;
const PACK = ["saas.net", "*.saas.net"];

/** A scenario begins after `before` was applied, if it has that. `kill` says at which write that apply is killed. */
const SCENARIOS = [
  { name: "first apply", wish: { ...firstWish(), packs: [PACK] }, args: APPLY },
  { name: "update", before: firstWish(), wish: updated(firstWish()), args: APPLY },
  { name: "delete", before: { ...firstWish(4), packs: [PACK] }, wish: firstWish(2), args: APPLY },
  { name: "recover", before: firstWish(), wish: mixed(), killedAt: 3, args: APPLY },
  {
    name: "state rm",
    before: firstWish(),
    wish: firstWish(),
    args: ["state", "rm", `custom_hostname[${JSON.stringify(FORGOTTEN)}]`],
    forgotten: [FORGOTTEN],
  },
];

const { values } = parseArgs({
  options: {
    every: { type: "string", default: "1" },
    only: { type: "string", multiple: true },
    workers: { type: "string", default: "2" },
  },
});
const reason = whyNoStrace();
if (reason) console.log(`skipped: ${reason}`);
else await sweepAll();

async function sweepAll() {
  const waiting = SCENARIOS.filter(({ name }) => values.only?.includes(name) ?? true);
  const found = [];
  const began = performance.now();
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const swept = await sweep(next);
      console.log(`${next.name}: kill points ${swept.points}, violations ${swept.violations.length}`);
      found.push(swept);
    }
  };
  await Promise.all(Array.from({ length: Number(values.workers) }, work));
  const violations = found.flatMap((each) => each.violations);
  for (const { where, what, detail } of violations.slice(0, MOST_DETAILS))
    console.error(`${where}: ${what}: ${detail}`);
  const points = found.reduce((sum, each) => sum + each.points, 0);
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`scenarios ${found.length}, kill points ${points}, violations ${violations.length}; ${seconds} s`);
  process.exitCode = violations.length > 0 ? 1 : 0;
}

async function sweep(scenario) {
  const folder = projectFolder();
  const aside = mkdtempSync(join(tmpdir(), "zoneform-crash-"));
  const service = await startService();
  const judge = openJudge(folder, service);
  const world = { folder, service, judge, log: join(aside, "log") };
  try {
    await prepare(world, scenario);
    const prepared = { folder: join(aside, "folder"), snapshot: service.snapshot() };
    cpSync(folder, prepared.folder, { recursive: true });
    const command = commandLine(scenario.args);
    const calls = await callsOf(command, { cwd: folder, env: service.env }, world.log);
    const chosen = calls.filter((_call, index) => index % Number(values.every) === 0);
    const violations = [];
    for (const call of chosen) {
      putBack(world, prepared);
      await killAt(call, command, { cwd: folder, env: service.env }, world.log);
      const where = `${scenario.name}, ${call.name} ${call.number} (${call.where})`;
      violations.push(...(await judged(world, scenario)).map((violation) => ({ where, ...violation })));
    }
    return { points: chosen.length, violations };
  } finally {
    await judge.close();
    await service.close();
    for (const each of [folder, aside]) rmSync(each, { recursive: true, force: true });
  }
}

async function prepare(world, { before, wish, killedAt }) {
  if (before) {
    writeZone(world.folder, before);
    const { code, printed } = await apply(world).ended;
    if (code !== 0) throw new Error(`the scenario cannot be prepared: ${printed}`);
    world.service.settle();
  }
  writeZone(world.folder, wish);
  if (killedAt === undefined) return;
  const running = apply(world);
  world.service.onWrite((number, carryOut) => {
    const answer = carryOut();
    if (number === killedAt) running.kill();
    return answer;
  });
  await running.ended;
  world.service.offWrite();
}

function putBack({ folder, service }, prepared) {
  rmSync(folder, { recursive: true });
  cpSync(prepared.folder, folder, { recursive: true });
  service.restore(prepared.snapshot);
}

async function judged(world, { wish, forgotten }) {
  const { violations } = await world.judge.afterKill(forgotten);
  const { code, printed } = await apply(world).ended;
  const after =
    code === 0
      ? await world.judge.afterRecovery(wish)
      : [{ what: "manual steps", detail: `apply ends with ${code}: ${printed}` }];
  return [...violations, ...after];
}

function apply({ folder, service }) {
  return start(commandLine(APPLY), { cwd: folder, env: service.env });
}

function updated(wish) {
  return {
    ...wish,
    hostnames: {
      ...wish.hostnames,
      "h0.customer.net": { tier: "silver", tls: "1.3" },
      "h1.customer.net": { tier: "bronze", tls: "1.2" },
    },
    rules: [{ ref: "ours/first", host: "second" }],
    fallback: "fallback2.saas.net",
  };
}

/** A wish that creates some objects, edits some and deletes one. */
function mixed() {
  const { "h2.customer.net": _gone, ...kept } = updated(firstWish()).hostnames;
  const created = { tier: "gold", tls: "1.2" };
  return { ...updated(firstWish()), hostnames: { ...kept, "h3.customer.net": created, "h4.customer.net": created } };
}
