import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../../lib/core/diagnostic.ts";
import { withReview } from "../../../lib/plan/watch.ts";
import { makeUndo } from "../../../lib/engine/undo.ts";
import { EXIT } from "../../../lib/core/exit-code.ts";
import { compareWithConfig, findDrift } from "../../../lib/engine/drift.ts";
import { statusExit } from "../../../lib/engine/exit.ts";
import { makePlan } from "../../../lib/engine/plan.ts";
import { planDocument } from "../../../lib/report/plan/json.ts";
import { planMarkdown } from "../../../lib/report/plan.ts";
import { planText } from "../../../lib/report/plan.ts";
import { type Json, text } from "../../support/emulator.ts";
import { flat } from "../../support/text.ts";
import { changesOf, driftInWords, failuresOf, inWords, openRig, type Rig, ZONE } from "../../support/engine.ts";
import type { Network } from "../../support/engine-process.ts";
import { dashboard, type Rule, rulesOf } from "../apply/foreign-edits.ts";
import { LEASED } from "../../support/state-world.ts";
import { runText } from "../../support/texts.ts";

const CUSTOM = "http_request_firewall_custom";

const ADMIN: Rule = { ref: "sec/admin", action: "block", expression: 'http.request.uri.path eq "/admin"' };
const BOTS: Rule = { ref: "sec/bots", action: "managed_challenge", expression: 'http.user_agent contains "bot"' };
const THEIRS: Rule = { ref: "theirs", action: "log", expression: 'http.host eq "a.net"', description: "look at a.net" };

/** A zone file with our two rules in the entry point of custom rules. */
function file(more: object = {}): object {
  const entryPoint = { own: ["sec/"], adopt: true, rules: [ADMIN, BOTS], ...more };
  return { version: 1, zone: ZONE, entry_points: { [CUSTOM]: entryPoint } };
}

/** A zone to which that file was applied, beside these foreign rules. */
async function applied(more: object = {}, theirs: readonly Rule[] = [THEIRS]): Promise<Rig> {
  const rig = openRig({ files: { "zones/a.yaml": file(more) }, zone: { plan: "enterprise" } });
  putRules(rig, theirs);
  expect(failuresOf(await rig.run())).toEqual([]);
  return rig;
}

function entryPoint(phase: string): string {
  return `/zones/${ZONE.id}/rulesets/phases/${phase}/entrypoint`;
}

const ENTRY_POINT = entryPoint(CUSTOM);

function putRules(rig: Rig, rules: readonly Rule[], phase = CUSTOM): void {
  dashboard(rig, "PUT", entryPoint(phase), { rules: rules.map((rule) => ({ ...rule })) });
}

function refsOf(rig: Rig): readonly (Json | undefined)[] {
  return rulesOf(rig, ENTRY_POINT).map(({ ref }) => ref);
}

const QUICK_FIX: Rule = {
  ref: "f6bb02da",
  action: "log",
  expression: "true",
  description: "quick fix",
};

describe("the place of our rules", () => {
  it("is drift if a rule is put in front of rules that the YAML puts first; an apply restores it", async () => {
    const rig = await applied({ place: "first" });
    putRules(rig, [QUICK_FIX, ...rulesOf(rig, ENTRY_POINT)]);
    expect(driftInWords(await rig.drift())).toEqual([`changed ruleset["${CUSTOM}"] ahead f6bb02da:drift`]);
    expect(inWords(changesOf(await rig.plan()))).toEqual([`update ruleset["${CUSTOM}"] drift move f6bb02da:drift`]);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(refsOf(rig)).toEqual(["sec/admin", "sec/bots", "f6bb02da", "theirs"]);
    expect(await rig.drift()).toEqual([]);
    expect(changesOf(await rig.plan())).toEqual([]);
  });

  it("is drift if one of ours is moved behind a foreign rule", async () => {
    const rig = await applied({ place: "first" });
    const [admin = {}, bots = {}, theirs = {}] = rulesOf(rig, ENTRY_POINT);
    putRules(rig, [admin, theirs, bots]);
    expect(driftInWords(await rig.drift())).toEqual([`changed ruleset["${CUSTOM}"] ahead theirs:drift`]);
  });

  it("is drift if a rule is put behind rules that the YAML puts last", async () => {
    const rig = await applied({ place: "last" });
    putRules(rig, [...rulesOf(rig, ENTRY_POINT), QUICK_FIX]);
    expect(driftInWords(await rig.drift())).toEqual([`changed ruleset["${CUSTOM}"] behind f6bb02da:drift`]);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(refsOf(rig)).toEqual(["theirs", "f6bb02da", "sec/admin", "sec/bots"]);
  });

  it("is no drift if the YAML sets no place, or if the rule is on the other side", async () => {
    for (const more of [{}, { place: "last" }]) {
      const rig = await applied(more);
      putRules(rig, [QUICK_FIX, ...rulesOf(rig, ENTRY_POINT)]);
      expect(await rig.drift(), JSON.stringify(more)).toEqual([]);
      expect(changesOf(await rig.plan()), JSON.stringify(more)).toEqual([]);
    }
  });
});

const SKIP_ALL: Rule = {
  ref: "f6bb02da",
  action: "skip",
  expression: "true",
  description: "quick fix",
  action_parameters: { ruleset: "current" },
};

const SKIPS_EVERYTHING = 'skips every request past all remaining rules: "quick fix", expression true';

