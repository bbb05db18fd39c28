import { describe, expect, it } from "vitest";
import type { ApplyReport } from "../../../lib/apply/outcome.ts";
import { takeApproved } from "../../../lib/approval/approve.ts";
import type { Plan } from "../../../lib/plan/change.ts";
import { applyExit } from "../../../lib/engine/exit.ts";
import { EVERYTHING } from "../../../lib/plan/inputs.ts";
import { planText } from "../../../lib/report/plan.ts";
import { makeUndo } from "../../../lib/engine/undo.ts";
import { applyApproved, applyFor, hostnamesOf, refusalOf, statuses } from "../../support/approving.ts";
import { flat } from "../../support/text.ts";
import { endingsOf, failuresOf, openRig, type Rig, ZONE } from "../../support/engine.ts";
import { runText } from "../../support/texts.ts";

const SSL = { method: "http", type: "dv" };
const PHASE = "http_request_firewall_custom";
const ENTRY_POINT = `/zones/${ZONE.id}/rulesets/phases/${PHASE}/entrypoint`;
const HOSTNAMES = ["a.net", "b.net", "c.net", "d.net"];

function zoneFile(hostnames: readonly string[]): object {
  const entries = hostnames.map((hostname) => ({ hostname, ssl: SSL }));
  return { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", entries } };
}

function rigWith(hostnames: readonly string[]): Rig {
  return openRig({ files: { "zones/a.yaml": zoneFile(hostnames) } });
}

function counted(report: ApplyReport): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { outcome } of endingsOf(report)) counts[outcome.status] = (counts[outcome.status] ?? 0) + 1;
  return counts;
}

describe("a run that was stopped halfway continues with the approved hash", () => {
  it("an undo", async () => {
    const rig = rigWith([]);
    await rig.run();
    rig.write("zones/a.yaml", zoneFile(HOSTNAMES));
    const { run } = await rig.run();
    const undo = async (): Promise<Plan> => (await makeUndo(rig.world(), { file: rig.file, run })).plan;
    const approved = await undo();
    expect(counted(await applyFor(rig, approved, {}, 2))).toEqual({ done: 2, "not-started": 2 });
    expect((await undo()).hash).not.toBe(approved.hash);
    const report = await applyFor(rig, await undo(), { expect: approved.hash }, 9);
    expect([counted(report), hostnamesOf(rig)]).toEqual([{ done: 2 }, []]);
  });

  it("a destroy, and nothing else is destroyed with it", async () => {
    const rig = rigWith(HOSTNAMES);
    await rig.run();
    const approved = await rig.plan({ isDestroy: true });
    expect(counted(await applyFor(rig, approved, {}, 2))).toEqual({ done: 2, "not-started": 2 });
    rig.write("zones/a.yaml", zoneFile([...HOSTNAMES, "e.net"]));
    await rig.run({ selection: { ...EVERYTHING, target: ['custom_hostname["e.net"]'] } });
    const report = await applyFor(rig, await rig.plan({ isDestroy: true }), { expect: approved.hash }, 9);
    expect([counted(report), hostnamesOf(rig)]).toEqual([{ done: 2, refused: 1 }, ["e.net"]]);
  });
});

