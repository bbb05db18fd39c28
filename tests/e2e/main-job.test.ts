import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ROOT, runBuilt as run, start } from "../support/command.ts";
import { appliedWorlds } from "../support/project.ts";

/** The emulator as a process of its own, on a free port; stopped with the test. */
async function emulatorProcess(folder: string): Promise<{ url: string; adminUrl: string }> {
  const seed = join(ROOT, "examples/emulator.yaml");
  const emulator = start(["emulator", "--port", "0", "--seed", seed], { cwd: folder });
  onTestFinished(async () => {
    emulator.kill("SIGTERM");
    expect(await emulator.ended).toMatchObject({ code: 0 });
  });
  await emulator.said("admin API on ");
  const [, url = "", adminUrl = ""] = /listening on (\S+)\nadmin API on (\S+)/.exec(emulator.printed()) ?? [];
  return { url, adminUrl };
}

async function project(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "zoneform-e2e-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(join(ROOT, "examples/saas"), folder, { recursive: true });
  return folder;
}

describe("the main job, with both sides as processes", () => {
  test("validates, plans and applies the saved plan; then nothing is left to do", async () => {
    const folder = await project();
    const { url, adminUrl } = await emulatorProcess(folder);
    const surroundings = { cwd: folder, env: { CLOUDFLARE_BASE_URL: url, CLOUDFLARE_API_TOKEN: "demo-token" } };
    const zoneform = (...args: string[]): ReturnType<typeof run> => run(args, surroundings);

    const valid = await zoneform("validate");
    expect(valid).toMatchObject({
      code: 0,
      stdout:
        "The configuration is valid: 2 zones, 18 objects, 9 policies; the application creates the hostnames of 1 zone.\n",
      stderr: "",
    });

    const planned = await zoneform(
      "plan",
      "--out",
      "first.zfplan",
      "--report",
      "json=plan.json",
      "--report",
      "text=plan.txt",
      "--report",
      "markdown=plan.md",
    );
    expect(planned.code).toBe(0);
    expect(planned.stdout).toMatch(/^Plan for project saas-edge: 20 changes in 2 zones\.\n/);
    expect(planned.stdout).toMatch(
      /^\+ create tenants\.cloudburst-hosting\.com \(config\) +zones\/saas-dev\.yaml:\d+:\d+$/m,
    );
    expect(planned.stderr).toBe("saved the plan to first.zfplan\n");
    expect(await readFile(join(folder, "plan.txt"), "utf8")).toBe(planned.stdout);
    const comment = await readFile(join(folder, "plan.md"), "utf8");
    expect(
      comment.startsWith(
        "<!-- zoneform plan saas-edge -->\n## Plan for project saas-edge: 20 changes in 2 zones.\n\n### Hazards: ",
      ),
    ).toBe(true);
    expect(comment).toContain("\n`+` create 7 hostnames (config)");
    expect(comment).not.toContain("Not shown here");
    const reported: unknown = JSON.parse(await readFile(join(folder, "plan.json"), "utf8"));
    expect(reported).toMatchObject({
      project: "saas-edge",
      zones: [
        { zone: { name: "saas-app.dev" }, exit_code: 0, counts: { update: 2, adopt: 1 } },
        { zone: { name: "saas.dev" }, exit_code: 0, counts: { create: 15, update: 1, adopt: 0 } },
      ],
    });

    const applied = await zoneform("apply", "first.zfplan", "--auto-approve");
    expect(applied).toMatchObject({ code: 0 });
    expect(applied.stdout).toMatch(
      /^Applied 20 changes in \d+ s: 1 adopted, 3 updated, 15 created, 1 adopted and updated\.$/m,
    );
    expect(applied.stderr.trim().split("\n")).toHaveLength(20);

    expect(await zoneform("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
    await advance(adminUrl, 600);
    const later = await zoneform("plan", "--detailed-exitcode");
    expect(later.stdout).toBe("saas-edge is up to date: 20 objects in 2 zones match the configuration.\n");
    expect(later.code).toBe(0);
    expect(await zoneform("drift")).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("a saved plan", () => {
  const appliedWorld = appliedWorlds();

  test("is shown as it was planned, as text and as JSON", async () => {
    const { zoneform, edit } = await appliedWorld();
    await edit("data/customers.csv", "silver,,us", "gold,,us");
    const planned = await zoneform("plan", "--out", "p.zfplan", "--detailed-exitcode");
    expect(planned.code).toBe(2);
    const shown = await zoneform("show", "p.zfplan");
    expect(shown).toMatchObject({ code: 0, stdout: planned.stdout, stderr: "" });
    const asJson = await zoneform("plan", "--json");
    expect((await zoneform("show", "p.zfplan", "--json")).stdout.replaceAll('"exit_code": 2', '"exit_code": 0')).toBe(
      asJson.stdout,
    );
  });

  test("applied twice has the same result: what is already done is skipped", async () => {
    const { zoneform, edit, emulator, writes } = await appliedWorld();
    await edit("data/customers.csv", /$/, "new.violin-academy.de,silver,,eu\n");
    await zoneform("plan", "--out", "p.zfplan");
    expect(await zoneform("apply", "p.zfplan", "--auto-approve")).toMatchObject({ code: 0 });
    expect(writes()).toEqual({ "POST /zones/:zone/custom_hostnames": 1 });
    emulator.requests.reset();
    const again = await zoneform("apply", "p.zfplan", "--auto-approve");
    expect(again.code).toBe(0);
    expect(again.stdout).toContain("1 approved change is no longer needed");
    expect(writes()).toEqual({});
  });

  test("without changes applies to nothing, and needs no approval", async () => {
    const { zoneform, states } = await appliedWorld();
    expect(await zoneform("apply")).toMatchObject({ code: 0 });
    const before = await states();
    await zoneform("plan", "--out", "p.zfplan");
    expect(await zoneform("apply", "p.zfplan")).toMatchObject({ code: 0, stderr: "" });
    expect(await states()).toEqual(before);
  });
});

async function advance(adminUrl: string, seconds: number): Promise<void> {
  const answer = await fetch(`${adminUrl}/clock`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ advance_seconds: seconds }),
  });
  expect(answer.status).toBe(200);
}
