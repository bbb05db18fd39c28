import { describe, expect, test } from "vitest";
import { editRules, liveRefs } from "../support/dashboard.ts";
import { text } from "../support/emulator.ts";
import { appliedWorlds, DEV, freshWorld } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();

const STORE_NAME = "store.juniper-and-sons.com";
const STORE = `saas.dev/custom_hostname["${STORE_NAME}"]`;

describe("an entry point that Zoneform does not manage", () => {
  test("is refused with code 4, with the rules that would be lost and how to import it", async () => {
    const world = await freshWorld();
    const { zoneform, edit, dashboard, writes } = world;
    await edit(
      "zones/saas-dev.yaml",
      "    own: [sec/] # rules with other refs belong to others, and are kept\n    adopt: true\n",
      "",
    );
    await edit("zones/saas-dev.yaml", "    place: first\n", "");
    const id = text(dashboard(DEV, "GET", "rulesets/phases/http_request_firewall_managed/entrypoint"), "id");

    const planned = await zoneform("plan", "--out", "p.zfplan");
    expect(planned.code).toBe(4);
    expect(flat(planned.stdout)).toContain(
      "it exists, but Zoneform does not manage it; 1 live rule would be lost: " +
        "dashboard-exposed-credentials (made in the dashboard) [unmanaged-entry-point]",
    );
    expect(planned.stdout).toContain(`zoneform import zone/${DEV}/${id}\n`);

    const applied = await zoneform("apply", "p.zfplan", "--auto-approve");
    expect(applied.code).toBe(6);
    expect(applied.stdout).toMatch(/^Applied 19 of 20 changes in /m);
    expect(writes()).not.toHaveProperty("PUT /zones/:zone/rulesets/phases/:phase/entrypoint");
    expect(liveRefs(world)).toEqual(["dashboard-exposed-credentials"]);
    expect(await zoneform("plan")).toMatchObject({ code: 4 });
  });

  test("is adopted with adopt: true, and foreign rules stay in place", async () => {
    const world = await appliedWorld();
    expect(liveRefs(world)).toEqual(["sec/skip-uploads", "sec/managed", "dashboard-exposed-credentials"]);
  });
});

