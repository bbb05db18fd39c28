import { describe, expect, it } from "vitest";
import { approvalOf, withApproval } from "../../../lib/approval/approval.ts";
import { type Consent, takeApproved } from "../../../lib/approval/approve.ts";
import { applyExit } from "../../../lib/engine/exit.ts";
import { makeUndo } from "../../../lib/engine/undo.ts";
import type { Plan } from "../../../lib/plan/change.ts";
import { digestOf } from "../../../lib/plan/digest.ts";
import { appliedBy } from "../../../lib/state/state.ts";
import { applyApproved, statuses } from "../../support/approving.ts";
import {
  changesOf,
  endingsOf,
  failuresOf,
  inWords,
  openRig,
  type Rig,
  runCutOffAfter,
  ZONE,
} from "../../support/engine.ts";
import { MANAGED, THEIRS } from "../apply/foreign-edits.ts";

const PHASE = "http_request_firewall_managed";
const HOSTNAMES = `/zones/${ZONE.id}/custom_hostnames`;
const ENTRY_POINT = `/zones/${ZONE.id}/rulesets/phases/${PHASE}/entrypoint`;
const HOUR_MILLISECONDS = 3_600_000;

const hostnames = (...entries: readonly object[]): object => ({
  custom_hostnames: { lifecycle: "zoneform", entries },
});
const tiers = (values: Readonly<Record<string, string>>): object =>
  hostnames(...Object.entries(values).map(([hostname, tier]) => ({ hostname, custom_metadata: { tier } })));
const origin = (name: string): object => ({ fallback_origin: { origin: name } });
const first = { ...MANAGED, ref: "ours/first", expression: "true" };
const second = { ...MANAGED, ref: "ours/second", expression: "false" };
const rules = (...all: readonly object[]): object => ({
  entry_points: { [PHASE]: { own: ["ours/"], adopt: true, rules: all } },
});

/** What is approved: from one configuration to the next. `back` takes it back in the dashboard, if that can be done. */
const CHANGES: readonly {
  readonly what: string;
  readonly before: object;
  readonly after: object;
  readonly back?: (rig: Rig) => void;
}[] = [
  {
    what: "a field of a hostname",
    before: tiers({ "a.net": "silver" }),
    after: tiers({ "a.net": "gold" }),
    back: (rig) => setTier(rig, "silver"),
  },
  {
    what: "a hostname that is created",
    before: tiers({ "b.net": "silver" }),
    after: tiers({ "a.net": "gold", "b.net": "silver" }),
    back: (rig) => void rig.admin.dashboard("DELETE", `${HOSTNAMES}/${idOf(rig)}`),
  },
  {
    what: "a hostname that is deleted",
    before: tiers({ "a.net": "gold", "b.net": "silver" }),
    after: tiers({ "b.net": "silver" }),
  },
  {
    what: "a fallback origin",
    before: origin("fallback.saas.net"),
    after: origin("fallback2.saas.net"),
    back: (rig) => {
      const path = `/zones/${ZONE.id}/custom_hostnames/fallback_origin`;
      rig.admin.dashboard("PUT", path, { origin: "fallback.saas.net" });
    },
  },
  {
    what: "a rule that is edited",
    before: rules(first, second),
    after: rules(first, { ...second, expression: 'http.host eq "a.net"' }),
    back: (rig) =>
      setRules(rig, (all) => all.map((rule) => (rule["ref"] === second.ref ? { ...rule, expression: "false" } : rule))),
  },
  {
    what: "a rule that is added",
    before: rules(first),
    after: rules(first, second),
    back: (rig) => setRules(rig, (all) => all.filter(({ ref }) => ref !== second.ref)),
  },
  {
    what: "a rule that is removed",
    before: rules(first, second),
    after: rules(first),
    back: (rig) => setRules(rig, (all) => [...all.slice(0, 1), JSON.parse(JSON.stringify(second)), ...all.slice(1)]),
  },
];

interface Stage {
  readonly rig: Rig;
  readonly before: object;
  readonly after: object;
  readonly back?: (rig: Rig) => void;
  /** The run that carried out what was approved. */
  readonly run: string;
}

/** The ways in which something that was applied is taken back. Afterwards the YAML wants it again. */
const WAYS: readonly (readonly [string, (stage: Stage) => Promise<void>])[] = [
  ["in the dashboard", async ({ rig, back }) => back?.(rig)],
  [
    "by undo",
    async ({ rig, run }) => {
      const { plan } = await makeUndo(rig.world(), { file: rig.file, run });
      expect(failuresOf(await rig.apply(plan))).toEqual([]);
    },
  ],
  [
    "by the YAML",
    async ({ rig, before, after }) => {
      declare(rig, before);
      expect(failuresOf(await rig.run())).toEqual([]);
      declare(rig, after);
    },
  ],
];