/** What drift says of the foreign rules. */
async function dangersOf(rig: Rig): Promise<readonly string[]> {
  const { zones, failed } = await findDrift(rig.world(), { file: rig.file });
  expect(failed).toEqual([]);
  return zones.flatMap(({ judgement }) =>
    judgement.foreign.map(({ address, at, does }) => `${address} #${at} ${does}`),
  );
}

/** Plans, and applies as whoever was shown the plan would. */
async function review(rig: Rig): Promise<void> {
  const plan = await rig.plan();
  expect(failuresOf(await rig.apply(withReview(plan, plan)))).toEqual([]);
}

/** Other changes of rules since the last review. */
async function newsOf(rig: Rig): Promise<readonly string[]> {
  const plan = await rig.plan();
  return plan.zones.flatMap(({ findings }) =>
    findings
      .filter(({ code }) => code === "foreign-rules-changed")
      .map(({ message }) => message.replace(/^.*review on /, "")),
  );
}

/** The token may read no rulesets. */
const forbidRulesets: Network = (request, _index, pass) =>
  request.url.includes("/rulesets")
    ? Promise.resolve({
        status: 403,
        headers: {},
        body: '{"success":false,"errors":[{"code":10000,"message":"Authentication error"}],"messages":[],"result":null}',
      })
    : pass();

/** The paths of rulesets that are asked for from now on. */
function rulesetReads(rig: Rig): readonly string[] {
  const asked: string[] = [];
  rig.network((request, _index, pass) => {
    const path = request.url.replace(/^.*zones\/[0-9a-f]+/, "").replace(/\?.*$/, "");
    if (path.startsWith("/rulesets")) asked.push(path);
    return pass();
  });
  return asked;
}

describe("the place of our rules after a review", () => {
  it("is drift if a foreign rule goes back to its place before an unreviewed apply", async () => {
    const rig = await applied();
    await review(rig);
    rig.write("zones/a.yaml", file({ place: "first" }));
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(refsOf(rig)).toEqual(["sec/admin", "sec/bots", "theirs"]);
    putRules(
      rig,
      rulesOf(rig, ENTRY_POINT).toSorted((left) => (left["ref"] === "theirs" ? -1 : 1)),
    );
    expect(refsOf(rig)).toEqual(["theirs", "sec/admin", "sec/bots"]);
    expect(driftInWords(await rig.drift())).toEqual([`changed ruleset["${CUSTOM}"] ahead theirs:drift`]);
  });

  it("is drift if a harmless rule goes back behind rules that such an apply put last", async () => {
    const rig = await applied();
    putRules(rig, [...rulesOf(rig, ENTRY_POINT).slice(1), THEIRS]);
    await review(rig);
    rig.write("zones/a.yaml", file({ place: "last" }));
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(refsOf(rig)).toEqual(["theirs", "sec/admin", "sec/bots"]);
    putRules(rig, [...rulesOf(rig, ENTRY_POINT).slice(1), THEIRS]);
    expect(driftInWords(await rig.drift())).toEqual([`changed ruleset["${CUSTOM}"] behind theirs:drift`]);
  });

  it("does not count a danger as known that an unreviewed apply put ahead of more of ours", async () => {
    const rig = await applied();
    const narrow = { ...SKIP_ALL, expression: "ip.src eq 192.0.2.1" };
    const [theirs = {}, admin = {}, bots = {}] = rulesOf(rig, ENTRY_POINT);
    putRules(rig, [theirs, admin, narrow, bots]);
    await review(rig);
    expect(await dangersOf(rig)).toEqual([]);
    rig.write("zones/a.yaml", file({ place: "last" }));
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(refsOf(rig)).toEqual(["theirs", "f6bb02da", "sec/admin", "sec/bots"]);
    expect(await dangersOf(rig)).toHaveLength(1);
  });

  it("does not count a danger as known that was switched off while an unreviewed apply put it ahead of more of ours", async () => {
    const rig = await applied();
    const narrow = { ...SKIP_ALL, expression: "ip.src eq 192.0.2.1" };
    const [theirs = {}, admin = {}, bots = {}] = rulesOf(rig, ENTRY_POINT);
    putRules(rig, [theirs, admin, narrow, bots]);
    await review(rig);
    putRules(rig, [theirs, admin, { ...narrow, enabled: false }, bots]);
    rig.write("zones/a.yaml", file({ place: "last" }));
    expect(failuresOf(await rig.run())).toEqual([]);
    putRules(rig, [theirs, narrow, admin, bots]);
    expect(await dangersOf(rig)).toHaveLength(1);
  });

  it("does not count a danger as known that an unreviewed apply found", async () => {
    const rig = await applied();
    const narrow = { ...SKIP_ALL, expression: "ip.src eq 192.0.2.1" };
    const [theirs = {}, admin = {}, bots = {}] = rulesOf(rig, ENTRY_POINT);
    putRules(rig, [theirs, admin, narrow, bots]);
    await review(rig);
    putRules(rig, [narrow, theirs, admin, bots]);
    rig.write("zones/a.yaml", file({ rules: [ADMIN, { ...BOTS, description: "edited" }] }));
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(await dangersOf(rig)).toHaveLength(1);
  });
});

