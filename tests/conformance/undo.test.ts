import { describe, expect, test } from "vitest";
import { objects, optionalObject } from "../../lib/core/decode.ts";
import type { JsonObject } from "../../lib/core/json.ts";
import { exitOf, planExit } from "../../lib/exit.ts";
import { listRuns } from "../../lib/state/runs.ts";
import { makeUndo, type PlannedUndo } from "../../lib/undo.ts";
import type { Random } from "../../lib/core/clock.ts";
import type { FileContent, Rig } from "../support/engine.ts";
import { changesOf, failuresOf, inWords, openRig, runCutOffAfter, seededRandom, ZONE } from "../support/engine.ts";

const HOUR_MILLISECONDS = 3_600_000;
const PHASE = "http_request_firewall_custom";

interface Configuration {
  readonly fallback: string;
  readonly hostnames: readonly JsonObject[];
  readonly rules: readonly JsonObject[];
  readonly totalTls: boolean;
}

function filesOf({ fallback, hostnames, rules, totalTls }: Configuration): FileContent {
  return {
    version: 1,
    zone: ZONE,
    fallback_origin: { origin: fallback },
    custom_hostnames: { lifecycle: "zoneform", ssl_updates: "always", foreign: "ignore", entries: hostnames },
    entry_points: { [PHASE]: { own: ["sec/"], adopt: true, rules } },
    total_tls: { enabled: totalTls },
  };
}

/** A configuration in which every leaf that any other one sets is set, so that there is a way back from each to each. */
function drawn(random: Random): Configuration {
  const one = <T>(first: T, ...others: readonly T[]): T =>
    [first, ...others][Math.floor(random.fraction() * (others.length + 1))] ?? first;
  const names = ["a.net", "b.net", "c.net", "d.net", "e.net"].filter(() => random.fraction() < 0.7);
  const refs = ["sec/1", "sec/2", "sec/3", "sec/4"].filter(() => random.fraction() < 0.7);
  if (random.fraction() < 0.5) refs.reverse();
  return {
    fallback: one("fallback.saas.net", "fallback2.saas.net"),
    hostnames: names.map((hostname) => ({
      hostname,
      custom_origin_server: one("origin1.saas.net", "origin2.saas.net"),
      custom_metadata: { tier: one("gold", "silver") },
      ssl: {
        method: one("http", "txt"),
        type: "dv",
        settings: { min_tls_version: one("1.0", "1.2"), http2: one("on", "off") },
      },
    })),
    rules: refs.map((ref) => ({
      ref,
      action: one("block", "log"),
      expression: one('http.request.uri.path eq "/a"', 'http.request.uri.path eq "/b"'),
      enabled: one(true, false),
    })),
    totalTls: one(true, false),
  };
}

const FOREIGN = { ref: "theirs", action: "block", expression: 'http.request.uri.path eq "/x"' };

function rigWith(configuration: Configuration): Rig {
  const rulesets = [{ phase: PHASE, rules: [FOREIGN] }];
  return openRig({ zone: { plan: "enterprise", rulesets }, files: { "zones/a.yaml": filesOf(configuration) } });
}

/** Everything of the zone that a user can set, as the service answers it. */
function liveValues(rig: Rig): unknown {
  const answer = (path: string): { readonly result: JsonObject } =>
    JSON.parse(rig.admin.dashboard("GET", `/zones/${ZONE.id}/${path}`).body);
  const hostnames = objects({ ...answer("custom_hostnames?per_page=50") }, "result");
  const entryPoint = answer(`rulesets/phases/${PHASE}/entrypoint`).result;
  return {
    fallback: pick(answer("custom_hostnames/fallback_origin").result, ["origin"]),
    hostnames: Object.fromEntries(
      hostnames.map((record) => [
        record["hostname"],
        [
          pick(record, ["custom_origin_server", "custom_metadata"]),
          pick(optionalObject(record, "ssl") ?? {}, ["method", "type", "settings"]),
        ],
      ]),
    ),
    rules: objects(entryPoint, "rules").map((rule) => pick(rule, ["ref", "action", "expression", "enabled"])),
    totalTls: pick(answer("acm/total_tls").result, ["enabled"]),
  };
}

function pick(from: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(fields.map((field) => [field, from[field] ?? null]));
}

async function settle(rig: Rig): Promise<void> {
  await rig.wait(HOUR_MILLISECONDS);
}

