import { describe, expect, test } from "vitest";
import type { Diagnostic, Result } from "../../../../lib/core/diagnostic.ts";
import { isObject, type Json, valueAt } from "../../../../lib/core/json.ts";
import { isAction, parametersOf } from "../../../../lib/emulator/rulesets/actions.ts";
import { managedRulesets } from "../../../../lib/emulator/rulesets/managed.ts";
import { actionNamed, ACTIONS, PHASES } from "../../../../lib/kinds/ruleset/actions.ts";
import { managedRuleset } from "../../../../lib/kinds/ruleset/managed.ts";
import { loadSchemas } from "../../../support/schemas.ts";
import { faults, loadZone, sound } from "../../config/project.ts";

/** Loads a zone with rules in one phase; the first rule begins in line 6. */
function loadRules(phase: string, rules: string): ReturnType<typeof loadZone> {
  return loadZone(`entry_points:\n  ${phase}:\n    rules:\n${rules}`);
}

/** What a load says: `severity code line:column message; remedy`. Each has a place in the file. */
function said(result: Result<unknown>): readonly string[] {
  const all: readonly Diagnostic[] = result.ok ? result.warnings : result.diagnostics;
  return all.map(({ severity, code, at, message, remedy }) => {
    return `${severity} ${code} ${at?.line}:${at?.column} ${message}; ${remedy}`;
  });
}

describe("an unknown parameter", () => {
  test("that resembles a known one is an error, at every depth", async () => {
    const rules = `      - ref: a
        action: set_cache_settings
        expression: "true"
        action_parameters:
          edge_tll: { mode: respect_origin }
          browser_ttl: { mod: bypass }
`;
    expect(faults(await loadRules("http_request_cache_settings", rules)).map(({ code }) => code)).not.toEqual([]);
    expect(said(await loadRules("http_request_cache_settings", rules))).toEqual(
      expect.arrayContaining([
        'error unknown-key 10:11 unknown key "edge_tll" in action_parameters; did you mean edge_ttl?',
        'error unknown-key 11:26 unknown key "mod" in browser_ttl; did you mean mode?',
      ]),
    );
  });

  test("that resembles none is a warning and is sent, at every depth", async () => {
    const rules = `      - ref: a
        action: set_cache_settings
        expression: "true"
        action_parameters:
          prefetch_hints: { host: a }
          edge_ttl: { mode: respect_origin, jitter_percent: 5 }
`;
    const loaded = await loadRules("http_request_cache_settings", rules);
    expect(said(loaded)).toEqual([
      expect.stringMatching(
        /^warning unknown-parameter 10:11 unknown key "prefetch_hints" in action_parameters; check/,
      ),
      expect.stringMatching(/^warning unknown-parameter 11:45 unknown key "jitter_percent" in edge_ttl; check/),
    ]);
    const [entryPoint] = sound(loaded).desired.zones[0]?.objects ?? [];
    const [rule] = [valueAt(entryPoint?.values ?? {}, ["rules"])].flat();
    expect(isObject(rule) && rule["action_parameters"]).toEqual({
      prefetch_hints: { host: "a" },
      edge_ttl: { mode: "respect_origin", jitter_percent: 5 },
    });
  });

  test("is no credential, whatever its name is", async () => {
    const rules = `      - ref: a
        action: route
        expression: "true"
        action_parameters: { auth_token: x, origin: { host: a.example, api_key: x } }
`;
    expect(said(await loadRules("http_request_origin", rules)).map((line) => line.split(" ")[1])).toEqual([
      "unknown-parameter",
      "unknown-parameter",
    ]);
  });
});

/** One rule in a phase; its action is in line 7, its parameters in line 9. */
function one(phase: string, action: string, parameters = "", more = ""): ReturnType<typeof loadZone> {
  const given = parameters === "" ? "" : `        action_parameters: { ${parameters} }\n`;
  return loadRules(phase, `      - ref: a\n        action: ${action}\n        expression: "true"\n${given}${more}`);
}

const CUSTOM = "http_request_firewall_custom";
const MANAGED = "http_request_firewall_managed";
const CACHE = "http_request_cache_settings";
const REWRITE = "http_request_transform";
const LIMITS = "http_ratelimit";
const LIMIT = "        ratelimit: { characteristics: [ip.src], period: 60, requests_per_period: 5 }\n";
const NO_SUCH = "0".repeat(32);