describe("the approval of a stopped run", () => {
  /** Six plans that are applied completely; each adds one hostname. */
  async function applySix(rig: Rig): Promise<void> {
    for (const [index] of Array.from({ length: 6 }).entries()) {
      const names = Array.from({ length: index + 1 }, (_item, at) => `other-${at}.net`);
      rig.write("zones/a.yaml", zoneFile([...HOSTNAMES, ...names]));
      await rig.wait(1000);
      const target = [`custom_hostname["other-${index}.net"]`];
      expect(failuresOf(await rig.run({ selection: { ...EVERYTHING, target } }))).toEqual([]);
    }
  }

  it("outlives those of completed runs", async () => {
    const rig = rigWith(HOSTNAMES);
    const { hash } = await rig.plan();
    expect(counted(await applyFor(rig, await rig.plan(), { expect: hash }, 0))).toEqual({ "not-started": 4 });
    await applySix(rig);
    expect(failuresOf(await applyApproved(rig, { expect: hash }))).toEqual([]);
    expect(hostnamesOf(rig)).toEqual(expect.arrayContaining(HOSTNAMES));
    const kept = (await rig.world().store.view(ZONE.id)).names.filter((name) => name.startsWith("approval-"));
    expect(kept).toHaveLength(5);
  });

  it("outlives them even if only a part of it was targeted, and done", async () => {
    const rig = rigWith(HOSTNAMES);
    const { hash } = await rig.plan();
    await applyFor(rig, await rig.plan(), { expect: hash }, 0);
    const selection = { ...EVERYTHING, target: ['custom_hostname["a.net"]'] };
    expect(failuresOf(await applyApproved(rig, { expect: hash, selection }, { selection }))).toEqual([]);
    await applySix(rig);
    expect(failuresOf(await applyApproved(rig, { expect: hash }))).toEqual([]);
    expect(hostnamesOf(rig)).toEqual(expect.arrayContaining(HOSTNAMES));
  });

  it("is still there after the run was finished, so that doing it twice is not an error", async () => {
    const rig = rigWith(HOSTNAMES);
    const { hash } = await rig.plan();
    await applyApproved(rig, { expect: hash });
    expect(endingsOf(await applyApproved(rig, { expect: hash }))).toEqual([]);
  });

  it("leaves no trace beyond the limit", async () => {
    const rig = rigWith(HOSTNAMES);
    await rig.run();
    await applySix(rig);
    const names = (await rig.world().store.view(ZONE.id)).names;
    expect(names.filter((name) => name.startsWith("finished-")).length).toBeLessThanOrEqual(5);
  });
});

describe("an approved change that is no longer in the plan", () => {
  it("counts as no longer needed only if the plan looked for it", async () => {
    const rig = rigWith(HOSTNAMES);
    const { hash } = await rig.plan();
    const selection = { ...EVERYTHING, target: ['custom_hostname["a.net"]'] };
    await applyFor(rig, await rig.plan(), { expect: hash }, 0);
    const { plan } = await takeApproved(rig.world().store, await rig.plan({ selection }), { expect: hash, selection });
    const left = HOSTNAMES.slice(1).map((name) => `custom_hostname["${name}"]`);
    expect(plan.approval).toMatchObject({ dropped: [], leftOut: left });
    expect(planText(plan, { colour: false })).toContain(
      "3 approved changes are left out by --target, --exclude or --zone.\n",
    );
    expect(planText(plan, { colour: false })).not.toContain("no longer needed");
  });

  it("is reported by the run that forgets it if another object has its name, even if everything was refused", async () => {
    const rig = rigWith(HOSTNAMES);
    await rig.run();
    const limits = { deletion_limits: { custom_hostname: { percent: "100%", count: 1 } } };
    rig.write("zones/a.yaml", { ...zoneFile(["d.net"]), ...limits });
    const saved = await rig.plan();
    const path = `/zones/${ZONE.id}/custom_hostnames`;
    const { result } = JSON.parse(rig.admin.dashboard("GET", `${path}?hostname=b.net`).body);
    rig.admin.dashboard("DELETE", `${path}/${result[0].id}`);
    rig.admin.dashboard("POST", path, { hostname: "b.net", ssl: SSL });
    const report = await applyFor(rig, await rig.plan(), { saved }, 9);
    expect([statuses(report), applyExit(report).code]).toEqual([
      ['delete custom_hostname["a.net"] refused', 'delete custom_hostname["c.net"] refused'],
      4,
    ]);
    expect((await rig.state())?.objects.has('custom_hostname["b.net"]')).toBe(false);
    expect(flat(runText(report, { colour: false }))).toContain(
      "b.net was to be deleted, but was deleted and created again outside Zoneform; the new one stays live",
    );
  });

  it("was not approved if the approved plan showed it as blocked", async () => {
    const rig = rigWith(["a.net", "b.net"]);
    await rig.run();
    rig.write("zones/a.yaml", zoneFile(["b.net"]));
    const saved = await rig.plan({ selection: { ...EVERYTHING, deny: ["delete"] } });
    rig.write("zones/a.yaml", zoneFile(["a.net", "b.net"]));
    const { plan } = await takeApproved(rig.world().store, await rig.plan(), { saved });
    expect(plan.approval).toMatchObject({ dropped: [], leftOut: [], takenOver: [] });
  });
});

