import { describe, expect, test } from "vitest";
import { makeUndo, type UndoOptions } from "../../../lib/engine/undo.ts";
import type { JsonObject } from "../../../lib/core/json.ts";
import { applyExit, exitOf, planExit } from "../../../lib/engine/exit.ts";
import { planText } from "../../../lib/report/plan.ts";
import { changesOf, failuresOf, type FileContent, inWords, openRig, type Rig, ZONE } from "../../support/engine.ts";
import {
  appliedRig,
  type Configuration,
  filesOf,
  rigWith,
  liveValues,
  settle,
  apply,
  editLive,
  runsOf,
  undo,
  BASE,
  withOrigin,
} from "../../support/undoing.ts";

describe("an undo", () => {
  test("that can undo nothing plans nothing, releases no field, and has exit code 4", async () => {
    const one = (more: JsonObject): Configuration => ({
      ...BASE,
      hostnames: [{ hostname: "a.net", ssl: { method: "http", type: "dv" }, ...more }],
    });
    const rig = await appliedRig(one({}));
    await apply(rig, one({ custom_origin_server: "origin1.saas.net" }));
    const { plan } = await undo(rig);
    expect(inWords(changesOf(plan))).toEqual([]);
    expect(plan.zones[0]?.findings).toMatchObject([{ severity: "error", code: "cannot-be-undone" }]);
    expect(exitOf(plan, (section) => planExit(section, false)).code).toBe(4);
    expect(planText(plan, { colour: false })).toMatch(
      /^Nothing of this run can be undone any more\.\n\nerror: cannot be undone: /,
    );
    await rig.apply(plan);
    expect((await rig.state())?.objects.get('custom_hostname["a.net"]')?.applied).toMatchObject({
      custom_origin_server: "origin1.saas.net",
    });
  });

  test("knows that branding is no secret: a hostname that was replaced for it is replaced by one as it was", async () => {
    const one = (cloudflare_branding: boolean): Configuration => ({
      ...BASE,
      hostnames: [{ hostname: "a.net", ssl: { method: "http", type: "dv", cloudflare_branding } }],
    });
    const rig = await appliedRig(one(false));
    await apply(rig, one(true));
    const { plan } = await undo(rig);
    expect(plan.zones[0]?.findings.map(({ code }) => code)).toEqual(["yaml-says-otherwise"]);
    expect(changesOf(plan)).toMatchObject([
      { action: "replace", leaves: [{ path: ["ssl", "cloudflare_branding"], before: true, after: false }] },
    ]);
    expect(failuresOf(await rig.apply(plan))).toEqual([]);
    expect((await rig.state())?.objects.get('custom_hostname["a.net"]')?.applied).toMatchObject({
      ssl: { cloudflare_branding: false },
    });
  });

  test("creates a deleted hostname again with its branding, which the service never shows", async () => {
    const ssl = { method: "http", type: "dv", cloudflare_branding: true };
    const rig = await appliedRig({ ...BASE, hostnames: [{ hostname: "a.net", ssl }] });
    await apply(rig, { ...BASE, hostnames: [] });
    const { plan } = await undo(rig);
    expect(changesOf(plan)).toMatchObject([{ action: "create", desired: { ssl: { cloudflare_branding: true } } }]);
    expect(failuresOf(await rig.apply(plan))).toEqual([]);
    expect((await rig.state())?.objects.get('custom_hostname["a.net"]')?.applied).toMatchObject({ ssl });
  });

  test("creates a deleted hostname again as it was, and manages only what the YAML managed: no issuer is a choice", async () => {
    const one = { hostname: "a.net", ssl: { method: "http", type: "dv" } };
    const rig = await appliedRig({ ...BASE, hostnames: [one] });
    const before = (await rig.state())?.objects.get('custom_hostname["a.net"]')?.applied;
    // What nobody manages is restored too.
    await editLive(rig, { custom_metadata: { tier: "gold" } });
    await apply(rig, { ...BASE, hostnames: [] });
    const { plan } = await undo(rig);
    const [change] = changesOf(plan);
    expect(change?.leaves.map(({ path }) => path.join("."))).not.toContain("ssl.certificate_authority");
    expect(change?.leaves).toContainEqual(
      expect.objectContaining({ path: ["custom_metadata", "tier"], after: "gold" }),
    );
    const posted: unknown[] = [];
    rig.network((request, _index, pass) => {
      if (request.method === "POST") posted.push(request.body);
      return pass();
    });
    expect(failuresOf(await rig.apply(plan))).toEqual([]);
    expect(posted).toHaveLength(1);
    expect(String(posted[0])).not.toContain("certificate_authority");
    expect((await rig.state())?.objects.get('custom_hostname["a.net"]')?.applied).toEqual(before);
    rig.write("zones/a.yaml", filesOf({ ...BASE, hostnames: [one] }));
    expect(changesOf(await rig.plan())).toEqual([]);
  });

  test("creates a deleted hostname again with its old values, and with the hazards of creating it from the YAML", async () => {
    const rig = await appliedRig(BASE);
    await apply(rig, { ...BASE, hostnames: [] });
    const { plan } = await undo(rig);
    expect(changesOf(plan)).toMatchObject([
      {
        action: "create",
        key: "a.net",
        hazards: [],
        reason: "undo: the run deleted it",
        desired: { custom_origin_server: "origin1.saas.net", ssl: { method: "http", type: "dv" } },
      },
    ]);
  });

  test("of an edit that is still being deployed is planned anew until nothing is held, if it may wait", async () => {
    const one = (min_tls_version: string): Configuration => ({
      ...BASE,
      hostnames: [{ hostname: "a.net", ssl: { method: "http", type: "dv", settings: { min_tls_version } } }],
    });
    const filed = (min_tls_version: string): FileContent => {
      const { custom_hostnames, ...file } = Object(filesOf(one(min_tls_version)));
      return { ...file, custom_hostnames: { ...custom_hostnames, ssl_updates: "when_active" } };
    };
    const rig = rigWith(one("1.2"));
    rig.write("zones/a.yaml", filed("1.2"));
    expect(failuresOf(await rig.run())).toEqual([]);
    await settle(rig);
    rig.write("zones/a.yaml", filed("1.3"));
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(changesOf((await undo(rig)).plan).map(({ action }) => action)).toEqual(["held"]);
    const said: number[] = [];
    const wait = (limitMilliseconds: number): Required<UndoOptions>["wait"] => ({
      limitMilliseconds,
      report: (held) => said.push(held),
    });
    const options = { file: rig.file, run: "last" };
    const early = await makeUndo(rig.world(), { ...options, wait: wait(1_000) });
    expect(changesOf(early.plan).map(({ action }) => action)).toEqual(["held"]);
    const { plan } = await makeUndo(rig.world(), { ...options, wait: wait(600_000) });
    expect(changesOf(plan).map(({ action }) => action)).toEqual(["update"]);
    expect(said).toEqual([1, 1]);
  });

  test("does not wait for what only the customer can lift, and says what that is", async () => {
    const one = (min_tls_version: string): Configuration => ({
      ...BASE,
      hostnames: [{ hostname: "a.net", ssl: { method: "txt", type: "dv", settings: { min_tls_version } } }],
    });
    const rig = openRig({
      zone: { plan: "enterprise", validation: "world" },
      files: { "zones/a.yaml": filesOf(one("1.2")) },
    });
    expect(failuresOf(await rig.run())).toEqual([]);
    await apply(rig, one("1.3"));
    const { custom_hostnames, ...file } = Object(filesOf(one("1.3")));
    rig.write("zones/a.yaml", { ...file, custom_hostnames: { ...custom_hostnames, ssl_updates: "when_active" } });
    const before = rig.clock.now();
    const waited: number[] = [];
    const wait = { limitMilliseconds: 600_000, report: (held: number) => void waited.push(held) };
    const { plan } = await makeUndo(rig.world(), { file: rig.file, run: "last", wait });
    expect([waited, rig.clock.now() - before < 60_000]).toEqual([[], true]);
    expect(changesOf(plan).map(({ action, held }) => [action, held?.reason])).toEqual([
      ["held", expect.stringContaining("the customer has set the records of zoneform hostname todo")],
    ]);
    expect(applyExit(await rig.apply(plan, { operation: "undo" })).code).toBe(6);
  });

  test("says that the YAML still declares what is undone, and for which objects", async () => {
    const rig = await appliedRig(BASE);
    await apply(rig, withOrigin("origin2.saas.net"));
    const { plan } = await undo(rig);
    expect(plan.zones[0]?.findings).toMatchObject([{ severity: "warning", code: "yaml-says-otherwise" }]);
    expect(plan.zones[0]?.findings[0]?.message).toContain('custom_hostname["a.net"]');
    rig.write("zones/a.yaml", filesOf(BASE));
    expect((await undo(rig)).plan.zones[0]?.findings).toEqual([]);
  });

  test("says that a field that had no value before cannot be reverted", async () => {
    const rig = await appliedRig(BASE);
    const [hostname] = BASE.hostnames;
    await apply(rig, { ...BASE, hostnames: [{ ...hostname, custom_metadata: { tier: "gold" } }] });
    const { plan } = await undo(rig);
    const [finding] = plan.zones[0]?.findings ?? [];
    expect(finding?.message).toMatch(/^cannot be undone: custom_hostname\["a.net"\]: custom_metadata.tier: /);
  });

  test("refuses a run without a record, and a state without runs", async () => {
    const rig = rigWith(BASE);
    await expect(undo(rig)).rejects.toThrow("there are no runs yet");
    expect(failuresOf(await rig.run())).toEqual([]);
    await expect(undo(rig, "0".repeat(36))).rejects.toThrow("there is no run");
    await expect(undo(rig, "x")).rejects.toThrow('there is no run "x"');
  });
});