describe("a rule of ours that the last review did not have", () => {
  const first = { ...ADMIN, ref: "sec/first" };
  const narrow = { ...SKIP_ALL, expression: "ip.src eq 192.0.2.1" };

  /** A zone whose reviewed skip stands between two rules of ours. */
  async function reviewedBetween(): Promise<Rig> {
    const rig = await applied({ rules: [first, BOTS] }, []);
    const [ahead = {}, behind = {}] = rulesOf(rig, ENTRY_POINT);
    putRules(rig, [ahead, narrow, behind]);
    await review(rig);
    expect(await dangersOf(rig)).toEqual([]);
    return rig;
  }

  async function applyUnreviewed(rig: Rig, rules: readonly Rule[]): Promise<void> {
    rig.write("zones/a.yaml", file({ rules }));
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(await dangersOf(rig)).toEqual([]);
  }

  function moveSkipTo(rig: Rig, index: number): void {
    const ours = rulesOf(rig, ENTRY_POINT).filter(({ ref }) => ref !== SKIP_ALL["ref"]);
    putRules(rig, ours.toSpliced(index, 0, narrow));
  }

  it("is protected from a skip that is moved ahead of it after an apply put it ahead of the skip", async () => {
    const rig = await reviewedBetween();
    await applyUnreviewed(rig, [first, ADMIN, BOTS]);
    expect(refsOf(rig)).toEqual(["sec/first", "sec/admin", SKIP_ALL["ref"], "sec/bots"]);
    moveSkipTo(rig, 1);
    expect(await dangersOf(rig)).toHaveLength(1);
    moveSkipTo(rig, 2);
    expect(await dangersOf(rig)).toEqual([]);
  });

  it("is protected in the same way if it is an old one that was removed and put back", async () => {
    const rig = await reviewedBetween();
    await applyUnreviewed(rig, [first]);
    await applyUnreviewed(rig, [first, BOTS]);
    expect(refsOf(rig)).toEqual(["sec/first", "sec/bots", SKIP_ALL["ref"]]);
    moveSkipTo(rig, 1);
    expect(await dangersOf(rig)).toHaveLength(1);
  });

  it("stays behind a reviewed skip if an apply put it there", async () => {
    const rig = await reviewedBetween();
    await applyUnreviewed(rig, [first, BOTS, ADMIN]);
    expect(refsOf(rig)).toEqual(["sec/first", SKIP_ALL["ref"], "sec/bots", "sec/admin"]);
    moveSkipTo(rig, 0);
    expect(await dangersOf(rig)).toHaveLength(1);
  });
});