describe("a change that a guard blocks", () => {
  it("is also refused if no time is left, and is no reason to continue", async () => {
    const rig = rigWith(HOSTNAMES);
    await rig.run();
    const denied = { selection: { ...EVERYTHING, deny: ["delete"] as const }, isDestroy: true };
    const report = await applyFor(rig, await rig.plan(denied), {}, 0);
    expect([counted(report), applyExit(report).code]).toEqual([{ refused: 4 }, 4]);
  });
});

describe("foreign rules that came after the approval", () => {
  const rule = (ref: string): object => ({
    ref,
    action: "block",
    expression: `http.request.uri.path eq "/${ref}"`,
    enabled: true,
    description: "",
  });
  const rulesFile = (refs: readonly string[]): object => ({
    version: 1,
    zone: ZONE,
    entry_points: { [PHASE]: { rules: refs.map(rule), own: ["sec/"], adopt: true, place: "first" } },
  });

  async function planned(): Promise<{ rig: Rig; saved: Plan }> {
    const zone = { plan: "enterprise", rulesets: [{ phase: PHASE, rules: [rule("theirs")] }] };
    const rig = openRig({ zone: JSON.parse(JSON.stringify(zone)), files: { "zones/a.yaml": rulesFile(["sec/1"]) } });
    await rig.run();
    rig.write("zones/a.yaml", rulesFile(["sec/1", "sec/2"]));
    return { rig, saved: await rig.plan() };
  }

  function refsOf(rig: Rig): readonly string[] {
    const { result } = JSON.parse(rig.admin.dashboard("GET", ENTRY_POINT).body);
    return result.rules.map(({ ref }: { ref: string }) => ref);
  }

  function setRules(rig: Rig, refs: readonly string[]): void {
    const rules = JSON.parse(JSON.stringify(refs.map(rule)));
    expect(rig.admin.dashboard("PUT", ENTRY_POINT, { rules }).status).toBe(200);
  }

  const claims = [
    ["by the file", ({ saved }: { saved: Plan }) => ({ saved })],
    ["by the hash", ({ saved }: { saved: Plan }) => ({ expect: saved.hash })],
    ["by both", ({ saved }: { saved: Plan }) => ({ saved, expect: saved.hash })],
  ] as const;

  it.each(claims)("cause no conflict if ours are applied as approved, %s; they are kept", async (_name, claimOf) => {
    const { rig, saved } = await planned();
    setRules(rig, ["sec/1", "theirs", "new-of-theirs"]);
    expect(statuses(await applyApproved(rig, claimOf({ saved })))).toEqual([`update ruleset["${PHASE}"] done`]);
    expect(refsOf(rig)).toEqual(["sec/1", "sec/2", "theirs", "new-of-theirs"]);
  });

  it("cause a conflict if ours now have another place among them, with the file and with the hash", async () => {
    const { rig, saved } = await planned();
    setRules(rig, ["ahead-of-ours", "sec/1", "theirs"]);
    const [ended] = endingsOf(await applyApproved(rig, { saved }));
    expect(ended?.outcome.status).toBe("conflict");
    expect((await refusalOf(applyApproved(rig, { expect: saved.hash }))).diagnostics[0]?.code).toBe("another-plan");
    expect(refsOf(rig)).toEqual(["ahead-of-ours", "sec/1", "theirs"]);
  });
});
