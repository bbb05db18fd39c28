import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { text } from "../support/emulator.ts";
import { APP, appliedWorlds, DEV, ENTRY_POINT, type World } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();

const RULESET = 'saas.dev/ruleset["http_request_firewall_managed"]';
const SHOP = "shop.northwind-books.com";
const ZONE_FILE = "zones/saas-dev.yaml";
const APP_FILE = "zones/saas-app.yaml";

function entryPointId({ dashboard }: World): string {
  return text(dashboard(DEV, "GET", ENTRY_POINT), "id");
}

/** What stays of a file when the lines of another one are taken out of it, in order. */
function addedTo(before: string, after: string): string[] {
  const old = before.split("\n");
  return after.split("\n").filter((line) => {
    if (line !== old[0]) return true;
    old.shift();
    return false;
  });
}

/** After an import of what is live and declared alike, nothing is left to do. */
async function expectNoChanges({ zoneform }: World): Promise<void> {
  const planned = await zoneform("plan", "--detailed-exitcode");
  expect([planned.code, planned.stdout]).toEqual([0, expect.any(String)]);
}

describe("an import of a declared object", () => {
  test("adopts a released object again, by every form of its id, and plans no changes", async () => {
    const world = await appliedWorld();
    const shop = `${DEV}/${text(world.hostname(DEV, SHOP), "id")}`;
    const ruleset = `zone/${DEV}/${entryPointId(world)}`;
    const objects = [
      [RULESET, ruleset, [[ruleset], [ruleset.replace("zone/", "zones/")]]],
      [`saas.dev/custom_hostname["${SHOP}"]`, shop, [[shop], [`${DEV}/${SHOP}`]]],
      ["saas.dev/fallback_origin", DEV, [["fallback_origin", DEV]]],
      ["saas.dev/total_tls", DEV, [["saas.dev/total_tls", DEV]]],
    ] as const;
    for (const [address, id, forms] of objects) {
      const forgotten = await world.zoneform("state", "rm", address);
      const single = id === DEV ? `${address.replace("saas.dev/", "")} ` : "";
      expect(forgotten.stdout).toContain(`to manage it again: zoneform import ${single}${id}\n`);
      for (const form of forms) {
        const imported = await world.zoneform("import", ...form);
        expect(imported).toMatchObject({ code: 0, stderr: "" });
        expect(imported.stdout).toContain(`imported ${address} as ${id}\n`);
      }
    }
    await expectNoChanges(world);
    expect(world.writes()).toEqual({});
  });
});

