import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startDnsServer } from "../support/dns-server.ts";
import { text } from "../support/emulator.ts";
import { APP, appliedWorlds, DEV, freshWorld } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();

const SHOP = "shop.northwind-books.com";
const READ_ONLY = { CLOUDFLARE_API_TOKEN: "demo-read-only" };

describe("status", () => {
  test("names what needs attention and what to do, exits 0, and only reads", async () => {
    const world = await appliedWorld();
    world.emulator.admin.forceHostname(DEV, SHOP, { status: "moved" });
    const text = "The hostname is associated with a held zone.";
    world.emulator.admin.forceHostname(DEV, "www.northwind-books.com", {
      status: "blocked",
      verificationErrors: [text],
    });
    const before = await world.states();
    const found = await world.zoneformWith(READ_ONLY, "status", "--no-record");
    expect(found).toMatchObject({ code: 0, stderr: "" });
    expect(flat(found.stdout)).toContain(
      `${SHOP}: seen moved for the first time now; Cloudflare deletes it 7 days after it moved`,
    );
    expect(flat(found.stdout)).toContain(`www.northwind-books.com: ${text}`);
    expect(flat(found.stdout)).toContain("to do: the owner of the domain has to release the hold of the zone");
    expect(found.stdout).toContain("saas-app.dev: nothing needs attention\n  2 hostnames: 2 active\n");
    expect(world.writes()).toEqual({});
    expect(await world.states()).toEqual(before);
  });

  test("lists hostnames that are stuck, by reason, and the fallback origin's health", async () => {
    const world = await appliedWorld();
    const { admin } = world.emulator;
    admin.forceHostname(DEV, SHOP, {
      status: "pending",
      sslStatus: "pending_issuance",
      validationErrors: ["caa_error: shop.northwind-books.com"],
    });
    admin.forceHostname(DEV, "www.northwind-books.com", { sslStatus: "validation_timed_out" });
    const server = await startDnsServer({});
    const found = await world.zoneform("status", "--zone", "saas.dev", "--resolver", server.address);
    expect(found.code).toBe(0);
    expect(found.stdout).toContain(`  1 stuck in caa_error\n    ${SHOP}`);
    expect(flat(found.stdout)).toContain(
      "to do: the customer has to set the CAA records that zoneform hostname todo lists, or choose another CA",
    );
    expect(found.stdout).toContain("  1 stuck in validation_timed_out\n    www.northwind-books.com");
    expect(flat(found.stdout)).toContain(
      "to do: set the records that are missing, then: zoneform hostname retry www.northwind-books.com",
    );
    expect(flat(found.stdout)).toContain("it does not resolve");
    expect(found.stdout).not.toContain("nothing needs attention");
    expect(server.questions).toContain("A fallback.saas.dev");
  });

  test("says the same as JSON and as text", async () => {
    const world = await appliedWorld();
    world.emulator.admin.forceHostname(DEV, SHOP, { status: "moved" });
    const { stdout } = await world.zoneform(
      "status",
      "--zone",
      "saas.dev",
      "--expiring-within",
      "100d",
      "--format",
      "json",
    );
    const document: unknown = JSON.parse(stdout);
    expect(document).toMatchObject({
      zones: [{ zone: { name: "saas.dev" }, live: 14, moved: [{ hostname: SHOP }], blocked: [], foreign: 0 }],
    });
    expect(document).toHaveProperty("zones.0.expiring.13");
  });
});

