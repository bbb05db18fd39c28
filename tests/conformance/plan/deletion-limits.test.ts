import { describe, expect, it } from "vitest";
import { takeApproved } from "../../../lib/approval/approve.ts";
import { changesOf, failuresOf, openRig, type Rig, ZONE } from "../../support/engine.ts";

const SSL = { method: "http", type: "dv" };
const A_DAY_MILLISECONDS = 24 * 60 * 60_000;

function project(limits?: object): object {
  const rest = limits ? { deletion_limits: { custom_hostname: limits } } : {};
  return { version: 1, project: "rig", zones: ["zones/*.yaml"], ...rest };
}

function zoneFile(count: number, more: object = {}): object {
  const entries = Array.from({ length: count }, (_item, index) => ({ hostname: `host-${index}.net`, ssl: SSL }));
  return { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", entries }, ...more };
}

/** A zone with this many tracked hostnames. */
async function zoneOf(count: number, limits?: object): Promise<Rig> {
  const custom_hostnames = Array.from({ length: count }, (_item, index) => ({
    hostname: `host-${index}.net`,
    ssl: SSL,
  }));
  const files = { "zoneform.yaml": project(limits), "zones/a.yaml": zoneFile(count) };
  const rig = openRig({ zone: { custom_hostnames }, files });
  await rig.run();
  return rig;
}

/** How many deletions the plan has that keeps this many hostnames, and how many of them are refused. */
async function keeping(rig: Rig, kept: number, more: object = {}): Promise<{ deleted: number; refused: number }> {
  rig.write("zones/a.yaml", zoneFile(kept, more));
  const deletions = changesOf(await rig.plan()).filter(({ action }) => action === "delete");
  const refused = deletions.filter((change) => change.refused?.code === "deletion-limit");
  return { deleted: deletions.length, refused: refused.length };
}

function manyOf(name: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_item, index) => `${name}-${index}.net`);
}

