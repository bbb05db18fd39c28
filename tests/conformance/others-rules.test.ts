import { describe, expect, it } from "vitest";
import { type Json } from "../support/emulator.ts";
import { changesOf, driftInWords, failuresOf, inWords, openRig, type Rig, ZONE } from "../support/engine.ts";
import { dashboard, type Rule, rulesOf } from "./foreign-edits.ts";

const CUSTOM = "http_request_firewall_custom";

const ADMIN: Rule = { ref: "sec/admin", action: "block", expression: 'http.request.uri.path eq "/admin"' };
const BOTS: Rule = { ref: "sec/bots", action: "managed_challenge", expression: 'http.user_agent contains "bot"' };
const THEIRS: Rule = { ref: "theirs", action: "log", expression: 'http.host eq "a.net"', description: "look at a.net" };

/** A zone file with our two rules in the entry point of custom rules. */
function file(more: object = {}): object {
  const entryPoint = { own: ["sec/"], adopt: true, rules: [ADMIN, BOTS], ...more };
  return { version: 1, zone: ZONE, entry_points: { [CUSTOM]: entryPoint } };
}

/** A zone to which that file was applied, beside these rules of others. */
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
  it("is drift where somebody puts a rule in front of rules that the YAML puts first; an apply restores it", async () => {
    const rig = await applied({ place: "first" });
    putRules(rig, [QUICK_FIX, ...rulesOf(rig, ENTRY_POINT)]);
    expect(driftInWords(await rig.drift())).toEqual([`changed ruleset["${CUSTOM}"] ahead f6bb02da:drift`]);
    expect(inWords(changesOf(await rig.plan()))).toEqual([`update ruleset["${CUSTOM}"] drift move f6bb02da:drift`]);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(refsOf(rig)).toEqual(["sec/admin", "sec/bots", "f6bb02da", "theirs"]);
    expect(await rig.drift()).toEqual([]);
    expect(changesOf(await rig.plan())).toEqual([]);
  });

  it("is drift where somebody moves one of ours behind a rule of others", async () => {
    const rig = await applied({ place: "first" });
    const [admin = {}, bots = {}, theirs = {}] = rulesOf(rig, ENTRY_POINT);
    putRules(rig, [admin, theirs, bots]);
    expect(driftInWords(await rig.drift())).toEqual([`changed ruleset["${CUSTOM}"] ahead theirs:drift`]);
  });

  it("is drift where somebody puts a rule behind rules that the YAML puts last", async () => {
    const rig = await applied({ place: "last" });
    putRules(rig, [...rulesOf(rig, ENTRY_POINT), QUICK_FIX]);
    expect(driftInWords(await rig.drift())).toEqual([`changed ruleset["${CUSTOM}"] behind f6bb02da:drift`]);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(refsOf(rig)).toEqual(["theirs", "f6bb02da", "sec/admin", "sec/bots"]);
  });

  it("is no drift where the YAML sets no place, or where the rule stands on the other side", async () => {
    for (const more of [{}, { place: "last" }]) {
      const rig = await applied(more);
      putRules(rig, [QUICK_FIX, ...rulesOf(rig, ENTRY_POINT)]);
      expect(await rig.drift(), JSON.stringify(more)).toEqual([]);
      expect(changesOf(await rig.plan()), JSON.stringify(more)).toEqual([]);
    }
  });
});
