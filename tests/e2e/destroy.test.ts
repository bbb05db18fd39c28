import { describe, expect, test } from "vitest";
import { at } from "../support/emulator.ts";
import { APP, appliedWorlds, DEV } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();

const STORE = "store.juniper-and-sons.com";

describe("destroy", () => {
  test("deletes in reverse order, and releases settings and the application's hostnames", async () => {
    const { zoneform, dashboard, hostname, emulator } = await appliedWorld();
    const leaving = `saas.dev/custom_hostname["${STORE}"]`;
    const ended = await zoneform("destroy", "--auto-approve", "--parallelism", "1", "--exclude", leaving);
    expect(ended.code).toBe(0);

    const deleted = emulator.requests.entries().filter(({ method }) => method !== "GET");
    const isHostname = deleted.map(({ pattern }) => pattern === "/zones/:zone/custom_hostnames/:id");
    expect(isHostname.filter(Boolean)).toHaveLength(13);
    // The entry point goes before the hostnames, the fallback origin after them.
    const [first, last] = [isHostname.indexOf(true), isHostname.lastIndexOf(true)];
    expect(
      deleted
        .slice(0, first)
        .map(({ path }) => path)
        .join(),
    ).toContain("rulesets");
    const behind = deleted.slice(last + 1).map(({ pattern }) => pattern);
    expect(new Set(behind)).toEqual(new Set(["/zones/:zone/custom_hostnames/fallback_origin"]));

    expect(at(dashboard(DEV, "GET", "acm/total_tls"), "enabled")).toBe(true);
    expect(hostname(APP, "one.tenant-alpha.com")).toMatchObject({ status: "active" });
  });

  test("refuses to delete what is protected, and keeps the origin that it uses", async () => {
    const { zoneform, dashboard, hostname } = await appliedWorld();
    const refused = await zoneform("destroy", "--auto-approve");
    expect(refused.code).toBe(6);
    expect(flat(refused.stdout)).toContain(`- delete ${STORE} it is protected, and this plan would delete it`);
    expect(flat(refused.stdout)).toContain(
      `- delete saas.dev/fallback_origin ${STORE} may not be deleted, and would be left without an origin`,
    );
    // The same command would be refused the same things.
    expect(refused.stdout).not.toContain("To resume");
    expect(hostname(DEV, STORE)).not.toBeNull();
    expect(at(dashboard(DEV, "GET", "custom_hostnames/fallback_origin"), "status")).toBe("active");
    const kept = await zoneform("state", "list");
    expect(kept.stdout.trim().split("\n").slice(1).join()).toMatch(/custom_hostname.*fallback_origin/s);
  });

  test("keeps the foreign rules in a shared entry point", async () => {
    const { zoneform, dashboard } = await appliedWorld();
    const ended = await zoneform("destroy", "--auto-approve", "--target", "saas.dev/ruleset");
    expect(ended).toMatchObject({ code: 0 });
    const rules = at(dashboard(DEV, "GET", "rulesets/phases/http_request_firewall_managed/entrypoint"), "rules");
    expect(rules).toMatchObject([{ ref: "dashboard-exposed-credentials" }]);
  });

  test("asks first, and skips what is excluded", async () => {
    const { zoneform, writes } = await appliedWorld();
    const asked = await zoneform("destroy", "--exclude", `saas.dev/custom_hostname["${STORE}"]`);
    expect(asked.code).toBe(1);
    expect(asked.stdout).not.toContain(STORE);
    expect(asked.stdout).toMatch(/DANGER {2}\d+ hostnames go offline +outage\n/);
    expect(asked.stderr).toContain("cannot ask for approval");
    expect(writes()).toEqual({});
  });

  test("has nothing to do without objects", async () => {
    const { zoneform } = await appliedWorld();
    await zoneform("destroy", "--auto-approve", "--zone", "saas-app.dev");
    const again = await zoneform("destroy", "--auto-approve", "--zone", "saas-app.dev");
    expect(again).toMatchObject({ code: 0, stderr: "" });
  });
});
