import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../lib/core/json.ts";
import { zoneHold } from "../../../../lib/kinds/zone-hold/kind.ts";
import type { Live } from "../../../../lib/kinds/live.ts";
import { changesOf, driftInWords, failuresOf, inWords, openRig, type Rig, ZONE } from "../../../support/engine.ts";
import { loadZone } from "../../config/project.ts";

const HELD = { hold: true, include_subdomains: true, hold_after: "" };
const LATER = "2127-01-31T00:00:00Z";
const DAY_MILLISECONDS = 24 * 3_600_000;

function liveWith(values: JsonObject): Live {
  return { id: ZONE.id, key: "", values, status: {} };
}

function rigWith(hold: object): Rig {
  return openRig({ zone: { hold: "zone" }, files: { "zones/a.yaml": { version: 1, zone: ZONE, zone_hold: hold } } });
}

describe("a zone hold", () => {
  test.each([
    ["is released", HELD, { ...HELD, hold: false, include_subdomains: false }],
    ["leaves names below the zone out", HELD, { ...HELD, include_subdomains: false }],
    ["is suspended", HELD, { ...HELD, hold_after: LATER }],
    ["is suspended for longer", { ...HELD, hold_after: "2127-01-30T00:00:00Z" }, { ...HELD, hold_after: LATER }],
  ])("protects less when it %s, and no less on the way back", (_what, more, less) => {
    expect(zoneHold.weakens?.(more, less, "")).toBe(true);
    expect(zoneHold.weakens?.(less, more, "")).toBe(false);
  });

  test("that is to be suspended before there is one is refused", () => {
    const desired = { hold: true, hold_after: LATER };
    const live = liveWith({ hold: false, include_subdomains: false, hold_after: "" });
    const { objections } = zoneHold.compare({ desired, prior: undefined, live, options: {} });
    expect(objections).toMatchObject([{ code: "no-hold-to-suspend" }]);
    const held = zoneHold.compare({ desired, prior: undefined, live: liveWith(HELD), options: {} });
    expect(held.objections ?? []).toEqual([]);
  });

  test("that is not wanted can have neither names below it nor an end of its suspension", () => {
    const problems = zoneHold.problems("", { hold: false, include_subdomains: true, hold_after: LATER });
    expect(problems.map(({ path }) => path)).toEqual([["include_subdomains"], ["hold_after"]]);
    expect(zoneHold.problems("", { hold: false, include_subdomains: false, hold_after: "" })).toEqual([]);
  });

  test.each(["2027-02-30T00:00:00Z", "2026-13-45T99:99:99Z", "2027-01-31T24:00:00Z"])(
    "cannot be suspended until %s, a time that there is not",
    async (until) => {
      const loaded = await loadZone(`zone_hold:\n  hold: true\n  hold_after: "${until}"\n`);
      const errors = loaded.ok ? [] : loaded.diagnostics;
      expect(errors.map(({ code, message }) => [code, message])).toEqual([["no-such-date", `${until} is not a time`]]);
      expect(errors[0]?.at).toMatchObject({ file: "zones/a.yaml", column: 15 });
    },
  );

  test.each([
    ["2026-11-01T11:59:59Z", ["suspension-over"]],
    ["2026-11-01T12:00:00Z", ["suspension-over"]],
    ["2026-11-01T12:00:01Z", []],
  ])("suspended until %s, on the first of November at noon, is warned of as %j", async (until, codes) => {
    const loaded = await loadZone(`zone_hold:\n  hold: true\n  hold_after: "${until}"\n`);
    expect(loaded.ok && loaded.warnings.map(({ code }) => code)).toEqual(codes);
  });

  test("comes back by itself after its suspension, and that is neither drift nor a change", async () => {
    const until = "2026-11-22T00:00:00Z";
    const rig = rigWith({ hold: true, hold_after: until });
    expect(failuresOf(await rig.run())).toEqual([]);
    const shown = (): unknown => JSON.parse(rig.admin.dashboard("GET", `/zones/${ZONE.id}/hold`).body).result;
    expect(shown()).toMatchObject({ hold: false });
    await rig.wait(2 * DAY_MILLISECONDS);
    expect(shown()).toMatchObject({ hold: true, hold_after: "" });
    expect(await rig.drift()).toEqual([]);
    expect((await rig.plan()).zones[0]?.changes).toEqual([]);
  });

  test("that is there is changed, and never set anew: the end of its suspension would be lost", async () => {
    const rig = rigWith({ hold: true, hold_after: LATER });
    expect(failuresOf(await rig.run())).toEqual([]);
    const hold = { hold: true, hold_after: LATER, include_subdomains: true };
    rig.write("zones/a.yaml", { version: 1, zone: ZONE, zone_hold: hold });
    const writes: unknown[] = [];
    rig.network(async ({ method, url, body }, _index, pass) => {
      if (method !== "GET") writes.push([method, new URL(url).pathname.split("/").at(-1), body]);
      return pass();
    });
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(writes).toEqual([["PATCH", "hold", JSON.stringify({ include_subdomains: true })]]);
  });

  test("whose suspension somebody ends before its time is drift", async () => {
    const rig = rigWith({ hold: true, hold_after: LATER });
    expect(failuresOf(await rig.run())).toEqual([]);
    rig.admin.dashboard("PATCH", `/zones/${ZONE.id}/hold`, { hold_after: "" });
    expect(driftInWords(await rig.drift())).toEqual(["changed zone_hold hold_after:drift"]);
    expect(inWords(changesOf(await rig.plan()))).toEqual(["update zone_hold drift hold_after:drift"]);
  });

  test("needs nothing for a suspension whose time had come before anybody applied it", async () => {
    const rig = rigWith({ hold: true, hold_after: "2020-01-01T00:00:00Z" });
    expect(inWords(changesOf(await rig.plan()))).toEqual(["adopt zone_hold config"]);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(await rig.drift()).toEqual([]);
  });

  test("that somebody released is set again, also where the declared suspension is over", async () => {
    const until = "2026-11-22T00:00:00Z";
    const rig = rigWith({ hold: true, hold_after: until });
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.wait(2 * DAY_MILLISECONDS);
    rig.admin.dashboard("DELETE", `/zones/${ZONE.id}/hold`);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(await rig.drift()).toEqual([]);
  });

  test("is not suspended where the service goes on naming the end of a suspension that is over", async () => {
    const rig = rigWith({ hold: true, hold_after: "" });
    expect(failuresOf(await rig.run())).toEqual([]);
    rig.network(async (_request, _index, pass) => {
      const answer = await pass();
      return { ...answer, body: answer.body.replace('"hold_after":""', '"hold_after":"2020-01-01T00:00:00Z"') };
    });
    expect(await rig.drift()).toEqual([]);
  });

  test.each([{ hold: true }, { hold: true, hold_after: "" }])(
    "that somebody suspends is drift that weakens protection: %j",
    async (declared) => {
      const rig = rigWith(declared);
      expect(failuresOf(await rig.run())).toEqual([]);
      rig.admin.dashboard("PATCH", `/zones/${ZONE.id}/hold`, { hold_after: LATER });
      expect(await rig.drift()).toMatchObject([
        {
          address: "zone_hold",
          hazards: ["weakens-protection"],
          leaves: [{ path: ["hold_after"], before: LATER, cause: "drift" }],
        },
      ]);
      expect(failuresOf(await rig.run())).toEqual([]);
      expect(await rig.drift()).toEqual([]);
    },
  );

  test("is not suspended any longer when the line is gone", async () => {
    const rig = rigWith({ hold: true, hold_after: LATER });
    expect(failuresOf(await rig.run())).toEqual([]);
    rig.write("zones/a.yaml", { version: 1, zone: ZONE, zone_hold: { hold: true } });
    expect(inWords(changesOf(await rig.plan()))).toEqual(["update zone_hold config hold_after:config"]);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(inWords(changesOf(await rig.plan()))).toEqual([]);
  });

  test("stays as it is when the line goes after the suspension is over", async () => {
    const rig = rigWith({ hold: true, hold_after: "2026-11-22T00:00:00Z" });
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.wait(2 * DAY_MILLISECONDS);
    rig.write("zones/a.yaml", { version: 1, zone: ZONE, zone_hold: { hold: true } });
    expect(inWords(changesOf(await rig.plan()))).toEqual([]);
    expect(await rig.drift()).toEqual([]);
  });

  test.each([
    ["is set", { hold: true, include_subdomains: true }, ["subscription-too-small"]],
    ["is released", { hold: false }, []],
  ])("that %s in a zone below Enterprise: %j is told of %j", async (_what, hold, codes) => {
    const rig = openRig({
      zone: { plan: "pro", hold: "zone" },
      files: { "zones/a.yaml": { version: 1, zone: ZONE, zone_hold: hold } },
    });
    const [section] = (await rig.plan()).zones;
    expect(section?.changes).toMatchObject([{ address: "zone_hold", action: "update" }]);
    expect(section?.findings.map(({ code }) => code)).toEqual(codes);
    if (codes.length === 0) expect(failuresOf(await rig.run())).toEqual([]);
  });

  test("is no resource of Terraform's while the zone has none", () => {
    if (zoneHold.hcl === "none") throw new Error("the provider has a resource for it");
    const object = { zone: ZONE, key: "", id: ZONE.id, writeOnly: [], isShown: () => true };
    expect(zoneHold.hcl.isThere?.({ ...object, values: { ...HELD, hold: false } })).toBe(false);
    expect(zoneHold.hcl.isThere?.({ ...object, values: HELD })).toBe(true);
  });
});
