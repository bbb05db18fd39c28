import { describe, expect, test } from "vitest";
import { at } from "../support/emulator.ts";
import type { Ended } from "../support/command.ts";
import { APP, appliedWorlds, DEV, type World } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();

const STORE = "store.juniper-and-sons.com";

/** Destroys beyond the deletion limits, with the command that a blocked destroy prints. */
async function destroyApproved({ zoneform }: Pick<World, "zoneform">, ...flags: readonly string[]): Promise<Ended> {
  const { stdout } = await zoneform("destroy", ...flags);
  const [, hash = ""] = / --approve (zf\d+:\w{64})$/m.exec(stdout) ?? [];
  return zoneform("destroy", ...flags, "--approve", hash);
}

describe("destroy", () => {
  test("deletes in reverse order, and releases settings and the application's hostnames", async () => {
    const world = await appliedWorld();
    const { dashboard, hostname, emulator } = world;
    const leaving = `saas.dev/custom_hostname["${STORE}"]`;
    const ended = await destroyApproved(world, "--parallelism", "1", "--exclude", leaving);
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
    const world = await appliedWorld();
    const { zoneform, dashboard, hostname } = world;
    const refused = await destroyApproved(world);
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

  test("keeps the origin of the application's hostnames while something is blocked, also in another zone", async () => {
    const { zoneform, dashboard, hostname } = await appliedWorld();
    const origin = (): unknown => at(dashboard(APP, "GET", "custom_hostnames/fallback_origin"), "status");
    const stopped = await zoneform("destroy", "--auto-approve");
    expect(stopped.code).toBe(6);
    expect(flat(stopped.stdout)).toContain(
      "- delete fallback_origin, BLOCKED, DANGER (config: destroy) changes in saas.dev are blocked, and hostnames that stay would lose their origin [still-serves] resolve that first, or destroy this zone alone: --zone saas-app.dev",
    );
    expect(origin()).toBe("active");
    const ended = await destroyApproved({ zoneform });
    expect(ended.code).toBe(6);
    expect(origin()).toBe("active");
    expect(hostname(APP, "one.tenant-alpha.com")).toMatchObject({ status: "active" });
    // Whoever destroys the zone itself was shown the outage.
    const alone = await zoneform("destroy", "--auto-approve", "--zone", "saas-app.dev");
    expect(alone.code).toBe(0);
    expect(alone.stdout).toMatch(/DANGER .*fallback_origin.* outage\n/);
    expect(origin()).not.toBe("active");
  });

  test("beyond a deletion limit is blocked as a whole, and says what to do", async () => {
    const { zoneform, writes } = await appliedWorld();
    const leaving = `saas.dev/custom_hostname["${STORE}"]`;
    const blocked = await zoneform("destroy", "--auto-approve", "--zone", "saas.dev", "--exclude", leaving);
    expect(blocked.code).toBe(4);
    expect(flat(blocked.stdout)).toContain(
      "deletes 13 of 14 managed custom hostnames (92.86%); deletion_limits allows 50%",
    );
    expect(flat(blocked.stdout)).toContain("deletion_limits: { custom_hostname: { percent: 93%, count: 13 } }");
    expect(writes()).toEqual({});
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
    const few = ["track.meridian-freight.com", "app.meridian-freight.com"];
    const named = few.flatMap((name) => ["--target", `saas.dev/custom_hostname["${name}"]`]);
    const asked = await zoneform("destroy", ...named, "--exclude", `saas.dev/custom_hostname["${STORE}"]`);
    expect(asked.code).toBe(1);
    expect(asked.stdout).not.toContain(STORE);
    expect(asked.stdout).toMatch(/DANGER {2}2 hostnames go offline +outage\n/);
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
