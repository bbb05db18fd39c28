import { describe, expect, test } from "vitest";
import { expectToConverge, liveNames, slow } from "../support/converging.ts";
import { freshWorld, type World } from "../support/project.ts";
import { flat } from "../support/text.ts";

const CREATES = "POST /zones/:zone/custom_hostnames";

/** So long that a signal arrives before the answer does, also where the command gets little of the processor. */
const SIGNALLED_MILLISECONDS = 3_000;

/** Every create of a hostname takes so long to be answered, though it takes effect at once. */
function slowCreates(world: World, milliseconds: number): void {
  slow(world, "POST", "/zones/*/custom_hostnames", milliseconds);
}

// All of these wait: for processes, answers and pauses. Each has a world of its own, so they wait together.
describe.concurrent("an apply that is killed", () => {
  // At the n-th create that comes in, and once before the first and once after the last.
  test.for([0, 1, 5, 9, 13])(
    "after %i creates continues without a manual step",
    async (creates, { onTestFinished }) => {
      const world = await freshWorld(onTestFinished);
      slowCreates(world, 150);
      const running = world.start("apply", "--auto-approve", "--parallelism", "3");
      if (creates === 0) await running.said("fallback_origin: adopted");
      await world.asked(CREATES, creates);
      running.kill("SIGKILL");
      expect(await running.ended).toMatchObject({ signal: "SIGKILL" });
      await expectToConverge(world);
    },
  );

  test("is reported by drift, status, plan, why and apply, until an apply has finished it", async ({
    onTestFinished,
  }) => {
    const world = await freshWorld(onTestFinished);
    slowCreates(world, 60_000);
    const running = world.start("apply", "--auto-approve", "--parallelism", "2");
    await world.asked(CREATES, 2);
    running.kill("SIGKILL");
    await running.ended;
    world.emulator.faults.clear();
    const found = await world.zoneform("drift", "--zone", "saas.dev");
    expect(found.code).toBe(1);
    expect(flat(found.stdout)).toMatch(
      /^Not everything in project saas-edge could be checked: a run that was stopped left \d+ objects? unfinished\. No drift was found in the rest\./,
    );
    expect(flat(found.stdout)).toContain("zoneform apply --zone saas.dev");
    const status = await world.zoneform("status", "--zone", "saas.dev");
    expect(flat(status.stdout)).toContain("and finishes it: zoneform apply --zone saas.dev");
    const words =
      /saas\.dev: run \S+ was stopped before \d+ changes? had a result: custom_hostname\[.*\[journal-left\]/;
    expect(flat((await world.zoneform("plan")).stderr)).toMatch(words);
    const [, name = ""] = /custom_hostname\["(.*?)"\]/.exec(flat((await world.zoneform("plan")).stderr)) ?? [];
    expect((await world.zoneform("why", name)).stdout).toContain(
      "was stopped before its change of this object had a result",
    );
    expect(flat((await world.zoneform("apply", "--auto-approve")).stderr)).toMatch(words);
    expect((await world.zoneform("plan")).stderr).toBe("");
  });

  test("continues with the same saved plan and the same approval", async ({ onTestFinished }) => {
    const world = await freshWorld(onTestFinished);
    await world.zoneform("plan", "--out", "p.zfplan");
    slowCreates(world, 150);
    const running = world.start("apply", "p.zfplan", "--auto-approve", "--parallelism", "2");
    await world.asked(CREATES, 5);
    running.kill("SIGKILL");
    await running.ended;
    world.emulator.faults.clear();
    const resumed = await world.zoneform("apply", "p.zfplan", "--auto-approve");
    expect([resumed.code, resumed.stdout]).toEqual([0, expect.any(String)]);
    expect(world.writes()[CREATES]).toBe(14);
    expect(await world.zoneform("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
  });
});

describe.concurrent("an apply that is interrupted", () => {
  test("finishes what is under way, reports the rest, and can be resumed", async ({ onTestFinished }) => {
    const world = await freshWorld(onTestFinished);
    slowCreates(world, SIGNALLED_MILLISECONDS);
    const running = world.start("apply", "--auto-approve", "--parallelism", "2");
    await world.asked(CREATES, 2);
    running.kill("SIGINT");
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    expect(ended.stderr).toContain("stopping after the calls in flight; press Ctrl-C again to stop at once\n");
    expect(flat(ended.stdout)).toMatch(
      /Interrupted: applied \d of \d+ changes .*; \d+ not started\. .* the run was interrupted/,
    );
    expect(ended.stdout).toContain('saas.dev/ruleset["http_request_firewall_managed"]');
    expect(ended.stdout).toMatch(/^To resume:\s+zoneform apply --expect zf1:\w{64}$/m);
    expect(world.writes()[CREATES]).toBe(2);
    expect(liveNames(world)).toHaveLength(2);

    await expectToConverge(world);
    expect(world.writes()[CREATES]).toBe(14);
  });

  test("twice exits at once and loses nothing", async ({ onTestFinished }) => {
    const world = await freshWorld(onTestFinished);
    slowCreates(world, 60_000);
    const running = world.start("apply", "--auto-approve", "--parallelism", "3");
    await world.asked(CREATES, 3);
    running.kill("SIGINT");
    await running.said("press Ctrl-C again to stop at once");
    running.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 130 });
    await expectToConverge(world);
    expect(world.writes()[CREATES]).toBe(14);
  });

  test("in the first of two zones reports the second as not started", async ({ onTestFinished }) => {
    const world = await freshWorld(onTestFinished);
    world.emulator.faults.order({
      fault: { kind: "slow", milliseconds: SIGNALLED_MILLISECONDS },
      method: "PATCH",
      count: 2,
    });
    const running = world.start("apply", "--auto-approve", "--json");
    await world.asked("PATCH /zones/:zone/custom_hostnames/:id", 2);
    running.kill("SIGTERM");
    const { code, stdout } = await running.ended;
    expect(code).toBe(130);
    const report: unknown = JSON.parse(stdout);
    expect(report).toMatchObject({
      interrupted: true,
      zones: [
        { zone: { name: "saas-app.dev" }, exit_code: 0, counts: { done: 3 } },
        { zone: { name: "saas.dev" }, exit_code: 130, counts: { done: 0, not_started: 17 } },
      ],
    });
    expect(world.writes()[CREATES]).toBeUndefined();
  });

  test("by a terminal that was closed is reported, and leaves no lock", async ({ onTestFinished }) => {
    const world = await freshWorld(onTestFinished);
    world.emulator.faults.order({
      fault: { kind: "slow", milliseconds: SIGNALLED_MILLISECONDS },
      method: "POST",
      count: 1,
    });
    const running = world.start("apply", "--auto-approve", "--json");
    await world.asked(CREATES, 1);
    running.kill("SIGHUP");
    const { code, stdout } = await running.ended;
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ interrupted: true });
    expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
  });

  test("during the plan writes nothing", async ({ onTestFinished }) => {
    const world = await freshWorld(onTestFinished);
    world.emulator.faults.order({ fault: { kind: "slow", milliseconds: 60_000 }, method: "GET" });
    const running = world.start("apply", "--auto-approve");
    await world.asked("GET /zones/:zone", 1);
    running.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 130, stderr: "interrupted; nothing was written\n", stdout: "" });
    expect(world.writes()).toEqual({});
  });
});

