import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { appliedWorlds, DEV, freshWorld, type World, STATES } from "../support/project.ts";
import { journalFile } from "../support/local-store.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();
const ZONE = ["--zone", "saas.dev"] as const;

function pathOf({ folder }: World): string {
  return join(folder, STATES, `${DEV}.state`);
}

/** The files by their names, where it does not matter which holder of the lock the journal has. */
function withoutHolders(states: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(states).map(([name, text]) => [name.replace(/\.journal-\d+$/, ".journal"), text]),
  );
}

/** A world in which an apply was killed while it created hostnames. */
async function killedWorld(): Promise<World> {
  const world = await freshWorld();
  world.emulator.faults.order({
    fault: { kind: "slow", milliseconds: 60_000 },
    method: "POST",
    skip: 3,
  });
  const running = world.start("apply", "--auto-approve", ...ZONE, "--parallelism", "1");
  onTestFinished(() => running.kill("SIGKILL"));
  await world.asked("POST /zones/:zone/custom_hostnames", 4);
  running.kill("SIGKILL");
  await running.ended;
  return world;
}

describe("state doctor", () => {
  test("of a saved state reports what is there, and exits 0", async () => {
    const world = await appliedWorld();
    const before = await world.states();
    const { code, stdout } = await world.zoneform("state", "doctor", ...ZONE);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^saas\.dev: nothing is wrong\n {2}state: serial \d+, lineage \S+, \d+ objects\n {2}journal: empty/,
    );
    expect(stdout).toContain("  runs that can be undone: 1\n");
    expect(await world.states()).toEqual(before);
  });

  test("of a damaged one names file, damage and remedy, and exits 1; other zones are checked too", async () => {
    const world = await appliedWorld();
    await writeFile(pathOf(world), "");
    const { code, stdout } = await world.zoneform("state", "doctor");
    expect(code).toBe(1);
    expect(stdout).toContain(`${pathOf(world)}:1:1: error: saas.dev: the state is damaged: it is empty`);
    expect(flat(stdout)).toContain("zoneform state repair restores the newest");
    expect(stdout).toContain("saas-app.dev: nothing is wrong\n  state: serial ");
    expect(world.emulator.requests.total()).toBe(0);
  });

  test("names a damaged approval and its file", async () => {
    const world = await appliedWorld();
    const whole = await world.zoneform("state", "doctor");
    expect(whole.stdout).toContain("  approvals kept: 1\n");
    const kept = Object.keys(await world.states()).find((each) => each.includes(".kept-approval-")) ?? "";
    await writeFile(join(world.folder, STATES, kept), "{ damaged\n");
    const { code, stdout } = await world.zoneform("state", "doctor");
    expect(code).toBe(0);
    expect(stdout).not.toContain("  approvals kept: 1\n");
    expect(flat(stdout)).toMatch(/warning: \S+: the approval that is kept as approval-\S+ is damaged/);
    expect(flat(stdout)).toContain(
      `plan again and have that approved, or apply the plan file; nothing else depends on it`,
    );
  });

  test("asks the service only with --live, by id, and names what is gone", async () => {
    const world = await appliedWorld();
    const { id } = Object(world.hostname(DEV, "lessons.violin-academy.de"));
    world.dashboard(DEV, "DELETE", `custom_hostnames/${id}`);
    world.emulator.requests.reset();
    const { code, stdout } = await world.zoneform("state", "doctor", "--live", ...ZONE);
    expect(code).toBe(0);
    expect(flat(stdout)).toContain(
      `gone: custom_hostname["lessons.violin-academy.de"] (${id}) is in the state, but no longer live`,
    );
    expect(stdout.match(/gone:/g)).toHaveLength(1);
    expect(world.writes()).toEqual({});
  });
});

