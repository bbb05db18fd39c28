import { describe, expect, test } from "vitest";
import type { Running } from "../support/command.ts";
import { type AtEnd, freshWorld, type World } from "../support/project.ts";
import { flat } from "../support/text.ts";

/** Longer than any test looks on. */
const LONG_MILLISECONDS = 60_000;

/** Starts an apply that is held up by the service, and waits until it holds the lock of its zone. */
async function slowApply({ start, emulator, asked }: World, milliseconds: number, atEnd: AtEnd): Promise<Running> {
  emulator.faults.order({ fault: { kind: "slow", milliseconds }, method: "PATCH" });
  const running = start("apply", "--auto-approve", "--zone", "saas-app.dev", "--parallelism", "1");
  atEnd(async () => running.kill("SIGKILL"));
  await asked("PATCH /zones/:zone/custom_hostnames/:id", 1);
  return running;
}

// Each waits for a run in a world of its own, so they wait together.
describe.concurrent("two runs at once", () => {
  test("the second exits with code 7, names the holder correctly, and writes nothing", async ({ onTestFinished }) => {
    const world = await freshWorld(onTestFinished);
    const first = await slowApply(world, LONG_MILLISECONDS, onTestFinished);
    const before = world.writes();

    const second = await world.zoneform("apply", "--auto-approve", "--zone", "saas-app.dev");
    expect(second.code).toBe(7);
    expect(second.stdout).toContain("Zone saas-app.dev: locked by another run\n");
    expect(flat(second.stdout)).toMatch(
      new RegExp(`is held by \\S+@\\S+ \\(apply, process ${first.pid}, running\\) since .*, lock id \\S+`),
    );
    expect(second.stdout).toContain("wait until it ends, or let this command wait: --lock-timeout SECONDS\n");
    expect(world.writes()).toEqual(before);

    const removed = await world.zoneform("state", "rm", "saas-app.dev/fallback_origin");
    expect(removed.code).toBe(7);
    expect(removed.stderr).toContain(`, process ${first.pid}, running)`);
    const patient = await world.zoneform("state", "rm", "saas-app.dev/fallback_origin", "--lock-timeout", "1");
    expect(flat(patient.stderr)).toContain("the state of saas-app.dev is held by ");
    expect(flat(patient.stderr)).toContain("it did not end within 1 s: wait, or give --lock-timeout more seconds");
    expect(second.stdout + removed.stderr + patient.stderr).not.toContain("state unlock");
    expect(await world.zoneform("plan", "--zone", "saas-app.dev")).toMatchObject({ code: 0 });
  });

  test("the second waits with --lock-timeout, then continues", async ({ onTestFinished }) => {
    const world = await freshWorld(onTestFinished);
    const first = await slowApply(world, 2000, onTestFinished);
    const second = await world.zoneform("apply", "--auto-approve", "--zone", "saas-app.dev", "--lock-timeout", "300");
    expect(second.code).toBe(0);
    expect(await first.ended).toMatchObject({ code: 0 });
    expect(world.writes()).toEqual({ "PATCH /zones/:zone/custom_hostnames/:id": 2 });
  });

  test("a locked zone does not prevent the others from being applied, and the code is still 7", async ({
    onTestFinished,
  }) => {
    const world = await freshWorld(onTestFinished);
    const first = await slowApply(world, LONG_MILLISECONDS, onTestFinished);
    const second = await world.zoneform("apply", "--auto-approve", "--json");
    expect(second.code).toBe(7);
    const report: unknown = JSON.parse(second.stdout);
    expect(report).toMatchObject({
      zones: [
        { zone: { name: "saas-app.dev" }, exit_code: 7, locked_by: { process_id: first.pid, operation: "apply" } },
        { zone: { name: "saas.dev" }, exit_code: 0, counts: { done: 17 } },
      ],
    });
  });

  test("the lock of a killed run blocks nobody", async ({ onTestFinished }) => {
    const world = await freshWorld(onTestFinished);
    const first = await slowApply(world, LONG_MILLISECONDS, onTestFinished);
    first.kill("SIGKILL");
    expect(await first.ended).toMatchObject({ signal: "SIGKILL" });
    expect(await world.zoneform("apply", "--auto-approve", "--zone", "saas-app.dev")).toMatchObject({ code: 0 });
  });
});
