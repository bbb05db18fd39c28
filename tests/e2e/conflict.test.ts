import { describe, expect, test } from "vitest";
import { editHostname, editRules, editTls, liveRefs } from "../support/dashboard.ts";
import { at, text } from "../support/emulator.ts";
import { appliedWorlds, DEV, type World } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();

const RULESET_PUT = "PUT /zones/:zone/rulesets/phases/:phase/entrypoint";
const RULE_PATCH = "PATCH /zones/:zone/rulesets/:ruleset/rules/:rule";

/** A rule that somebody adds in the dashboard, between plan and apply. Ahead of ours it changes what ours do. */
const EMERGENCY = {
  ref: "emergency-botnet",
  description: "made at night",
  action: "execute",
  expression: 'http.host eq "shop.northwind-books.com"',
  action_parameters: { id: "c2e184081120413c86c3ab7e14069605" },
};

async function planOf(world: World): Promise<void> {
  expect(await world.zoneform("plan", "--out", "p.zfplan")).toMatchObject({ code: 0 });
  world.emulator.requests.reset();
}

async function editOurRule({ edit }: World): Promise<void> {
  await edit("zones/saas-dev.yaml", '"/upload"', '"/uploads"');
}

describe("a live change after the plan", () => {
  test("is refused with code 5: a rule that was added before ours is named and kept", async () => {
    const world = await appliedWorld();
    await editOurRule(world);
    await planOf(world);
    editRules(world, (rules) => [EMERGENCY, ...rules]);
    const before = await world.states();

    const applied = await world.zoneform("apply", "p.zfplan", "--auto-approve");
    expect(applied.code).toBe(5);
    expect(applied.stdout).toContain("1 in conflict: changed after the plan was made, left as is\n");
    expect(flat(applied.stdout)).toContain(
      `rules.emergency-botnet - when planned (unset) + now execute "made at night" 'http.host eq "shop.northwind-books.com"' To keep what is live, write it into the YAML. To overwrite it, plan again and apply that plan:`,
    );
    // The saved plan would end so each time.
    expect(applied.stdout).not.toContain("To resume");
    expect(world.writes()).toEqual({});
    expect(liveRefs(world)).toEqual([
      "emergency-botnet",
      "sec/skip-uploads",
      "sec/managed",
      "dashboard-exposed-credentials",
    ]);
    // What was seen on the way is written down; a run that is left over, or an approval that was used, would be kept.
    const withoutBackups = (states: object): string[] =>
      Object.keys(states).filter((name) => !name.includes(".backup-"));
    expect(withoutBackups(await world.states())).toEqual(withoutBackups(before));

    // A plan that has seen the rule keeps it.
    expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    expect(world.writes()).toEqual({ [RULESET_PUT]: 1 });
    expect(liveRefs(world)).toContain("emergency-botnet");
  });

  test("is no conflict for a foreign rule that leaves ours in place: it is kept", async () => {
    const world = await appliedWorld();
    await editOurRule(world);
    await planOf(world);
    editRules(world, (rules) => [...rules, EMERGENCY]);
    expect(await world.zoneform("apply", "p.zfplan")).toMatchObject({ code: 0 });
    expect(world.writes()).toEqual({ [RULE_PATCH]: 1 });
    expect(liveRefs(world).at(-1)).toBe("emergency-botnet");
  });

  test("does not prevent the rest from being applied: that is code 6", async () => {
    const world = await appliedWorld();
    await editOurRule(world);
    await world.edit("data/customers.csv", /$/, "new.violin-academy.de,silver,,eu\n");
    await planOf(world);
    editRules(world, (rules) => [EMERGENCY, ...rules]);

    const applied = await world.zoneform("apply", "p.zfplan", "--auto-approve");
    expect(applied.code).toBe(6);
    expect(applied.stdout).toMatch(/^Applied 1 of 2 changes in \d+ s: 1 created; 1 conflict\.$/m);
    // What was not done is no longer what was approved, so that the same command again gets no further.
    expect(applied.stdout).not.toContain("To resume");
    expect(world.writes()).toEqual({ "POST /zones/:zone/custom_hostnames": 1 });
    expect(at(world.hostname(DEV, "new.violin-academy.de"), "custom_metadata.tier")).toBe("silver");
  });

  test("is refused field by field, with the planned, the live and the declared value", async () => {
    const world = await appliedWorld();
    await world.edit("zones/saas-dev.yaml", 'min_tls_version: "1.0"', 'min_tls_version: "1.1"');
    await planOf(world);
    editTls(world, "pos.old-mill-bakery.com", "1.3");

    const applied = await world.zoneform("apply", "p.zfplan", "--auto-approve", "--json");
    expect(applied.code).toBe(5);
    const report: unknown = JSON.parse(applied.stdout);
    const fields = [{ path: ["ssl", "settings", "min_tls_version"], planned: "1.0", live: "1.3", wanted: "1.1" }];
    expect(report).toMatchObject({
      zones: [
        { exit_code: 0, changes: [] },
        {
          exit_code: 5,
          counts: { conflict: 1, done: 0 },
          changes: [{ status: "conflict", diagnostic: { code: "changed-since-plan" }, fields }],
        },
      ],
    });
    expect(world.writes()).toEqual({});
  });

  test("that does not concern the plan is no conflict", async () => {
    const world = await appliedWorld();
    await editOurRule(world);
    await world.edit("data/customers.csv", "lessons.violin-academy.de,bronze", "lessons.violin-academy.de,gold");
    await planOf(world);
    editHostname(world, "learn.rosetta-academy.fr", { custom_metadata: { tier: "platinum" } });
    editHostname(world, "lessons.violin-academy.de", { custom_origin_server: "pool-us.saas.dev" });

    // What was approved is done; that somebody edited another hostname is told, and nobody approved to undo it.
    const applied = await world.zoneform("apply", "p.zfplan", "--auto-approve");
    expect(applied.code).toBe(4);
    expect(flat(applied.stdout)).toContain("it was not part of the approved plan");
    const lessons = world.hostname(DEV, "lessons.violin-academy.de");
    expect(at(lessons, "custom_metadata.tier")).toBe("gold");
    expect(at(lessons, "custom_origin_server")).toBe("pool-us.saas.dev");
    expect(at(world.hostname(DEV, "learn.rosetta-academy.fr"), "custom_metadata.tier")).toBe("platinum");
  });

  test("is reported rule by rule: edited rules, and the order if only that changed", async () => {
    const world = await appliedWorld();
    await editOurRule(world);
    await planOf(world);
    editRules(world, ([first = {}, ...rest]) => [
      { ...first, enabled: false, expression: 'http.host eq "a.b"' },
      ...rest,
    ]);
    const edited = flat((await world.zoneform("apply", "p.zfplan", "--auto-approve")).stdout);
    expect(edited).toContain('rules."sec/skip-uploads".enabled was true when planned, now false; the plan sets true');
    expect(edited).toContain(
      `rules."sec/skip-uploads".expression - when planned 'starts_with(http.request.uri.path, "/upload")' + now 'http.host eq "a.b"' the plan sets 'starts_with(http.request.uri.path, "/uploads")'`,
    );

    await planOf(world);
    editRules(world, (rules) => rules.toReversed());
    const moved = await world.zoneform("apply", "p.zfplan", "--auto-approve");
    expect(moved.code).toBe(5);
    expect(flat(moved.stdout)).toContain(
      'rules - when planned ["sec/skip-uploads","sec/managed","dashboard-exposed-credentials"] + now ["dashboard-exposed-credentials","sec/managed","sec/skip-uploads"]',
    );
  });

  test("that is already as declared counts as done", async () => {
    const world = await appliedWorld();
    await world.edit("zones/saas-dev.yaml", 'min_tls_version: "1.0"', 'min_tls_version: "1.1"');
    await planOf(world);
    editTls(world, "pos.old-mill-bakery.com", "1.1");
    const applied = await world.zoneform("apply", "p.zfplan", "--auto-approve");
    expect(applied.code).toBe(0);
    expect(applied.stdout).toContain("1 approved change is no longer needed");
    expect(world.writes()).toEqual({});
  });

  test("that created the hostname first makes the next plan adopt it, never create it twice", async () => {
    const world = await appliedWorld();
    await world.edit("data/customers.csv", /$/, "new.violin-academy.de,silver,,eu\n");
    await planOf(world);
    const body = { hostname: "new.violin-academy.de", ssl: { method: "http", type: "dv" } };
    world.dashboard(DEV, "POST", "custom_hostnames", body);

    const applied = await world.zoneform("apply", "p.zfplan", "--auto-approve");
    expect(applied.code).toBe(5);
    expect(flat(applied.stdout)).toContain("it was created after the plan was made");
    const planned = await world.zoneform("plan");
    expect(planned.stdout).toContain("<= adopt and update new.violin-academy.de");
  });

  test("that deleted the hostname is handled if the plan would have deleted or changed it", async () => {
    const world = await appliedWorld();
    await world.edit("data/customers.csv", /lessons\.violin-academy\.de.*\n/, "");
    await world.edit("data/customers.csv", "learn.rosetta-academy.fr,silver", "learn.rosetta-academy.fr,gold");
    await planOf(world);
    for (const name of ["lessons.violin-academy.de", "learn.rosetta-academy.fr"]) {
      world.dashboard(DEV, "DELETE", `custom_hostnames/${text(world.hostname(DEV, name), "id")}`);
    }
    const applied = await world.zoneform("apply", "p.zfplan", "--auto-approve");
    expect(applied.code).toBe(5);
    expect(flat(applied.stdout)).toContain("it was deleted after the plan was made");
    expect(applied.stdout).toContain("1 approved change is no longer needed");
    expect(world.writes()).toEqual({});
  });
});