describe("hostname", () => {
  test("lists hostnames by status and by pattern", async () => {
    const world = await appliedWorld();
    world.emulator.admin.forceHostname(DEV, SHOP, { status: "moved" });
    const args = ["hostname", "list", "--status", "moved", "--select", "*.northwind-books.com", "--format", "csv"];
    const { code, stdout } = await world.zoneform(...args);
    expect(code).toBe(0);
    expect(stdout.split("\n").map((row) => row.split(",").slice(0, 3).join(","))).toEqual([
      "zone,hostname,status",
      `saas.dev,${SHOP},moved`,
      "",
    ]);
  });

  test("has nothing for customers whose hostnames are active", async () => {
    const world = await appliedWorld();
    expect(await world.zoneform("hostname", "todo", "--select", SHOP)).toMatchObject({
      code: 0,
      stdout: "no customer has records left to set\n",
    });
  });

  test("lists what customers must still set", async () => {
    const world = await freshWorld();
    expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    const { stdout } = await world.zoneform("hostname", "todo", "--select", SHOP, "--format", "csv");
    expect(stdout).toContain(`saas.dev,${SHOP},traffic,required,CNAME,${SHOP},fallback.saas.dev\n`);
    const named = await world.zoneform(
      "hostname",
      "todo",
      "--select",
      SHOP,
      "--target",
      "to.saas.dev",
      "--format",
      "json",
    );
    expect(JSON.parse(named.stdout)).toHaveProperty("zones.1.hostnames.0.records.0.value", "to.saas.dev");
  });

  test("names the place of the CAA record that blocks, and never a public suffix", async () => {
    const world = await appliedWorld();
    const ssl = { method: "txt", type: "dv", certificate_authority: "google" };
    world.dashboard(DEV, "POST", "custom_hostnames", { hostname: "shop.co.uk", ssl });
    for (const name of ["shop.co.uk", SHOP])
      world.emulator.admin.forceHostname(DEV, name, {
        sslStatus: "pending_issuance",
        validationErrors: [`caa_error: ${name}`],
      });
    const server = await startDnsServer({
      "shop.co.uk": { caa: ['0 issue "letsencrypt.org"'] },
      "co.uk": {},
      [SHOP]: { cname: "fallback.saas.dev" },
      "northwind-books.com": { caa: ['0 issue "digicert.com"'] },
    });
    const args = ["hostname", "todo", "--zone", "saas.dev", "--format", "csv"];
    const asked = await world.zoneform(...args, "--resolver", server.address);
    expect(asked).toMatchObject({ code: 0, stderr: "" });
    expect(asked.stdout).toContain('saas.dev,shop.co.uk,certificate,required,CAA,shop.co.uk,"0 issue ""pki.goog"""\n');
    expect(asked.stdout).toContain(`saas.dev,${SHOP},certificate,required,CAA,northwind-books.com,`);
    const nothing = await startDnsServer({});
    const unseen = await world.zoneform(...args, "--select", "shop.co.uk", "--resolver", nothing.address);
    expect(unseen).toMatchObject({ code: 0, stderr: expect.stringContaining("[caa-unseen]") });
    expect(unseen.stdout).toContain('certificate,required,CAA,shop.co.uk,"0 issue ""pki.goog"""\n');
  });

  test("restarts the validation of what waits for it, and asks first", async () => {
    const world = await appliedWorld();
    world.emulator.admin.forceHostname(DEV, SHOP, { status: "moved" });
    const asked = await world.zoneform("hostname", "retry", SHOP);
    expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining("[not-approved]") });
    expect(world.writes()).toEqual({});
    const done = await world.zoneform("hostname", "retry", SHOP, "store.juniper-and-sons.com", "--auto-approve");
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining("API calls") });
    expect(done.stdout).toContain("store.juniper-and-sons.com: skipped: it is active");
    expect(done.stdout).toContain(`${SHOP}: restarted, now active`);
    expect(world.writes()).toEqual({ "PATCH /zones/:zone/custom_hostnames/:id": 1 });
  });

  test("exits 1 for a name that is no hostname, before anything is written", async () => {
    const world = await appliedWorld();
    const refused = await world.zoneform("hostname", "revalidate", SHOP, "nobody.test", "--auto-approve");
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("[unknown-hostname]") });
    expect(world.writes()).toEqual({});
  });
});

