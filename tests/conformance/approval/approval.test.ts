import { describe, expect, it } from "vitest";
import type { Plan } from "../../../lib/plan/change.ts";
import { applyApproved, hostnamesOf as names, refusalOf, statuses } from "../../support/approving.ts";
import { changesOf, endingsOf, openRig, type Rig, ZONE } from "../../support/engine.ts";
import { runText } from "../../support/texts.ts";

const HOSTNAMES = `/zones/${ZONE.id}/custom_hostnames`;
const SSL = { method: "http", type: "dv" };

function zoneFile(hostnames: readonly string[], metadata: Readonly<Record<string, object>> = {}): object {
  const entries = hostnames.map((hostname) => ({
    hostname,
    ...(metadata[hostname] ? { custom_metadata: metadata[hostname] } : {}),
  }));
  return {
    version: 1,
    zone: ZONE,
    custom_hostnames: { lifecycle: "zoneform", policies: [{ name: "all", set: { ssl: SSL } }], entries },
  };
}

function rigWith(hostnames: readonly string[], more: Partial<Parameters<typeof openRig>[0]> = {}): Rig {
  return openRig({ ...more, files: { "zones/a.yaml": zoneFile(hostnames), ...more.files } });
}

/** The live hostname `a.net`. */
function recordOf(rig: Rig): { readonly id: string; readonly custom_metadata?: object } {
  const found = JSON.parse(rig.admin.dashboard("GET", HOSTNAMES).body).result;
  return found.find(({ hostname }: { hostname: string }) => hostname === "a.net");
}

function setMetadata(rig: Rig, metadata: Record<string, string>): void {
  rig.admin.dashboard("PATCH", `${HOSTNAMES}/${recordOf(rig).id}`, { custom_metadata: metadata });
}

describe("an approval covers a set of changes", () => {
  it("applies what was approved, and refuses newer changes", async () => {
    const rig = rigWith(["a.net", "b.net"]);
    const saved = await rig.plan();
    rig.write("zones/a.yaml", zoneFile(["a.net", "b.net", "c.net"]));
    const report = await applyApproved(rig, { saved });
    expect(statuses(report)).toEqual([
      'create custom_hostname["a.net"] done',
      'create custom_hostname["b.net"] done',
      'create custom_hostname["c.net"] refused',
    ]);
    expect(names(rig)).toEqual(["a.net", "b.net"]);
  });

  it("skips what is no longer needed, and says so", async () => {
    const rig = rigWith(["a.net", "b.net"]);
    const saved = await rig.plan();
    await applyApproved(rig, { saved });
    const again = await applyApproved(rig, { saved });
    expect(endingsOf(again)).toEqual([]);
    expect(again.approval?.dropped).toEqual([
      { address: 'custom_hostname["a.net"]', because: "applied" },
      { address: 'custom_hostname["b.net"]', because: "applied" },
    ]);
  });

  it("names what is no longer needed by its cause: already applied, deleted meanwhile, no longer declared", async () => {
    const rig = rigWith(["a.net", "b.net", "c.net"]);
    await rig.run();
    rig.write("zones/a.yaml", zoneFile(["a.net", "d.net"], { "a.net": { tier: "gold" } }));
    const saved = await rig.plan();
    setMetadata(rig, { tier: "gold" });
    for (const each of JSON.parse(rig.admin.dashboard("GET", HOSTNAMES).body).result)
      if (each.hostname === "b.net") rig.admin.dashboard("DELETE", `${HOSTNAMES}/${each.id}`);
    rig.write("zones/a.yaml", zoneFile(["a.net"], { "a.net": { tier: "gold" } }));
    const report = await applyApproved(rig, { saved });
    expect(report.approval?.dropped).toEqual([
      { address: 'custom_hostname["a.net"]', because: "applied" },
      { address: 'custom_hostname["b.net"]', because: "gone" },
      { address: 'custom_hostname["d.net"]', because: "undeclared" },
    ]);
    const text = runText(report, { colour: false });
    expect(text).toContain("1 approved change is no longer needed (already applied):\n  a.net\n");
    expect(text).toContain("1 approved change is no longer needed (deleted meanwhile):\n  b.net\n");
    expect(text).toContain("1 approved change is no longer needed (no longer declared):\n  d.net\n");
  });

  it("reports a conflict if the configuration now declares something else, with both values", async () => {
    const rig = rigWith(["a.net"]);
    await rig.run();
    rig.write("zones/a.yaml", zoneFile(["a.net"], { "a.net": { tier: "gold" } }));
    const saved = await rig.plan();
    rig.write("zones/a.yaml", zoneFile(["a.net"], { "a.net": { tier: "silver" } }));
    const [ended] = endingsOf(await applyApproved(rig, { saved }));
    expect(ended?.outcome).toMatchObject({
      status: "conflict",
      diagnostic: { code: "changed-since-approval" },
      fields: [{ path: ["custom_metadata", "tier"], wanted: "gold", wantedNow: "silver" }],
    });
  });

  it("reports a conflict if live was changed, with all three values", async () => {
    const rig = rigWith(["a.net"]);
    await rig.run();
    rig.write("zones/a.yaml", zoneFile(["a.net"], { "a.net": { tier: "gold" } }));
    const saved = await rig.plan();
    const [{ id }] = JSON.parse(rig.admin.dashboard("GET", HOSTNAMES).body).result;
    rig.admin.dashboard("PATCH", `${HOSTNAMES}/${id}`, { custom_metadata: { tier: "theirs" } });
    const [ended] = endingsOf(await applyApproved(rig, { saved }));
    expect(ended?.outcome).toMatchObject({
      status: "conflict",
      diagnostic: { code: "changed-since-plan" },
      fields: [{ path: ["custom_metadata", "tier"], live: "theirs", wanted: "gold" }],
    });
  });

  it("does not delete an object that was changed since, in any field", async () => {
    const rig = rigWith(["a.net", "b.net"]);
    await rig.run();
    rig.write("zones/a.yaml", zoneFile(["b.net"]));
    const saved = await rig.plan();
    const found = JSON.parse(rig.admin.dashboard("GET", HOSTNAMES).body).result;
    const { id } = found.find(({ hostname }: { hostname: string }) => hostname === "a.net");
    rig.admin.dashboard("PATCH", `${HOSTNAMES}/${id}`, { custom_metadata: { kept: "for a reason" } });
    expect(statuses(await applyApproved(rig, { saved }))).toEqual(['delete custom_hostname["a.net"] conflict']);
    expect(names(rig)).toEqual(["a.net", "b.net"]);
  });

  it("covers one project", async () => {
    const rig = rigWith(["a.net"]);
    const saved: Plan = { ...(await rig.plan()), project: "another" };
    expect((await refusalOf(applyApproved(rig, { saved }))).exitCode).toBe(4);
  });
});