describe.concurrent("a lost response", () => {
  test("to a create is no failure: the hostname is found by its name, and created once", async ({ onTestFinished }) => {
    const world = await freshWorld(onTestFinished);
    world.emulator.faults.order({
      fault: { kind: "lost-reply" },
      method: "POST",
      path: "/zones/*/custom_hostnames",
      skip: 3,
      count: 2,
    });
    const applied = await world.zoneform("apply", "--auto-approve");
    expect(applied.code).toBe(0);
    expect(applied.stdout).toContain("the response was lost; found by its name");
    expect(world.writes()[CREATES]).toBe(14);
    expect(await world.zoneform("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
  });

  test("to an update is settled by another read", async ({ onTestFinished }) => {
    const world = await freshWorld(onTestFinished);
    world.emulator.faults.order({ fault: { kind: "status", status: 502, after: true }, method: "PATCH" });
    const applied = await world.zoneform("apply", "--auto-approve", "--zone", "saas-app.dev");
    expect(applied.code).toBe(0);
    expect(applied.stdout).toContain("the response was lost; live is as declared");
  });

  test("to a create that is not found makes it unknown, and the next run settles it", async ({ onTestFinished }) => {
    const world = await freshWorld(onTestFinished);
    world.emulator.faults.order({ fault: { kind: "lost-request" }, method: "POST", path: "/zones/*/custom_hostnames" });
    const applied = await world.zoneform("apply", "--auto-approve");
    expect(applied.code).toBe(6);
    expect(applied.stdout).toContain(
      "\n1 unknown: sent, but the response was lost; the next run looks before it writes\n",
    );
    await expectToConverge(world);
  });
});