const CASES = CHANGES.flatMap((change) =>
  WAYS.filter(([way]) => way !== "in the dashboard" || change.back).map(([way, goBack]) => ({
    ...change,
    way,
    goBack,
  })),
);

describe("an approval that was used", () => {
  it.each(CASES)("is spent: $what, taken back $way, stays so until a new plan is approved", async (given) => {
    const { rig, run, saved } = await applied(given);
    await given.goBack({ ...given, rig, run });
    await rig.wait(HOUR_MILLISECONDS);
    const fresh = await rig.plan();
    const asTakenBack = inWords(changesOf(fresh));
    expect(asTakenBack).not.toEqual([]);
    expect(fresh.hash).not.toBe(saved.hash);
    for (const consent of [{ saved }, { expect: saved.hash }] satisfies readonly Consent[]) {
      const report = await applyApproved(rig, consent);
      expect(endingsOf(report).filter(({ outcome }) => outcome.status === "done")).toEqual([]);
      expect(applyExit(report).code).toBe(5);
      expect(inWords(changesOf(await rig.plan()))).toEqual(asTakenBack);
    }
    expect(failuresOf(await applyApproved(rig, { expect: fresh.hash }))).toEqual([]);
    await rig.wait(HOUR_MILLISECONDS);
    expect(inWords(changesOf(await rig.plan()))).toEqual([]);
  });
});

describe("a spent approval", () => {
  const before = tiers({ "a.net": "silver" });
  const after = tiers({ "a.net": "gold" });

  it("names the run that has used it, and the time", async () => {
    const { rig, run, saved } = await applied({ before, after });
    setTier(rig, "silver");
    const [ended] = endingsOf(await applyApproved(rig, { saved }));
    expect(ended?.outcome).toMatchObject({
      status: "conflict",
      diagnostic: {
        code: "approval-spent",
        message: `this was applied by run ${run.slice(0, 8)} on 2026-11-21 07:00 UTC, and has been set back since`,
        remedy: "plan again to apply it again",
      },
    });
  });

  it("names the run that took it back", async () => {
    const { rig, run, saved } = await applied({ before, after });
    const { plan } = await makeUndo(rig.world(), { file: rig.file, run });
    const undo = await rig.apply(plan);
    const [ended] = endingsOf(await applyApproved(rig, { saved }));
    expect(ended?.outcome).toMatchObject({
      diagnostic: {
        code: "approval-spent",
        message: `this was changed by run ${undo.run.slice(0, 8)} on 2026-11-21 08:00 UTC, after the plan was made`,
      },
    });
  });

  it("is not reported for a change that an edit of the YAML makes: no run is blamed for it", async () => {
    const entry = (more: object, expression: string): object => ({
      entry_points: { [PHASE]: { own: ["ours/"], adopt: true, ...more, rules: [first, { ...second, expression }] } },
    });
    for (const more of [{ place: "first" }, { own: ["ours/", "theirs"] }]) {
      const rig = await rigOf(entry({}, "false"));
      declare(rig, entry({}, 'http.host eq "a.net"'));
      const saved = await rig.plan();
      declare(rig, entry(more, 'http.host eq "a.net"'));
      expect(await refusedWords(rig, saved)).toEqual([
        ["changed-since-approval", "the plan would now update it in another way than was approved"],
      ]);
    }
  });

  it("names no run if the state has dropped it since the plan was made", async () => {
    const rig = await rigOf(tiers({ "b.net": "silver" }));
    declare(rig, tiers({ "a.net": "gold", "b.net": "silver" }));
    const saved = await rig.plan();
    const fresh = await rig.plan();
    const zones = fresh.zones.map((section) => ({
      ...section,
      changes: section.changes.map((change) => {
        const forgotten = { ...change, by: appliedBy({ objects: new Map(), removedUntil: 57 }, change.address) ?? {} };
        return { ...forgotten, digest: digestOf(forgotten) };
      }),
    }));
    const judged = withApproval({ ...fresh, zones }, approvalOf(saved));
    expect(changesOf(judged).map(({ refused }) => [refused?.code, refused?.message])).toEqual([
      ["approval-spent", "the state no longer knows whether a run applied this after the plan was made"],
    ]);
  });

  it("is found under the lock, if a run has used it after the plan was made", async () => {
    const rig = await rigOf(before);
    declare(rig, after);
    const [saved, same] = [await rig.plan(), await rig.plan()];
    expect(failuresOf(await applyApproved(rig, { saved }))).toEqual([]);
    setTier(rig, "silver");
    expect(endingsOf(await rig.apply(same)).map(({ outcome }) => outcome.status)).toEqual(["conflict"]);
    expect(tierOf(rig)).toBe("silver");
  });

  it("was used by a write whose response was lost, once live has shown it", async () => {
    const rig = await rigOf(before);
    declare(rig, after);
    const saved = await rig.plan();
    await runCutOffAfter(rig, "PATCH");
    expect(tierOf(rig)).toBe("gold");
    expect(failuresOf(await rig.run())).toEqual([]);
    setTier(rig, "silver");
    const [ended] = endingsOf(await applyApproved(rig, { saved }));
    expect(ended?.outcome).toMatchObject({ status: "conflict", diagnostic: { code: "approval-spent" } });
    expect(tierOf(rig)).toBe("silver");
  });
});