describe("a foreign rule", () => {
  it("that newly lets requests past ours is a danger in the plan of an undo too", async () => {
    const rig = await applied();
    rig.write("zones/a.yaml", file({ rules: [ADMIN] }));
    expect(failuresOf(await rig.run())).toEqual([]);
    putRules(rig, [SKIP_ALL, ...rulesOf(rig, ENTRY_POINT)]);
    const { plan } = await makeUndo(rig.world(), { file: rig.file, run: "last" });
    expect(inWords(changesOf(plan))).toEqual([`update ruleset["${CUSTOM}"] config insert sec/bots:config`]);
    expect(flat(planText(plan, { colour: false }))).toMatch(/DANGER .*quick fix.* weakens-protection/);
    const [danger] = plan.zones.flatMap(({ watch }) => watch?.dangers ?? []);
    expect(`${danger?.address} #${danger?.at} ${danger?.does}`).toBe((await dangersOf(rig))[0]);
  });

  it("is a danger if it skips everything ahead of ours, even without an earlier review", async () => {
    const rig = await applied();
    putRules(rig, [SKIP_ALL, ...rulesOf(rig, ENTRY_POINT)]);
    expect(await dangersOf(rig)).toEqual([`ruleset["${CUSTOM}"] #1 ${SKIPS_EVERYTHING}`]);
    expect(changesOf(await rig.plan())).toEqual([]);
  });

  it("is a danger ahead of ours even while one of ours is not live and the YAML puts ours first", async () => {
    const merged = await applied({ place: "first" });
    merged.write("zones/a.yaml", file({ place: "first", rules: [ADMIN, BOTS, { ...THEIRS, ref: "sec/new" }] }));
    putRules(merged, [SKIP_ALL, ...rulesOf(merged, ENTRY_POINT)]);
    const deleted = await applied({ place: "first", rules: [ADMIN, { ...THEIRS, ref: "sec/log" }] });
    putRules(deleted, [SKIP_ALL, ...rulesOf(deleted, ENTRY_POINT).filter(({ ref }) => ref !== "sec/log")]);
    for (const rig of [merged, deleted])
      expect(await dangersOf(rig)).toEqual([`ruleset["${CUSTOM}"] #1 ${SKIPS_EVERYTHING}`]);
  });

  it("is a danger if it is behind ours and skips a phase of ours, in any entry point of the zone", async () => {
    const rig = await applied();
    const skip = { ...SKIP_ALL, action_parameters: { phases: [CUSTOM] } };
    putRules(rig, [{ ...skip, action_parameters: { phases: ["http_ratelimit"] } }], "http_request_sbfm");
    expect(await dangersOf(rig)).toEqual([]);
    putRules(rig, [skip], "http_request_sbfm");
    expect(await dangersOf(rig)).toEqual([
      `ruleset["http_request_sbfm"] #1 skips every request past the phase ${CUSTOM}: "quick fix", expression true`,
    ]);
  });

  it("is no danger if it blocks, is switched off, or only logs", async () => {
    const harmless: readonly Rule[] = [
      { ...SKIP_ALL, action: "block", action_parameters: {} },
      { ...SKIP_ALL, enabled: false },
      { ...SKIP_ALL, expression: "false", action_parameters: { phases: [CUSTOM] } },
      { ...SKIP_ALL, action: "log", action_parameters: {} },
    ];
    for (const rule of harmless) {
      const rig = await applied();
      putRules(rig, [rule, ...rulesOf(rig, ENTRY_POINT)]);
      expect(await dangersOf(rig), JSON.stringify(rule)).toEqual([]);
    }
  });

  it("is known once it was reviewed, and a danger again when it becomes wider or moves ahead of more of ours", async () => {
    const rig = await applied();
    const narrow = { ...SKIP_ALL, expression: "ip.src eq 192.0.2.1" };
    const [theirs = {}, admin = {}, bots = {}] = rulesOf(rig, ENTRY_POINT);
    putRules(rig, [theirs, admin, narrow, bots]);
    expect(await dangersOf(rig)).toHaveLength(1);
    await review(rig);
    expect(await dangersOf(rig)).toEqual([]);
    putRules(rig, [theirs, admin, { ...narrow, expression: "ip.src in {192.0.2.1 192.0.2.2}" }, bots]);
    expect(await dangersOf(rig)).toHaveLength(1);
    putRules(rig, [narrow, theirs, admin, bots]);
    expect(await dangersOf(rig)).toHaveLength(1);
    putRules(rig, [theirs, admin, { ...narrow, expression: '(ip.src eq 192.0.2.1) and http.host eq "a.net"' }, bots]);
    expect(await dangersOf(rig)).toEqual([]);
  });

  it("is not reviewed by an apply whose plan was not shown, nor by drift or a plan", async () => {
    const rig = await applied();
    putRules(rig, [SKIP_ALL, ...rulesOf(rig, ENTRY_POINT)]);
    rig.write("zones/a.yaml", file({ description: "edited" }));
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.drift();
    expect((await rig.state())?.reviewed).toBeUndefined();
    expect(await dangersOf(rig)).toHaveLength(1);
  });

  it("is not reviewed if it changed after the plan was shown", async () => {
    const rig = await applied();
    const narrow = { ...SKIP_ALL, expression: "ip.src eq 192.0.2.1" };
    putRules(rig, [narrow, ...rulesOf(rig, ENTRY_POINT)]);
    const plan = await rig.plan();
    putRules(rig, [SKIP_ALL, ...rulesOf(rig, ENTRY_POINT).slice(1)]);
    expect(failuresOf(await rig.apply(withReview(plan, plan)))).toEqual([]);
    expect(await dangersOf(rig)).toEqual([`ruleset["${CUSTOM}"] #1 ${SKIPS_EVERYTHING}`]);
  });

  it("that changed or vanished since the last review is reported, and is no drift", async () => {
    const rig = await applied({}, [THEIRS, { ...THEIRS, ref: "gone" }]);
    await review(rig);
    expect(await newsOf(rig)).toEqual([]);
    const [theirs = {}, , ...ours] = rulesOf(rig, ENTRY_POINT);
    putRules(rig, [
      { ...theirs, expression: 'http.host eq "b.net"' },
      ...ours,
      { ...THEIRS, ref: "new", action: "block" },
    ]);
    expect(await newsOf(rig)).toEqual([
      '2026-11-21 06:00 UTC: #1 logs requests: "look at a.net", expression http.host eq "b.net"',
      '2026-11-21 06:00 UTC: #4 blocks requests: "look at a.net", expression http.host eq "a.net"',
      '2026-11-21 06:00 UTC: #2 logs requests: "look at a.net", expression http.host eq "a.net"',
    ]);
    expect(await rig.drift()).toEqual([]);
    expect(await dangersOf(rig)).toEqual([]);
  });

  it("that sets a header leaves its value in no review and in no output", async () => {
    const phase = "http_request_late_transform";
    const header = (value: string): Rule => ({
      action: "rewrite",
      expression: "true",
      action_parameters: { headers: { "X-Origin-Key": { operation: "set", value } } },
    });
    const late = (own: readonly string[]): object => ({
      ...file(),
      entry_points: { [phase]: { own, adopt: true, rules: [{ ref: "sec/mark", ...header("ours") }] } },
    });
    const rig = openRig({ files: { "zones/a.yaml": late(["sec/"]) }, zone: { plan: "enterprise" } });
    const theirs = { ref: "theirs", ...header("s3cr3t-of-theirs") };
    putRules(rig, [theirs], phase);
    await review(rig);
    await review(rig);
    const reviewed = JSON.stringify((await rig.state())?.reviewed);
    expect(reviewed).toContain("theirs");
    expect(await newsOf(rig)).toEqual([]);
    rig.write("zones/a.yaml", late(["sec/", "theirs"]));
    const plan = await rig.plan();
    const kept = JSON.stringify([changesOf(plan).map(({ rules }) => rules), plan.zones.map(({ watch }) => watch)]);
    const shown = [
      planText(plan, { colour: false, columns: 200 }),
      planMarkdown(plan),
      JSON.stringify(planDocument(plan)),
    ];
    for (const text of shown) expect(text).toContain("action_parameters.headers.X-Origin-Key.value");
    for (const text of [reviewed, kept, ...shown]) expect(text).not.toContain("s3cr3t");
    rig.write("zones/a.yaml", late(["sec/"]));
    const [first = {}, ...others] = rulesOf(rig, entryPoint(phase));
    expect(first["ref"]).toBe("theirs");
    putRules(rig, [{ ...theirs, ...header("another") }, ...others], phase);
    expect(await newsOf(rig)).toHaveLength(1);
  });

  it("in an entry point that is declared only after the last review is no news", async () => {
    const rig = await applied();
    const rewrite = { action: "rewrite", expression: "true", action_parameters: { uri: { path: { value: "/" } } } };
    putRules(rig, [{ ref: "old", ...rewrite }], "http_request_transform");
    await review(rig);
    const declared = { own: ["sec/"], adopt: true, rules: [{ ref: "sec/mark", ...rewrite }] };
    rig.write("zones/a.yaml", {
      version: 1,
      zone: ZONE,
      entry_points: {
        [CUSTOM]: { own: ["sec/"], adopt: true, rules: [ADMIN, BOTS] },
        http_request_transform: declared,
      },
    });
    expect(await newsOf(rig)).toEqual([]);
  });

  it("is counted if more than five others changed since the last review", async () => {
    const rig = await applied();
    await review(rig);
    const added = [1, 2, 3, 4, 5, 6, 7].map((number) => ({ ...THEIRS, ref: `new${number}` }));
    putRules(rig, [...rulesOf(rig, ENTRY_POINT), ...added]);
    const news = await newsOf(rig);
    expect(news).toHaveLength(6);
    expect(news.at(-1)).toBe("and 2 more foreign rules were added, changed or removed");
  });

  it("needs no write of the state if nothing changed since the last review", async () => {
    const rig = await applied();
    await review(rig);
    const before = await rig.state();
    await review(rig);
    expect(await rig.state()).toEqual(before);
  });

  it("is no danger while ignore_foreign says so, and one again afterwards", async () => {
    const rig = await applied({ ignore_foreign: { reason: "the WAF team reviews them", until: "2026-11-22" } });
    putRules(rig, [SKIP_ALL, ...rulesOf(rig, ENTRY_POINT)]);
    expect(await dangersOf(rig)).toEqual([]);
    await rig.wait(2 * 24 * 3_600_000);
    expect(await dangersOf(rig)).toHaveLength(1);
    const { warnings } = await makePlan(rig.world(), { file: rig.file });
    expect(warnings.map(({ code }) => code)).toEqual(["ignore-foreign-ended"]);
  });

  it("is named however many there are, because an approval records all of them as reviewed", async () => {
    const rig = await applied();
    const skips = Array.from({ length: 30 }, (_, index) => ({
      ...SKIP_ALL,
      ref: `skip${index}`,
      expression: `ip.src eq 192.0.2.${index}`,
    }));
    putRules(rig, [...skips, ...rulesOf(rig, ENTRY_POINT)]);
    const plan = await rig.plan();
    for (const text of [planText(plan, { colour: false, columns: 200 }), planMarkdown(plan)])
      for (const { expression } of skips) expect(flat(text)).toContain(expression);
    const report = runText(await rig.apply(plan), { colour: false });
    expect(report).toContain("Nothing live had to be changed.");
    expect(await dangersOf(rig)).toHaveLength(30);
  });

  it("is part of no digest: the hash of the plan is the same with and without it", async () => {
    const rig = await applied();
    rig.write("zones/a.yaml", file({ description: "edited" }));
    const { hash } = await rig.plan();
    putRules(rig, [...rulesOf(rig, ENTRY_POINT), { ...SKIP_ALL, action_parameters: { phases: [CUSTOM] } }]);
    const plan = await rig.plan();
    expect(plan.hash).toBe(hash);
    expect(planText(plan, { colour: false, columns: 200 })).toContain(
      `DANGER  ruleset ${CUSTOM}: #4 skips every request past the phase ${CUSTOM}: "quick fix", expression true`,
    );
  });

  it("that stays beside a change is named by what it does, the dangerous ones first", async () => {
    const rig = await applied({}, [THEIRS]);
    putRules(rig, [...rulesOf(rig, ENTRY_POINT), { ...SKIP_ALL, action_parameters: { phases: [CUSTOM] } }]);
    rig.write("zones/a.yaml", file({ description: "edited" }));
    expect(changesOf(await rig.plan())[0]?.notes).toEqual([
      "2 foreign rules kept (not in the YAML):",
      `#4 skips every request past the phase ${CUSTOM}: "quick fix", expression true`,
      '#1 logs requests: "look at a.net", expression http.host eq "a.net"',
    ]);
  });

  it("needs one list of the rulesets, and one read of each that the YAML does not declare", async () => {
    const rig = await applied();
    putRules(rig, [], "http_request_sbfm");
    const asked = rulesetReads(rig);
    await rig.drift();
    expect(asked).toEqual([
      `/rulesets/phases/${CUSTOM}/entrypoint`,
      "/rulesets",
      "/rulesets/phases/http_request_sbfm/entrypoint",
    ]);
  });
});

