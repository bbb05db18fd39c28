import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { appliedWorlds, type World } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();
const ZONE = ["--zone", "saas.dev"] as const;
const RULESET = 'ruleset["http_request_firewall_managed"]';
const REASON = /could not be read again if that were masked; nothing was written/;

/** A world whose entry point is described so; the change is not applied yet. */
async function describedAs(text: string): Promise<World> {
  const world = await appliedWorld();
  await world.edit("zones/saas-dev.yaml", "uploads are scanned behind the edge", text);
  return world;
}

describe("the environment's e-mail address in a description is no secret", () => {
  const byToken = { CLOUDFLARE_EMAIL: "ops@saas.dev" };

  test("a plan that contains it can be saved and applied, and the state can be pulled and pushed", async () => {
    const world = await describedAs("ask ops@saas.dev");
    expect(await world.zoneformWith(byToken, "plan", "--out", "p.zfplan")).toMatchObject({ code: 0 });
    expect(await world.zoneformWith(byToken, "apply", "p.zfplan", "--auto-approve")).toMatchObject({ code: 0 });
    const pulled = await world.zoneformWith(byToken, "state", "pull", ...ZONE);
    expect(pulled.stdout).toContain("ask ops@saas.dev");
    await writeFile(join(world.folder, "pulled"), pulled.stdout);
    const pushed = await world.zoneformWith(byToken, "state", "push", "pulled", "--older", ...ZONE);
    expect(pushed).toMatchObject({ code: 0 });
  });
});

describe("a secret in a description", () => {
  // The state is not encrypted with it yet, so that it can still be read without.
  const known = { ZONEFORM_STATE_PASSPHRASE: "uploads of the violin academy", ZONEFORM_STATE_PLAIN: "accept" };

  test("is not saved in a plan: one error names the object, and nothing is written", async () => {
    const world = await describedAs(known.ZONEFORM_STATE_PASSPHRASE);
    const before = await readdir(world.folder);
    const planned = await world.zoneformWith(known, "plan", "--out", "p.zfplan", ...ZONE);
    expect(planned.code).toBe(1);
    expect(flat(planned.stderr)).toMatch(/^error: line \d+ of the plan file, saas\.dev\/ruleset\[/);
    expect(flat(planned.stderr)).toContain(RULESET);
    expect(flat(planned.stderr)).toMatch(REASON);
    expect(flat(planned.stderr)).toContain("remove it there, then plan again");
    expect(planned.stdout + planned.stderr).not.toContain(known.ZONEFORM_STATE_PASSPHRASE);
    expect(await readdir(world.folder)).toEqual(before);
  });

  test("is not pulled in a state: one error names the object, and nothing looks like a copy", async () => {
    const world = await describedAs(known.ZONEFORM_STATE_PASSPHRASE);
    expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    const pulled = await world.zoneformWith(known, "state", "pull", ...ZONE);
    expect([pulled.code, pulled.stdout]).toEqual([1, ""]);
    expect(flat(pulled.stderr)).toMatch(/^error: line \d+ of the state of saas\.dev, ruleset\[/);
    expect(flat(pulled.stderr)).toMatch(REASON);
    expect(pulled.stderr).not.toContain(known.ZONEFORM_STATE_PASSPHRASE);
  });

  test("is not saved in the plan of an undo", async () => {
    const world = await describedAs(known.ZONEFORM_STATE_PASSPHRASE);
    expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    const undone = await world.zoneformWith(known, "undo", "last", "--out", "u.zfplan", ...ZONE);
    expect(undone.code).toBe(1);
    expect(flat(undone.stderr)).toMatch(REASON);
    expect(await readdir(world.folder)).not.toContain("u.zfplan");
  });
});