async function apply(rig: Rig, configuration: Configuration): Promise<void> {
  rig.write("zones/a.yaml", filesOf(configuration));
  expect(failuresOf(await rig.run())).toEqual([]);
  await settle(rig);
}

/** The ids of the runs that are kept, the newest first. */
async function runsOf(rig: Rig): Promise<readonly string[]> {
  return (await listRuns(rig.world().store, ZONE.id)).map(({ run }) => run);
}

function undo(rig: Rig, run = "last"): Promise<PlannedUndo> {
  return makeUndo(rig.world(), { file: rig.file, run });
}

test("apply and undo is as it was before, for a hundred drawn pairs; undo of undo is the apply", async () => {
  const met = new Set<string>();
  for (let seed = 1; seed <= 100; seed++) {
    const random = seededRandom(seed);
    const rig = rigWith(drawn(random));
    expect(failuresOf(await rig.run())).toEqual([]);
    await settle(rig);
    const before = liveValues(rig);
    await apply(rig, drawn(random));
    const after = liveValues(rig);

    const back = await undo(rig);
    for (const { kind, action } of changesOf(back.plan)) met.add(`${action} ${kind}`);
    expect(inWords(changesOf(back.plan).filter(({ refused }) => refused))).toEqual([]);
    expect(failuresOf(await rig.apply(back.plan))).toEqual([]);
    await settle(rig);
    expect(liveValues(rig), `seed ${seed}`).toEqual(before);
    expect(inWords(changesOf((await undo(rig, back.run)).plan)), `seed ${seed}, twice`).toEqual([]);

    const again = await undo(rig);
    expect(failuresOf(await rig.apply(again.plan))).toEqual([]);
    await settle(rig);
    expect(liveValues(rig), `seed ${seed}, undo of undo`).toEqual(after);
  }
  expect([...met].sort()).toEqual(
    expect.arrayContaining([
      "create custom_hostname",
      "delete custom_hostname",
      "update custom_hostname",
      "update fallback_origin",
      "update ruleset",
      "update total_tls",
    ]),
  );
}, 120_000);

const BASE: Configuration = {
  fallback: "fallback.saas.net",
  hostnames: [{ hostname: "a.net", custom_origin_server: "origin1.saas.net", ssl: { method: "http", type: "dv" } }],
  rules: [{ ref: "sec/1", action: "block", expression: "true", enabled: true }],
  totalTls: false,
};

function withOrigin(origin: string): Configuration {
  return {
    ...BASE,
    hostnames: [{ hostname: "a.net", custom_origin_server: origin, ssl: { method: "http", type: "dv" } }],
  };
}

