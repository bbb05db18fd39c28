import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT, run as runIn } from "../support/command.ts";
import { appliedWorlds, DEV, ENTRY_POINT, freshWorld, type World } from "../support/project.ts";
import { at, text } from "../support/emulator.ts";

const appliedWorld = appliedWorlds();

const SHOP = "shop.northwind-books.com";

function read(world: World, file: string): Promise<string> {
  return readFile(join(world.folder, file), "utf8");
}

/**
 * Lowers the TLS version of a hostname, edits another one without danger, and puts a rule that skips ours ahead, so that
 * the place of ours has changed too.
 */
async function edited(): Promise<World> {
  const world = await appliedWorld();
  const patch = (name: string, body: object): unknown =>
    world.dashboard(DEV, "PATCH", `custom_hostnames/${text(world.hostname(DEV, name), "id")}`, { ...body });
  const ssl = at(world.hostname(DEV, SHOP), "ssl");
  patch(SHOP, { ssl: { ...(ssl as object), settings: { min_tls_version: "1.0", http2: "on" } } });
  patch("www.northwind-books.com", { custom_metadata: { tier: "silver" } });
  const id = text(world.dashboard(DEV, "GET", ENTRY_POINT), "id");
  world.dashboard(DEV, "POST", `rulesets/${id}/rules`, {
    description: "quick fix",
    action: "skip",
    expression: "true",
    action_parameters: { ruleset: "current" },
    position: { index: 1 },
  });
  return world;
}

describe("several reports of one run", () => {
  test("have the same content as the formats of their own, for each command", async () => {
    const world = await edited();
    const flags = ["--report", "json=a.json", "--report", "text=a.txt"];
    for (const command of [["plan"], ["drift"], ["status"]]) {
      const shown = await world.zoneform(...command, ...flags);
      expect(await read(world, "a.txt"), command[0]).toBe(shown.stdout);
      const json = await world.zoneform(...command, "--format", "json");
      expect(JSON.parse(await read(world, "a.json"))).toEqual(JSON.parse(json.stdout));
    }
  });

  test("are written by an apply for each of its ends: done, nothing to do, and refused", async () => {
    const world = await freshWorld();
    const flags = ["--report", "json=a.json", "--report", "text=a.txt", "--report", "github=a.github"];
    const applied = await world.zoneform("apply", "--auto-approve", ...flags);
    expect(applied.code).toBe(0);
    expect(applied.stdout.endsWith(await read(world, "a.txt"))).toBe(true);
    expect(JSON.parse(await read(world, "a.json"))).toMatchObject({ interrupted: false, zones: [{}, {}] });
    expect(await read(world, "a.github")).toBe("");

    await world.zoneform("apply", "--zone", "saas-app.dev", "--auto-approve", ...flags);
    expect(await read(world, "a.txt")).toMatch(/^saas-edge is up to date/);

    const refused = await world.zoneform("apply", "no.zfplan", ...flags);
    expect(refused.code).toBe(1);
    expect(await read(world, "a.txt")).toContain("cannot read no.zfplan: there is no such file [cannot-read]");
    expect(await read(world, "a.github")).toMatch(/^::error title=cannot-read::cannot read no\.zfplan/);
  });

  test("may not have the same file, neither each other's nor that of the saved plan", async () => {
    const world = await freshWorld();
    for (const args of [
      ["plan", "--report", "text=a", "--report", "json=./a"],
      ["plan", "--out", "a", "--report", "json=a"],
      ["apply", "--auto-approve", "--json-file", "a", "--report", "text=a"],
      ["drift", "--report", "text=a", "--report", "prometheus=A"],
    ]) {
      const refused = await world.zoneform(...args);
      expect(refused).toMatchObject({ code: 1, stdout: "" });
      expect(refused.stderr).toContain("is named twice, for two outputs [same-output]");
    }
    expect(world.emulator.requests.total()).toBe(0);
  });

  test("are refused by name where a command does not have the format, with those that it has", async () => {
    const world = await freshWorld();
    const refused = await world.zoneform("drift", "--report", "terraform-json=drift.json");
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain('"terraform-json=drift.json" is not a report of zoneform drift [not-a-report]');
    expect(refused.stderr).toContain("markdown-bitbucket, github, github-summary, html, prometheus");
  });
});