describe("state repair", () => {
  test("of an intact state does nothing", async () => {
    const world = await appliedWorld();
    const before = await world.states();
    const ended = await world.zoneform("state", "repair", "--auto-approve", ...ZONE);
    expect(ended).toMatchObject({ code: 0, stdout: "the state of saas.dev is intact; there is nothing to repair\n" });
    expect(await world.states()).toEqual(before);
  });

  test("of a damaged journal only happens on request and keeps the old file, and the next apply finishes the run", async () => {
    const world = await killedWorld();
    const journal = await readFile(await journalFile(join(world.folder, STATES), DEV), "utf8");
    const lines = journal.split("\n");
    const damaged = lines.map((line, index) => (index === 2 ? line.slice(9) : line)).join("\n");
    await writeFile(await journalFile(join(world.folder, STATES), DEV), damaged);
    for (const command of [["plan"], ["apply", "--auto-approve"], ["state", "list"]]) {
      const ended = await world.zoneform(...command, ...ZONE);
      expect(ended.code).toBe(1);
      expect(flat(ended.stdout + ended.stderr)).toContain("zoneform state repair --dry-run");
    }
    const before = withoutHolders(await world.states());
    const dry = await world.zoneform("state", "repair", "--dry-run", ...ZONE);
    expect(dry.code).toBe(0);
    expect(dry.stdout).toMatch(/^would repair the state of saas\.dev:\n {2}the journal: \d+ records are kept/);
    const unasked = await world.zoneform("state", "repair", ...ZONE);
    expect(unasked.code).toBe(1);
    expect(unasked.stderr).toContain("cannot ask for approval of the repair");
    expect(withoutHolders(await world.states())).toEqual(before);

    const ended = await world.zoneform("state", "repair", "--auto-approve", ...ZONE);
    expect(ended.code).toBe(0);
    const kept = Object.entries(await world.states()).filter(([name]) => name.includes(".journal.damaged-"));
    expect(ended.stdout).toContain(`  kept as `);
    expect(ended.stdout).toContain((kept[0]?.[0] ?? "nothing").replace(`${DEV}.`, ""));
    expect(kept.map(([, text]) => text)).toEqual([damaged]);
    world.emulator.faults.clear();
    expect(await world.zoneform("apply", "--auto-approve", ...ZONE)).toMatchObject({ code: 0 });
    expect(await world.zoneform("plan", "--detailed-exitcode", ...ZONE)).toMatchObject({ code: 0 });
    expect(world.writes()["POST /zones/:zone/custom_hostnames"]).toBe(14);
  });

  test("of a missing state restores a copy; until then, no command treats the zone as new", async () => {
    const world = await appliedWorld();
    await world.edit("data/customers.csv", /$/, "new.violin-academy.de,silver,,eu\n");
    expect(await world.zoneform("apply", "--auto-approve", ...ZONE)).toMatchObject({ code: 0 });
    const before = world.writes();
    await rm(pathOf(world));
    await world.edit("zones/saas-dev.yaml", /.*store\.juniper-and-sons\.com.*\n/, "");
    for (const command of [["plan"], ["apply", "--auto-approve"], ["state", "list"], ["state", "doctor"]]) {
      const ended = await world.zoneform(...command, ...ZONE);
      expect(ended.code).toBe(1);
      const said = flat(ended.stdout + ended.stderr);
      expect(said).toContain("the state is missing, but there are copies of it");
      expect(said).toContain("zoneform state repair");
    }
    const dry = await world.zoneform("state", "repair", "--dry-run", ...ZONE);
    expect(dry.stdout).toMatch(/the copy of serial \d+ \(\d+ objects\) replaces the missing state/);
    const ended = await world.zoneform("state", "repair", "--auto-approve", ...ZONE);
    expect(ended.code).toBe(0);
    // What was protected is so again, and what the lost state knew besides is found by its name.
    const planned = await world.zoneform("plan", ...ZONE);
    expect(planned.code).toBe(4);
    expect(flat(planned.stdout)).toContain("it is protected, and this plan would delete it");
    expect(flat(planned.stdout)).toContain("new.violin-academy.de");
    expect(world.writes()).toEqual(before);
  });

  test("of a damaged state restores the newest intact copy, and only on request", async () => {
    const world = await appliedWorld();
    await world.zoneform("state", "rm", 'custom_hostname["lessons.violin-academy.de"]');
    await writeFile(pathOf(world), (await readFile(pathOf(world), "utf8")).replace("gold", "lead"));
    const before = await world.states();
    const unasked = await world.zoneform("state", "repair", ...ZONE);
    expect(unasked).toMatchObject({ code: 1, stdout: expect.stringMatching(/the copy of serial \d+ \(\d+ objects\)/) });
    expect(await world.states()).toEqual(before);
    const ended = await world.zoneform("state", "repair", "--auto-approve", ...ZONE);
    expect(ended.code).toBe(0);
    expect(await world.zoneform("plan", "--detailed-exitcode", ...ZONE)).toMatchObject({ code: 0 });
    expect(world.writes()).toEqual({});
  });
});