describe("a foreign rule of another project", () => {
  it("is named with the project that declares it, and not with one that declares the beginning of its ref", async () => {
    const rig = await applied();
    const store = rig.world().stores;
    const declared = { kind: "ruleset", key: CUSTOM, prefixes: ["app/"], refs: ["abc"] };
    await store.claims.take({ project: "shop", zone: ZONE.id, things: [declared] }, LEASED);
    const skips = ["abc", "abc2", "app/1"].map((ref) => ({ ...SKIP_ALL, ref }));
    putRules(rig, [...skips, ...rulesOf(rig, ENTRY_POINT)]);
    const { zones } = await findDrift(rig.world(), { file: rig.file });
    expect(zones[0]?.judgement.foreign.map(({ ref, project }) => [ref, project])).toEqual([
      ["abc", "shop"],
      ["abc2", undefined],
      ["app/1", "shop"],
    ]);
  });

  it("is claimed by its whole ref if the project sets prefixes of its own", async () => {
    const rig = await applied({ rules: [ADMIN, { ...BOTS, ref: "bots" }] });
    expect(await rig.world().stores.claims.list()).toMatchObject([{ key: CUSTOM, prefixes: ["sec/"], refs: ["bots"] }]);
  });
});

describe("a review", () => {
  const RATE = "http_ratelimit";
  const skipRate: Rule = { ...SKIP_ALL, action_parameters: { phases: [RATE] } };
  const limit = {
    ref: "sec/login",
    action: "block",
    expression: 'http.request.uri.path eq "/login"',
    ratelimit: {
      characteristics: ["cf.colo.id", "ip.src"],
      period: 60,
      requests_per_period: 20,
      mitigation_timeout: 60,
    },
  };
  const withLimit = (more: object = {}): object => ({
    ...file(),
    entry_points: {
      [CUSTOM]: { own: ["sec/"], adopt: true, rules: [ADMIN, BOTS], ...more },
      [RATE]: { rules: [limit] },
    },
  });

  it("does not cover a skip of a phase that the YAML declares only later, in any entry point", async () => {
    for (const phase of ["http_request_sbfm", CUSTOM]) {
      const rig = await applied();
      putRules(rig, [...(phase === CUSTOM ? rulesOf(rig, ENTRY_POINT) : []), skipRate], phase);
      await review(rig);
      expect(await dangersOf(rig)).toEqual([]);
      rig.write("zones/a.yaml", withLimit());
      expect(failuresOf(await rig.run())).toEqual([]);
      expect(await dangersOf(rig), phase).toHaveLength(1);
      await review(rig);
      expect(await dangersOf(rig), phase).toEqual([]);
    }
  });

  it("of a skip of two phases covers only the one that was ours", async () => {
    const rig = await applied();
    putRules(rig, [{ ...SKIP_ALL, action_parameters: { phases: [CUSTOM, RATE] } }], "http_request_sbfm");
    expect(await dangersOf(rig)).toHaveLength(1);
    await review(rig);
    expect(await dangersOf(rig)).toEqual([]);
    rig.write("zones/a.yaml", withLimit());
    expect(await dangersOf(rig)).toHaveLength(1);
  });

  it("does not cover a rule that becomes a danger because the YAML edits ours", async () => {
    const log = { ...ADMIN, action: "log" };
    const rig = await applied({ rules: [log] });
    putRules(rig, [{ ref: "softly", action: "js_challenge", expression: "true" }, ...rulesOf(rig, ENTRY_POINT)]);
    expect(await dangersOf(rig)).toEqual([]);
    await review(rig);
    rig.write("zones/a.yaml", file({ rules: [ADMIN] }));
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(await dangersOf(rig)).toHaveLength(1);
  });

  it("that a failed read prevents is reported, with what to do", async () => {
    const rig = await applied();
    putRules(rig, [SKIP_ALL, ...rulesOf(rig, ENTRY_POINT)]);
    const plan = await rig.plan();
    rig.network(forbidRulesets);
    const notes: string[] = [];
    const note = ({ message, remedy = "" }: Diagnostic): void => void notes.push(message, remedy);
    expect(failuresOf(await rig.apply(withReview(plan, plan), { note }))).toEqual([]);
    expect(notes).toEqual([
      expect.stringMatching(/^saas.net: the foreign rules were not recorded as reviewed: .*lacks the permission/),
      "look at the plan again, and apply it: zoneform apply asks, and a saved plan records the review too",
    ]);
    expect((await rig.state())?.reviewed).toBeUndefined();
  });

  it("covers a rule that is put back unchanged under another ref", async () => {
    const rig = await applied();
    const narrow = { ...SKIP_ALL, expression: "ip.src eq 192.0.2.1" };
    const live = rulesOf(rig, ENTRY_POINT);
    putRules(rig, [narrow, ...live]);
    await review(rig);
    putRules(rig, live);
    putRules(rig, [{ ...narrow, ref: "another" }, ...live]);
    expect(await dangersOf(rig)).toEqual([]);
    expect(await newsOf(rig)).toEqual([]);
    putRules(rig, [{ ...narrow, ref: "another" }, { ...narrow, ref: "one-more" }, ...live]);
    expect(await dangersOf(rig)).toHaveLength(1);
    putRules(rig, [{ ...narrow, ref: "another", expression: "true" }, ...live]);
    expect(await dangersOf(rig)).toHaveLength(1);
  });

  it("covers no rule that ignore_foreign silenced when the plan was shown", async () => {
    const until = { reason: "the WAF team reviews them", until: "2026-11-22" };
    const rig = await applied({ ignore_foreign: until });
    putRules(rig, [SKIP_ALL, ...rulesOf(rig, ENTRY_POINT)]);
    await review(rig);
    expect(JSON.stringify((await rig.state())?.reviewed)).not.toContain("quick fix");
    expect(await dangersOf(rig)).toEqual([]);
    expect(await newsOf(rig)).toEqual([]);
    await rig.wait(2 * 24 * 3_600_000);
    expect(await dangersOf(rig)).toEqual([`ruleset["${CUSTOM}"] #1 ${SKIPS_EVERYTHING}`]);
  });
});

