import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { appliedWorlds, APP, DEV, STATES, type World } from "../support/project.ts";

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