describe("annotations for GitHub", () => {
  test("of a plan are beside the places that decide its hazards, by their paths in the repository", async () => {
    const world = await appliedWorld();
    await world.edit("zones/saas-dev.yaml", 'min_tls_version: "1.3"', 'min_tls_version: "1.0"');
    await world.edit("zones/saas-dev.yaml", /.*store.juniper-and-sons.com.*\n/, "");
    const planned = await world.zoneform("plan", "--report", "github=-");
    const lines = planned.stdout.split("\n").filter((line) => line.startsWith("::"));
    expect(lines).toEqual([
      "::error title=outage::store.juniper-and-sons.com goes offline (blocked)",
      "::error file=zones/saas-dev.yaml,line=19,col=50,title=weakens-protection::4 hostnames accept TLS 1.0 (minimum was 1.3)" +
        '%0Aapp.meridian-freight.com, portal.alpine-clinics.ch, shop.northwind-books.com, www.northwind-books.com%0Aby policy "gold"',
      "::error title=protected::delete store.juniper-and-sons.com, blocked: it is protected, and this plan would delete it" +
        "%0Aapply protect: false for it first, then plan again",
    ]);
  });

  test("have paths from the root of the repository, wherever the project is in it", async () => {
    const world = await freshWorld();
    const root = join(world.folder, "root");
    await mkdir(join(root, ".git"), { recursive: true });
    await cp(join(ROOT, "examples/saas"), join(root, "edge"), { recursive: true });
    const run = (cwd: string, ...args: string[]): ReturnType<typeof runIn> =>
      runIn(args, { ...world.surroundings, cwd });
    await writeFile(join(root, "edge/zones/saas-app.yaml"), "version: 2\n");
    for (const ended of [
      await run(join(root, "edge"), "validate", "--format", "github"),
      await run(root, "validate", "--format", "github", "--config", "edge/zoneform.yaml"),
      await run(root, "apply", "--auto-approve", "--config", "edge/zoneform.yaml", "--report", "github=-"),
    ])
      expect(ended.stdout).toMatch(/^::error file=edge\/zones\/saas-app\.yaml,line=1,col=\d+,title=/m);
  });

  test("and comments lead to the commit that is checked out, also where another one started the job", async () => {
    const world = await freshWorld();
    await mkdir(join(world.folder, ".git"));
    await writeFile(join(world.folder, ".git/HEAD"), `${"a".repeat(40)}\n`);
    const job = { GITHUB_SERVER_URL: "https://github.example", GITHUB_REPOSITORY: "o/r", GITHUB_SHA: "b".repeat(40) };
    await world.zoneformWith(job, "plan", "--report", "markdown=plan.md");
    const comment = await read(world, "plan.md");
    expect(comment).toContain(`(<https://github.example/o/r/blob/${"a".repeat(40)}/data/customers.csv#L11>)`);
    expect(comment).not.toContain("b".repeat(40));
  });

  test("of a drift and of a status name the dangers first", async () => {
    const world = await edited();
    const dangers = ["::error title=weakens-protection::shop.northwind-books.com accepts TLS 1.0 (minimum was 1.3)"];
    await world.zoneform("drift", "--report", "github=drift.github");
    expect((await read(world, "drift.github")).split("\n")).toEqual([
      ...dangers,
      expect.stringMatching(
        /^::error title=weakens-protection::saas\.dev\/ruleset\["http_request_firewall_managed"\]: #1 skips every request/,
      ),
      "::warning title=drift::saas.dev: 2 objects differ from what was applied, without danger" +
        "%0Awww.northwind-books.com, ruleset http_request_firewall_managed",
      "",
    ]);
    world.emulator.admin.forceHostname(DEV, "book.seaside-cottages.co.uk", { status: "moved" });
    await world.zoneform("status", "--report", "github=status.github");
    expect((await read(world, "status.github")).split("\n")).toEqual(
      expect.arrayContaining([
        ...dangers,
        "::warning title=moved::saas.dev: book.seaside-cottages.co.uk%0Azoneform explain moved",
      ]),
    );
  });
});

describe("gauges for Prometheus", () => {
  test("of a drift count each object under its worst hazard, zeros included", async () => {
    const world = await edited();
    const found = await world.zoneform("drift", "--report", "prometheus=drift.prom");
    expect(found.code).toBe(3);
    const gauges = await read(world, "drift.prom");
    const zone = (hazard: string, count: number): string =>
      `zoneform_drift_objects{project="saas-edge",zone="saas.dev",hazard="${hazard}"} ${count}\n`;
    expect(gauges).toContain(
      "# HELP zoneform_drift_objects Objects and foreign rules that differ from what was applied, or from the YAML, by their worst hazard.\n" +
        "# TYPE zoneform_drift_objects gauge\n",
    );
    expect(gauges).toContain(
      zone("irreversible", 0) +
        zone("outage", 0) +
        zone("weakens-protection", 2) +
        zone("loses-foreign-rule", 0) +
        zone("needs-customer", 0) +
        zone("reissue", 0) +
        zone("none", 2),
    );
    expect(gauges).toContain('zoneform_drift_checked{project="saas-edge",zone="saas-app.dev"} 1\n');
    expect(gauges).toMatch(/^zoneform_drift_timestamp_seconds\{project="saas-edge"\} \d{10}$/m);
  });

  test("say of a zone that could not be read that it was not checked, and nothing else", async () => {
    const world = await appliedWorld();
    await world.edit("zones/saas-app.yaml", /id: "\w+"/, `id: "${"0".repeat(32)}"`);
    for (const command of ["drift", "status"]) {
      await world.zoneform(command, "--report", "prometheus=a.prom");
      const lines = (await read(world, "a.prom")).split("\n").filter((line) => line.includes("saas-app.dev"));
      expect(lines).toEqual([`zoneform_${command}_checked{project="saas-edge",zone="saas-app.dev"} 0`]);
    }
  });

  test("of a status count hostnames by status, and what needs a person by its reason", async () => {
    const world = await appliedWorld();
    world.emulator.admin.forceHostname(DEV, SHOP, { status: "moved" });
    await world.zoneform("status", "--report", "prometheus=status.prom");
    const gauges = await read(world, "status.prom");
    const inZone = 'project="saas-edge",zone="saas.dev"';
    expect(gauges).toContain(`zoneform_status_hostnames{${inZone},status="moved"} 1\n`);
    expect(gauges).toContain(`zoneform_status_needs_person{${inZone},reason="moved"} 1\n`);
    expect(gauges).toContain(`zoneform_status_needs_person{${inZone},reason="blocked"} 0\n`);
    expect(gauges).not.toContain("zoneform_drift_");
  });
});
