import { describe, expect, test } from "vitest";
import { editRules, editTls } from "../support/dashboard.ts";
import { at, text } from "../support/emulator.ts";
import { APP, appliedWorlds, DEV } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();

const SHOP = "shop.northwind-books.com";

describe("drift", () => {
  test("names each attribute that somebody changed, exits 3, and one apply repairs it all", async () => {
    const world = await appliedWorld();
    const { zoneform, dashboard, hostname, writes, emulator } = world;
    editTls(world, SHOP, "1.0");
    editRules(world, (rules) => rules.map((rule) => ({ ...rule, enabled: rule["ref"] !== "sec/skip-uploads" })));
    dashboard(DEV, "POST", "acm/total_tls", { enabled: true, certificate_authority: "lets_encrypt" });

    const found = await zoneform("drift");
    expect(found.code).toBe(3);
    expect(found.stdout).toContain("Drift: 3 objects changed since the last apply (2 attributes, 1 rule)\n");
    expect(found.stdout).toContain(`~ changed saas.dev/custom_hostname["${SHOP}"]
    ssl.settings.min_tls_version  applied 1.3, live 1.0  (drift)
`);
    expect(found.stdout).toMatch(/enabled #1 "uploads are scanned behind the edge" \[sec\/skip-uploads\]\s+\(drift\)/);
    expect(found.stdout).toContain("certificate_authority  applied google, live lets_encrypt  (drift)\n");
    expect(found.stdout).toContain("Zone saas-app.dev: No drift.\n");

    const document: unknown = JSON.parse((await zoneform("drift", "--json")).stdout);
    expect(document).toMatchObject({ zones: [{ exit_code: 0 }, { exit_code: 3, counts: { update: 3 } }] });

    emulator.requests.reset();
    expect(await zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    expect(writes()).toEqual({
      "PATCH /zones/:zone/custom_hostnames/:id": 1,
      "PUT /zones/:zone/rulesets/phases/:phase/entrypoint": 1,
      "POST /zones/:zone/acm/total_tls": 1,
    });
    expect(at(hostname(DEV, SHOP), "ssl.settings.min_tls_version")).toBe("1.3");
    expect(await zoneform("drift")).toMatchObject({ code: 0, stderr: "" });
    expect(await zoneform("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
  });

  test("is what somebody took away of ours, and is not what they do with their own rules", async () => {
    const world = await appliedWorld();
    const { zoneform } = world;
    editRules(world, (rules) => rules.filter((rule) => rule["ref"] !== "dashboard-exposed-credentials"));
    expect(await zoneform("drift")).toMatchObject({ code: 0 });
    editRules(world, (rules) => rules.filter((rule) => rule["ref"] !== "sec/managed"));
    const found = await zoneform("drift");
    expect(found.code).toBe(3);
    expect(found.stdout).toMatch(
      /\+ #2 execute "the managed ruleset, with one rule that only logs"\s+\[sec\/managed\]/,
    );
  });

  test("is a hostname that somebody deleted; an apply makes it again", async () => {
    const world = await appliedWorld();
    const { zoneform, dashboard, hostname } = world;
    dashboard(DEV, "DELETE", `custom_hostnames/${text(hostname(DEV, SHOP), "id")}`);
    const found = await zoneform("drift");
    expect(found).toMatchObject({ code: 3 });
    expect(flat(found.stdout)).toContain(`- deleted saas.dev/custom_hostname["${SHOP}"] (deleted outside of zoneform`);
    expect(await zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    expect(at(hostname(DEV, SHOP), "custom_metadata.tier")).toBe("gold");
  });

  test("is nothing that the service does by itself: status, renewal, a hostname that moved away", async () => {
    const { zoneform, emulator } = await appliedWorld();
    emulator.admin.forceHostname(DEV, SHOP, { status: "moved" });
    emulator.admin.forceHostname(DEV, "www.northwind-books.com", { sslStatus: "pending_validation" });
    emulator.admin.forceHostname(DEV, "learn.rosetta-academy.fr", { sslStatus: "expired" });
    expect(await zoneform("drift")).toMatchObject({ code: 0 });
    emulator.advance(70 * 24 * 3600 * 1000);
    expect(await zoneform("drift")).toMatchObject({ code: 0 });
  });

  test("is no hostname that the application creates, changes or deletes in its own zone", async () => {
    const { zoneform, dashboard, hostname } = await appliedWorld();
    dashboard(APP, "POST", "custom_hostnames", {
      hostname: "three.tenant-gamma.com",
      ssl: { method: "http", type: "dv" },
    });
    const one = text(hostname(APP, "one.tenant-alpha.com"), "id");
    dashboard(APP, "PATCH", `custom_hostnames/${one}`, { custom_metadata: { tier: "gold", seats: "12" } });
    dashboard(APP, "DELETE", `custom_hostnames/${text(hostname(APP, "two.tenant-beta.com"), "id")}`);
    const found = await zoneform("drift");
    expect(found.stdout).toContain("No drift.");
    expect(found.code).toBe(0);
  });

  test("is looked for with a token that may only read", async () => {
    const world = await appliedWorld();
    const readOnly = { CLOUDFLARE_API_TOKEN: "demo-read-only" };
    expect(await world.zoneformWith(readOnly, "drift")).toMatchObject({ code: 0 });
    editTls(world, SHOP, "1.1");
    expect(await world.zoneformWith(readOnly, "drift")).toMatchObject({ code: 3 });
    expect(world.writes()).toEqual({});
  });
});