describe("--expect HASH", () => {
  it("applies the plan with that hash, and refuses any other hash whose changes are unknown", async () => {
    const rig = rigWith(["a.net"]);
    const { hash } = await rig.plan();
    rig.write("zones/a.yaml", zoneFile(["a.net", "b.net"]));
    const refusal = await refusalOf(applyApproved(rig, { expect: hash }));
    expect([refusal.exitCode, refusal.diagnostics[0]?.code]).toEqual([4, "another-plan"]);
    rig.write("zones/a.yaml", zoneFile(["a.net"]));
    expect(statuses(await applyApproved(rig, { expect: hash }))).toEqual(['create custom_hostname["a.net"] done']);
  });

  it("refuses the earlier plan if the live object that it would write was changed", async () => {
    const rig = rigWith(["a.net"]);
    await rig.run();
    rig.write("zones/a.yaml", zoneFile(["a.net"], { "a.net": { tier: "gold" } }));
    setMetadata(rig, { tier: "bronze" });
    const { hash } = await rig.plan();
    setMetadata(rig, { tier: "theirs" });
    const refusal = await refusalOf(applyApproved(rig, { expect: hash }));
    expect([refusal.exitCode, refusal.diagnostics[0]?.code]).toEqual([4, "another-plan"]);
    expect(recordOf(rig).custom_metadata).toEqual({ tier: "theirs" });
  });

  it("refuses the earlier plan if the live object that it would delete was changed", async () => {
    const rig = rigWith(["a.net", "b.net"]);
    await rig.run();
    rig.write("zones/a.yaml", zoneFile(["b.net"]));
    const { hash } = await rig.plan();
    setMetadata(rig, { kept: "for a reason" });
    const refusal = await refusalOf(applyApproved(rig, { expect: hash }));
    expect([refusal.exitCode, refusal.diagnostics[0]?.code]).toEqual([4, "another-plan"]);
    expect(names(rig)).toEqual(["a.net", "b.net"]);
  });

  it("with the plan's file applies the part of it that the new plan still has", async () => {
    const rig = rigWith(["a.net"]);
    const saved = await rig.plan();
    rig.write("zones/a.yaml", zoneFile(["a.net", "b.net"]));
    const report = await applyApproved(rig, { saved, expect: saved.hash });
    expect(statuses(report)).toEqual([
      'create custom_hostname["a.net"] done',
      'create custom_hostname["b.net"] refused',
    ]);
  });

  it.each(["", "zf1:12", "zf1:XYZ", "12".repeat(32)])("does not accept a part of a hash: %j", async (text) => {
    const rig = rigWith(["a.net"]);
    const refusal = await refusalOf(applyApproved(rig, { expect: text }));
    expect(refusal.diagnostics[0]?.code).toBe("not-a-hash");
  });

  it("continues under the same approval after a cut-off run, and does nothing else", async () => {
    const hostnames = Array.from({ length: 12 }, (_item, index) => `host-${index}.net`);
    const rig = rigWith(hostnames);
    const { hash } = await rig.plan();
    let posts = 0;
    rig.network((request, _index, pass) => {
      if (request.method === "POST" && (posts += 1) === 6) rig.crash();
      return pass();
    });
    expect(await rig.untilCrash(applyApproved(rig, { expect: hash }))).toBe("crashed");
    await rig.restart();
    rig.write("zones/a.yaml", zoneFile([...hostnames, "unapproved.net"]));
    const report = await applyApproved(rig, { expect: hash });
    expect(endingsOf(report).filter(({ outcome }) => outcome.status !== "done")).toMatchObject([
      { address: 'custom_hostname["unapproved.net"]', outcome: { status: "refused" } },
    ]);
    expect(names(rig)).toEqual(hostnames.toSorted());
  });

  it("continues a replacement whose old object is gone and whose new one does not exist yet", async () => {
    // Branding is fixed when a hostname is created: changing it replaces the hostname.
    const branded = (isBranded: boolean): object => {
      const file = JSON.parse(JSON.stringify(zoneFile(["a.net"])));
      file.custom_hostnames.policies[0].set.ssl = { ...SSL, cloudflare_branding: isBranded };
      return file;
    };
    const rig = rigWith([], {
      zone: { custom_hostnames: [{ hostname: "a.net", ssl: SSL }] },
      files: { "zones/a.yaml": branded(false) },
    });
    await rig.run();
    rig.write("zones/a.yaml", branded(true));
    const plan = await rig.plan();
    expect(changesOf(plan).map(({ action }) => action)).toEqual(["replace"]);
    rig.network((request, _index, pass) => {
      if (request.method === "POST") rig.crash();
      return pass();
    });
    expect(await rig.untilCrash(applyApproved(rig, { expect: plan.hash }))).toBe("crashed");
    await rig.restart();
    expect(statuses(await applyApproved(rig, { expect: plan.hash }))).toEqual(['create custom_hostname["a.net"] done']);
    expect(changesOf(await rig.plan())).toEqual([]);
  });
});

