import { describe, expect, onTestFinished, test } from "vitest";
import { appliedWorlds, freshWorld } from "../support/project.ts";

const appliedWorld = appliedWorlds();

/** One call in 5 minutes for each of twelve runners: a command with a part like that waits after its first call. */
const ONE_CALL = "budget:\n  runners: 12\n  api: 1.5%";

describe("budget.runners", () => {
  test.each([["plan"], ["drift"], ["status"], ["why", 'saas.dev/ruleset["http_request_firewall_managed"]']])(
    "%s only reads: it does not wait for the part of a runner",
    async (...command) => {
      const world = await appliedWorld();
      await world.edit("zoneform.yaml", /budget:\n {2}api: 50%/, ONE_CALL);
      const ended = await world.zoneform(...command, "--zone", "saas.dev");
      expect(ended.code).toBe(0);
      expect(ended.stderr).not.toContain("waiting");
    },
  );

  test("an apply has only its part, and says what it waits for", async () => {
    const world = await appliedWorld();
    await world.edit("zoneform.yaml", /budget:\n {2}api: 50%/, ONE_CALL);
    const running = world.start("apply", "--auto-approve", "--zone", "saas.dev");
    onTestFinished(() => running.kill("SIGKILL"));
    await running.said("waiting");
  });

  test("a plan says that its time is that of one of several runners", async () => {
    const world = await freshWorld();
    await world.edit("zoneform.yaml", "per_minute: 300, reserve: 5", "per_minute: 15, reserve: 5");
    const alone = await world.zoneform("plan");
    expect(alone.stdout).toMatch(/ 14 certificates, in about \d+ \S+ at your budget\.\n/);
    await world.edit("zoneform.yaml", "budget:\n", "budget:\n  runners: 5\n");
    const shared = await world.zoneform("plan");
    expect(shared.stdout).toMatch(/ 14 certificates, in about 6 minutes at your budget, which 5 runners share\.\n/);
  });
});
