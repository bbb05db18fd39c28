import { describe, expect, test } from "vitest";
import { type Ended, run } from "../support/command.ts";
import { editRules } from "../support/dashboard.ts";
import { freshWorld, type World } from "../support/project.ts";
import { HAS_TERMINAL, onTerminal } from "../support/terminal.ts";

const SKIP_ALL = {
  ref: "f6bb02da",
  action: "skip",
  expression: "true",
  description: "quick fix",
  action_parameters: { ruleset: "current" },
};
const DANGER =
  'DANGER  saas.dev/ruleset["http_request_firewall_managed"]: #2 skips every request past all remaining rules: "quick fix", expression true';

/** A world after an apply, with a foreign rule that skips everything between ours. */
async function skipped(): Promise<World> {
  const world = await freshWorld();
  await world.edit("zones/saas-dev.yaml", "place: first", "place: null");
  expect((await world.zoneform("apply", "--auto-approve")).code).toBe(0);
  world.emulator.advance(600_000);
  expect((await world.zoneform("apply", "--auto-approve")).code).toBe(0);
  editRules(world, ([first = {}, ...others]) => [first, SKIP_ALL, ...others]);
  return world;
}

/** The exit code of a look for drift, and whether it names the rule. */
async function drift({ zoneform }: World): Promise<readonly [code: number | null, isNamed: boolean]> {
  const { code, stdout } = await zoneform("drift");
  return [code, stdout.includes("skips every request past all remaining rules")];
}

function answer({ surroundings }: World, keys: string, ...args: string[]): Promise<Ended> {
  const { through, env } = onTerminal('Only "yes" is accepted', keys);
  return run(args, { ...surroundings, through, env: { ...surroundings.env, ...env } });
}

describe("a foreign rule that skips ours", () => {
  test("is named by plan, drift, status and why, by what it does", async () => {
    const world = await skipped();
    const { zoneform } = world;
    expect((await zoneform("plan")).stdout).toContain(DANGER);
    expect(await zoneform("drift")).toMatchObject({ code: 3, stdout: expect.stringContaining(DANGER) });
    expect((await zoneform("status")).stdout).toContain(DANGER);
    expect((await zoneform("drift", "--against", "config")).stdout).toContain(DANGER);
    const why = await zoneform("why", 'saas.dev/ruleset["http_request_firewall_managed"]');
    expect(why.stdout).toContain("note: DANGER: #2 skips every request past all remaining rules");
    const { zones } = JSON.parse((await zoneform("drift", "--json")).stdout);
    const rules = zones.flatMap((zone: { foreign_rules: object[] }) => zone.foreign_rules);
    expect(rules).toMatchObject([{ ref: "f6bb02da", position: 2, hazards: ["weakens-protection"] }]);
  });

  test("is accepted by a saved plan, and by neither --auto-approve nor --expect", async () => {
    const world = await skipped();
    const { zoneform } = world;
    const { hash } = JSON.parse((await zoneform("plan", "--json")).stdout);
    expect((await zoneform("apply", "--auto-approve")).code).toBe(0);
    expect((await zoneform("apply", "--expect", hash)).code).toBe(0);
    expect(await drift(world)).toEqual([3, true]);
    await zoneform("plan", "--out", "p.zfplan");
    expect((await zoneform("show", "p.zfplan")).stdout).toContain("skips every request");
    expect((await zoneform("apply", "p.zfplan")).code).toBe(0);
    expect(await drift(world)).toEqual([0, false]);
    for (const command of ["plan", "drift", "status"])
      expect((await zoneform(command)).stdout).toContain(
        "1 foreign rule lets traffic past yours, as at the last review on ",
      );
  });

  test("stays accepted when the state moves to another place", async () => {
    const world = await skipped();
    const { zoneform } = world;
    await zoneform("plan", "--out", "p.zfplan");
    await zoneform("apply", "p.zfplan");
    const moved = await zoneform("state", "migrate", "--to", "local:elsewhere");
    expect(moved.code, moved.stderr).toBe(0);
    expect((await zoneform("drift", "--state", "local:elsewhere")).code).toBe(0);
  });

  test("is in what status says of the last look for drift", async () => {
    const { zoneform } = await skipped();
    expect((await zoneform("drift")).code).toBe(3);
    expect((await zoneform("status", "--zone", "saas.dev")).stdout).toMatch(
      /last checked for drift just now \(.*\): 1 foreign rule lets traffic past yours\n/,
    );
    const { zones } = JSON.parse((await zoneform("status", "--zone", "saas.dev", "--format", "json")).stdout);
    expect(zones).toMatchObject([{ drift_check: { drifted: 0, foreign_rules: 1 } }]);
  });

  describe.skipIf(!HAS_TERMINAL)("at a terminal", () => {
    test("is accepted at the prompt, which asks although nothing changes", async () => {
      const world = await skipped();
      const declined = await answer(world, "no\r", "apply");
      expect(declined).toMatchObject({
        code: 1,
        stdout: expect.stringContaining("Record the foreign rules as reviewed?"),
      });
      expect(await drift(world)).toEqual([3, true]);
      expect((await answer(world, "yes\r", "apply")).code).toBe(0);
      expect(await drift(world)).toEqual([0, false]);
    });
  });
});

describe("a zone whose rulesets the token may not list", () => {
  test("was not checked, say drift, drift against the YAML and status", async () => {
    const world = await skipped();
    const { emulator, zoneform } = world;
    editRules(world, (rules) => rules.filter(({ ref }) => ref !== SKIP_ALL.ref));
    const forbidden = { kind: "status", status: 403, after: false } as const;
    emulator.faults.order({ fault: forbidden, method: "GET", path: "/zones/*/rulesets", count: 99 });
    const why = "the token may not read the list of rulesets";
    for (const [command, says] of [
      [
        ["drift"],
        `Not everything in project saas-edge could be checked: ${why} of saas.dev. No drift was found in the`,
      ],
      [["drift", "--against", "config"], `foreign rules: ${why}, so Zoneform cannot tell`],
      [["status", "--detailed-exitcode"], `not checked: ${why}, so Zoneform cannot tell`],
    ] as const)
      expect(await zoneform(...command, "--zone", "saas.dev")).toMatchObject({
        code: 1,
        stdout: expect.stringContaining(says),
      });
    expect((await zoneform("status", "--zone", "saas.dev")).stdout).toMatch(
      /^saas.dev: 1 problem needs attention\n[^]*: no drift found, the token could not read all rules\n/,
    );
    expect(await zoneform("plan", "--detailed-exitcode", "--zone", "saas.dev")).toMatchObject({ code: 0 });
  });
});