describe("a zone that declares no entry point", () => {
  const settings = (...names: readonly string[]): object => {
    const values = Object.fromEntries(
      names.map((name) => [name, { value: name === "security_level" ? "high" : "1.2" }]),
    );
    return { version: 1, zone: ZONE, zone_settings: values };
  };
  const skipLevel: Rule = { ...SKIP_ALL, action_parameters: { products: ["securityLevel"] } };

  async function withSettings(...names: readonly string[]): Promise<Rig> {
    const rig = openRig({ files: { "zones/a.yaml": settings(...names) }, zone: { plan: "enterprise" } });
    putRules(rig, []);
    expect(failuresOf(await rig.run())).toEqual([]);
    return rig;
  }

  it("is watched if it declares a setting that a rule can skip, until that was reviewed", async () => {
    const rig = await withSettings("security_level");
    expect(await dangersOf(rig)).toEqual([]);
    putRules(rig, [skipLevel]);
    expect(await dangersOf(rig)).toEqual([
      `ruleset["${CUSTOM}"] #1 skips every request past the product securityLevel: "quick fix", expression true`,
    ]);
    await review(rig);
    expect(await dangersOf(rig)).toEqual([]);
  });

  it("reads its rulesets if one of them can skip something of ours, and never otherwise", async () => {
    const [level, tls] = [await withSettings("security_level"), await withSettings("min_tls_version")];
    for (const [rig, reads] of [
      [level, ["/rulesets", `/rulesets/phases/${CUSTOM}/entrypoint`]],
      [tls, []],
    ] as const) {
      const asked = rulesetReads(rig);
      await rig.drift();
      expect(asked).toEqual(reads);
    }
  });

  it("was not checked if the token may not read its rulesets and one of them can skip something of ours", async () => {
    for (const [name, codes, unread] of [
      ["security_level", [EXIT.error, EXIT.error], ["the list of rulesets"]],
      ["min_tls_version", [EXIT.done, EXIT.done], []],
    ] as const) {
      const rig = await withSettings(name);
      rig.network(forbidRulesets);
      const { zones } = await findDrift(rig.world(), { file: rig.file });
      const compared = await compareWithConfig(rig.world(), { file: rig.file });
      expect([zones, compared.zones].flatMap((each) => each.map(({ judgement }) => judgement.unread))).toEqual([
        unread,
        unread,
      ]);
      const all = [...zones, ...compared.zones].map(({ judgement }) => statusExit(judgement, []));
      expect(all, name).toEqual(codes);
    }
  });

  it("is planned with a warning if the token may not read its rulesets", async () => {
    const rig = await withSettings("security_level");
    rig.network(forbidRulesets);
    const plan = await rig.plan();
    expect(plan.zones[0]?.findings.map(({ message }) => message)).toEqual([
      "the token may not read the list of rulesets, so Zoneform cannot tell whether a rule there skips yours",
    ]);
    expect(await dangersOf(rig)).toEqual([]);
  });
});