describe("an import of an undeclared object", () => {
  const extra = "extra.customer-nine.net";

  async function withExtra(): Promise<World> {
    const world = await appliedWorld();
    world.dashboard(DEV, "POST", "custom_hostnames", {
      hostname: extra,
      ssl: { method: "http", type: "dv", settings: { min_tls_version: "1.1" } },
      custom_metadata: { tier: "iron" },
    });
    world.emulator.advance(600_000);
    return world;
  }

  test("without --write is refused, with what to do", async () => {
    const world = await withExtra();
    const before = await world.states();
    const refused = await world.zoneform("import", `${DEV}/${extra}`);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toBe(
      `${ZONE_FILE}:3:7: error: saas.dev/custom_hostname["${extra}"] is live, but the YAML does not declare it [not-declared]\n` +
        `  declare it in ${ZONE_FILE}, or let --write add it there as it is live\n1 error\n`,
    );
    expect(await world.states()).toEqual(before);
  });

  test("with --write adds lines for it to the YAML, changes no others, and plans no changes", async () => {
    const world = await withExtra();
    const file = join(world.folder, ZONE_FILE);
    const before = await readFile(file, "utf8");
    const imported = await world.zoneform("import", `${DEV}/${extra}`, "--write");
    expect(imported).toMatchObject({ code: 0 });
    expect(imported.stdout).toContain(
      `added to ${ZONE_FILE}\nimported saas.dev/custom_hostname["${extra}"] as ${DEV}/`,
    );
    expect(imported.stdout).toMatch(new RegExp(`^--- a/${ZONE_FILE}\n\\+\\+\\+ b/${ZONE_FILE}\n@@ -`));
    expect(imported.stdout).toContain(`\n+    - hostname: ${extra}\n`);
    const lines = addedTo(before, await readFile(file, "utf8"));
    expect(lines[0]).toBe(`    - hostname: ${extra}`);
    expect(lines).toContain('          min_tls_version: "1.1"');
    expect(await world.zoneform("validate")).toMatchObject({ code: 0 });
    await expectNoChanges(world);
    expect(world.writes()).toEqual({});
  });

  test("is refused if the application owns the hostnames, with and without --write, and no file changes", async () => {
    const world = await appliedWorld();
    const [states, yaml] = [await world.states(), await readFile(join(world.folder, APP_FILE), "utf8")];
    for (const flags of [[], ["--write"]]) {
      const ended = await world.zoneform("import", `${APP}/one.tenant-alpha.com`, ...flags);
      expect(ended).toMatchObject({ code: 1, stdout: "" });
      expect(flat(ended.stderr)).toContain("cannot be declared: the lifecycle there is app");
      expect(flat(ended.stderr)).toContain(`set its values with policies and exceptions in ${APP_FILE}`);
    }
    expect(await readFile(join(world.folder, APP_FILE), "utf8")).toBe(yaml);
    expect(await world.states()).toEqual(states);
    expect(await world.zoneform("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
  });

  test("writes nothing if the project would become invalid, and says why", async () => {
    const world = await withExtra();
    await world.edit(ZONE_FILE, /$/, `forget: ['custom_hostname["${extra}"]']\n`);
    expect(await world.zoneform("validate")).toMatchObject({ code: 0 });
    const before = await readFile(join(world.folder, ZONE_FILE), "utf8");
    const ended = await world.zoneform("import", `${DEV}/${extra}`, "--write");
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toContain("[not-declarable]");
    expect(ended.stderr).toContain("[forgotten-and-declared]");
    expect(await readFile(join(world.folder, ZONE_FILE), "utf8")).toBe(before);
  });

  test("works for an entry point with all its rules, and for a setting", async () => {
    const world = await appliedWorld();
    await world.zoneform("state", "rm", RULESET);
    await world.zoneform("state", "rm", "saas.dev/total_tls");
    await world.edit(ZONE_FILE, /entry_points:\n( .*\n|\n)+/, "");
    await world.edit(ZONE_FILE, /total_tls:.*\n/, "");
    expect(await world.zoneform("import", `zone/${DEV}/${entryPointId(world)}`, "--write")).toMatchObject({ code: 0 });
    expect(await world.zoneform("import", "total_tls", DEV, "--write")).toMatchObject({ code: 0 });
    const text = await readFile(join(world.folder, ZONE_FILE), "utf8");
    expect(text).toContain(
      "\nentry_points:\n  http_request_firewall_managed:\n    name: default\n    rules:\n      - ref: sec/skip-uploads\n",
    );
    expect(text).toContain("\ntotal_tls:\n  enabled: true\n  certificate_authority: google\n");
    expect(text).toContain("# entries and rows are created");
    await expectNoChanges(world);
  });
});

describe("a wrong import id", () => {
  const id = "1".repeat(32);
  const uuid = "11111111-1111-4111-8111-111111111111";

  test.each([
    [["something"], "an id is zone/<zone_id>/<ruleset_id>, <zone_id>/<custom_hostname_id>"],
    [["www.northwind-books.com"], `\n    zoneform import ${DEV}/www.northwind-books.com\n`],
    [["saas-app.dev/shop.example"], `\n    zoneform import ${APP}/shop.example\n`],
    [["shop.example"], "shop.example is a hostname, not an import id"],
    [[`zone/${DEV}/${uuid}`], `a custom hostname would be ${DEV}/${uuid}`],
    [[`${DEV}/${id}`], `a ruleset would be zone/${DEV}/${id}`],
    [[`${DEV}/nobody.example.net`], "check the id"],
    [[DEV], "put one of these kinds before it: fallback_origin"],
    [["saas-app.dev/total_tls", DEV], "the id belongs to the zone saas.dev, the address to saas-app.dev"],
    [["total_tls", `${DEV}/${SHOP}`], "the id belongs to a custom_hostname, the address to a total_tls"],
    [['custom_hostname["www.northwind-books.com"]', `${DEV}/${SHOP}`], "remove the address, or correct it"],
    [[`${id}/app.customer-one.net`], `the project has no zone with the id ${id}`],
  ])("%j is refused with the right form", async (args, message) => {
    const world = await appliedWorld();
    const before = await world.states();
    const refused = await world.zoneform("import", ...args);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain(message);
    expect(refused.stderr).toMatch(/\n {2}\S.*\n( {4}zoneform import .*\n)?1 error\n$/);
    expect(await world.states()).toEqual(before);
  });
});

test("foreign: adopt shows, counts and asks for what it takes over", async () => {
  const world = await appliedWorld();
  const names = ["a.dashboard-made.com", "b.dashboard-made.com"];
  for (const hostname of names)
    world.dashboard(DEV, "POST", "custom_hostnames", { hostname, ssl: { method: "http", type: "dv" } });
  const look = ["plan", "--detailed-exitcode", "--zone", "saas.dev"];
  expect(await world.zoneform(...look)).toMatchObject({ code: 0 });
  await world.edit("zones/saas-dev.yaml", "foreign: report", "foreign: adopt");
  const planned = await world.zoneform(...look);
  expect(planned.code).toBe(2);
  expect(planned.stdout).toMatch(/<= adopt (and update )?2 hostnames/);
  const { code, stdout } = await world.zoneform(...look, "--json");
  expect(code).toBe(2);
  expect(JSON.parse(stdout).zones[0].counts).toMatchObject({ adopt: 2 });
  expect(await world.zoneform("apply", "--auto-approve", "--zone", "saas.dev")).toMatchObject({ code: 0 });
  expect((await world.zoneform("state", "list")).stdout).toContain(names[1]);
});
