import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { appliedWorlds, DEV, freshWorld, type World } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();

const MORE = "one.more-customer.net";
const VIOLIN = "lessons.violin-academy.de";

/** Adds a hostname to the customers and applies that. */
async function withOneMore(world: World): Promise<void> {
  await world.edit("data/customers.csv", /$/, `${MORE},bronze,,\n`);
  expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
}

/** Takes a hostname out of the customers. */
function withoutViolin(world: World): Promise<void> {
  return world.edit("data/customers.csv", new RegExp(`^${VIOLIN}.*\n`, "m"), "");
}

/** Runs a command line as it was printed. */
function pasted(world: World, line: string): ReturnType<World["zoneform"]> {
  return world.zoneform(...line.replace(/^zoneform /, "").split(" "));
}

function resumeOf(text: string): string {
  return /To resume:\s+(zoneform .*)$/m.exec(text)?.[1]?.replaceAll(/\s+/g, " ") ?? "";
}

describe("a set approved by a saved plan", () => {
  test("of an undo can be denied in part by apply", async () => {
    const world = await appliedWorld();
    await withOneMore(world);
    await world.zoneform("undo", "last", "--out", "u.zfplan");
    world.emulator.requests.reset();
    const applied = await world.zoneform("apply", "u.zfplan", "--deny", "delete");
    expect(applied).toMatchObject({ code: 4, stdout: expect.stringContaining("--deny delete blocks it") });
    expect(world.writes()).toEqual({});
    expect(world.hostname(DEV, MORE)).not.toBeNull();
  });

  test("stays approved when the project gets a second zone, whose changes are refused", async () => {
    const world = await freshWorld();
    const second = join(world.folder, "zones/saas-app.yaml");
    const before = await readFile(second, "utf8");
    await rm(second);
    const target = ["--target", "fallback_origin"] as const;
    await world.zoneform("plan", "--out", "p.zfplan", ...target);
    await writeFile(second, before);
    const applied = await world.zoneform("apply", "p.zfplan");
    expect(applied.code).toBe(4);
    expect(applied.stdout).not.toContain("no longer needed");
    expect(flat(applied.stdout)).toContain("adopt saas-app.dev/fallback_origin it was not part of the approved plan");
    expect(world.dashboard(DEV, "GET", "custom_hostnames/fallback_origin")).toMatchObject({
      origin: "fallback.saas.dev",
    });
    expect((await world.zoneform("state", "list")).stdout).not.toContain("saas-app.dev/fallback_origin");
  });

  test("is reported with its hazards when it is applied", async () => {
    const world = await appliedWorld();
    await withoutViolin(world);
    await world.zoneform("plan", "--out", "p.zfplan");
    const applied = await world.zoneform("apply", "p.zfplan");
    expect(applied.code).toBe(0);
    expect(applied.stdout).toMatch(/DANGER {2}lessons\.violin-academy\.de goes offline +outage\n/);
  });

  test("has the headline of a conflict only if there is one", async () => {
    const world = await appliedWorld();
    await world.edit("data/customers.csv", `${VIOLIN},bronze`, `${VIOLIN},silver`);
    await world.zoneform("plan", "--out", "p.zfplan", "--target", `saas.dev/custom_hostname["${VIOLIN}"]`);
    const { id } = Object(world.hostname(DEV, VIOLIN));
    world.dashboard(DEV, "PATCH", `custom_hostnames/${id}`, { custom_metadata: { tier: "theirs" } });
    const applied = await world.zoneform("apply", "p.zfplan");
    expect(applied.code).toBe(5);
    expect(applied.stdout).toMatch(/^Plan for project saas-edge: 1 change in zone saas\.dev, in conflict\.\n/);
    expect(applied.stdout).not.toContain("blocked");
  });

  test("to delete a hostname says so if somebody else created another one of that name", async () => {
    const world = await appliedWorld();
    await withoutViolin(world);
    await world.zoneform("plan", "--out", "p.zfplan");
    const { id } = Object(world.hostname(DEV, VIOLIN));
    world.dashboard(DEV, "DELETE", `custom_hostnames/${id}`);
    world.dashboard(DEV, "POST", "custom_hostnames", { hostname: VIOLIN, ssl: { method: "http", type: "dv" } });
    const applied = await world.zoneform("apply", "p.zfplan");
    expect(applied.code).toBe(0);
    expect(flat(applied.stdout)).toContain(
      `${VIOLIN} was to be deleted, but was deleted and created again outside Zoneform; the new one stays live`,
    );
    expect(applied.stdout).not.toContain("no longer needed");
    expect(world.hostname(DEV, VIOLIN)).not.toBeNull();
  });

  test("in a file whose name begins like a flag is applied by the printed command", async () => {
    const world = await freshWorld();
    const planned = await world.zoneform("plan", "--out", "-x.zfplan", "--target", "saas.dev/fallback_origin");
    const [, line = ""] = /^ {2}(zoneform .*)$/m.exec(planned.stdout) ?? [];
    expect(await pasted(world, line)).toMatchObject({ code: 0, stdout: expect.stringContaining(": 1 created.\n") });
  });
});

describe("a stopped run continues under its approval, without a prompt", () => {
  test("an undo", async () => {
    const world = await appliedWorld();
    await withOneMore(world);
    const stopped = await world.zoneform("undo", "last", "--auto-approve", "--max-duration", "0s");
    expect(stopped.code).toBe(6);
    expect(resumeOf(stopped.stdout)).toMatch(/^zoneform undo \S{36} --expect zf\d+:\w{64}$/);
    expect(await pasted(world, resumeOf(stopped.stdout))).toMatchObject({ code: 0 });
    expect(world.hostname(DEV, MORE)).toBeNull();
  });

  test("a destroy", async () => {
    const world = await appliedWorld();
    const target = ["--zone", "saas-app.dev", "--target", "fallback_origin"] as const;
    const stopped = await world.zoneform("destroy", ...target, "--auto-approve", "--max-duration", "0s");
    expect(stopped.code).toBe(6);
    expect(resumeOf(stopped.stdout)).toMatch(
      /^zoneform destroy --zone saas-app\.dev --target fallback_origin --expect zf\d+:\w{64}$/,
    );
    const resumed = await pasted(world, resumeOf(stopped.stdout));
    expect(resumed).toMatchObject({ code: 0 });
    expect(world.writes()).toEqual({ "DELETE /zones/:zone/custom_hostnames/fallback_origin": 1 });
  });

  test("but a destroy with another hash is refused", async () => {
    const world = await appliedWorld();
    const other = await world.zoneform("destroy", "--zone", "saas-app.dev", "--expect", `zf1:${"0".repeat(64)}`);
    expect(other).toMatchObject({ code: 4, stderr: expect.stringContaining("[another-plan]") });
    expect(world.writes()).toEqual({});
  });
});

test("a change that a guard refused is still only refused when the time is up", async () => {
  const world = await appliedWorld();
  const what = ["--target", `saas.dev/custom_hostname["${VIOLIN}"]`, "--deny", "outage"] as const;
  const ended = await world.zoneform("destroy", ...what, "--auto-approve", "--max-duration", "0s");
  expect(ended.code).toBe(4);
  expect(ended.stdout).toContain("1 blocked, left as is");
  expect(ended.stdout).not.toContain("not started");
  expect(ended.stdout).not.toContain("To resume");
});