describe("an approval is not spent", () => {
  it("by a run that changed another field of the object", async () => {
    const entry = (more: object): object => hostnames({ hostname: "a.net", ...more });
    const rig = await rigOf(entry({ custom_metadata: { tier: "silver", region: "eu" } }));
    declare(rig, entry({ custom_metadata: { tier: "gold", region: "eu" } }));
    const saved = await rig.plan();
    declare(rig, entry({ custom_metadata: { tier: "silver", region: "us" } }));
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.wait(HOUR_MILLISECONDS);
    declare(rig, entry({ custom_metadata: { tier: "gold", region: "us" } }));
    expect(statuses(await applyApproved(rig, { saved }))).toEqual(['update custom_hostname["a.net"] done']);
  });

  it("by a run that changed another rule", async () => {
    const edited = { ...second, expression: 'http.host eq "a.net"' };
    const rig = await rigOf(rules(first, second));
    declare(rig, rules(first, edited));
    const saved = await rig.plan();
    const other = { ...first, expression: 'http.host eq "b.net"' };
    declare(rig, rules(other, second));
    expect(failuresOf(await rig.run())).toEqual([]);
    declare(rig, rules(other, edited));
    expect(statuses(await applyApproved(rig, { saved }))).toEqual([`update ruleset["${PHASE}"] done`]);
  });

  it("by its own write that never arrived", async () => {
    const rig = await rigOf(tiers({ "a.net": "silver" }));
    declare(rig, tiers({ "a.net": "gold" }));
    const saved = await rig.plan();
    rig.network((request, _index, pass) => (request.method === "PATCH" ? rig.crash() : undefined) ?? pass());
    expect(await rig.untilCrash(applyApproved(rig, { saved }))).toBe("crashed");
    await rig.restart();
    expect(tierOf(rig)).toBe("silver");
    expect(failuresOf(await applyApproved(rig, { saved }))).toEqual([]);
    expect(tierOf(rig)).toBe("gold");
  });
});

/** A zone in which the configuration was applied some time ago. */
async function rigOf(content: object): Promise<Rig> {
  const rig = openRig({
    zone: { plan: "enterprise", rulesets: [{ phase: PHASE, rules: [THEIRS] }] },
    files: { "zones/a.yaml": { version: 1, zone: ZONE, ...content } },
  });
  expect(failuresOf(await rig.run())).toEqual([]);
  await rig.wait(HOUR_MILLISECONDS);
  return rig;
}

/** The zone where the plan of a change was saved and applied. */
async function applied({
  before,
  after,
}: Pick<Stage, "before" | "after">): Promise<{ readonly rig: Rig; readonly saved: Plan; readonly run: string }> {
  const rig = await rigOf(before);
  declare(rig, after);
  const saved = await rig.plan();
  const report = await applyApproved(rig, { saved });
  expect(failuresOf(report)).toEqual([]);
  await rig.wait(HOUR_MILLISECONDS);
  return { rig, saved, run: report.run };
}

/** Why a saved plan is not applied, by code and in words. */
async function refusedWords(rig: Rig, saved: Plan): Promise<readonly (readonly unknown[])[]> {
  const { plan } = await takeApproved(rig.world().store, await rig.plan(), { saved });
  return changesOf(plan).map(({ refused }) => [refused?.code, refused?.message]);
}

function declare(rig: Rig, content: object): void {
  rig.write("zones/a.yaml", { version: 1, zone: ZONE, ...content });
}

function idOf(rig: Rig): string {
  return JSON.parse(rig.admin.dashboard("GET", `${HOSTNAMES}?hostname=a.net`).body).result[0].id;
}

function setTier(rig: Rig, tier: string): void {
  rig.admin.dashboard("PATCH", `${HOSTNAMES}/${idOf(rig)}`, { custom_metadata: { tier } });
}

function tierOf(rig: Rig): string {
  return JSON.parse(rig.admin.dashboard("GET", `${HOSTNAMES}?hostname=a.net`).body).result[0].custom_metadata.tier;
}

type Rule = Readonly<Record<string, string>>;

function setRules(rig: Rig, edit: (rules: readonly Rule[]) => readonly Rule[]): void {
  const { result } = JSON.parse(rig.admin.dashboard("GET", ENTRY_POINT).body);
  const edited = edit(result.rules).map(({ version: _version, last_updated: _at, ...rule }) => rule);
  expect(rig.admin.dashboard("PUT", ENTRY_POINT, { rules: edited }).status).toBe(200);
}
