import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { text } from "../support/emulator.ts";
import { appliedWorlds, DEV, type World } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();
const VIOLIN = "lessons.violin-academy.de";

/** A hostname that somebody edited: its metadata can be repaired at once, its certificate only once it is active again. */
async function editedWorld(): Promise<World> {
  const world = await appliedWorld();
  const { dashboard, emulator, hostname } = world;
  emulator.admin.setDns(VIOLIN, { caa: ["pki.goog"] });
  dashboard(DEV, "PATCH", `custom_hostnames/${text(hostname(DEV, VIOLIN), "id")}`, {
    custom_metadata: { tier: "lead" },
    ssl: { type: "dv", method: "http", certificate_authority: "lets_encrypt", settings: { min_tls_version: "1.0" } },
  });
  return world;
}

async function reportIn(world: World): Promise<unknown> {
  return JSON.parse(await readFile(join(world.folder, "report.json"), "utf8"));
}

describe("a change of which a part is held", () => {
  test("the report of the apply says so, on the screen and in its file, and the next plan still has that part", async () => {
    const world = await editedWorld();
    const applied = await world.zoneform("apply", "--auto-approve", "--zone", DEV, "--json-file", "report.json");
    expect(applied.code).toBe(0);
    expect(flat(applied.stdout)).toMatch(/Applied 1 change in \S+( s)?: 1 updated; 1 of them held in part\./);
    expect(flat(applied.stdout)).toContain("1 held in part: the next apply sends the rest, without a new approval");
    expect(await reportIn(world)).toMatchObject({
      zones: [{ counts: { done: 1, held: 0, held_in_part: 1 }, changes: [{ status: "done" }] }],
    });
    const next = await world.zoneform("plan", "--zone", DEV);
    expect(next.stdout).toContain("nothing to change now, 1 change held");
  });
});

describe("the file of --json-file", () => {
  test("says that the command has not ended, until it has", async () => {
    const world = await appliedWorld();
    world.emulator.faults.order({ fault: { kind: "slow", milliseconds: 60_000 }, method: "GET" });
    const running = world.start("apply", "--auto-approve", "--zone", DEV, "--json-file", "report.json");
    try {
      await world.asked("GET /zones/:zone", 1);
      expect(await reportIn(world)).toMatchObject({ stopped: { diagnostics: [{ code: "not-ended" }] } });
    } finally {
      running.kill("SIGKILL");
    }
  });

  test("has the same document as --json, also where there is nothing to do and where nothing may be done", async () => {
    const world = await appliedWorld();
    const nothing = await world.zoneform("apply", "--auto-approve", "--json", "--json-file", "report.json");
    expect(await reportIn(world)).toEqual(JSON.parse(nothing.stdout));
    const refused = await world.zoneform("apply", "no.zfplan", "--json", "--json-file", "report.json");
    expect(refused.code).toBe(1);
    expect(await reportIn(world)).toEqual(JSON.parse(refused.stdout));
    expect(await reportIn(world)).toMatchObject({ stopped: { diagnostics: [{ code: "cannot-read" }] } });
  });

  test("that cannot be written is refused before anything is read", async () => {
    const world = await appliedWorld();
    world.emulator.requests.reset();
    const refused = await world.zoneform("apply", "--auto-approve", "--json-file", "missing/report.json");
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain("error: cannot write missing/report.json: there is no such folder [cannot-write]");
    expect(world.emulator.requests.counts()).toEqual({});
  });
});
