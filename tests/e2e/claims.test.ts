import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { APP, appliedWorlds, DEV, freshWorld, type World } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();

/** A second project beside the example's, with one zone file, on the same store. */
async function addProject({ folder }: World, project: string, zone: object): Promise<readonly string[]> {
  const file = `${project}.yaml`;
  await writeFile(join(folder, file), JSON.stringify({ version: 1, project, zones: [`other/${project}.yaml`] }));
  await cp(join(folder, "zones"), join(folder, "other"), { recursive: true });
  await writeFile(
    join(folder, `other/${project}.yaml`),
    JSON.stringify({ version: 1, zone: { name: "saas.dev", id: DEV }, ...zone }),
  );
  return ["--config", file];
}

const SETTING = { zone_settings: { min_tls_version: { value: "1.2" } } };
const FALLBACK = { fallback_origin: { origin: "origin.saas.dev" } };

function entryPoint(ref: string, own?: readonly string[]): object {
  const rule = { ref, action: "block", expression: 'http.request.uri.path eq "/closed"' };
  return {
    entry_points: { http_request_firewall_custom: { ...(own ? { own } : {}), adopt: true, rules: [rule] } },
  };
}

function calls({ emulator }: World): number {
  return Object.values(emulator.requests.counts()).reduce((sum, count) => sum + count, 0);
}

describe("two projects on one store", () => {
  test("the second that claims an entry point is refused before any call, and told by whom, what and since when", async () => {
    const world = await appliedWorld();
    const first = await addProject(world, "first", entryPoint("edge-closed", ["edge-"]));
    const second = await addProject(world, "second", entryPoint("edge-waf-closed", ["edge-waf-"]));
    expect(await world.zoneform("apply", "--auto-approve", ...first)).toMatchObject({ code: 0 });
    const before = calls(world);
    for (const command of [["apply", "--auto-approve"], ["plan"]]) {
      const refused = await world.zoneform(...command, ...second);
      expect(refused.code).toBe(4);
      expect(flat(refused.stderr)).toMatch(
        /project first already manages ruleset\["http_request_firewall_custom"\] \(rules with refs that begin with edge-\) of saas\.dev, since 20\d\d-\S+ \S+ UTC \[claimed\]/,
      );
      expect(refused.stderr).toMatch(
        /\n {2}project first no longer exists\? release its claims:\n {4}zoneform state release --project first --zone saas\.dev /,
      );
    }
    expect(calls(world)).toBe(before);
    expect(await readdir(join(world.folder, ".zoneform"))).not.toContain("second");
  });

  test("prefixes of their own let two projects share an entry point", async () => {
    const world = await appliedWorld();
    const first = await addProject(world, "first", entryPoint("edge-closed", ["edge-"]));
    const second = await addProject(world, "second", entryPoint("shop-closed", ["shop-"]));
    expect(await world.zoneform("apply", "--auto-approve", ...first)).toMatchObject({ code: 0 });
    expect(await world.zoneform("apply", "--auto-approve", ...second)).toMatchObject({ code: 0 });
    expect(await world.zoneform("plan", "--detailed-exitcode", ...first)).toMatchObject({ code: 0 });
    expect(await world.zoneform("drift", ...first)).toMatchObject({ code: 0 });
  });

  test("a plan claims nothing, and shows the zones that are not refused", async () => {
    const world = await appliedWorld();
    const other = await addProject(world, "other", SETTING);
    expect(await world.zoneform("plan", ...other)).toMatchObject({ code: 0 });
    expect(await readFile(join(world.folder, ".zoneform/_claims/claims"), "utf8")).not.toContain('"other"');
    await world.edit("zoneform.yaml", "project: saas-edge", "project: third");
    await world.zoneform("state", "release", "--project", "saas-edge", "--zone", APP);
    const plan = await world.zoneform("plan");
    expect(plan.code).toBe(4);
    expect(flat(plan.stderr)).toContain(
      "project saas-edge already manages all custom hostnames, fallback_origin, total_tls, ruleset",
    );
    expect(plan.stdout).toContain("saas-app.dev");
  });

  test("what was planned before another project claimed it is refused, and writes nothing", async () => {
    const world = await appliedWorld();
    const first = await addProject(world, "first", SETTING);
    const second = await addProject(world, "second", SETTING);
    const hash = /--expect (zf1:\w+)/.exec((await world.zoneform("plan", ...second)).stdout)?.[1] ?? "";
    expect(await world.zoneform("apply", "--auto-approve", ...first)).toMatchObject({ code: 0 });
    const before = world.writes();
    expect(await world.zoneform("apply", "--expect", hash, ...second)).toMatchObject({ code: 4 });
    expect(world.writes()).toEqual(before);
  });

  test("destroy of everything releases what was claimed, and destroy of a part keeps the rest", async () => {
    const world = await appliedWorld();
    const claims = async (): Promise<string> => readFile(join(world.folder, ".zoneform/_claims/claims"), "utf8");
    const other = await addProject(world, "other", { ...SETTING, ...entryPoint("other-closed", ["other-"]) });
    expect(await world.zoneform("apply", "--auto-approve", ...other)).toMatchObject({ code: 0 });
    expect(await world.zoneform("destroy", "--auto-approve", "--exclude", "ruleset", ...other)).toMatchObject({
      code: 0,
    });
    expect((await claims()).match(/\{"project":"other"[^}]*\}/g)).toEqual([
      expect.stringContaining('"kind":"ruleset","key":"http_request_firewall_custom","prefixes":["other-"]'),
    ]);
    expect(await world.zoneform("destroy", "--auto-approve", ...other)).toMatchObject({ code: 0 });
    expect(await claims()).not.toContain('"other"');
  });

  test("what leaves the YAML is released by the apply that gives it up", async () => {
    const world = await appliedWorld();
    const first = await addProject(world, "first", { ...SETTING, ...entryPoint("first-closed", ["first-"]) });
    expect(await world.zoneform("apply", "--auto-approve", ...first)).toMatchObject({ code: 0 });
    await addProject(world, "first", entryPoint("first-closed", ["first-"]));
    const second = await addProject(world, "second", SETTING);
    expect(await world.zoneform("apply", "--auto-approve", ...second)).toMatchObject({ code: 4 });
    expect(await world.zoneform("apply", "--auto-approve", ...first)).toMatchObject({ code: 0 });
    expect(await world.zoneform("apply", "--auto-approve", ...second)).toMatchObject({ code: 0 });
  });

  test("the claims never hold the name of an object", async () => {
    const world = await freshWorld();
    const passphrase = { ZONEFORM_STATE_PASSPHRASE: "a passphrase that is long enough" };
    expect(await world.zoneformWith(passphrase, "apply", "--auto-approve")).toMatchObject({ code: 0 });
    const claims = await readFile(join(world.folder, ".zoneform/_claims/claims"), "utf8");
    expect(claims).toContain('"kind":"custom_hostname"');
    expect(claims).not.toMatch(/\.(com|net|org|io)\b/);
    expect(claims).not.toContain("saas.dev");
  });
});