describe("what changed since the run", () => {
  test("is a conflict, with what stands there now, and is not overwritten", async () => {
    const rig = rigWith(BASE);
    expect(failuresOf(await rig.run())).toEqual([]);
    await settle(rig);
    await apply(rig, withOrigin("origin2.saas.net"));
    const id = (await rig.state())?.objects.get('custom_hostname["a.net"]')?.id ?? "";
    rig.admin.dashboard("PATCH", `/zones/${ZONE.id}/custom_hostnames/${id}`, {
      custom_origin_server: "origin3.saas.net",
    });
    const { plan } = await undo(rig);
    expect(inWords(changesOf(plan))).toEqual([
      'update custom_hostname["a.net"] both custom_origin_server:both refused changed-since-run',
    ]);
    expect(changesOf(plan)[0]?.refused?.contested).toEqual([
      {
        path: ["custom_origin_server"],
        planned: "origin2.saas.net",
        live: "origin3.saas.net",
        wanted: "origin1.saas.net",
      },
    ]);
    expect(exitOf(plan, (section) => planExit(section, false)).code).toBe(5);
    const before = liveValues(rig);
    await rig.apply(plan);
    expect(liveValues(rig)).toEqual(before);
  });

  test("by a later run is a conflict as well", async () => {
    const rig = rigWith(BASE);
    expect(failuresOf(await rig.run())).toEqual([]);
    await settle(rig);
    await apply(rig, withOrigin("origin2.saas.net"));
    const { run } = await undo(rig);
    await apply(rig, withOrigin("origin3.saas.net"));
    expect(inWords(changesOf((await undo(rig, run)).plan))).toEqual([
      expect.stringContaining("refused changed-since-run"),
    ]);
  });

  test("in another leaf is no conflict, and stays", async () => {
    const rig = rigWith(BASE);
    expect(failuresOf(await rig.run())).toEqual([]);
    await settle(rig);
    await apply(rig, withOrigin("origin2.saas.net"));
    const id = (await rig.state())?.objects.get('custom_hostname["a.net"]')?.id ?? "";
    rig.admin.dashboard("PATCH", `/zones/${ZONE.id}/custom_hostnames/${id}`, { custom_metadata: { tier: "theirs" } });
    const { plan } = await undo(rig);
    expect(failuresOf(await rig.apply(plan))).toEqual([]);
    expect(liveValues(rig)).toMatchObject({
      hostnames: { "a.net": [{ custom_origin_server: "origin1.saas.net", custom_metadata: { tier: "theirs" } }, {}] },
    });
  });

  test("by a later run in another leaf is no conflict, and stays", async () => {
    const one = (origin: string, tier: string): Configuration => ({
      ...BASE,
      hostnames: [{ hostname: "a.net", custom_origin_server: origin, custom_metadata: { tier } }],
    });
    const rig = rigWith(one("origin1.saas.net", "gold"));
    expect(failuresOf(await rig.run())).toEqual([]);
    await settle(rig);
    await apply(rig, one("origin2.saas.net", "gold"));
    const { run } = await undo(rig);
    await apply(rig, one("origin2.saas.net", "silver"));
    expect(failuresOf(await rig.apply((await undo(rig, run)).plan))).toEqual([]);
    expect(liveValues(rig)).toMatchObject({
      hostnames: { "a.net": [{ custom_origin_server: "origin1.saas.net", custom_metadata: { tier: "silver" } }, {}] },
    });
  });

  test("a hostname that was deleted and created anew is not deleted", async () => {
    const rig = rigWith({ ...BASE, hostnames: [] });
    expect(failuresOf(await rig.run())).toEqual([]);
    await apply(rig, BASE);
    const id = (await rig.state())?.objects.get('custom_hostname["a.net"]')?.id ?? "";
    rig.admin.dashboard("DELETE", `/zones/${ZONE.id}/custom_hostnames/${id}`);
    rig.admin.dashboard("POST", `/zones/${ZONE.id}/custom_hostnames`, {
      hostname: "a.net",
      ssl: { method: "http", type: "dv" },
    });
    const { plan } = await undo(rig);
    expect(changesOf(plan).filter(({ action, refused }) => action === "delete" && !refused)).toEqual([]);
    await rig.apply(plan);
    expect(liveValues(rig)).toMatchObject({ hostnames: { "a.net": expect.anything() } });
  });
});