/** Rules with one thing wrong each: the phase, the action, the parameters, what follows; what is said. */
const WRONG: readonly (readonly [title: string, rule: Parameters<typeof one>, finding: string])[] = [
  [
    "an action that the phase does not have",
    ["http_request_origin", "block"],
    'error action-not-in-phase 7:17 the phase http_request_origin does not support the action "block"; move the rule to http_ratelimit or http_request_firewall_custom, or use one of: route',
  ],
  [
    "an action that no phase has",
    [CUSTOM, "ddos_dynamic"],
    "warning undocumented-action 7:17 Cloudflare documents the action ddos_dynamic for no entry point; use an action that it documents for the phase: block,",
  ],
  [
    "a parameter of another action",
    [CUSTOM, "block", "products: [waf]"],
    "error foreign-parameter 9:40 the action block has no parameter products; remove it, or use the action that has it: skip",
  ],
  [
    "a parameter of another phase",
    ["http_request_late_transform", "rewrite", "uri: { path: { value: / } }"],
    "error parameter-not-in-phase 9:35 rules of the phase http_request_late_transform have no uri; remove it, or move the rule to http_request_transform",
  ],
  [
    "a rate limit outside of its phase",
    [CUSTOM, "block", "", LIMIT],
    "error parameter-not-in-phase 9:20 rules of the phase http_request_firewall_custom have no ratelimit; remove it, or move the rule to http_ratelimit",
  ],
  [
    "no rate limit in its phase",
    [LIMITS, "block"],
    "error missing-parameter 6:9 a rule of the phase http_ratelimit needs ratelimit; add it",
  ],
  [
    "a rate limit without a limit",
    [LIMITS, "block", "", LIMIT.replace(", requests_per_period: 5", "")],
    "error missing-parameter 9:20 ratelimit needs requests_per_period or score_per_period; add it",
  ],
  ["no ruleset to execute", [MANAGED, "execute"], "error missing-parameter 6:9 the action execute needs id; add it"],
  [
    "nothing to set",
    ["http_config_settings", "set_config"],
    "error missing-parameter 6:9 the action set_config needs at least one of its parameters; add it",
  ],
  [
    "a required key within a parameter missing",
    [CACHE, "set_cache_settings", "edge_ttl: { default: 60 }"],
    "error missing-key 9:40 edge_ttl has no mode; add it, for example: mode: override_origin",
  ],
  [
    "neither a value nor an expression",
    [REWRITE, "rewrite", "headers: { x-a: { operation: set } }"],
    "error missing-parameter 9:46 x-a needs value or expression; add it",
  ],
  [
    "a value and an expression",
    [REWRITE, "rewrite", "uri: { path: { value: /, expression: http.host } }"],
    "error exclusive-parameters 9:67 value and expression exclude each other; keep one of the two",
  ],
  [
    "a status and a range",
    [
      CACHE,
      "set_cache_settings",
      "edge_ttl: { mode: respect_origin, status_code_ttl: [{ status_code: 200, status_code_range: { from: 300 }, value: 1 }] }",
    ],
    "error exclusive-parameters 9:121 status_code and status_code_range exclude each other; keep one of the two",
  ],
  [
    "a skip of this ruleset and of others",
    [MANAGED, "skip", "ruleset: current, rules: { cloudflare_managed: [23ee7cebe6e8443e99ecf932ab579455] }"],
    "warning exclusive-parameters 9:55 ruleset and rules exclude each other",
  ],
  [
    "the rest of the phase where only custom rules have it",
    [MANAGED, "skip", "phase: current"],
    "error parameter-not-in-phase 9:37 rules of the phase http_request_firewall_managed have no phase",
  ],
  [
    "a misspelt phase to skip",
    [CUSTOM, "skip", "phases: [http_ratelimits]"],
    'error phase-not-skippable 9:39 Cloudflare documents no way to skip the phase http_ratelimits; did you mean "http_ratelimit"?',
  ],
  [
    "a phase that nobody says can be skipped",
    [CUSTOM, "skip", "phases: [http_request_firewall_custom]"],
    "warning phase-not-skippable 9:39 Cloudflare documents no way to skip the phase http_request_firewall_custom; use one of: http_ratelimit,",
  ],
  [
    "a product that does not exist",
    [CUSTOM, "skip", "products: [rate_limit]"],
    'error unknown-value 9:41 products[0] cannot be "rate_limit"; did you mean "rateLimit"?',
  ],
  [
    "a managed ruleset of another phase",
    [MANAGED, "execute", "id: http_ddos"],
    "error ruleset-of-another-phase 9:34 the managed ruleset http_ddos belongs to the phase ddos_l7; move the rule to ddos_l7",
  ],
  [
    "a sensitivity of a rule that is no DDoS protection",
    [
      MANAGED,
      "execute",
      "id: cloudflare_managed, overrides: { categories: [{ category: php, sensitivity_level: low }] }",
    ],
    "error parameter-not-in-phase 9:116 rules of the phase http_request_firewall_managed have no sensitivity_level; remove it, or move the rule to ddos_l7",
  ],
  [
    "an unknown managed ruleset",
    [MANAGED, "execute", `id: "${NO_SUCH}"`],
    `warning not-in-catalogue 9:34 the managed ruleset ${NO_SUCH} is not in the catalogue of 2026-11-28; check it`,
  ],
  [
    "a misspelt category",
    [MANAGED, "execute", "id: cloudflare_managed, overrides: { categories: [{ category: wordpres, enabled: true }] }"],
    'warning not-in-catalogue 9:92 the category wordpres is not in the catalogue of 2026-11-28; did you mean "wordpress"?',
  ],
  [
    "unknown categories, as one finding",
    [
      MANAGED,
      "execute",
      "id: cloudflare_managed, overrides: { categories: [{ category: qqqqqqqqqq }, { category: zzzzzzzzzz }] }",
    ],
    "warning not-in-catalogue 9:92 the category qqqqqqqqqq is not in the catalogue of 2026-11-28 (and 1 more); check it",
  ],
  [
    "a rule of another managed ruleset",
    [
      MANAGED,
      "execute",
      "id: cloudflare_managed, overrides: { rules: [{ id: 6179ae15870a4bb7b2d480d4843b323c, enabled: true }] }",
    ],
    "warning not-in-catalogue 9:81 the rule 6179ae15870a4bb7b2d480d4843b323c is not in the catalogue of 2026-11-28; it is a rule of cloudflare_owasp_core",
  ],
  [
    "a skip of an unknown rule",
    [MANAGED, "skip", `rules: { cloudflare_managed: ["${NO_SUCH}"] }`],
    `warning not-in-catalogue 9:60 the rule ${NO_SUCH} is not in the catalogue of 2026-11-28; check it`,
  ],
];

