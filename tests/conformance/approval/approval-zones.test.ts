import { expect, test } from "vitest";
import { zoneId } from "../../../lib/core/brand.ts";
import { applyApproved, applyFor, refusalOf, statuses } from "../../support/approving.ts";
import { dnsRecords, HOLDER, openRig, type Rig, ZONE } from "../../support/engine.ts";

const OTHER = { id: zoneId("9a7806061c88ada191ed06f989cc3dac"), name: "other.net" };
const SSL = { method: "http", type: "dv" };

function zoneFile(zone: typeof ZONE, hostnames: readonly string[]): object {
  const entries = hostnames.map((hostname) => ({ hostname, ssl: SSL }));
  return { version: 1, zone, custom_hostnames: { lifecycle: "zoneform", entries } };
}

function twoZones(): Rig {
  const zones = [ZONE, OTHER].map((zone) => ({ ...zone, plan: "enterprise" as const, dns_records: dnsRecords() }));
  const files = { "zones/a.yaml": zoneFile(ZONE, ["a.net"]), "zones/b.yaml": zoneFile(OTHER, ["b.net", "c.net"]) };
  return openRig({ zones, files });
}

async function keptIn(rig: Rig): Promise<readonly string[]> {
  const { store } = rig.world();
  const names = await Promise.all([ZONE, OTHER].map(async ({ id }) => (await store.view(id)).names));
  return names.flat().filter((name) => name.startsWith("approval-"));
}

test.each([1, 2])(
  "an approval of two zones is kept once, and either zone can continue under it (%d at once)",
  async (atOnce) => {
    const rig = twoZones();
    const { hash } = await rig.plan();
    expect(
      statuses(await applyFor(rig, await rig.plan(), {}, 2, atOnce)).filter((each) => each.endsWith("done")),
    ).toHaveLength(2);
    expect(await keptIn(rig)).toHaveLength(1);
    rig.write("zones/a.yaml", zoneFile(ZONE, ["a.net", "new.net"]));
    // The approval is beside the other zone, which this plan does not read.
    const report = await applyApproved(rig, { expect: hash }, { zones: [OTHER.name] });
    expect(new Set(statuses(report).map((each) => each.split(" ").at(-1)))).toEqual(new Set(["done"]));
    const both = await applyApproved(rig, { expect: hash });
    expect(statuses(both)).toEqual(expect.arrayContaining([`create ${ZONE.name}/custom_hostname["new.net"] refused`]));
  },
);

test("a locked zone does not keep the approval from the others", async () => {
  const rig = twoZones();
  const { hash } = await rig.plan();
  const lease = await rig.world().store.lock(ZONE.id, HOLDER, 0);
  const first = await applyApproved(rig, { expect: hash });
  expect(statuses(first)).toContain(`create ${ZONE.name}/custom_hostname["a.net"] not-started`);
  await lease.release();
  expect(statuses(await applyApproved(rig, { expect: hash }))).toEqual([
    `create ${ZONE.name}/custom_hostname["a.net"] done`,
  ]);
  const other = `zf1:${"0".repeat(64)}`;
  expect((await refusalOf(applyApproved(rig, { expect: other }))).diagnostics[0]?.code).toBe("another-plan");
});