test("an undo names the WAF migration as impossible, blocks its entry point, and never attempts it, because it is irreversible", async () => {
  const rules = [
    { ref: "managed", action: "execute", expression: "true", action_parameters: { id: "cloudflare_managed" } },
  ];
  const zone = { version: 1, zone: ZONE, entry_points: { http_request_firewall_managed: { rules } } };
  const rig = openRig({
    zone: { plan: "business", waf: { migration: "start" } },
    files: { "zones/a.yaml": { ...zone, waf_migration: { target: "new", confirm_irreversible: ZONE.id } } },
  });
  expect(failuresOf(await rig.run())).toEqual([]);
  await settle(rig);
  const { plan } = await undo(rig);
  expect(changesOf(plan).every(({ refused }) => refused)).toBe(true);
  expect(plan.zones[0]?.findings[0]?.message).toMatch(/cannot be undone: waf_migration: .*cannot go back to previous/);
  expect(exitOf(plan, (section) => planExit(section, false)).code).toBe(4);
  await rig.apply(plan);
  const status = JSON.parse(rig.admin.dashboard("GET", `/zones/${ZONE.id}/waf_migration/status`).body);
  expect(status.result.migration_state).toBe("complete");
});

describe("the run of a process that was killed", () => {
  /** A rig in which an apply of five changes was killed after this many of its requests. */
  async function killed(steps: number): Promise<{ rig: Rig; before: unknown; run: string }> {
    const [first, second] = ["origin1.saas.net", "origin2.saas.net"].map((origin) => ({
      ...BASE,
      hostnames: ["a.net", "b.net", "c.net", "d.net", "e.net"].map((hostname) => ({
        hostname,
        custom_origin_server: origin,
        ssl: { method: "http", type: "dv" },
      })),
    }));
    const rig = await appliedRig(first ?? BASE);
    const before = liveValues(rig);
    rig.write("zones/a.yaml", filesOf(second ?? BASE));
    const plan = await rig.plan();
    rig.network(async (_request, index, pass) => {
      const answered = await pass();
      if (index === steps) rig.crash();
      return answered;
    });
    expect(await rig.untilCrash(rig.apply(plan, { parallelism: 1 }))).toBe("crashed");
    await rig.restart();
    await settle(rig);
    // The next run finishes what was left; only then is there a record of the earlier one.
    expect(failuresOf(await rig.run())).toEqual([]);
    await settle(rig);
    return { rig, before, run: (await runsOf(rig))[1] ?? "" };
  }

  test.each([2, 3, 4, 6])(
    "after %i requests: its own changes are undone, those of the next run are not",
    async (steps) => {
      const { rig, before, run } = await killed(steps);
      const finished = await undo(rig, run);
      expect(failuresOf(await rig.apply(finished.plan))).toEqual([]);
      await settle(rig);
      // Once the run that finished it is undone too, everything is as it was.
      const rest = (await runsOf(rig))[1] ?? "";
      expect(failuresOf(await rig.apply((await undo(rig, rest)).plan))).toEqual([]);
      await settle(rig);
      expect(liveValues(rig)).toEqual(before);
    },
  );
});