/** A zone file with this many hostnames, and a setting for foreign ones. */
function withForeign(count: number, foreign: string): object {
  const entries = manyOf("host", count).map((hostname) => ({ hostname, ssl: SSL }));
  return { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", foreign, entries } };
}

describe("deletion limits", () => {
  // Ten percent: none of fewer than ten may go, one of ten or eleven.
  it.each([
    { tracked: 1, most: 0 },
    { tracked: 2, most: 0 },
    { tracked: 9, most: 0 },
    { tracked: 10, most: 1 },
    { tracked: 11, most: 1 },
  ])("of $tracked hostnames 10% lets $most go, and no zone is too small for it", async ({ tracked, most }) => {
    const rig = await zoneOf(tracked, { percent: "10%" });
    expect(await keeping(rig, tracked)).toEqual({ deleted: 0, refused: 0 });
    expect(await keeping(rig, tracked - most)).toEqual({ deleted: most, refused: 0 });
    const over = most + 1;
    expect(await keeping(rig, tracked - over)).toEqual({ deleted: over, refused: over });
  });

  it("also count as an absolute number, whatever the share", async () => {
    const rig = await zoneOf(11, { percent: "100%", count: 2 });
    expect(await keeping(rig, 9)).toEqual({ deleted: 2, refused: 0 });
    expect(await keeping(rig, 8)).toEqual({ deleted: 3, refused: 3 });
  });

  // Half of up to 20 hostnames, else a tenth, and never more than 25.
  it.each([
    { tracked: 4, most: 2 },
    { tracked: 20, most: 10 },
    { tracked: 21, most: 2 },
    { tracked: 101, most: 10 },
    { tracked: 300, most: 25 },
  ])("have a default: of $tracked hostnames $most may go", async ({ tracked, most }) => {
    const rig = await zoneOf(tracked);
    expect(await keeping(rig, tracked - most)).toEqual({ deleted: most, refused: 0 });
    expect(await keeping(rig, tracked - most - 1)).toEqual({ deleted: most + 1, refused: most + 1 });
  });

  it.each([
    { tracked: 30, kept: 22 },
    { tracked: 100, kept: 71 },
  ])(
    "that block say what to write into the YAML: to keep $kept of $tracked, and no fewer",
    async ({ tracked, kept }) => {
      const rig = await zoneOf(tracked);
      rig.write("zones/a.yaml", zoneFile(kept));
      const [blocked] = changesOf(await rig.plan()).filter(({ refused }) => refused);
      const [, yaml = ""] = /or set (deletion_limits: .+)$/.exec(blocked?.refused?.remedy ?? "") ?? [];
      rig.write("zones/a.yaml", `${JSON.stringify(zoneFile(kept)).slice(0, -1)}, ${yaml} }`);
      expect(changesOf(await rig.plan()).filter(({ refused }) => refused)).toEqual([]);
      rig.write("zones/a.yaml", `${JSON.stringify(zoneFile(kept - 1)).slice(0, -1)}, ${yaml} }`);
      expect(changesOf(await rig.plan()).filter(({ refused }) => refused)).toHaveLength(tracked - kept + 1);
    },
  );

  it("of the zone's file win over those of the project's", async () => {
    const rig = await zoneOf(10, { percent: "10%" });
    const own = { deletion_limits: { custom_hostname: { percent: "30%" } } };
    expect(await keeping(rig, 7, own)).toEqual({ deleted: 3, refused: 0 });
    expect(await keeping(rig, 6, own)).toEqual({ deleted: 4, refused: 4 });
  });

  it("of the project hold for what the zone's file does not say", async () => {
    const rig = await zoneOf(20, { percent: "10%", count: 5 });
    const own = { deletion_limits: { custom_hostname: { percent: "50%" } } };
    expect(await keeping(rig, 15, own)).toEqual({ deleted: 5, refused: 0 });
    expect(await keeping(rig, 14, own)).toEqual({ deleted: 6, refused: 6 });
  });

  it("block the deletions, and nothing else of the plan", async () => {
    const rig = await zoneOf(4);
    rig.write("zones/a.yaml", zoneFile(1, { fallback_origin: { origin: "fallback.saas.net" } }));
    const changes = changesOf(await rig.plan());
    expect(changes.filter(({ refused }) => !refused).map(({ address }) => address)).toEqual(["fallback_origin"]);
  });

  it("also count replacements, because the old object is deleted", async () => {
    const rig = await zoneOf(2, { percent: "50%" });
    const file = JSON.parse(JSON.stringify(zoneFile(2)));
    for (const entry of file.custom_hostnames.entries) entry.ssl.cloudflare_branding = false;
    rig.write("zones/a.yaml", file);
    await rig.run();
    for (const entry of file.custom_hostnames.entries) entry.ssl.cloudflare_branding = true;
    rig.write("zones/a.yaml", file);
    expect(changesOf(await rig.plan()).map(({ action, refused }) => [action, refused?.code])).toEqual([
      ["replace", "deletion-limit"],
      ["replace", "deletion-limit"],
    ]);
  });

  it.each(["report", "adopt"])("are a share of what a plan may delete, with foreign: %s", async (foreign) => {
    const names = [...manyOf("host", 4), ...manyOf("theirs", 8)];
    const custom_hostnames = names.map((hostname) => ({ hostname, ssl: SSL }));
    const files = { "zoneform.yaml": project(), "zones/a.yaml": withForeign(4, foreign) };
    const rig = openRig({ zone: { plan: "enterprise", custom_hostnames }, files });
    await rig.run();
    expect(await keeping(rig, 0, withForeign(0, foreign))).toEqual({ deleted: 4, refused: 4 });
  });

  it("count a hostname that only policies knew once it is declared", async () => {
    const branded = (isBranded: boolean): object => ({ ssl: { ...SSL, cloudflare_branding: isBranded } });
    const declaring = (custom_hostnames: object): object => ({ version: 1, zone: ZONE, custom_hostnames });
    const entries = manyOf("host", 4).map((hostname) => ({ hostname, ...branded(true) }));
    const files = { "zoneform.yaml": project(), "zones/a.yaml": declaring({ lifecycle: "zoneform", entries }) };
    const rig = openRig({ zone: { plan: "enterprise" }, files });
    await rig.run();
    await rig.wait(A_DAY_MILLISECONDS);
    rig.write("zones/a.yaml", declaring({ lifecycle: "app", policies: [{ name: "all", set: branded(true) }] }));
    await rig.run();
    expect([...((await rig.state())?.objects.values() ?? [])].map(({ undeclared }) => undeclared)).toEqual(
      entries.map(() => true),
    );
    const next = entries.map((entry, index) => (index === 0 ? { ...entry, ...branded(false) } : entry));
    rig.write("zones/a.yaml", declaring({ lifecycle: "zoneform", entries: next }));
    const replacements = changesOf(await rig.plan()).filter(({ action }) => action === "replace");
    expect(replacements.map(({ key, refused }) => [key, refused?.code])).toEqual([["host-0.net", undefined]]);
  });

  it("block a destroy as a whole, until its hash is approved", async () => {
    const rig = await zoneOf(4);
    rig.write("zones/a.yaml", zoneFile(4, { fallback_origin: { origin: "fallback.saas.net" } }));
    await rig.run();
    const plan = await rig.plan({ isDestroy: true });
    expect(changesOf(plan).map(({ kind, refused }) => [kind, refused?.code])).toEqual([
      ...Array.from({ length: 4 }, () => ["custom_hostname", "deletion-limit"]),
      ["fallback_origin", "deletion-limit"],
    ]);
    const { plan: approved } = await takeApproved(rig.world().store, plan, { approve: plan.hash });
    expect(failuresOf(await rig.apply(approved))).toEqual([]);
    expect((await rig.state())?.objects.size).toBe(0);
  });
});