describe("protection", () => {
  test("refuses the deletion with code 4, even if the entry and its protection are both removed", async () => {
    const { zoneform, edit, hostname, writes } = await appliedWorld();
    await edit("zones/saas-dev.yaml", /.*store\.juniper-and-sons\.com.*\n/, "");
    const planned = await zoneform("plan");
    expect(planned.code).toBe(4);
    expect(flat(planned.stdout)).toContain(
      `- delete ${STORE_NAME}, BLOCKED, DANGER (config: no longer declared) it is protected, and this plan would delete it [protected]`,
    );
    const applied = await zoneform("apply", "--auto-approve");
    expect(applied).toMatchObject({ code: 4 });
    expect(applied.stdout).toContain("Applied none of 1 change; 1 blocked.\n");
    expect(writes()).toEqual({});
    expect(hostname(DEV, "store.juniper-and-sons.com")).toMatchObject({ status: "active" });
  });

  test("ends once protect: false is applied", async () => {
    const { zoneform, edit, hostname } = await appliedWorld();
    await edit("zones/saas-dev.yaml", "protect: true", "protect: false");
    expect(await zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    await edit("zones/saas-dev.yaml", /.*store\.juniper-and-sons\.com.*\n/, "");
    const applied = await zoneform("apply", "--auto-approve");
    expect(applied).toMatchObject({ code: 0 });
    expect(applied.stdout).toContain(": 1 deleted.\n");
    expect(hostname(DEV, "store.juniper-and-sons.com")).toBeNull();
  });
});

describe("what the caller denies", () => {
  test("a check that denies a value in the YAML is code 4, with the position of the check", async () => {
    const { zoneform, edit, writes } = await appliedWorld();
    await edit(
      "zones/saas-dev.yaml",
      "set: { ssl: { certificate_authority: google } }",
      "set: { ssl: { certificate_authority: lets_encrypt } }",
    );
    const planned = await zoneform("apply", "--auto-approve");
    expect(planned.code).toBe(4);
    expect(flat(planned.stdout)).toContain(
      "ssl.certificate_authority is lets_encrypt, which the check no-lets-encrypt denies [denied-value]",
    );
    expect(flat(planned.stdout)).toMatch(/or change the check at profiles\/tls\.yaml:\d+:11 /);
    expect(writes()).toEqual({});
  });

  test.each([
    ["an action", "delete", /lessons\.violin-academy\.de.*\n/, ""],
    ["a hazard", "outage", /lessons\.violin-academy\.de.*\n/, ""],
  ])("--deny refuses %s with code 4, and applies the rest", async (_name, word, from, to) => {
    const { zoneform, edit, hostname, writes } = await appliedWorld();
    await edit("data/customers.csv", from, to);
    const planned = await zoneform("plan", "--deny", word);
    expect(planned.code).toBe(4);
    expect(planned.stdout).toContain(`    --deny ${word} blocks it [denied-by-flag]\n`);
    expect(await zoneform("apply", "--auto-approve", "--deny", word)).toMatchObject({ code: 4 });
    expect(writes()).toEqual({});
    expect(hostname(DEV, "lessons.violin-academy.de")).not.toBeNull();
  });

  test("--deny of many equal changes is one block, not one for each", async () => {
    const { zoneform, edit } = await appliedWorld();
    await edit("profiles/tls.yaml", 'min_tls_version: "1.2"', 'min_tls_version: "1.1"');
    const planned = await zoneform("plan", "--deny", "update", "--zone", "saas.dev");
    expect(planned.code).toBe(4);
    expect(planned.stdout.split("--deny update blocks it")).toHaveLength(2);
    expect(planned.stdout).toMatch(
      /~ update \d hostnames, BLOCKED, DANGER \(config\).*\n {4}ssl\.settings\.min_tls_version {2}1\.2 -> 1\.1 {2}policy "floor"\n/,
    );
  });

  test("--max-changes refuses a larger plan with code 4 before anything is written", async () => {
    const { zoneform, writes, states } = await freshWorld();
    const applied = await zoneform("apply", "--auto-approve", "--max-changes", "19");
    expect(applied.code).toBe(4);
    expect(applied.stderr).toContain("error: the plan has 20 changes; --max-changes allows 19 [too-many-changes]\n");
    expect(writes()).toEqual({});
    await expect(states()).rejects.toThrow("ENOENT");
    expect(await zoneform("plan", "--max-changes", "19")).toMatchObject({ code: 4 });
    expect(await zoneform("plan", "--max-changes", "20")).toMatchObject({ code: 0 });
  });

  test("a truncated source never deletes: its tail is refused, and beyond its limit before any plan", async () => {
    const { zoneform, edit, writes } = await appliedWorld();
    await edit("data/customers.csv", /book\.seaside[^]*$/, "");
    const cut = await zoneform("apply", "--auto-approve");
    expect(cut.code).toBe(4);
    expect(flat(cut.stdout)).toContain('the source "customers" has lost its last 2 rows');
    expect(cut.stdout).toContain("Applied none of 2 changes; 2 blocked.\n");
    await edit("data/customers.csv", /(status\.harbour-coffee\.com.*\n)[^]*$/, "$1");
    const planned = await zoneform("plan");
    expect(planned.code).toBe(1);
    expect(planned.stderr).toContain(
      'zoneform.yaml:21:27: error: the source "customers" has 4 rows, expected at least 10 [source-incomplete]\n',
    );
    expect(planned.stdout).toBe("");
    expect(writes()).toEqual({});
  });
});

describe("the selection", () => {
  test("is all that is planned and applied", async () => {
    const { zoneform, edit, writes } = await appliedWorld();
    await edit("profiles/tls.yaml", 'min_tls_version: "1.2"', 'min_tls_version: "1.1"');
    const applied = await zoneform("apply", "--auto-approve", "--target", STORE);
    expect(applied.stdout).toContain(": 1 updated.\n");
    expect(writes()).toEqual({ "PATCH /zones/:zone/custom_hostnames/:id": 1 });
  });

  test("that matches nothing is an error, not an empty plan", async () => {
    const { zoneform } = await appliedWorld();
    const misspelt = await zoneform("plan", "--target", STORE.replace("juniper", "junipper"));
    expect(misspelt).toMatchObject({ code: 1, stdout: "" });
    expect(misspelt.stderr).toContain(": it is not declared, not in the state and not live [names-nothing]\n");
    expect(misspelt.stderr).toContain(`did you mean ${STORE}?\n`);
    const kind = await zoneform("plan", "--exclude", "custom_hostnme");
    expect(kind).toMatchObject({ code: 1, stdout: "" });
    expect(kind.stderr).toContain('did you mean "custom_hostname"?\n');
  });
});

test("a rule that the YAML restores is a change that no guard blocks", async () => {
  const world = await appliedWorld();
  editRules(world, (rules) => rules.filter((rule) => rule["ref"] !== "sec/managed"));
  expect(await world.zoneform("plan", "--deny", "loses-foreign-rule")).toMatchObject({ code: 0 });
});