test("if the application owns the hostnames, the undo reverts what policies set, and they stay the application's", async () => {
  const file = (version: string): FileContent => ({
    version: 1,
    zone: ZONE,
    custom_hostnames: {
      lifecycle: "app",
      policies: [{ name: "tls", set: { ssl: { method: "http", type: "dv", settings: { min_tls_version: version } } } }],
    },
  });
  const custom_hostnames = ["a.net", "b.net"].map((hostname) => ({
    hostname,
    status: "active" as const,
    ssl: { method: "http" as const, type: "dv" as const, settings: { min_tls_version: "1.0" as const } },
  }));
  const rig = openRig({ zone: { plan: "enterprise", custom_hostnames }, files: { "zones/a.yaml": file("1.0") } });
  expect(failuresOf(await rig.run())).toEqual([]);
  rig.write("zones/a.yaml", file("1.2"));
  expect(failuresOf(await rig.run())).toEqual([]);
  await settle(rig);
  const { plan } = await undo(rig);
  expect(inWords(changesOf(plan))).toEqual([
    'update custom_hostname["a.net"] config ssl.settings.min_tls_version:config',
    'update custom_hostname["b.net"] config ssl.settings.min_tls_version:config',
  ]);
  expect(failuresOf(await rig.apply(plan))).toEqual([]);
  const objects = [...((await rig.state())?.objects.values() ?? [])];
  expect(objects.map(({ key, undeclared }) => [key, undeclared])).toEqual([
    ["a.net", true],
    ["b.net", true],
  ]);
});

test("a certificate pack that was replaced is replaced by one as it was", async () => {
  const file = (authority: string): FileContent => ({
    version: 1,
    zone: ZONE,
    certificate_packs: [
      {
        hosts: ["saas.net", "*.saas.net"],
        validation_method: "txt",
        validity_days: 90,
        certificate_authority: authority,
      },
    ],
  });
  const rig = openRig({ files: { "zones/a.yaml": file("google") } });
  expect(failuresOf(await rig.run())).toEqual([]);
  await settle(rig);
  rig.write("zones/a.yaml", file("ssl_com"));
  expect(failuresOf(await rig.run())).toEqual([]);
  await settle(rig);
  expect(failuresOf(await rig.run())).toEqual([]);
  const { plan } = await undo(rig);
  expect(changesOf(plan)).toMatchObject([
    { action: "replace", kind: "certificate_pack", desired: { certificate_authority: "google" } },
  ]);
  expect(failuresOf(await rig.apply(plan))).toEqual([]);
});
