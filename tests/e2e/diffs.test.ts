import { describe, expect, test } from "vitest";
import { editRules, liveRefs, liveRules } from "../support/dashboard.ts";
import { appliedWorlds, type World } from "../support/project.ts";

const freshlyApplied = appliedWorlds();

const ZONE = "zones/saas-dev.yaml";
const CUSTOM = "rulesets/phases/http_request_firewall_custom/entrypoint";

/** A rule of the YAML for each name, in this order. */
function rulesOf(names: readonly string[]): string {
  return names
    .map((name) => `\n      - { ref: sec/${name}, action: block, expression: http.host eq "${name}" }`)
    .join("");
}

/** A world in which an entry point with these rules of ours was applied. */
async function withRules(names: readonly string[]): Promise<World> {
  const world = await freshlyApplied();
  const entryPoint = `http_request_firewall_custom:\n    own: [sec/]\n    rules:${rulesOf(names)}\n`;
  await world.edit(ZONE, "entry_points:\n", `entry_points:\n  ${entryPoint}`);
  expect((await world.zoneform("apply", "--auto-approve")).code).toBe(0);
  world.emulator.requests.reset();
  return world;
}

/** What is planned, after the text in the YAML was replaced. */
async function replan(world: World, from: string, to: string): Promise<string> {
  await world.edit(ZONE, from, to);
  return (await world.zoneform("plan", "--zone", "saas.dev")).stdout;
}

/** The lines of a plan that say what happens to a rule, without the place in the YAML. */
function steps(plan: string): readonly string[] {
  return plan.split("\n").flatMap((line) => /^ {4}([+~-] .*?)(?: {2}|$)/.exec(line)?.[1] ?? []);
}

/** The lines of a plan below the first one that contains the text. */
function below(plan: string, heading: string): string {
  const lines = plan.split("\n");
  const start = lines.findIndex((line) => line.includes(heading));
  const end = lines.findIndex((line, index) => index > start && line.trim() === "");
  return lines.slice(start + 1, end).join("\n");
}