test.each(WRONG)("%s is found at its place, and nothing else", async (_title, rule, finding) => {
  expect(said(await one(...rule))).toEqual([expect.stringContaining(finding)]);
});

/** Rules with nothing wrong. */
const RIGHT: readonly Parameters<typeof one>[] = [
  [MANAGED, "execute", "id: null, overrides: { enabled: true }"],
  [MANAGED, "execute", "", "        action_parameters: null\n"],
  [LIMITS, "block", "", "        ratelimit: null\n"],
  [LIMITS, "execute", `id: "${NO_SUCH}"`],
  [CUSTOM, "execute", `id: "${NO_SUCH}"`],
  [CUSTOM, "skip", "phase: current, products: [waf]"],
  [REWRITE, "rewrite", "headers: { x-a: { operation: remove }, x-b: { operation: set, value: a } }"],
  [CACHE, "set_cache_settings", "edge_ttl: { mode: null, default: 60 }"],
  ["http_request_sbfm", "skip", "ruleset: current"],
  [MANAGED, "execute", "id: cloudflare_managed, overrides: { categories: [{ category: cve-2030-1, enabled: true }] }"],
];

test.each(RIGHT)("nothing is wrong with a rule of %s: %s %s", async (...rule) => {
  expect(said(await one(...rule))).toEqual([]);
});

test("the schema has the parameters of all actions, and no others", async () => {
  const parameters = valueAt((await loadSchemas()).ruleset, ["$defs", "parameters", "properties"]);
  const names = Object.values(ACTIONS).flatMap((action) => action.parameters);
  expect(new Set(Object.keys(isObject(parameters) ? parameters : {}))).toEqual(new Set(names));
  const actions = valueAt((await loadSchemas()).ruleset, ["$defs", "rule", "properties", "action", "enum"]);
  expect(new Set([actions].flat())).toEqual(new Set(Object.keys(ACTIONS)));
});

test("the emulator has the same actions in each phase, and takes the same parameters", () => {
  for (const [phase, actions] of Object.entries(PHASES)) {
    expect([phase, Object.keys(ACTIONS).filter((action) => isAction(action, phase))].flat().toSorted()).toEqual(
      [phase, ...actions].toSorted(),
    );
    for (const action of actions) {
      const unknown = (actionNamed(action)?.parameters ?? []).filter((name) => isUnknown(action, phase, name));
      expect([phase, action, unknown]).toEqual([phase, action, unknown.filter((name) => isElsewhere(name))]);
    }
  }
});

/** Whether the emulator refuses the name of a parameter, whatever its value is. */
function isUnknown(action: string, phase: string, name: string): boolean {
  try {
    parametersOf(action, phase).shape({ [name]: null }, "");
    return false;
  } catch (failure) {
    return String(failure).includes("unknown field");
  }
}

/** Whether only some phases of an action have the parameter. */
function isElsewhere(name: string): boolean {
  return ["from_list", "from_value", "uri"].includes(name);
}

test("a missing parameter may keep its live value only in an entry point that is adopted", async () => {
  const rules = '    rules: [{ ref: a, action: execute, expression: "true" }]\n';
  const remedies = async (options: string): Promise<readonly unknown[]> =>
    faults(await loadZone(`entry_points:\n  ${MANAGED}:\n${options}${rules}`)).map(({ remedy }) => remedy);
  expect(await remedies("")).toEqual(["add it"]);
  expect(await remedies("    adopt: true\n")).toEqual([
    "add it; for a rule that is live, null keeps its value: id: null",
  ]);
});

test("the emulator has each managed rule and category of the catalogue, in the same phase", () => {
  for (const { id, phase, versions } of managedRulesets()) {
    const known = managedRuleset(id);
    const rules = versions[0]?.rules ?? [];
    const all = (name: string): readonly Json[] => rules.flatMap((rule): Json[] => [rule[name] ?? []].flat());
    expect([id, known?.phase]).toEqual([id, phase]);
    expect(all("id")).toEqual(expect.arrayContaining(Object.keys(known?.rules ?? {})));
    expect(all("categories")).toEqual(expect.arrayContaining([...(known?.categories ?? [])]));
  }
});
