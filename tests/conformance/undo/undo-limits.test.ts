import { describe, expect, test } from "vitest";
import { takeApproved } from "../../../lib/approval/approve.ts";
import { impossible } from "../../../lib/undo/findings.ts";
import { changesOf, failuresOf, openRig, type Rig, ZONE } from "../../support/engine.ts";
import { settle, undo } from "../../support/undoing.ts";

/** At most half of the hostnames at once. */
const HALF = { deletion_limits: { custom_hostname: { percent: "50%", count: 100 } } };

function zoneFile(names: readonly string[], branded: readonly string[] = []): object {
  const entries = names.map((hostname) => ({
    hostname,
    ssl: { method: "http", type: "dv", cloudflare_branding: branded.includes(hostname) },
  }));
  return { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", entries }, ...HALF };
}

function hostnames(count: number): readonly string[] {
  return Array.from({ length: count }, (_item, index) => `h${index}.customer.net`);
}

/** A zone made by one run for each of these files. */
async function zoneOf(...files: readonly object[]): Promise<Rig> {
  const rig = openRig({ zone: { plan: "enterprise" }, files: { "zones/a.yaml": zoneFile([]) } });
  for (const file of files) {
    rig.write("zones/a.yaml", file);
    expect(failuresOf(await rig.run())).toEqual([]);
    await settle(rig);
  }
  return rig;
}

/** What the undo of the last run does, and with which code each part of it is refused. */
async function undoing(rig: Rig): Promise<readonly (readonly [string, string | undefined])[]> {
  return changesOf((await undo(rig)).plan).map(({ action, refused }) => [action, refused?.code] as const);
}

describe("the deletion limits of an undo", () => {
  test("are a share of all that is tracked, and not of what the run touched", async () => {
    const ten = hostnames(10);
    const rig = await zoneOf(zoneFile(ten), zoneFile(ten, ["h3.customer.net"]));
    expect(await undoing(rig)).toEqual([["replace", undefined]]);
    expect(failuresOf(await rig.apply((await undo(rig)).plan))).toEqual([]);
  });

  test("count deletions and replacements together", async () => {
    const ten = hostnames(10);
    // Of fourteen hostnames four are deleted and four are replaced: more than half together, neither of them alone.
    const rig = await zoneOf(zoneFile(ten), zoneFile(hostnames(14), ten.slice(0, 4)));
    expect(await undoing(rig)).toEqual(
      expect.arrayContaining([
        ["replace", "deletion-limit"],
        ["delete", "deletion-limit"],
      ]),
    );
  });

  test("hold for a run that created everything, and its hash lifts them", async () => {
    const rig = await zoneOf(zoneFile(hostnames(4)));
    expect(await undoing(rig)).toEqual(Array.from({ length: 4 }, () => ["delete", "deletion-limit"]));
    const { plan: fresh } = await undo(rig);
    expect(changesOf(fresh)[0]?.refused?.remedy).toContain("review the plan and --approve its hash");
    const { plan } = await takeApproved(rig.world().store, fresh, { approve: fresh.hash });
    expect(failuresOf(await rig.apply(plan))).toEqual([]);
    expect((await rig.state())?.objects.size).toBe(0);
  });
});

test("impossible undos are counted for any number of objects, in linear time", () => {
  const found = Array.from({ length: 100_000 }, (_item, index) => ({
    address: `custom_hostname["h${index}.net"]`,
    because: "it is a secret",
  }));
  const findings = impossible(found);
  expect(findings).toHaveLength(1);
  expect(findings[0]?.message).toContain('custom_hostname["h2.net"] and 99,997 more: it is a secret');
});
