import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { editHostname, editRules, editTls } from "../support/dashboard.ts";
import { realWorld, type RealWorld } from "../../lib/real/world.ts";
import { checkUnchanged, keepDrift } from "../../lib/engine/keep-drift.ts";
import { runBuilt } from "../support/command.ts";
import { at, type Json, text } from "../support/emulator.ts";
import { HAS_TERMINAL, onTerminal } from "../support/terminal.ts";
import { APP, appliedWorlds, DEV, type World } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();

const SHOP = "shop.northwind-books.com";
const WWW = "www.northwind-books.com";
const POS = "pos.old-mill-bakery.com";
const STORE = "store.juniper-and-sons.com";
const ZONE = "zones/saas-dev.yaml";
const APP_ZONE = "zones/saas-app.yaml";
const ROWS = "data/customers.csv";

async function read({ folder }: World, file: string): Promise<string> {
  return readFile(join(folder, file), "utf8");
}

function openReal({ folder, surroundings: { env } }: World): RealWorld {
  const world = realWorld({ file: join(folder, "zoneform.yaml"), folder, env });
  onTestFinished(() => world.close());
  return world;
}

function record(value: Json | undefined): { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

/** Runs `drift --write` and claims that afterwards nothing is drift, and nothing would be changed live. */
async function keep(world: World, ...args: readonly string[]): Promise<string> {
  const { zoneform } = world;
  const ended = await zoneform("drift", "--write", ...args, "--auto-approve");
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  expect(await zoneform("drift")).toMatchObject({ code: 0 });
  world.emulator.requests.reset();
  expect(await zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
  expect(world.writes()).toEqual({});
  return ended.stdout;
}

describe("drift --write declares the live value where the old one is declared", () => {
  test("what a policy decides becomes an exception for that hostname", async () => {
    const world = await appliedWorld();
    const before = await read(world, ZONE);
    editTls(world, SHOP, "1.0");
    const shown = await keep(world);
    expect(shown).toContain(`DANGER  ${SHOP} accepts TLS 1.0`);
    expect(shown).toContain(`--- a/${ZONE}\n+++ b/${ZONE}\n`);
    const added = `    - match:
        hostname: ${SHOP}
      set:
        ssl:
          settings:
            min_tls_version: "1.0"
      reason: live value kept on ${new Date().toISOString().slice(0, 10)}
`;
    expect(await read(world, ZONE)).toBe(before.replace("      until: 2027-03-31\n", `$&${added}`));
  });

  test("an exception of its own, a cell, a setting and a switch of a rule, in place, and nothing else", async () => {
    const world = await appliedWorld();
    const [zone, rows] = [await read(world, ZONE), await read(world, ROWS)];
    editTls(world, POS, "1.1");
    editHostname(world, SHOP, { custom_origin_server: "pool-us.saas.dev" });
    world.dashboard(DEV, "POST", "acm/total_tls", { enabled: true, certificate_authority: "lets_encrypt" });
    editRules(world, (rules) => rules.map((rule) => ({ ...rule, enabled: rule["ref"] !== "sec/managed" })));
    await keep(world);
    expect(await read(world, ZONE)).toBe(
      zone
        .replace('min_tls_version: "1.0"', 'min_tls_version: "1.1"')
        .replace("certificate_authority: google }\n", "certificate_authority: lets_encrypt }\n")
        .replace(/( {12}rules: \[.*\]\n)/, "$1        enabled: false\n")
        .replace(
          "set: { ssl: { certificate_authority: lets_encrypt }",
          "set: { ssl: { certificate_authority: google }",
        ),
    );
    expect(await read(world, ROWS)).toBe(
      rows.replace(`${SHOP},gold,pool-eu.saas.dev`, `${SHOP},gold,pool-us.saas.dev`),
    );
  });

  test("rules that were moved, added, removed and edited", async () => {
    const world = await appliedWorld();
    const zone = await read(world, ZONE);
    editRules(world, ([skip, managed, ...others]) => [
      { ...skip, expression: "false" },
      {
        ref: "sec/skip",
        action: "skip",
        expression: 'http.host eq "a.net"',
        action_parameters: { ruleset: "current" },
      },
      { ...managed, description: "all of it" },
      ...others,
    ]);
    await keep(world, "ruleset");
    const edited = zone
      .replace('starts_with(http.request.uri.path, "/upload")', '"false"')
      .replace("the managed ruleset, with one rule that only logs", "all of it");
    // As an import declares it: with everything that Cloudflare has filled in.
    const added = `      - ref: sec/skip
        description: ""
        enabled: true
        action: skip
        expression: http.host eq "a.net"
        action_parameters:
          ruleset: current
        logging:
          enabled: true
`;
    expect(await read(world, ZONE)).toBe(edited.replace("      - ref: sec/managed\n", `${added}$&`));

    editRules(world, ([uploads, skip, ...others]) => [{ ...skip }, { ...uploads }, ...others]);
    await keep(world);
    expect(await read(world, ZONE)).toBe(edited.replace("      - ref: sec/skip-uploads\n", `${added}$&`));

    editRules(world, (rules) => rules.filter((rule) => rule["ref"] !== "sec/skip"));
    await keep(world);
    expect(await read(world, ZONE)).toBe(edited);
  });

  test("a deleted hostname loses its entry, but not its row", async () => {
    const world = await appliedWorld();
    const zone = await read(world, ZONE);
    await world.edit(ZONE, "protect: true, ", "");
    for (const name of [STORE, SHOP])
      world.dashboard(DEV, "DELETE", `custom_hostnames/${text(world.hostname(DEV, name), "id")}`);
    const ended = await world.zoneform("drift", "--write", "--auto-approve");
    expect(ended.code).toBe(3);
    expect(flat(ended.stdout)).toContain(
      `Not written: ${SHOP}: a row declares it (${ROWS}:2:1); remove the row where the file comes from`,
    );
    expect(await read(world, ZONE)).toBe(zone.replace(new RegExp(`.*${STORE}.*\n`), ""));
    expect((await world.zoneform("drift")).stdout).not.toContain(STORE);
  });
});

test("a cell of a file that --source names stays, and the hostname gets an exception", async () => {
  const world = await appliedWorld();
  const rows = await read(world, ROWS);
  await writeFile(join(world.folder, "other.csv"), rows);
  editHostname(world, SHOP, { custom_origin_server: "pool-us.saas.dev" });
  const source = ["--source", "customers=other.csv"];
  expect(await world.zoneform("drift", "--write", "--auto-approve", ...source)).toMatchObject({ code: 0, stderr: "" });
  expect(await read(world, "other.csv")).toBe(rows);
  expect(await read(world, ROWS)).toBe(rows);
  expect(await read(world, ZONE)).toContain(
    `        hostname: ${SHOP}\n      set:\n        custom_origin_server: pool-us.saas.dev\n`,
  );
});

describe("drift --write writes", () => {
  test("only the named object", async () => {
    const world = await appliedWorld();
    editTls(world, SHOP, "1.0");
    editTls(world, WWW, "1.0");
    expect(await world.zoneform("drift", "--write", SHOP, "--auto-approve")).toMatchObject({ code: 0 });
    const zone = await read(world, ZONE);
    expect(zone).toContain(SHOP);
    expect(zone).not.toContain(WWW);
    expect((await world.zoneform("drift")).code).toBe(3);
  });

  test("one exception for hostnames that keep the same values", async () => {
    const world = await appliedWorld();
    editTls(world, SHOP, "1.0");
    editTls(world, WWW, "1.0");
    await keep(world);
    expect(await read(world, ZONE)).toContain(`        hostname:\n          - ${SHOP}\n          - ${WWW}\n`);
  });

  test("nothing if nobody can be asked, and names the command", async () => {
    const world = await appliedWorld();
    const zone = await read(world, ZONE);
    editTls(world, SHOP, "1.0");
    const ended = await world.zoneform("drift", "--write", SHOP);
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain('+            min_tls_version: "1.0"\n');
    expect(ended.stderr).toContain(`\n    zoneform drift --write ${SHOP} --auto-approve\n`);
    expect(await read(world, ZONE)).toBe(zone);
  });

  test("nothing where there is no drift", async () => {
    const world = await appliedWorld();
    const ended = await world.zoneform("drift", "--write", "--auto-approve");
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toContain("No drift in project saas-edge.\n");
  });

  test("nothing if another value would change with it, and names it", async () => {
    const world = await appliedWorld();
    const rows = await read(world, ROWS);
    editHostname(world, SHOP, { custom_metadata: { tier: "silver" } });
    const ended = await world.zoneform("drift", "--write", "--auto-approve");
    expect(ended).toMatchObject({ code: 1 });
    expect(flat(ended.stderr)).toContain(
      `nothing was written: ssl.settings.min_tls_version of custom_hostname["${SHOP}"] in saas.dev would change too [not-kept]`,
    );
    expect(await read(world, ROWS)).toBe(rows);
  });

  test("two gone hostnames that share an exception both leave it, and a file without a last line end stays so", async () => {
    const world = await appliedWorld();
    const other = "tenants.cloudburst-hosting.com";
    const shared = `    - match: { hostname: [${STORE}, ${other}, ${POS}] }\n      set: { ssl: { bundle_method: optimal } }\n      reason: EDGE-1\n      until: 2099-01-31\n`;
    await world.edit(ZONE, "  exceptions:\n", `  exceptions:\n${shared}`);
    await world.edit(ZONE, "protect: true, ", "");
    expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    await writeFile(join(world.folder, ZONE), (await read(world, ZONE)).trimEnd());
    for (const name of [STORE, other])
      world.dashboard(DEV, "DELETE", `custom_hostnames/${text(world.hostname(DEV, name), "id")}`);
    await keep(world);
    const after = await read(world, ZONE);
    expect(after).toContain(POS);
    expect(after).not.toMatch(new RegExp(`${STORE}|${other}`));
    expect(after.endsWith("\n")).toBe(false);
  });

  test("a file with the mode and the line ends that it had", async () => {
    const world = await appliedWorld();
    const path = join(world.folder, ZONE);
    await writeFile(path, (await read(world, ZONE)).replaceAll("\n", "\r\n"));
    await chmod(path, 0o640);
    editTls(world, SHOP, "1.0");
    await keep(world);
    expect((await read(world, ZONE)).replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    expect((await stat(path)).mode & 0o777).toBe(0o640);
  });

  test("nothing if a file was changed while the question was open", { skip: !HAS_TERMINAL }, async () => {
    const world = await appliedWorld();
    editTls(world, SHOP, "1.0");
    await world.edit(ROWS, "gold,pool-eu", '"gold",pool-eu');
    const { through, env } = onTerminal("Write this into the files?", "no\r");
    const declined = await runBuilt(["drift", "--write"], {
      ...world.surroundings,
      through,
      env: { ...world.surroundings.env, ...env },
    });
    expect(flat(declined.stdout)).toContain("not approved; nothing was written");
    expect(await read(world, ZONE)).not.toContain("kept on");
    const found = await keepDrift(openReal(world), { file: join(world.folder, "zoneform.yaml") });
    await world.edit(ZONE, "# entries and rows", "# Entries and rows");
    await expect(checkUnchanged(openReal(world), found.files)).rejects.toThrow(
      `nothing was written: ${ZONE} was changed meanwhile`,
    );
  });
});

describe("drift --write leaves a value that decides for other objects too", () => {
  test("of an entry that shares it by an anchor; the hostname gets an exception", async () => {
    const world = await appliedWorld();
    await world.edit(
      ZONE,
      /entries:\n.*\n.*\n/,
      `entries:
    - { hostname: ${STORE}, ssl: &ssl { settings: { min_tls_version: "1.2" } }, labels: { region: us } }
    - { hostname: tenants.cloudburst-hosting.com, ssl: { wildcard: true } }
    - { hostname: a.juniper-and-sons.com, ssl: *ssl }
`,
    );
    expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    world.emulator.advance(600_000);
    editTls(world, STORE, "1.0");
    const zone = await read(world, ZONE);
    await keep(world, STORE);
    const after = await read(world, ZONE);
    expect(after.startsWith(zone.slice(0, zone.indexOf("\nentry_points")))).toBe(true);
    expect(after).toContain(`        hostname: ${STORE}\n`);
  });

  test("of a layer that another zone uses: its setting is declared in the zone file, its rules stay", async () => {
    const world = await appliedWorld();
    const layer = `version: 1
total_tls: { enabled: true, certificate_authority: google }
entry_points:
  http_request_firewall_custom:
    adopt: true
    rules: [{ ref: geo, action: block, expression: 'ip.src.country eq "XX"' }]
`;
    await writeFile(join(world.folder, "profiles/both.yaml"), layer);
    await world.edit(ZONE, "use: [../profiles/tls.yaml]", "use: [../profiles/tls.yaml, ../profiles/both.yaml]");
    await world.edit(ZONE, /\ntotal_tls: .*\n/, "");
    await world.edit(APP_ZONE, "use: [../profiles/tls.yaml]", "use: [../profiles/tls.yaml, ../profiles/both.yaml]");
    expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    world.dashboard(DEV, "POST", "acm/total_tls", { enabled: true, certificate_authority: "lets_encrypt" });
    const place = "rulesets/phases/http_request_firewall_custom/entrypoint";
    world.dashboard(DEV, "PUT", place, {
      rules: [{ ref: "geo", action: "log", expression: 'ip.src.country eq "XX"' }],
    });
    const ended = await world.zoneform("drift", "--write", "--auto-approve");
    expect(ended).toMatchObject({ code: 3, stderr: "" });
    expect(flat(ended.stdout)).toContain(
      "rule geo: the layer profiles/both.yaml declares the rules, and zone saas-app.dev uses it too",
    );
    expect(await read(world, "profiles/both.yaml")).toBe(layer);
    expect(await read(world, ZONE)).toMatch(/\n\ntotal_tls:\n {2}certificate_authority: lets_encrypt\n$/);
    expect(await world.zoneform("drift", "--exclude", "ruleset")).toMatchObject({ code: 0 });
  });

  test("of a policy, for a hostname that the application creates", async () => {
    const world = await appliedWorld();
    const name = "one.tenant-alpha.com";
    const id = text(world.hostname(APP, name), "id");
    const settings = { ...record(at(world.hostname(APP, name), "ssl.settings")), min_tls_version: "1.0" };
    world.dashboard(APP, "PATCH", `custom_hostnames/${id}`, { ssl: { type: "dv", method: "http", settings } });
    world.emulator.advance(600_000);
    await keep(world, `saas-app.dev/custom_hostname["${name}"]`);
    expect(await read(world, APP_ZONE)).toContain(`  exceptions:\n    - match:\n        hostname: ${name}\n`);
  });
});