describe("what is not the run's own", () => {
  const SSL = { method: "http", type: "dv" };

  test("an owned leaf that it did not touch stays as somebody made it since", async () => {
    const one = (tier: string): Configuration => ({
      ...BASE,
      hostnames: [
        {
          hostname: "a.net",
          ssl: SSL,
          custom_metadata: { tier, region: "eu" },
          custom_origin_server: "origin1.saas.net",
        },
      ],
    });
    const rig = rigWith(one("gold"));
    expect(failuresOf(await rig.run())).toEqual([]);
    await settle(rig);
    await apply(rig, one("silver"));
    const id = (await rig.state())?.objects.get('custom_hostname["a.net"]')?.id ?? "";
    rig.admin.dashboard("PATCH", `/zones/${ZONE.id}/custom_hostnames/${id}`, {
      custom_origin_server: "origin2.saas.net",
      custom_metadata: { tier: "silver", region: "theirs" },
    });
    const { plan } = await undo(rig);
    expect(inWords(changesOf(plan))).toEqual(['update custom_hostname["a.net"] config custom_metadata.tier:config']);
    expect(failuresOf(await rig.apply(plan))).toEqual([]);
    expect(liveValues(rig)).toMatchObject({
      hostnames: {
        "a.net": [
          { custom_origin_server: "origin2.saas.net", custom_metadata: { tier: "gold", region: "theirs" } },
          {},
        ],
      },
    });
  });

  test("a hostname that the application made after the run was killed is not deleted, though a later run took it over", async () => {
    const rig = rigWith({ ...BASE, hostnames: [] });
    expect(failuresOf(await rig.run())).toEqual([]);
    rig.write("zones/a.yaml", filesOf(BASE));
    rig.network((request, _index, pass) => {
      if (request.method === "POST") rig.crash();
      return pass();
    });
    expect(await rig.untilCrash(rig.run())).toBe("crashed");
    await rig.restart();
    await rig.wait(24 * HOUR_MILLISECONDS);
    const made = { hostname: "a.net", custom_origin_server: "origin1.saas.net", ssl: SSL };
    rig.admin.dashboard("POST", `/zones/${ZONE.id}/custom_hostnames`, made);
    expect(failuresOf(await rig.run())).toEqual([]);
    const { plan } = await undo(rig, (await runsOf(rig))[0]);
    expect(inWords(changesOf(plan))).toEqual(['delete custom_hostname["a.net"] config refused changed-since-run']);
    await rig.apply(plan);
    expect(liveValues(rig)).toMatchObject({ hostnames: { "a.net": expect.anything() } });
  });

  test("a hostname that was killed while it was made by the run goes with it", async () => {
    const rig = rigWith({ ...BASE, hostnames: [] });
    expect(failuresOf(await rig.run())).toEqual([]);
    rig.write("zones/a.yaml", filesOf(BASE));
    await runCutOffAfter(rig, "POST");
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(failuresOf(await rig.apply((await undo(rig, (await runsOf(rig))[0])).plan))).toEqual([]);
    expect(liveValues(rig)).toMatchObject({ hostnames: {} });
  });

  test("what somebody added to a hostname that it created is not deleted with it", async () => {
    const rig = rigWith({ ...BASE, hostnames: [] });
    expect(failuresOf(await rig.run())).toEqual([]);
    await apply(rig, { ...BASE, hostnames: [{ hostname: "a.net", ssl: SSL, custom_metadata: { tier: "gold" } }] });
    const id = (await rig.state())?.objects.get('custom_hostname["a.net"]')?.id ?? "";
    rig.admin.dashboard("PATCH", `/zones/${ZONE.id}/custom_hostnames/${id}`, {
      custom_metadata: { tier: "gold", app: "edited since" },
      custom_origin_server: "origin1.saas.net",
    });
    const { plan } = await undo(rig);
    expect(changesOf(plan)).toMatchObject([
      {
        action: "delete",
        refused: {
          code: "changed-since-run",
          contested: [
            { path: ["custom_origin_server"], live: "origin1.saas.net" },
            { path: ["custom_metadata", "app"], live: "edited since" },
          ],
        },
      },
    ]);
  });

  test("a rule of somebody else that it removed is not made ours by putting it back, and that is said", async () => {
    const rule = (ref: string) => ({
      ref,
      action: "block",
      expression: `http.request.uri.path eq "/${ref}"`,
      enabled: true,
      description: "",
    });
    const file = { version: 1, zone: ZONE, entry_points: { [PHASE]: { adopt: true, rules: [rule("sec/1")] } } };
    const rig = openRig({
      zone: { plan: "enterprise", rulesets: [{ phase: PHASE, rules: [rule("theirs")] }] },
      files: { "zones/a.yaml": file },
    });
    expect(failuresOf(await rig.run())).toEqual([]);
    const { plan } = await undo(rig);
    expect(inWords(changesOf(plan)).join("\n")).not.toContain("theirs");
    expect(plan.zones[0]?.findings.map(({ message }) => message).join("\n")).toContain(
      "rules.theirs: it was a rule of",
    );
    expect(exitOf(plan, (section) => planExit(section, false)).code).toBe(4);
    await rig.apply(plan);
    const owned = (await rig.state())?.objects.get(`ruleset["${PHASE}"]`)?.applied ?? {};
    expect(objects(owned, "rules").map(({ ref }) => ref)).not.toContain("theirs");
  });
});