describe("--approve HASH", () => {
  const limits = { version: 1, project: "rig", zones: ["zones/*.yaml"] };
  const hostnames = Array.from({ length: 10 }, (_item, index) => `host-${index}.net`);

  async function overLimit(): Promise<Rig> {
    const rig = rigWith(hostnames, { files: { "zoneform.yaml": limits } });
    await rig.run();
    rig.write("zones/a.yaml", zoneFile(hostnames.slice(0, 4)));
    return rig;
  }

  it("lets exactly that plan go beyond the deletion limits", async () => {
    const rig = await overLimit();
    const { hash } = await rig.plan();
    expect(new Set(statuses(await applyApproved(rig, { expect: hash })).map((each) => each.split(" ").at(-1)))).toEqual(
      new Set(["refused"]),
    );
    await applyApproved(rig, { approve: hash });
    expect(names(rig)).toEqual(hostnames.slice(0, 4));
  });

  it("never unlocks another plan", async () => {
    const rig = await overLimit();
    const { hash } = await rig.plan();
    rig.write("zones/a.yaml", zoneFile(hostnames.slice(0, 3)));
    expect((await refusalOf(applyApproved(rig, { approve: hash }))).exitCode).toBe(4);
    expect(names(rig)).toEqual(hostnames);
  });
});
