import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { onTestFinished, expect, test } from "vitest";
import { zoneId } from "../../lib/core/brand.ts";
import { realClock, realRandom } from "../../lib/real/clock.ts";
import { disk } from "../../lib/real/disk.ts";
import { identity } from "../../lib/real/identity.ts";
import { loadState } from "../../lib/state/load.ts";
import { localStores } from "../../lib/state/local/stores.ts";
import { encodeLost, type LostResults } from "../../lib/state/lost-results.ts";
import { APP, freshWorld, type World } from "../support/project.ts";
import { hostname } from "../support/state-world.ts";
import { flat } from "../support/text.ts";
import { clocksOf } from "../support/state-world.ts";

/** An apply that was killed before it saw the answer to its one request, and the result that it would have kept. */
async function killedWorld(): Promise<{ world: World; lost: LostResults }> {
  const world = await freshWorld();
  world.emulator.faults.order({ fault: { kind: "slow", milliseconds: 60_000 }, method: "PATCH" });
  const running = world.start("apply", "--auto-approve", "--zone", "saas-app.dev", "--parallelism", "1");
  onTestFinished(() => running.kill("SIGKILL"));
  await world.asked("PATCH /zones/:zone/custom_hostnames/:id", 1);
  running.kill("SIGKILL");
  await running.ended;
  world.emulator.faults.clear();
  const parts = { identity: identity(), ...clocksOf(realClock), random: realRandom };
  const store = localStores(disk("refuse"), join(world.folder, ".zoneform"), parts).of("saas-edge");
  const loaded = await loadState(store, zoneId(APP));
  const [intent] = loaded?.open ?? [];
  if (!loaded || !intent) throw new Error("the killed run left an unfinished intent");
  const { address, action, run } = intent;
  const { zone, lineage, serial: baseSerial } = loaded.state;
  const record = { address, action, run, kind: "failed" as const, seq: intent.seq + 1, at: intent.at };
  return { world, lost: { project: "saas-edge", zone, lineage, baseSerial, run, records: [record] } };
}

async function fileOf({ folder }: World, lost: LostResults, name: string): Promise<string> {
  const path = join(folder, ".zoneform/lost", name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, [...encodeLost(lost), ""].join("\n"));
  return path;
}

test("state merge adds the lost results once, and calls nothing", async () => {
  const { world, lost } = await killedWorld();
  const file = await fileOf(world, lost, "run.results");
  const before = await world.states();
  world.emulator.requests.reset();
  const dry = await world.zoneform("state", "merge", file, "--dry-run");
  const what = `1 result of run ${lost.run}`;
  expect(dry).toMatchObject({ code: 0, stdout: `would merge ${what} into the state of saas-app.dev\n` });
  expect(await world.states()).toEqual(before);

  const merged = await world.zoneform("state", "merge", file);
  expect(merged.stderr).toBe("");
  expect(merged.code).toBe(0);
  expect(merged.stdout).toContain(`merged ${what} into the state of saas-app.dev (serial ${lost.baseSerial + 1})`);
  const again = await world.zoneform("state", "merge", file);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining(`has ${what} already`) });
  expect(world.emulator.requests.counts()).toEqual({});
  const doctor = await world.zoneform("state", "doctor", "--zone", "saas-app.dev");
  expect(doctor.stdout).toContain("saas-app.dev: nothing is wrong");
  expect(await world.zoneform("apply", "--auto-approve", "--zone", "saas-app.dev")).toMatchObject({ code: 0 });
});

test("state merge has nothing to do once another run has finished the changes", async () => {
  const { world, lost } = await killedWorld();
  const records = lost.records.map((each) => ({ ...each, kind: "done" as const, object: hostname(1) }));
  const file = await fileOf(world, { ...lost, records }, "run.results");
  expect(await world.zoneform("apply", "--auto-approve", "--zone", "saas-app.dev")).toMatchObject({ code: 0 });
  const before = await world.states();
  for (const flags of [["--dry-run"], []]) {
    const { code, stdout } = await world.zoneform("state", "merge", file, ...flags);
    expect(code).toBe(0);
    expect(stdout).toContain(`nothing to merge into the state of saas-app.dev: another run has finished the changes`);
  }
  expect(await world.states()).toEqual(before);
});

test("state merge refuses a file of another project, zone or state, and a damaged one, and changes nothing", async () => {
  const { world, lost } = await killedWorld();
  const before = await world.states();
  const refused = [
    { ...lost, project: "another" },
    { ...lost, zone: { id: zoneId("0".repeat(32)), name: "another.dev" } },
    { ...lost, lineage: "another" },
  ];
  for (const [index, each] of refused.entries()) {
    const file = await fileOf(world, each, `refused-${index}.results`);
    const ended = await world.zoneform("state", "merge", file);
    expect(ended, ended.stderr).toMatchObject({ code: 4, stdout: "" });
    expect(flat(ended.stderr)).toContain("[lost-results-refused]");
  }
  const damaged = join(world.folder, "damaged.results");
  await writeFile(damaged, [...encodeLost(lost)].slice(0, -1).join("\n"));
  const ended = await world.zoneform("state", "merge", damaged);
  expect(ended).toMatchObject({ code: 1, stdout: "" });
  expect(flat(ended.stderr)).toContain("[lost-results-damaged]");
  const absent = await world.zoneform("state", "merge", "nowhere.results");
  expect(absent).toMatchObject({ code: 1, stdout: "" });
  expect(flat(absent.stderr)).toContain("cannot read nowhere.results: there is no such file");
  expect(await world.states()).toEqual(before);
});