describe("what an undo says", () => {
  test("that nothing can be undone: no plan, no leaf let go, and exit code 4", async () => {
    const one = (more: JsonObject): Configuration => ({
      ...BASE,
      hostnames: [{ hostname: "a.net", ssl: { method: "http", type: "dv" }, ...more }],
    });
    const rig = rigWith(one({}));
    expect(failuresOf(await rig.run())).toEqual([]);
    await settle(rig);
    await apply(rig, one({ custom_origin_server: "origin1.saas.net" }));
    const { plan } = await undo(rig);
    expect(inWords(changesOf(plan))).toEqual([]);
    expect(plan.zones[0]?.findings).toMatchObject([{ severity: "error", code: "cannot-be-undone" }]);
    expect(exitOf(plan, (section) => planExit(section, false)).code).toBe(4);
    await rig.apply(plan);
    expect((await rig.state())?.objects.get('custom_hostname["a.net"]')?.applied).toMatchObject({
      custom_origin_server: "origin1.saas.net",
    });
  });

  test("branding is no secret: a hostname that was replaced for it is replaced by one as it was", async () => {
    const one = (cloudflare_branding: boolean): Configuration => ({
      ...BASE,
      hostnames: [{ hostname: "a.net", ssl: { method: "http", type: "dv", cloudflare_branding } }],
    });
    const rig = rigWith(one(false));
    expect(failuresOf(await rig.run())).toEqual([]);
    await settle(rig);
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

  test("a deleted hostname is created again with its old values, and needs the customer", async () => {
    const rig = rigWith(BASE);
    expect(failuresOf(await rig.run())).toEqual([]);
    await settle(rig);
    await apply(rig, { ...BASE, hostnames: [] });
    const { plan, run } = await undo(rig);
    expect(changesOf(plan)).toMatchObject([
      {
        action: "create",
        key: "a.net",
        hazards: ["needs-customer"],
        reason: `undoes run ${run}, which deleted it`,
        desired: { custom_origin_server: "origin1.saas.net", ssl: { method: "http", type: "dv" } },
      },
    ]);
  });

  test("that the YAML still wants what is undone, and of which objects", async () => {
    const rig = rigWith(BASE);
    expect(failuresOf(await rig.run())).toEqual([]);
    await settle(rig);
    await apply(rig, withOrigin("origin2.saas.net"));
    const { plan } = await undo(rig);
    expect(plan.zones[0]?.findings).toMatchObject([{ severity: "warning", code: "yaml-says-otherwise" }]);
    expect(plan.zones[0]?.findings[0]?.message).toContain('custom_hostname["a.net"]');
    rig.write("zones/a.yaml", filesOf(BASE));
    expect((await undo(rig)).plan.zones[0]?.findings).toEqual([]);
  });

  test("a leaf that had no value before cannot be taken back, and is said", async () => {
    const rig = rigWith(BASE);
    expect(failuresOf(await rig.run())).toEqual([]);
    await settle(rig);
    const [hostname] = BASE.hostnames;
    await apply(rig, { ...BASE, hostnames: [{ ...hostname, custom_metadata: { tier: "gold" } }] });
    const { plan } = await undo(rig);
    const [finding] = plan.zones[0]?.findings ?? [];
    expect(finding?.message).toMatch(/^cannot be undone: custom_hostname\["a.net"\]: custom_metadata.tier: /);
  });

  test("a run that is not kept, and a state without runs", async () => {
    const rig = rigWith(BASE);
    await expect(undo(rig)).rejects.toThrow("no run is kept yet");
    expect(failuresOf(await rig.run())).toEqual([]);
    await expect(undo(rig, "0".repeat(36))).rejects.toThrow("is kept");
    await expect(undo(rig, "x")).rejects.toThrow('no run "x" is kept');
  });
});

test("the migration of the WAF has no way back: it is shown as refused, with its entry point, and never attempted", async () => {
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
  expect(inWords(changesOf(plan)).join("\n")).toContain("waf-target-below-live");
  expect(exitOf(plan, (section) => planExit(section, false)).code).toBe(4);
  await rig.apply(plan);
  const status = JSON.parse(rig.admin.dashboard("GET", `/zones/${ZONE.id}/waf_migration/status`).body);
  expect(status.result.migration_state).toBe("complete");
});

describe("the run of a process that was killed", () => {
  /** A rig in which an apply of five changes was killed after so many requests of it. */
  async function killed(steps: number): Promise<{ rig: Rig; before: unknown; run: string }> {
    const [first, second] = ["origin1.saas.net", "origin2.saas.net"].map((origin) => ({
      ...BASE,
      hostnames: ["a.net", "b.net", "c.net", "d.net", "e.net"].map((hostname) => ({
        hostname,
        custom_origin_server: origin,
        ssl: { method: "http", type: "dv" },
      })),
    }));
    const rig = rigWith(first ?? BASE);
    expect(failuresOf(await rig.run())).toEqual([]);
    await settle(rig);
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
    // The next run finishes what was left; only then is there a record of the one before.
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
      // Undone after the run that finished it, which the record names last, everything is as it was.
      const rest = (await runsOf(rig))[1] ?? "";
      expect(failuresOf(await rig.apply((await undo(rig, rest)).plan))).toEqual([]);
      await settle(rig);
      expect(liveValues(rig)).toEqual(before);
    },
  );
});

test("where the application owns the hostnames, what policies set is undone, and they stay the application's", async () => {
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
