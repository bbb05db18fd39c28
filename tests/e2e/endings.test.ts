import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { text } from "../support/emulator.ts";
import { type AtEnd, appliedWorlds, DEV, freshWorld, type World, STATES } from "../support/project.ts";

const appliedWorld = appliedWorlds();

/** A world with one hostname to be created. */
async function somethingToDo(atEnd: AtEnd = onTestFinished): Promise<World> {
  const world = await appliedWorld(atEnd);
  await world.edit("data/customers.csv", /$/, "new.violin-academy.de,silver,,eu\n");
  return world;
}

// Each waits in a world of its own, so they wait together.
describe.concurrent("an apply that waits", () => {
  test("says, when it is interrupted, that the changes are applied, and exits 130", async ({ onTestFinished }) => {
    const world = await somethingToDo(onTestFinished);
    const running = world.start("apply", "--auto-approve", "--wait");
    onTestFinished(() => running.kill("SIGKILL"));
    await running.said("waiting until 1 object serves");
    running.kill("SIGINT");
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    expect(ended.stderr).toContain("interrupted while waiting: the apply is done, and its changes stay");
    expect(ended.stderr).not.toContain("nothing was written");
    expect(world.writes()).toEqual({ "POST /zones/:zone/custom_hostnames": 1 });
  });

  test("and loses access has still applied: exit 8, never 1", async ({ onTestFinished }) => {
    const world = await somethingToDo(onTestFinished);
    const running = world.start("apply", "--auto-approve", "--wait");
    onTestFinished(() => running.kill("SIGKILL"));
    await running.said("waiting until 1 object serves");
    world.emulator.faults.order({ fault: { kind: "status", status: 403, after: false }, method: "GET", count: 1000 });
    const ended = await running.ended;
    expect(ended.code).toBe(8);
    expect(ended.stdout).toContain(": 1 created.");
    expect(ended.stderr).toContain("the apply is done, and its changes stay");
  });

  test("in vain for its changes to become ready prints one document with --json", async ({ onTestFinished }) => {
    const world = await somethingToDo(onTestFinished);
    const ended = await world.zoneform("apply", "--auto-approve", "--json", "--wait", "1s");
    expect(ended.code).toBe(8);
    expect(JSON.parse(ended.stdout)).toMatchObject({ zones: [{}, { counts: { done: 1 } }] });
    expect(ended.stderr).toContain("Not ready: 1 of ");
  });
});

describe("with --json, standard output is one document if an apply", () => {
  test("has nothing to do", async () => {
    const world = await appliedWorld();
    const nothing = { exit_code: 0, counts: { done: 0, failed: 0 }, changes: [] };
    for (const flags of [[], ["--wait"]]) {
      const { code, stdout } = await world.zoneform("apply", "--json", ...flags);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        interrupted: false,
        zones: [
          { zone: { name: "saas-app.dev" }, ...nothing },
          { zone: { name: "saas.dev" }, ...nothing },
        ],
      });
    }
  });

  test.each([
    ["is not approved", ["apply"], "not-approved", 1],
    ["is larger than was allowed", ["apply", "--auto-approve", "--max-changes", "0"], "too-many-changes", 4],
    [
      "is asked for with a flag that names nothing",
      ["apply", "--target", "total_tls", "--zone", "no"],
      "unknown-zone",
      1,
    ],
    ["gets the hash of another plan", ["apply", "--expect", `zf1:${"0".repeat(64)}`], "another-plan", 4],
    ["is a destroy without approval", ["destroy"], "not-approved", 1],
    ["is an undo of an unknown run", ["undo", "nothing"], "unknown-run", 1],
  ])("%s", async (_name, command, code, exitCode) => {
    const world = await somethingToDo();
    const ended = await world.zoneform(...command, "--json");
    expect(ended.code).toBe(exitCode);
    expect(JSON.parse(ended.stdout)).toMatchObject({ zones: [], stopped: { diagnostics: [{ code }] } });
    expect(ended.stderr).toContain(`[${code}]`);
    expect(world.writes()).toEqual({});
  });

  test("has no credential", async () => {
    const world = await somethingToDo();
    const ended = await world.zoneformWith({ CLOUDFLARE_API_TOKEN: "" }, "apply", "--json", "--auto-approve");
    expect(JSON.parse(ended.stdout)).toMatchObject({ stopped: { diagnostics: [{ code: "no-credential" }] } });
  });

  test("is interrupted before it starts", async () => {
    const world = await freshWorld();
    world.emulator.faults.order({ fault: { kind: "slow", milliseconds: 60_000 }, method: "GET" });
    const running = world.start("apply", "--auto-approve", "--json");
    onTestFinished(() => running.kill("SIGKILL"));
    await world.asked("GET /zones/:zone", 1);
    running.kill("SIGINT");
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    expect(JSON.parse(ended.stdout)).toMatchObject({ interrupted: true, zones: [], stopped: { diagnostics: [] } });
    expect(ended.stderr).toContain("interrupted; nothing was written");
  });
});

/** What the system answers in a container that is run under a number for which it has no name. */
const NO_NAME = `import os from "node:os"; import { syncBuiltinESMExports } from "node:module";
  os.userInfo = () => { throw Object.assign(new Error("uv_os_get_passwd returned ENOENT"), { code: "ERR_SYSTEM_ERROR" }); };
  syncBuiltinESMExports();`;

test("a user without a name applies like any other, and is shown by number to others who find the lock", async () => {
  const world = await somethingToDo();
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(NO_NAME)}` };
  expect(await world.zoneformWith(env, "apply", "--auto-approve")).toMatchObject({ code: 0 });
  const folder = join(world.folder, STATES, `${DEV}.lock`);
  const marks = (await readdir(folder)).filter((name) => name.startsWith("g"));
  const whos = await Promise.all(
    marks.map(async (name) => text(JSON.parse(await readFile(join(folder, name), "utf8")), "who")),
  );
  expect(whos.filter((who) => who.startsWith(`uid ${process.getuid?.()}@`))).toHaveLength(1);
});