describe("certificates and ca audit", () => {
  test("list, find and audit the certificates of the zones, with a read-only token", async () => {
    const world = await appliedWorld();
    const list = await world.zoneformWith(
      READ_ONLY,
      "certificates",
      "list",
      "--kind",
      "custom_hostname",
      "--format",
      "csv",
    );
    expect(list.code).toBe(0);
    expect(list.stdout).toContain(`saas.dev,${SHOP},custom_hostname,active,`);
    const search = await world.zoneformWith(READ_ONLY, "certificates", "search", SHOP, "--format", "json");
    expect(JSON.parse(search.stdout)).toMatchObject({
      zones: [{ certificates: [] }, { certificates: [{ hosts: [SHOP] }] }],
    });
    const audit = await world.zoneformWith(READ_ONLY, "ca", "audit", "--at", "2027-01-01", "--format", "csv");
    expect(audit.code).toBe(0);
    expect(audit.stdout.split("\n")[0]).toBe("zone,hosts,kind,chosen ca,issuing ca,chain,service,owner,warning");
    expect((await world.zoneformWith(READ_ONLY, "ca", "audit")).stdout).toContain("\n\nsaas-app.dev: 3 certificates");
  });

  test("uses the service's clock for the audit, even if ours is slow", async () => {
    const world = await appliedWorld();
    world.emulator.advance(100 * 24 * 60 * 60 * 1000);
    const { code, stdout } = await world.zoneform("ca", "audit");
    expect(code).toBe(0);
    expect(stdout).toContain(`as of ${new Date(world.emulator.now()).toISOString().slice(0, 10)}`);
    expect(stdout).not.toContain("no chain");
  });

  test.each([
    [["certificates", "list", "--kind", "custm"], "did you mean"],
    [["ca", "audit", "--at", "2024-02-30"], "Expected a date such as 2024-09-30."],
    [["status", "--expiring-within", "soon"], "Expected a number of days such as 30d."],
    [["purge", "--host", "a.saas.dev", "--hosts-per-call", "101"], "a number from 1 to 100"],
  ])("%j is refused, with what was expected", async (args, said) => {
    const world = await appliedWorld();
    expect(await world.zoneform(...args)).toMatchObject({ code: 1, stderr: expect.stringContaining(said) });
  });
});

describe("purge", () => {
  test("purges hosts in the zone that has them, and asks first", async () => {
    const world = await appliedWorld();
    const asked = await world.zoneform("purge", "--host", SHOP);
    expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining("[not-approved]") });
    expect(world.emulator.admin.purges(DEV)).toEqual([]);
    const done = await world.zoneform("purge", "--host", SHOP, "static.saas.dev", "--auto-approve");
    expect(done).toMatchObject({ code: 0 });
    expect(world.emulator.admin.purges(DEV)).toMatchObject([{ items: [SHOP, "static.saas.dev"] }]);
  });
});

describe("explain", () => {
  test("needs neither project nor credential", async () => {
    const world = await freshWorld();
    const known = await world.zoneformWith({ CLOUDFLARE_API_TOKEN: "" }, "explain", "1469");
    expect(known).toMatchObject({ code: 0, stdout: expect.stringContaining("set cloudflare_branding: true") });
    expect(await world.zoneformWith({}, "explain", "nonsense-code-x")).toMatchObject({ code: 1 });
    const all = JSON.parse((await world.zoneformWith({}, "explain", "--format", "json")).stdout);
    expect(all).toHaveProperty("explanations.150");
  });
});

