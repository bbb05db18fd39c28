import { expect, test } from "vitest";
import { appliedWorlds } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();

test("after a rename of the project, drift and plan name the project that has the states, and the printed command moves them", async () => {
  const world = await appliedWorld();
  const listed = (await world.zoneform("state", "list")).stdout;
  await world.edit("zoneform.yaml", "project: saas-edge", "project: Saas-Edge");
  const drift = await world.zoneform("drift");
  expect(drift.code).toBe(1);
  expect(flat(drift.stderr)).toContain("there is one of project saas-edge");
  const plan = await world.zoneform("plan");
  expect(plan.code).toBe(4);
  expect(flat(plan.stderr)).toContain("project saas-edge already manages all custom hostnames");
  expect(flat(plan.stderr)).toContain("renamed? move the states before you apply");
  const [, command = ""] = /^ *zoneform (state mv .*)$/m.exec(drift.stderr) ?? [];
  expect(command).toBe("state mv --project saas-edge");
  expect(plan.stderr).toContain(`zoneform ${command}\n`);

  const before = await world.states();
  const dry = await world.zoneform(...command.split(" "), "--dry-run");
  expect([dry.code, dry.stdout]).toEqual([
    0,
    expect.stringMatching(/^would move the state of saas\.dev \(\d+ objects\) from project saas-edge to Saas-Edge\n/),
  ]);
  expect(await world.states()).toEqual(before);
  expect(await world.zoneform(...command.split(" "))).toMatchObject({ code: 0 });
  expect((await world.zoneform("state", "list")).stdout).toBe(listed);
  expect(await world.zoneform("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
  expect(await world.zoneform("drift")).toMatchObject({ code: 0 });

  const again = await world.zoneform(...command.split(" "));
  expect([again.code, flat(again.stderr)]).toEqual([
    1,
    expect.stringContaining('there is no state of a project "saas-edge" in '),
  ]);
  for (const args of [["a", "b", "--project", "saas-edge"], ["a"], []])
    expect((await world.zoneform("state", "mv", ...args)).stderr).toContain("[which-move]");
});

test("state mv --project refuses where the project has a state of its own", async () => {
  const world = await appliedWorld();
  await world.edit("zoneform.yaml", "project: saas-edge", "project: other");
  expect(await world.zoneform("state", "release", "--project", "saas-edge")).toMatchObject({ code: 0 });
  expect(await world.zoneform("apply", "--auto-approve", "--zone", "saas-app.dev")).toMatchObject({ code: 0 });
  const before = await world.states();
  const refused = await world.zoneform("state", "mv", "--project", "saas-edge");
  expect([refused.code, flat(refused.stderr)]).toEqual([4, expect.stringContaining("[project-has-state]")]);
  expect(await world.states()).toEqual(before);
});