describe("a plan of rules is the shortest script", () => {
  const many = Array.from({ length: 200 }, (_item, index) => `rule-${index}`);

  test("one rule on top of 200 is one +, and nothing else", async () => {
    const plan = await replan(await withRules(many), rulesOf(many), rulesOf(["new", ...many]));
    expect(steps(plan)).toEqual([`+ add rule #1 'http.host eq "new"' [sec/new]: block`]);
  });

  test("two neighbours that change places are one move", async () => {
    const world = await withRules(["a", "b", "c", "d"]);
    const plan = await replan(world, rulesOf(["b", "c"]), rulesOf(["c", "b"]));
    expect(steps(plan)).toHaveLength(1);
    expect(steps(plan)[0]).toMatch(/^~ move rule #(3 -> #2|2 -> #3) /);
  });

  test("the first and the last of ten that change places are two moves", async () => {
    const [first = "", ...others] = many.slice(0, 10);
    const swapped = [others.at(-1) ?? "", ...others.slice(0, -1), first];
    const plan = await replan(await withRules([first, ...others]), rulesOf([first, ...others]), rulesOf(swapped));
    expect(steps(plan).map((step) => step.replace(/ '.*/, ""))).toEqual([
      "~ move rule #10 -> #1",
      "~ move rule #1 -> #10",
    ]);
  });

  test("a foreign rule between ours is no step, and keeps its place", async () => {
    const world = await withRules(["a", "b"]);
    const theirs = { ref: "theirs", action: "log", expression: "ssl" };
    editRules(world, ([a = {}, b = {}]) => [a, theirs, b], CUSTOM);
    const plan = await replan(world, rulesOf(["a", "b"]), rulesOf(["new", "a", "b"]));
    expect(steps(plan)).toEqual([`+ add rule #1 'http.host eq "new"' [sec/new]: block`]);
    expect((await world.zoneform("apply", "--auto-approve")).code).toBe(0);
    expect(liveRefs(world, CUSTOM)).toEqual(["sec/new", "sec/a", "theirs", "sec/b"]);
  });
});

describe("overrides of a managed ruleset are shown one by one", () => {
  const overrides = 'rules: [{ id: "23ee7cebe6e8443e99ecf932ab579455", action: log }]';
  const edited = `rules: [{ id: "23ee7cebe6e8443e99ecf932ab579455", action: block }, { id: "33aa8a8a948b48b28d40450c5fb92fba", enabled: false }]
            categories: [{ category: wordpress, enabled: false }]`;
  const known = 'rule "React - RCE - CVE:CVE-2025-55182" (33aa8a8a948b48b28d40450c5fb92fba)';

  test("in a plan, by the rule's name where it is public, and by category", async () => {
    const plan = await replan(await freshlyApplied(), overrides, edited);
    expect(plan).toContain("override of rule 23ee7cebe6e8443e99ecf932ab579455: action  log -> block\n");
    expect(plan).toContain(`override of ${known}: enabled  (unset) -> false\n`);
    expect(plan).toContain("override of category wordpress: enabled  (unset) -> false\n");
    expect(plan).toContain(
      `DANGER  execute rule "sec/managed" changes override of rule 23ee7cebe6e8443e99ecf932ab579455`,
    );
    expect(plan).not.toContain("[{");
  });

  test("in drift, and where live is compared with the YAML", async () => {
    const world = await freshlyApplied();
    const parameters = {
      id: "efb7b8c949ac4650a09736fc376e9aee",
      overrides: { rules: [{ id: "33aa8a8a948b48b28d40450c5fb92fba", enabled: false }] },
    };
    editRules(world, (rules) =>
      rules.map((rule) => (rule["ref"] === "sec/managed" ? { ...rule, action_parameters: parameters } : rule)),
    );
    const { stdout } = await world.zoneform("drift", "--zone", "saas.dev");
    expect(stdout).toContain("override of rule 23ee7cebe6e8443e99ecf932ab579455: action  applied log, now (unset)\n");
    expect(stdout).toContain(`override of ${known}: enabled  applied (unset), now false\n`);
    expect(stdout).toMatch(
      /DANGER {2}execute rule "sec\/managed" .*override of rule 23ee7cebe6e8443e99ecf932ab579455: action log -> \(unset\)/,
    );
    const compared = (await world.zoneform("drift", "--against", "config", "--zone", "saas.dev")).stdout;
    expect(compared).toContain("override of rule 23ee7cebe6e8443e99ecf932ab579455: action  live (unset), YAML log\n");
    expect(compared).toContain(`override of ${known}: enabled  live false, YAML (unset)\n`);
  });

  test("and what the YAML adds is not said to have been changed live", async () => {
    const world = await freshlyApplied();
    const logged = { rules: [{ id: "23ee7cebe6e8443e99ecf932ab579455", action: "log", enabled: false }] };
    editRules(world, (rules) =>
      rules.map((rule) =>
        rule["ref"] === "sec/managed"
          ? { ...rule, action_parameters: { id: "efb7b8c949ac4650a09736fc376e9aee", overrides: logged } }
          : rule,
      ),
    );
    const plan = await replan(world, overrides, edited);
    const [, found = ""] = plan.split("Found live");
    const [about] = found.split("\n\n");
    expect(about).toContain("override of rule 23ee7cebe6e8443e99ecf932ab579455: enabled (unset) -> false");
    expect(about).not.toMatch(/wordpress|React/);
  });
});

describe("a plan shows the values that a deletion loses", () => {
  test("of a hostname, field by field", async () => {
    const entry = "    - { hostname: tenants.cloudburst-hosting.com, ssl: { wildcard: true } }\n";
    const plan = await replan(await freshlyApplied(), entry, "");
    const lost = below(plan, "- delete tenants.cloudburst-hosting.com");
    expect(lost).toMatch(/^ {6}ssl\.method +txt$/m);
    expect(lost).toMatch(/^ {6}ssl\.wildcard +true$/m);
  });

  test("of several hostnames, what they have in common", async () => {
    const world = await freshlyApplied();
    await world.edit("data/customers.csv", /^(?:shop|www)\.northwind-books\.com.*\n/gm, "");
    const plan = (await world.zoneform("plan", "--zone", "saas.dev")).stdout;
    const lost = below(plan, "- delete 2 hostnames");
    expect(lost).toMatch(/^ {6}custom_origin_server +\(differs\)$/m);
    expect(lost).toMatch(/^ {6}ssl\.settings\.min_tls_version +1\.3$/m);
  });

  test("of a rule, its action and expression", async () => {
    const plan = await replan(await withRules(["a", "b"]), rulesOf(["a", "b"]), rulesOf(["a"]));
    expect(steps(plan)).toEqual([`- delete rule #2 'http.host eq "b"' [sec/b]: block, DANGER`]);
  });

  test("of everything, before it is destroyed: each rule that is ours, and the fallback origin", async () => {
    const world = await withRules(["a"]);
    editRules(world, (rules) => [{ ref: "theirs", action: "log", expression: "ssl" }, ...rules], CUSTOM);
    const { stdout } = await world.zoneform("destroy", "--zone", "saas.dev");
    expect(below(stdout, "- delete ruleset http_request_firewall_custom")).toContain(
      `- delete rule #2 'http.host eq "a"' [sec/a]: block`,
    );
    expect(stdout).not.toContain("[theirs]");
    expect(below(stdout, "- delete fallback_origin")).toMatch(/^ {6}origin +fallback\.saas\.dev$/m);
  });
});

describe("what an apply sends for rules", () => {
  const PATCH = "PATCH /zones/:zone/rulesets/:ruleset/rules/:rule";
  const PUT = "PUT /zones/:zone/rulesets/phases/:phase/entrypoint";

  /** The calls that write, and ref and id of each live rule before and after. */
  async function applied(from: string, to: string): Promise<{ writes: object; before: object[]; after: object[] }> {
    const world = await withRules(["a", "b", "c"]);
    editRules(world, (rules) => [...rules, { ref: "theirs", action: "log", expression: "ssl" }], CUSTOM);
    const identities = (): object[] => liveRules(world, CUSTOM).map(({ ref, id }) => ({ ref, id }));
    const before = identities();
    await world.edit(ZONE, from, to);
    world.emulator.requests.reset();
    expect((await world.zoneform("apply", "--auto-approve", "--zone", "saas.dev")).code).toBe(0);
    return { writes: world.writes(), before, after: identities() };
  }

  test("one edited rule is one call for that rule", async () => {
    const { writes, before, after } = await applied('http.host eq "b"', 'http.host eq "changed"');
    expect(writes).toEqual({ [PATCH]: 1 });
    expect(after).toEqual(before);
  });

  test("several edited rules are one call for the ruleset", async () => {
    const ours = rulesOf(["a", "b"]);
    const { writes, before, after } = await applied(ours, ours.replaceAll("block", "log"));
    expect(writes).toEqual({ [PUT]: 1 });
    expect(after).toEqual(before);
  });

  test("an added rule is one call for the ruleset, and all others keep ref and id", async () => {
    const { writes, before, after } = await applied(rulesOf(["a"]), rulesOf(["new", "a"]));
    expect(writes).toEqual({ [PUT]: 1 });
    expect(after.slice(1)).toEqual(before);
  });
});