describe("state release", () => {
  test("gives up the claims of this project in a zone; --dry-run only says it", async () => {
    const world = await appliedWorld();
    const other = await addProject(world, "other", FALLBACK);
    expect(await world.zoneform("apply", "--auto-approve", ...other)).toMatchObject({ code: 4 });
    const dry = await world.zoneform("state", "release", "--zone", "saas.dev", "--dry-run");
    expect(dry).toMatchObject({ code: 0 });
    expect(dry.stdout).toMatch(/^would release the claims of project saas-edge in saas\.dev: all custom hostnames, /);
    expect(await world.zoneform("apply", "--auto-approve", ...other)).toMatchObject({ code: 4 });
    const released = await world.zoneform("state", "release", "--zone", "saas.dev");
    expect(released.stdout).toBe(dry.stdout.replace("would release", "released"));
    expect(await world.zoneform("apply", "--auto-approve", ...other)).toMatchObject({ code: 0 });
    expect((await world.zoneform("state", "release", "--zone", "saas.dev")).stdout).toContain("claims nothing there");
  });

  test("releases the claims of a project that no longer exists, and names those that there are for a wrong name", async () => {
    const world = await appliedWorld();
    await world.edit("zoneform.yaml", "project: saas-edge", "project: other");
    const wrong = await world.zoneform("state", "release", "--project", "saas-egde");
    expect([wrong.code, flat(wrong.stderr)]).toEqual([1, expect.stringContaining("these projects do: saas-edge")]);
    expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 4 });
    expect(await world.zoneform("state", "release", "--project", "saas-edge")).toMatchObject({ code: 0 });
    expect(await world.zoneform("plan")).toMatchObject({ code: 0 });
  });

  test("a renamed project takes its claims along with its states", async () => {
    const world = await appliedWorld();
    await world.edit("zoneform.yaml", "project: saas-edge", "project: other");
    expect(await world.zoneform("plan")).toMatchObject({ code: 4 });
    expect(await world.zoneform("state", "mv", "--project", "saas-edge")).toMatchObject({ code: 0 });
    expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
  });
});
