import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { run, ROOT } from "../support/command.ts";
import { editRules } from "../support/dashboard.ts";
import { text } from "../support/emulator.ts";
import { appliedWorlds, DEV } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();

const POS = 'saas.dev/custom_hostname["pos.old-mill-bakery.com"]';

describe("zoneform state", () => {
  test("list names every tracked object with its id, one per line", async () => {
    const { zoneform, hostname } = await appliedWorld();
    const { stdout, code } = await zoneform("state", "list");
    const lines = stdout.trim().split("\n");
    expect(code).toBe(0);
    expect(lines).toHaveLength(21);
    expect(lines[0]).toMatch(/^zone +address +id +last seen$/);
    const id = text(hostname(DEV, "pos.old-mill-bakery.com"), "id");
    expect(flat(stdout)).toContain(`saas.dev custom_hostname["pos.old-mill-bakery.com"] ${id} `);
    const one = await zoneform("state", "list", "--zone", "saas-app.dev");
    expect(one.stdout.trim().split("\n")).toHaveLength(4);
  });

  test("show prints the state of one object as JSON, without secret keys", async () => {
    const { zoneform, hostname } = await appliedWorld();
    const { stdout, code } = await zoneform("state", "show", POS);
    expect(code).toBe(0);
    const shown: unknown = JSON.parse(stdout);
    const id = text(hostname(DEV, "pos.old-mill-bakery.com"), "id");
    expect(shown).toMatchObject({
      import_id: `${DEV}/${id}`,
      id,
      applied: { ssl: { settings: { min_tls_version: "1.0" } } },
    });
    expect(stdout).not.toContain("secret_key");
  });

  test("show of an untracked address suggests the right one", async () => {
    const { zoneform } = await appliedWorld();
    const ended = await zoneform("state", "show", POS.replace("bakery", "bakry"));
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toContain("did you mean");
    expect(ended.stderr).toContain("pos.old-mill-bakery.com");
  });

  test("rm releases one object, which stays live; --dry-run only reports that", async () => {
    const { zoneform, states, hostname, writes } = await appliedWorld();
    const before = await states();
    const said = await zoneform("state", "rm", POS, "--dry-run");
    expect(said.stdout).toContain(
      'would release custom_hostname["pos.old-mill-bakery.com"] from the state; it stays live',
    );
    expect(await states()).toEqual(before);
    expect(await zoneform("state", "rm", POS)).toMatchObject({ code: 0 });
    expect(await zoneform("state", "show", POS)).toMatchObject({ code: 1 });
    expect(writes()).toEqual({});
    expect(hostname(DEV, "pos.old-mill-bakery.com")).not.toBeNull();
    expect((await zoneform("plan")).stdout).toContain("<= adopt pos.old-mill-bakery.com (config)");
  });
});

describe("zoneform why", () => {
  test("says for each field where it is declared, and what is live", async () => {
    const { zoneform } = await appliedWorld();
    const { stdout, code } = await zoneform("why", POS);
    expect(code).toBe(0);
    expect(stdout).toMatch(/: nothing to do \(live is as\s+declared\)\n/);
    expect(flat(stdout)).toMatch(
      /exception "?EDGE-412.* ssl\.settings\.min_tls_version 1\.0 zones\/saas-dev\.yaml:\d+:\d+/,
    );
    expect(flat(stdout)).toMatch(/custom_metadata\.tier silver data\/customers\.csv:11:\d+/);
  });

  test("explains an entry point rule by rule, and what an apply would do to the rules", async () => {
    const world = await appliedWorld();
    editRules(world, ([first = {}, ...rest]) => [...rest, { ...first, enabled: false }]);
    const { stdout, code } = await world.zoneform("why", 'saas.dev/ruleset["http_request_firewall_managed"]');
    expect(code).toBe(0);
    expect(flat(stdout)).toMatch(
      /rules\."sec\/skip-uploads"\.enabled declared true \(zones\/saas-dev\.yaml:\d+:\d+\) last applied true live false would be sent true \(drift\)/,
    );
    expect(flat(stdout)).toMatch(/What an apply would do to the rules: .*move rule #3 -> #1 "uploads are scanned/);
    expect(stdout.match(/ move rule /g)).toHaveLength(1);
    expect(stdout).not.toContain('rules."dashboard-exposed-credentials"');
  });

  test.each([
    ["a name that is misspelt", POS.replace("bakery", "bakry"), `did you mean ${POS}?`],
    ["no zone, where several could be meant", 'custom_hostname["pos.old-mill-bakry.com"]', `did you mean ${POS}?`],
    ["a zone that is misspelt", POS.replace("saas.dev", "sas.dev"), 'did you mean "saas.dev"?'],
    ["a kind alone", "custom_hostname", 'key: custom_hostname["…"]'],
  ])("of %s suggests what was meant", async (_name, address, remedy) => {
    const { zoneform } = await appliedWorld();
    const ended = await zoneform("why", address);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toContain(remedy);
  });
});

describe("zoneform schema", () => {
  const names = ["project", "zone", "custom-hostname", "fallback-origin", "ruleset", "total-tls"];
  const schemas = new Map<string, object>();

  beforeAll(async () => {
    for (const name of names) {
      const { stdout } = await run(["schema", name], { cwd: ROOT });
      schemas.set(name, JSON.parse(stdout));
    }
  });

  test.each(names)("%s is a complete JSON Schema of 2020-12", (name) => {
    const schema = schemas.get(name) ?? {};
    expect(schema).toMatchObject({ $schema: "https://json-schema.org/draft/2020-12/schema" });
    const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
    expect(() => ajv.compile(schema)).not.toThrow();
  });

  test.each([
    ["project", "zoneform.yaml"],
    ["zone", "zones/saas-dev.yaml"],
    ["zone", "zones/saas-app.yaml"],
    ["zone", "profiles/tls.yaml"],
  ])("%s accepts the example's %s, but not with a misspelt key", async (name, file) => {
    const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
    const validate = ajv.compile(schemas.get(name) ?? {});
    const document: unknown = parse(await readFile(join(ROOT, "examples/saas", file), "utf8"));
    expect([validate(document), validate.errors]).toEqual([true, null]);
    expect(validate({ ...Object(document), entrypoints: {} })).toBe(false);
  });
});
