import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { appliedWorlds, APP, DEV, STATES, type World } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();

/** Puts the states where they were kept before there was a folder for each project. */
async function intoRoot({ folder }: World): Promise<void> {
  for (const name of await readdir(join(folder, STATES)))
    await rename(join(folder, STATES, name), join(folder, ".zoneform", name));
}

test("states of the earlier layout are read by every command, and moved by the first one that takes the lock", async () => {
  const world = await appliedWorld();
  await intoRoot(world);
  const before = await readdir(join(world.folder, ".zoneform"));
  for (const command of [
    ["plan", "--detailed-exitcode"],
    ["drift", "--no-record"],
    ["state", "doctor"],
    ["state", "list"],
  ])
    expect(await world.zoneform(...command)).toMatchObject({ code: 0, stderr: "" });
  expect(await readdir(join(world.folder, ".zoneform"))).toEqual(before);
  const listed = (await world.zoneform("state", "list")).stdout;
  expect(listed).toContain("http_request_firewall_managed");

  expect(await world.zoneform("state", "rm", 'saas.dev/ruleset["http_request_firewall_managed"]')).toMatchObject({
    code: 0,
  });
  const inRoot = (await readdir(join(world.folder, ".zoneform"))).filter((name) => name.startsWith(DEV));
  expect(inRoot.sort()).toEqual([`${DEV}.lock`, `${DEV}.moved-saas-edge`, `${DEV}.state`]);
  // The other zone was not touched.
  expect(await readdir(join(world.folder, ".zoneform"))).toContain(`${APP}.state`);
  expect(await readdir(join(world.folder, STATES))).not.toContain(`${APP}.state`);

  expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
  expect((await world.zoneform("state", "list")).stdout).toContain("http_request_firewall_managed");
  expect(await world.zoneform("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
  expect(await world.zoneform("state", "doctor")).toMatchObject({ code: 0, stderr: "" });
});

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
