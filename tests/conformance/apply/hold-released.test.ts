import { describe, expect, test } from "vitest";
import { exitOf, planExit } from "../../../lib/engine/exit.ts";
import { planText } from "../../../lib/report/plan.ts";
import { applyApproved, statuses } from "../../support/approving.ts";
import { changesOf, failuresOf, inWords, openRig, type Rig, ZONE } from "../../support/engine.ts";
import { runsOf, undo } from "../../support/undoing.ts";

const HOLD = `/zones/${ZONE.id}/hold`;
const LATER = "2126-01-31T00:00:00Z";

function rigWith(hold: object, before?: "zone" | "subdomains"): Rig {
  return openRig({
    zone: { plan: "enterprise", ...(before ? { hold: before } : {}) },
    files: { "zones/a.yaml": file(hold) },
  });
}

function file(hold: object): object {
  return { version: 1, zone: ZONE, zone_hold: hold };
}

function edit(rig: Rig, values: Parameters<Rig["admin"]["dashboard"]>[2]): void {
  expect(rig.admin.dashboard("PATCH", HOLD, values).status).toBe(200);
}

function shown(rig: Rig): unknown {
  return JSON.parse(rig.admin.dashboard("GET", HOLD).body).result;
}

describe("a zone hold that is released", () => {
  test("is shown with everything that is reset with it, and is restored with it", async () => {
    const rig = rigWith({ hold: false }, "subdomains");
    const plan = await rig.plan();
    expect(planText(plan, { colour: false })).toMatch(/include_subdomains +true -> false/);
    expect(failuresOf(await rig.apply(plan))).toEqual([]);
    const back = (await undo(rig)).plan;
    expect(back.zones[0]?.findings.map(({ code }) => code)).toEqual(["yaml-says-otherwise"]);
    expect(failuresOf(await rig.apply(back))).toEqual([]);
    expect(shown(rig)).toEqual({ hold: true, hold_after: "", include_subdomains: true });
  });

  test("is restored without its suspension, and the undo says so", async () => {
    const rig = rigWith({ hold: false }, "subdomains");
    edit(rig, { hold_after: LATER });
    expect(failuresOf(await rig.run())).toEqual([]);
    const back = (await undo(rig)).plan;
    const impossible = back.zones[0]?.findings.filter(({ code }) => code === "cannot-be-undone");
    expect(impossible?.map(({ message }) => message)).toEqual([
      "cannot be undone: zone_hold: hold_after: hold_after suspends a hold, but the zone has none yet",
    ]);
    expect(exitOf(back, (section) => planExit(section, false)).code).toBe(4);
    expect(failuresOf(await rig.apply(back))).toEqual([]);
    expect(shown(rig)).toEqual({ hold: true, hold_after: "", include_subdomains: true });
  });

  test("is set again without a remark about what was reset with it", async () => {
    const rig = rigWith({ hold: false }, "subdomains");
    expect(failuresOf(await rig.run())).toEqual([]);
    rig.write("zones/a.yaml", file({ hold: true }));
    expect(inWords(changesOf(await rig.plan()))).toEqual(["update zone_hold config hold:config"]);
  });

  test("by an approved plan is a conflict if more would be reset now", async () => {
    const rig = rigWith({ hold: false }, "zone");
    const saved = await rig.plan();
    edit(rig, { include_subdomains: true });
    expect((await rig.plan()).hash).not.toBe(saved.hash);
    expect(statuses(await applyApproved(rig, { saved }))).toEqual(["update zone_hold conflict"]);
    expect(shown(rig)).toMatchObject({ hold: true, include_subdomains: true });
  });
});

describe("the undo of a new zone hold", () => {
  test("releases it if it was not touched", async () => {
    const rig = rigWith({ hold: true });
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(failuresOf(await rig.apply((await undo(rig)).plan))).toEqual([]);
    expect(shown(rig)).toMatchObject({ hold: false });
  });

  test.each([
    ["names below the zone", { include_subdomains: true }, "include_subdomains"],
    ["a suspension", { hold_after: LATER }, "hold_after"],
  ])("is a conflict if it was given %s since then", async (_what, values, leaf) => {
    const rig = rigWith({ hold: true });
    expect(failuresOf(await rig.run())).toEqual([]);
    edit(rig, values);
    const live = shown(rig);
    const back = (await undo(rig)).plan;
    expect(changesOf(back)).toMatchObject([
      { refused: { code: "changed-since-run", contested: [{ path: [leaf], live: Object.values(values)[0] }] } },
    ]);
    await rig.apply(back);
    expect(shown(rig)).toEqual(live);
  });

  test("is a conflict if a later run of ours gave it names below the zone", async () => {
    const rig = rigWith({ hold: true });
    expect(failuresOf(await rig.run())).toEqual([]);
    const [first] = await runsOf(rig);
    rig.write("zones/a.yaml", file({ hold: true, include_subdomains: true }));
    expect(failuresOf(await rig.run())).toEqual([]);
    const back = (await undo(rig, first)).plan;
    expect(inWords(changesOf(back))).toEqual([
      "update zone_hold config hold:config include_subdomains:config refused changed-since-run",
    ]);
  });
});
