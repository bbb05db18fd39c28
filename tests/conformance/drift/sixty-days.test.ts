import { expect, it } from "vitest";
import { changesOf, failuresOf, openRig, ZONE } from "../../support/engine.ts";
import { inFull } from "../../support/full.ts";

const COUNT = inFull(1000, 200);
const NEVER_VALIDATED = COUNT * 0.03;
const A_DAY = 24 * 60 * 60_000;

const names = Array.from({ length: COUNT }, (_value, index) => `app${index}.customer-${index}.com`);
const stuck = names.slice(0, NEVER_VALIDATED);

it(`of ${COUNT} hostnames of which 3% never validate, 60 days re-create none unasked, and each day's second plan is empty`, async () => {
  const policies = [{ name: "all", set: { ssl: { method: "http", type: "dv" } } }];
  const rig = openRig({
    zone: { plan: "enterprise", fallback_origin: "fallback.saas.net", quota: { allocated: 5000, hard_cap: 5000 } },
    files: {
      "zones/a.yaml": {
        version: 1,
        zone: ZONE,
        custom_hostnames: { lifecycle: "zoneform", policies, entries: names.map((hostname) => ({ hostname })) },
      },
    },
  });
  // The customers of these never set a record: the world knows the names, and they lead nowhere.
  for (const name of stuck) rig.admin.setDns(name, {});
  let created = 0;
  for (let day = 0; day < 60; day += 1) {
    const plan = await rig.plan();
    created += changesOf(plan).filter(({ action }) => action === "create").length;
    expect([day, failuresOf(await rig.apply(plan))]).toEqual([day, []]);
    expect([day, changesOf(await rig.plan())]).toEqual([day, []]);
    await rig.wait(A_DAY);
  }
  expect(created).toBe(COUNT);
  const last = await rig.plan();
  expect(last.zones[0]?.counts.expired).toBe(NEVER_VALIDATED);
  expect(last.zones[0]?.findings.map(({ code }) => code)).toContain("expired-hostnames");
});
