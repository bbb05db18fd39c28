import { describe, expect, it } from "vitest";
import { valueAt } from "../../../lib/core/json.ts";
import { exportedObjects } from "../../../lib/engine/export.ts";
import { findForImport } from "../../../lib/engine/import.ts";
import { makeUndo } from "../../../lib/engine/undo.ts";
import { compareWithConfig, findDrift } from "../../../lib/engine/drift.ts";
import { inspect, makePlan } from "../../../lib/engine/plan.ts";
import { why } from "../../../lib/engine/why.ts";
import type { World } from "../../../lib/engine/world.ts";
import { changesOf, failuresOf, inWords, openRig, type Rig, ZONE } from "../../support/engine.ts";

const DAY_MILLISECONDS = 86_400_000;
const POS = 'custom_hostname["pos.net"]';
const MINIMUM = "ssl.settings.min_tls_version";
const IT_ENDED = `update ${POS} config ${MINIMUM}:config`;

/** A hostname at TLS 1.0 by an exception that ends in so many days by the clock of this machine, which then stands still. */
async function applied(days: number): Promise<{ rig: Rig; world: World; options: { file: string } }> {
  const rig = openRig({ files: {} });
  const now = rig.clock.now();
  const exception = {
    reason: "old terminals",
    match: { hostname: ["pos.net"] },
    set: { ssl: { settings: { min_tls_version: "1.0" } } },
    until: new Date(now + days * DAY_MILLISECONDS).toISOString().slice(0, 10),
  };
  const floor = { name: "floor", set: { ssl: { method: "http", type: "dv", settings: { min_tls_version: "1.2" } } } };
  rig.write("zones/a.yaml", {
    version: 1,
    zone: ZONE,
    custom_hostnames: {
      lifecycle: "zoneform",
      policies: [floor],
      exceptions: [exception],
      entries: [{ hostname: "pos.net" }],
    },
  });
  expect(failuresOf(await rig.run())).toEqual([]);
  const world = { ...rig.world(), clock: { ...rig.clock, now: () => now } };
  return { rig, world, options: { file: rig.file } };
}

/** How many requests it takes. */
async function requestsOf(rig: Rig, act: () => Promise<unknown>): Promise<number> {
  let count = 0;
  rig.network((_request, _index, pass) => {
    count += 1;
    return pass();
  });
  await act();
  return count;
}

describe("an exception that has ended by Cloudflare's clock, and not by the local one", () => {
  it("is no longer applied by plan, and no longer expected by drift, status and why", async () => {
    const { rig, world, options } = await applied(30);
    await rig.wait(32 * DAY_MILLISECONDS);
    const { plan, warnings } = await makePlan(world, options);
    expect(inWords(changesOf(plan))).toEqual([IT_ENDED]);
    expect(warnings.map(({ code }) => code)).toContain("exception-ended");
    const { zones, warnings: said } = await findDrift(world, options);
    expect(zones.flatMap(({ judgement }) => judgement.drifted)).toEqual([]);
    expect(said.map(({ code }) => code)).toContain("exception-ended");
    const compared = await compareWithConfig(world, options);
    expect(compared.zones.flatMap(({ judgement }) => judgement.unlike.flatMap(({ leaves }) => leaves))).toMatchObject([
      { before: "1.0", after: "1.2" },
    ]);
    const { made } = await inspect(world, options, async ({ section }) => inWords(section.changes));
    expect(made).toEqual([[IT_ENDED]]);
    expect(await why(world, options, POS)).toMatchObject({ action: "update" });
  });

  it("is no longer exported, imported, or taken for declared by an undo", async () => {
    const { rig, world, options } = await applied(30);
    await rig.wait(32 * DAY_MILLISECONDS);
    const [exported] = await exportedObjects(world, options);
    expect(valueAt(exported?.values, MINIMUM.split("."))).toBe("1.2");
    const { object } = await findForImport(world, options, `${ZONE.id}/pos.net`);
    expect(valueAt(object?.values, MINIMUM.split("."))).toBe("1.2");
    const undone = await makeUndo(world, { ...options, run: "last" });
    expect(undone.warnings.map(({ code }) => code)).toContain("exception-ended");
  });

  it("is still applied on its last day, though the local clock is days ahead", async () => {
    const { rig, world, options } = await applied(3);
    const ahead = { ...world, clock: { ...world.clock, now: () => rig.clock.now() + 30 * DAY_MILLISECONDS } };
    await rig.wait(3 * DAY_MILLISECONDS);
    const { plan, warnings } = await makePlan(ahead, options);
    expect([changesOf(plan), warnings.map(({ code }) => code)]).toEqual([[], []]);
  });

  it("needs further requests only if the clocks differ about an exception", async () => {
    const { rig, world, options } = await applied(30);
    const plan = (): Promise<unknown> => makePlan(world, options);
    const once = await requestsOf(rig, plan);
    await rig.wait(3 * DAY_MILLISECONDS);
    expect(await requestsOf(rig, plan)).toBe(once);
    await rig.wait(30 * DAY_MILLISECONDS);
    expect(await requestsOf(rig, plan)).toBe(2 * once);
  });
});