test("an adoption that sends something is counted apart: the counts are the calls", async () => {
  const world = await appliedWorld();
  await rm(join(world.folder, ".zoneform"), { recursive: true });
  for (const name of ["shop.northwind-books.com", "www.northwind-books.com"]) {
    const id = text(world.hostname(DEV, name), "id");
    world.dashboard(DEV, "PATCH", `custom_hostnames/${id}`, {
      ssl: { method: "http", type: "dv", settings: { min_tls_version: "1.2" } },
    });
  }
  world.emulator.advance(600_000);
  const before = world.writes()["PATCH /zones/:zone/custom_hostnames/:id"] ?? 0;
  const planned = await world.zoneform("plan", "--zone", "saas.dev", "--report", "markdown=plan.md");
  expect(planned.stdout).toMatch(/^ +adopt {2}adopt and update {2}unchanged\n {2}saas\.dev +\d+ +2 +-$/m);
  expect(await readFile(join(world.folder, "plan.md"), "utf8")).toMatch(/\| adopt \| adopt and update \|/);
  const { zones } = JSON.parse((await world.zoneform("plan", "--zone", "saas.dev", "--json")).stdout);
  expect(zones[0].counts).toMatchObject({ adopt_and_update: 2, update: 0 });
  const applied = await world.zoneform("apply", "--auto-approve", "--zone", "saas.dev", "--json-file", "report.json");
  expect(applied.stdout).toMatch(/: (?:\d+ adopted, 2 adopted and updated|2 adopted and updated, \d+ adopted)\./);
  expect((world.writes()["PATCH /zones/:zone/custom_hostnames/:id"] ?? 0) - before).toBe(2);
  const report = JSON.parse(await readFile(join(world.folder, "report.json"), "utf8"));
  expect(report.zones[0].changes.filter(({ updates }: { updates?: true }) => updates)).toHaveLength(2);
  const runs = JSON.parse((await world.zoneform("undo", "--list", "--json")).stdout);
  expect(runs.runs[0]).toMatchObject({ changes: 2 });
});

test("a plan of which everything is blocked, also by what was observed, takes no call", async () => {
  const world = await appliedWorld();
  await world.edit("zones/saas-dev.yaml", "fallback.saas.dev", "nowhere.saas.dev");
  const planned = await world.zoneform("plan", "--zone", "saas.dev", "--deny", "outage");
  expect(planned.stdout).toContain("1 change in zone saas.dev, blocked.");
  expect(planned.stdout).not.toContain("API call");
});

describe("why of a hostname that the application created", () => {
  test("finds the zone that has it, in the state or only live", async () => {
    const world = await appliedWorld();
    const created = { ssl: { method: "http", type: "dv" } };
    world.dashboard(APP, "POST", "custom_hostnames", { hostname: "g1.tenants.net", ...created });
    const live = await world.zoneform("why", "g1.tenants.net");
    expect(live).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('saas-app.dev/custom_hostname["g1.tenants.net"]'),
    });
    world.emulator.advance(600_000);
    expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    expect(await world.zoneform("why", "g1.tenants.net")).toMatchObject({ code: 0 });
    expect(await world.zoneform("why", "g2.tenants.net")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("[ambiguous-address]"),
    });
  });
});

test("status of a fallback origin that somebody deleted says that an apply sets it again", async () => {
  const world = await appliedWorld();
  world.dashboard(DEV, "DELETE", "custom_hostnames/fallback_origin");
  world.emulator.advance(600_000);
  const { stdout } = await world.zoneform("status", "--no-record", "--zone", "saas.dev");
  expect(flat(stdout)).toContain(
    "the zone has no fallback origin, although the YAML declares one to do: to set it again: zoneform apply",
  );
});

test("a plan that is larger than --max-changes names no command that is refused as well", async () => {
  const world = await appliedWorld();
  await world.edit("data/customers.csv", /$/, "new.violin-academy.de,silver,,eu\nnew2.violin-academy.de,silver,,eu\n");
  const planned = await world.zoneform("plan", "--max-changes", "1");
  expect(planned).toMatchObject({ code: 4, stderr: expect.stringContaining("--max-changes allows 1") });
  expect(planned.stdout).not.toContain("zoneform apply");
});

test("a hold of a renamed hostname names the new one", async () => {
  const world = await appliedWorld();
  await world.edit("data/customers.csv", "shop.northwind-books.com", "store.northwind-books.com");
  await world.edit(
    "zones/saas-dev.yaml",
    "total_tls:",
    "moved: [{ from: shop.northwind-books.com, to: store.northwind-books.com }]\ntotal_tls:",
  );
  const planned = await world.zoneform("plan", "--zone", "saas.dev");
  expect(flat(planned.stdout)).toContain("it moves to store.northwind-books.com, and is not live there yet");
});
