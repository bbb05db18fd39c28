import { describe, expect, onTestFinished, test } from "vitest";
import { expectToConverge, slow } from "../support/converging.ts";
import { APP, freshWorld } from "../support/project.ts";
import { flat } from "../support/text.ts";

const CREATES = "POST /zones/:zone/custom_hostnames";
const PATCHES = "PATCH /zones/:zone/custom_hostnames/:id";
const BOTH = ["--zones-in-parallel", "2"];
const AT_ONCE = ["apply", "--auto-approve", ...BOTH];

/** Longer than any test looks on. */
const LONG_MILLISECONDS = 60_000;

describe("two zones at once", () => {
  test("are both applied while the other one waits, and are reported in the project's order", async () => {
    const world = await freshWorld();
    slow(world, "PATCH", `/zones/${APP}/custom_hostnames/*`, LONG_MILLISECONDS);
    const running = world.start(...AT_ONCE, "--json");
    onTestFinished(() => running.kill("SIGKILL"));
    await world.asked(PATCHES, 1);
    // The second zone does not wait for the first one, which is held up for a minute.
    await world.asked(CREATES, 14);
    running.kill("SIGKILL");
    await running.ended;
    await expectToConverge(world, ...BOTH);
    expect(world.writes()[CREATES]).toBe(14);

    const reported = await (await freshWorld()).zoneform(...AT_ONCE, "--json");
    expect(reported.code).toBe(0);
    expect(JSON.parse(reported.stdout)).toMatchObject({
      zones: [
        { zone: { name: "saas-app.dev" }, exit_code: 0 },
        { zone: { name: "saas.dev" }, exit_code: 0, counts: { done: 17 } },
      ],
    });
  });

  test.each([1, 4, 9])(
    "killed in the middle of both, after %i creates: the next run goes on in each",
    async (creates) => {
      const world = await freshWorld();
      slow(world, "PATCH", `/zones/${APP}/custom_hostnames/*`, 150);
      slow(world, "POST", "/zones/*/custom_hostnames", 150);
      const running = world.start(...AT_ONCE, "--parallelism", "2");
      await world.asked(PATCHES, 1);
      await world.asked(CREATES, creates);
      running.kill("SIGKILL");
      expect(await running.ended).toMatchObject({ signal: "SIGKILL" });
      await expectToConverge(world, ...BOTH);
      expect(world.writes()[CREATES]).toBe(14);
    },
  );

  test("of which one fails: the other is applied, the code is 6, and the next run does the rest", async () => {
    const world = await freshWorld();
    const path = `/zones/${APP}/custom_hostnames/*`;
    world.emulator.faults.order({
      fault: { kind: "status", status: 500, after: false },
      method: "PATCH",
      path,
      rate: 1,
    });
    const failed = await world.zoneform(...AT_ONCE, "--json");
    expect(failed.code).toBe(6);
    expect(JSON.parse(failed.stdout)).toMatchObject({
      zones: [
        { zone: { name: "saas-app.dev" }, exit_code: 6 },
        { zone: { name: "saas.dev" }, exit_code: 0, counts: { done: 17 } },
      ],
    });
    await expectToConverge(world, ...BOTH);
  });

  test("stop both at Ctrl-C, report both, and can be resumed", async () => {
    const world = await freshWorld();
    slow(world, "PATCH", `/zones/${APP}/custom_hostnames/*`, 400);
    slow(world, "POST", "/zones/*/custom_hostnames", 400);
    const running = world.start(...AT_ONCE, "--parallelism", "1");
    await world.asked(PATCHES, 1);
    await world.asked(CREATES, 1);
    running.kill("SIGINT");
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    expect(flat(ended.stdout)).toMatch(/Interrupted: applied \d+ of \d+ changes/);
    expect(ended.stdout).toMatch(/^To resume:\s+zoneform apply --expect zf1:\w{64}$/m);
    await expectToConverge(world, ...BOTH);
  });
});
