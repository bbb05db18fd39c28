import { describe, expect, test } from "vitest";
import { objects } from "../../../lib/core/decode.ts";
import type { JsonObject } from "../../../lib/core/json.ts";
import { exitOf, planExit } from "../../../lib/engine/exit.ts";
import { changesOf, failuresOf, inWords, openRig, runCutOffAfter, ZONE } from "../../support/engine.ts";
import {
  appliedRig,
  HOUR_MILLISECONDS,
  PHASE,
  type Configuration,
  filesOf,
  rigWith,
  liveValues,
  apply,
  editLive,
  runsOf,
  undo,
  BASE,
  withOrigin,
} from "../../support/undoing.ts";

describe("a foreign or later change after the run", () => {
  test("is a conflict, with what is there now, and is not overwritten", async () => {
    const rig = await appliedRig(BASE);
    await apply(rig, withOrigin("origin2.saas.net"));
    await editLive(rig, {
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

  test("by a later run is a conflict too", async () => {
    const rig = await appliedRig(BASE);
    await apply(rig, withOrigin("origin2.saas.net"));
    const { run } = await undo(rig);
    await apply(rig, withOrigin("origin3.saas.net"));
    expect(inWords(changesOf((await undo(rig, run)).plan))).toEqual([
      expect.stringContaining("refused changed-since-run"),
    ]);
  });

  test("by a later run to a hostname that the run created is a conflict: its deletion would remove that too", async () => {
    const one = (settings?: JsonObject): Configuration => ({
      ...BASE,
      hostnames: [{ hostname: "a.net", ssl: { method: "http", type: "dv", ...(settings ? { settings } : {}) } }],
    });
    const rig = await appliedRig({ ...BASE, hostnames: [] });
    await apply(rig, one());
    const [run] = await runsOf(rig);
    expect(inWords(changesOf((await undo(rig, run)).plan))).toEqual(['delete custom_hostname["a.net"] config']);
    await apply(rig, one({ min_tls_version: "1.3" }));
    const { plan } = await undo(rig, run);
    expect(inWords(changesOf(plan))).toEqual(['delete custom_hostname["a.net"] config refused changed-since-run']);
    expect(changesOf(plan)[0]?.refused?.contested).toEqual([
      { path: ["ssl", "settings", "min_tls_version"], live: "1.3" },
    ]);
  });

  test("in another field is no conflict, and stays", async () => {
    const rig = await appliedRig(BASE);
    await apply(rig, withOrigin("origin2.saas.net"));
    await editLive(rig, { custom_metadata: { tier: "theirs" } });
    const { plan } = await undo(rig);
    expect(failuresOf(await rig.apply(plan))).toEqual([]);
    expect(liveValues(rig)).toMatchObject({
      hostnames: { "a.net": [{ custom_origin_server: "origin1.saas.net", custom_metadata: { tier: "theirs" } }, {}] },
    });
  });

  test("by a later run in another field is no conflict, and stays", async () => {
    const one = (origin: string, tier: string): Configuration => ({
      ...BASE,
      hostnames: [{ hostname: "a.net", custom_origin_server: origin, custom_metadata: { tier } }],
    });
    const rig = await appliedRig(one("origin1.saas.net", "gold"));
    await apply(rig, one("origin2.saas.net", "gold"));
    const { run } = await undo(rig);
    await apply(rig, one("origin2.saas.net", "silver"));
    expect(failuresOf(await rig.apply((await undo(rig, run)).plan))).toEqual([]);
    expect(liveValues(rig)).toMatchObject({
      hostnames: { "a.net": [{ custom_origin_server: "origin1.saas.net", custom_metadata: { tier: "silver" } }, {}] },
    });
  });

  test("protects a hostname that was deleted and created again from deletion", async () => {
    const rig = await appliedRig({ ...BASE, hostnames: [] });
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

  test("stays if it is a managed field that the run did not touch", async () => {
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
    const rig = await appliedRig(one("gold"));
    await apply(rig, one("silver"));
    await editLive(rig, {
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

  test("stays if the application made the hostname after the run was killed, although a later run adopted it", async () => {
    const rig = await appliedRig({ ...BASE, hostnames: [] });
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

  test("does not include a hostname whose create the run did not live to see: that is deleted", async () => {
    const rig = await appliedRig({ ...BASE, hostnames: [] });
    rig.write("zones/a.yaml", filesOf(BASE));
    await runCutOffAfter(rig, "POST");
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(failuresOf(await rig.apply((await undo(rig, (await runsOf(rig))[0])).plan))).toEqual([]);
    expect(liveValues(rig)).toMatchObject({ hostnames: {} });
  });

  test("stays if it was added to a hostname that the run created", async () => {
    const rig = await appliedRig({ ...BASE, hostnames: [] });
    await apply(rig, { ...BASE, hostnames: [{ hostname: "a.net", ssl: SSL, custom_metadata: { tier: "gold" } }] });
    await editLive(rig, {
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

  test("does not include the run's rules, even if the state forgot them: the undo reverts them", async () => {
    const rig = rigWith(BASE);
    const { entry_points: section, ...rest } = { ...Object(filesOf(BASE)) };
    rig.write("zones/a.yaml", rest);
    expect(failuresOf(await rig.run())).toEqual([]);
    const before = liveValues(rig);
    rig.write("zones/a.yaml", { ...rest, entry_points: section });
    expect(failuresOf(await rig.run())).toEqual([]);
    const [added] = await runsOf(rig);
    rig.write("zones/a.yaml", rest);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect((await rig.state())?.objects.has(`ruleset["${PHASE}"]`)).toBe(false);
    expect(liveValues(rig)).not.toEqual(before);

    expect(failuresOf(await rig.apply((await undo(rig, added)).plan))).toEqual([]);
    expect(liveValues(rig)).toEqual(before);
  });

  test("includes a foreign rule that the run deleted: putting it back does not make it ours, and the undo says so", async () => {
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
      "rules.theirs: it was a foreign rule",
    );
    expect(exitOf(plan, (section) => planExit(section, false)).code).toBe(4);
    await rig.apply(plan);
    const owned = (await rig.state())?.objects.get(`ruleset["${PHASE}"]`)?.applied ?? {};
    expect(objects(owned, "rules").map(({ ref }) => ref)).not.toContain("theirs");
  });
});
