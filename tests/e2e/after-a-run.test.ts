import { basename, dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../support/command.ts";
import { appliedWorlds, DEV, type World } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();

const ZONE = ["--zone", "saas.dev"] as const;
const STORE = "store.juniper-and-sons.com";
const VIOLIN = 'custom_hostname["lessons.violin-academy.de"]';

/** The addresses and ids that the state knows. */
async function tracked(world: World): Promise<readonly string[]> {
  const { stdout } = await world.zoneform("state", "list", ...ZONE);
  return stdout.split("\n").map((row) => row.split(/ {2,}/).slice(0, 3).join(" "));
}

describe("the command that undoes a run", () => {
  test("is not printed for a run that wrote nothing live", async () => {
    const world = await appliedWorld();
    await world.zoneform("state", "rm", `saas.dev/${VIOLIN}`);
    world.emulator.requests.reset();
    const adopted = await world.zoneform("apply", "--auto-approve");
    expect(adopted.stdout).toMatch(/^Applied 1 change in \d+ s: 1 adopted\.$/m);
    expect(adopted.stdout).not.toContain("To undo");
    expect(world.writes()).toEqual({});

    await world.zoneform("state", "rm", `saas.dev/${VIOLIN}`);
    const report: unknown = JSON.parse((await world.zoneform("apply", "--auto-approve", "--json", ...ZONE)).stdout);
    expect(report).toMatchObject({ zones: [{ can_be_undone: false, changes: [{ action: "adopt", status: "done" }] }] });
    expect(report).not.toHaveProperty("undo");
  });

  test("works as printed, from the folder where the run was started", async () => {
    const world = await appliedWorld();
    const [cwd, config] = [dirname(world.folder), `${basename(world.folder)}/zoneform.yaml`];
    const away = { cwd, env: { CLOUDFLARE_API_TOKEN: "demo-token" } };
    await world.edit("data/customers.csv", "lessons.violin-academy.de,bronze", "lessons.violin-academy.de,silver");
    const where = ["--config", config, "--api-url", world.emulator.url];
    const applied = await run(["apply", "--auto-approve", ...where, ...ZONE], away);
    expect(applied.code).toBe(0);
    const [, command = ""] = /To undo this run: zoneform (.*)/.exec(flat(applied.stdout).trim()) ?? [];
    expect(command).toContain(`--config ${config} --api-url '${world.emulator.url}' --zone saas.dev`);

    world.emulator.requests.reset();
    const undone = await run([...command.replaceAll("'", "").split(" "), "--auto-approve"], away);
    expect(undone.code).toBe(0);
    expect(world.writes()).toEqual({ "PATCH /zones/:zone/custom_hostnames/:id": 1 });
  });
});

describe("a release", () => {
  test("of a field, or of the protection, is reported as such, and the object stays tracked", async () => {
    const world = await appliedWorld();
    const before = await tracked(world);
    await world.edit("zoneform.yaml", /\n {6}custom_metadata\.tier: plan/, "");
    await world.edit("zones/saas-dev.yaml", /\n {4}- name: gold\n.*\n.*/, "");
    const { stdout } = await world.zoneform("plan", ...ZONE);
    expect(stdout).toContain(". stop managing custom_metadata.tier on ");
    const applied = await world.zoneform("apply", "--auto-approve", ...ZONE);
    expect(applied.stdout).toMatch(/: \d+ updated, \d+ with fields no longer managed\.\n/);
    expect(applied.stderr).toContain(`${VIOLIN}: released custom_metadata.tier (`);

    await world.edit("zones/saas-dev.yaml", `${STORE}, protect: true`, `${STORE}, protect: false`);
    const unprotected = await world.zoneform("apply", "--auto-approve", "--json", ...ZONE);
    expect(JSON.parse(unprotected.stdout)).toMatchObject({
      zones: [{ changes: [{ action: "forget", status: "done", let_go: [["protect"]] }] }],
    });
    expect(unprotected.stderr).toContain(`custom_hostname["${STORE}"]: no longer protected (1/1)`);
    expect(await tracked(world)).toEqual(before);
  });

  test("of an object is reported as such", async () => {
    const world = await appliedWorld();
    await world.edit("zones/saas-dev.yaml", /\ntotal_tls: .*/, "");
    const applied = await world.zoneform("apply", "--auto-approve", ...ZONE);
    expect(applied.stdout).toContain(": 1 released.\n");
    expect(applied.stdout).not.toContain("To undo");
  });
});

test("foreign hostnames that are ignored are neither counted nor listed as work", async () => {
  const world = await appliedWorld();
  await world.edit("zones/saas-dev.yaml", "foreign: report", "foreign: ignore");
  world.dashboard(DEV, "POST", "custom_hostnames", {
    hostname: "other.northwind-books.com",
    ssl: { method: "http", type: "dv" },
  });
  for (const command of ["status", "plan", "drift"]) {
    const { stdout } = await world.zoneform(command, ...ZONE);
    expect(stdout).toMatch(
      /^(saas\.dev: nothing needs attention|saas-edge is up to date: 17 objects in zone saas\.dev|No drift in project saas-edge\.)/,
    );
    expect(stdout).not.toMatch(/foreign|to do/);
  }
});