describe("an entry point that the YAML forgets", () => {
  it("is watched like any other that the YAML does not declare", async () => {
    const managed = { ref: "sec/managed", action: "execute", expression: "true" };
    const others = {
      http_request_firewall_managed: {
        own: ["sec/"],
        rules: [{ ...managed, action_parameters: { id: "efb7b8c949ac4650a09736fc376e9aee" } }],
      },
    };
    const zone = { version: 1, zone: ZONE };
    const custom = { [CUSTOM]: { own: ["sec/"], rules: [ADMIN] } };
    const rig = openRig({
      files: { "zones/a.yaml": { ...zone, entry_points: { ...others, ...custom } } },
      zone: { plan: "enterprise" },
    });
    expect(failuresOf(await rig.run())).toEqual([]);
    const skip = { ...SKIP_ALL, action_parameters: { phases: ["http_request_firewall_managed"] } };
    putRules(rig, [...rulesOf(rig, ENTRY_POINT), skip]);
    rig.write("zones/a.yaml", { ...zone, entry_points: others, forget: [`ruleset["${CUSTOM}"]`] });
    expect(await dangersOf(rig)).toHaveLength(1);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(await dangersOf(rig)).toHaveLength(1);
  });
});

describe("a custom ruleset that a rule executes", () => {
  const RULESETS = `/zones/${ZONE.id}/rulesets`;
  const skipPhase: Rule = { ...SKIP_ALL, action_parameters: { phase: "current" } };
  const harmless: Rule = { ref: "log", action: "log", expression: "true" };

  /** A zone whose first rule, a foreign one, executes a custom ruleset with these rules; and the id of that. */
  async function executing(rules: readonly Rule[], expression = "true"): Promise<{ rig: Rig; id: string }> {
    const rig = await applied();
    const id = text(
      dashboard(rig, "POST", RULESETS, { name: "partners", kind: "custom", phase: CUSTOM, rules: [] }),
      "id",
    );
    putRulesIn(rig, id, rules);
    const execute = { ref: "run", action: "execute", expression, action_parameters: { id } };
    putRules(rig, [execute, ...rulesOf(rig, ENTRY_POINT)]);
    return { rig, id };
  }

  function putRulesIn(rig: Rig, id: string, rules: readonly Rule[]): void {
    dashboard(rig, "PUT", `${RULESETS}/${id}`, { rules: rules.map((rule) => ({ ...rule })) });
  }

  it("is a danger if one of its rules skips the rest of the phase, skips a phase of ours, or challenges what ours block", async () => {
    const soft: Rule = { ref: "soft", action: "js_challenge", expression: "true" };
    const skipPhases: Rule = { ...SKIP_ALL, action_parameters: { phases: [CUSTOM] } };
    for (const [rule, does] of [
      [skipPhase, 'skips every request past all remaining rules: "quick fix", expression true'],
      [skipPhases, `skips every request past the phase ${CUSTOM}: "quick fix", expression true`],
      [soft, "challenges every request: expression true"],
    ] as const) {
      const { rig } = await executing([harmless, rule]);
      expect(await dangersOf(rig)).toEqual([`ruleset["${CUSTOM}"] #1 executes "partners", whose #2 ${does}`]);
    }
  });

  it("is a danger even if one of our rules executes it", async () => {
    const rig = await applied();
    const id = text(dashboard(rig, "POST", RULESETS, { name: "ours", kind: "custom", phase: CUSTOM, rules: [] }), "id");
    const execute = { ref: "sec/run", action: "execute", expression: "true", action_parameters: { id } };
    rig.write("zones/a.yaml", file({ rules: [execute, ADMIN, BOTS] }));
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(await dangersOf(rig)).toEqual([]);
    putRulesIn(rig, id, [skipPhase]);
    expect(await dangersOf(rig)).toEqual([
      `ruleset["${CUSTOM}"] #2 executes "ours", whose #1 skips every request past all remaining rules: "quick fix", expression true`,
    ]);
  });

  it("is no danger if its rules skip only the rest of it, block, are switched off, or are not executed", async () => {
    for (const rule of [
      SKIP_ALL,
      { ...skipPhase, enabled: false },
      { ref: "b", action: "block", expression: "true" },
    ]) {
      const { rig } = await executing([rule]);
      expect(await dangersOf(rig), JSON.stringify(rule)).toEqual([]);
    }
    for (const more of [{ enabled: false }, { expression: "false" }]) {
      const { rig } = await executing([skipPhase]);
      const [run = {}, ...others] = rulesOf(rig, ENTRY_POINT);
      putRules(rig, [{ ...run, ...more }, ...others]);
      expect(await dangersOf(rig), JSON.stringify(more)).toEqual([]);
    }
    const { rig } = await executing([skipPhase]);
    const [run = {}, ...others] = rulesOf(rig, ENTRY_POINT);
    putRules(rig, [...others, run]);
    expect(await dangersOf(rig)).toEqual([]);
  });

  it("is known once it was reviewed, and a danger again when one of its rules, or the one that executes it, is widened", async () => {
    const narrow = { ...skipPhase, expression: "ip.src in {192.0.2.1 192.0.2.2}" };
    const { rig, id } = await executing([harmless, narrow], 'http.host eq "a.net"');
    expect(await dangersOf(rig)).toEqual([
      `ruleset["${CUSTOM}"] #1 executes "partners", whose #2 skips requests past all remaining rules: "quick fix", expression (http.host eq "a.net") and (ip.src in {192.0.2.1 192.0.2.2})`,
    ]);
    await review(rig);
    expect(await dangersOf(rig)).toEqual([]);
    putRulesIn(rig, id, [{ ...narrow, expression: "ip.src eq 192.0.2.1" }]);
    expect(await dangersOf(rig)).toEqual([]);
    putRulesIn(rig, id, [{ ...narrow, expression: "true" }]);
    expect(await dangersOf(rig)).toHaveLength(1);
    putRulesIn(rig, id, [narrow]);
    const [run = {}, ...others] = rulesOf(rig, ENTRY_POINT);
    putRules(rig, [{ ...run, expression: "true" }, ...others]);
    expect(await dangersOf(rig)).toHaveLength(1);
  });

  it("is a danger whatever its rules and the one that executes it are called", async () => {
    for (const called of ["sec", "sec/bots", '["sec"']) {
      const { rig } = await executing([{ ...skipPhase, ref: "admin" }]);
      const [run = {}, ...others] = rulesOf(rig, ENTRY_POINT);
      putRules(rig, [{ ...run, ref: called === "sec/bots" ? "run" : called }, ...others]);
      expect(await dangersOf(rig), called).toHaveLength(1);
    }
  });

  it("stays a danger beside a foreign rule of the entry point whose ref looks like that of one inside", async () => {
    const { rig } = await executing([{ ...skipPhase, ref: "s" }], 'http.host eq "a.net"');
    await review(rig);
    const wide = { ...SKIP_ALL, ref: "run/s" };
    const live = rulesOf(rig, ENTRY_POINT);
    for (const rules of [
      [wide, ...live],
      [...live.slice(0, 1), wide, ...live.slice(1)],
    ]) {
      putRules(rig, rules);
      expect(await dangersOf(rig)).toHaveLength(1);
    }
  });

  it("is not reviewed if it changed after the plan was shown", async () => {
    const { rig, id } = await executing([{ ...skipPhase, expression: "ip.src eq 192.0.2.1" }]);
    const plan = await rig.plan();
    putRulesIn(rig, id, [skipPhase]);
    expect(failuresOf(await rig.apply(withReview(plan, plan)))).toEqual([]);
    expect(await dangersOf(rig)).toHaveLength(1);
  });

  it("does not count as kept if the plan removes the rule that executes it", async () => {
    const { rig } = await executing([skipPhase]);
    rig.write("zones/a.yaml", file({ own: ["sec/", "run"] }));
    expect(changesOf(await rig.plan())[0]?.notes).toEqual([
      "1 foreign rule kept (not in the YAML):",
      '#2 logs requests: "look at a.net", expression http.host eq "a.net"',
    ]);
  });

  it("is read once, and written by no apply", async () => {
    const { rig, id } = await executing([skipPhase]);
    const asked = rulesetReads(rig);
    await rig.drift();
    expect(asked).toEqual([`/rulesets/phases/${CUSTOM}/entrypoint`, `/rulesets/${id}`, "/rulesets"]);
    rig.write("zones/a.yaml", file({ description: "edited" }));
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(refsOf(rig)).toEqual(["run", "theirs", "sec/admin", "sec/bots"]);
    expect(await rig.drift()).toEqual([]);
  });
});
