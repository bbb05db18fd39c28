import fc from "fast-check";
import type { JsonObject } from "../../lib/core/json.ts";
import type { Setting } from "./setting.ts";

/** The phases that configurations have rules in. */
export const PHASES = ["http_request_firewall_managed", "http_request_firewall_custom"] as const;

/** One of them. */
export type Phase = (typeof PHASES)[number];

/** What a PUT of an entry point contains. */
export interface EntryPoint extends JsonObject {
  readonly rules: readonly JsonObject[];
}

const REFS = ["sec/a", "sec/b", "sec/c", "sec/d", "app/e", "f"];
const FOREIGN = ["dash-1", "dash-2", "other/3"];
const EXPRESSIONS = ["true", '(http.host eq "app.alpha.net")', 'starts_with(http.request.uri.path, "/api: #1")'];

/** An entry point as the YAML has it. */
export function entryPoint(setting: Setting, phase: Phase): fc.Arbitrary<EntryPoint> {
  const options = fc.record(
    { own: fc.constant(["sec/"]), place: fc.constantFrom("first", "last"), name: fc.constantFrom("default", "ours") },
    { requiredKeys: [] },
  );
  // Free zones hold five custom rules, foreign ones included.
  const most = setting.plan === "free" ? 2 : 4;
  return fc
    .tuple(
      options,
      fc.shuffledSubarray(REFS, { maxLength: most }).chain((refs) => rulesOf(setting, phase, refs)),
    )
    .map(([drawn, rules]) => ({ ...drawn, adopt: true, rules }));
}

/** Rules that are live before the first run: foreign ones, and some with our refs. */
export function liveRules(setting: Setting, phase: Phase): fc.Arbitrary<readonly JsonObject[]> {
  return fc
    .shuffledSubarray([...FOREIGN, "sec/a", "f"], { maxLength: 3 })
    .chain((refs) => rulesOf(setting, phase, refs));
}

function rulesOf(setting: Setting, phase: Phase, refs: readonly string[]): fc.Arbitrary<readonly JsonObject[]> {
  return fc.tuple(...refs.map((ref) => rule(setting, phase, ref))).map((rules) => {
    // A skip that names rulesets comes before what it skips; after it, it would be refused as useless.
    const isEarly = (each: JsonObject): boolean => JSON.stringify(each).includes("rulesets");
    return [...rules.filter(isEarly), ...rules.filter((each) => !isEarly(each))];
  });
}

function rule(setting: Setting, phase: Phase, ref: string): fc.Arbitrary<JsonObject> {
  const common = fc.record(
    { description: fc.constantFrom("", "why: because"), enabled: fc.boolean() },
    { requiredKeys: [] },
  );
  const actions = phase === "http_request_firewall_managed" ? managedAction(setting) : customAction();
  return fc
    .tuple(common, fc.constantFrom(...EXPRESSIONS), actions)
    .map(([some, expression, action]) => ({ ref, expression, ...some, ...action }));
}

function managedAction({ plan }: Setting): fc.Arbitrary<JsonObject> {
  const ids = plan === "free" ? ["cloudflare_free_managed"] : ["cloudflare_managed", "cloudflare_owasp_core"];
  const execute = fc
    .constantFrom(...ids)
    .chain((id) => overridesOf(id).map((more) => ({ action: "execute", action_parameters: { id, ...more } })));
  const skip = fc
    .tuple(
      fc.constantFrom<JsonObject>({ ruleset: "current" }, { rulesets: [ids[0] ?? ""] }),
      fc.constantFrom<JsonObject>({}, { logging: { enabled: false } }),
    )
    .map(([action_parameters, more]) => ({ action: "skip", action_parameters, ...more }));
  return fc.oneof(execute, skip);
}

/** A rule and a category of each managed ruleset. */
const PARTS: Readonly<Record<string, readonly [rule: string, category: string]>> = {
  cloudflare_managed: ["23ee7cebe6e8443e99ecf932ab579455", "wordpress"],
  cloudflare_owasp_core: ["6179ae15870a4bb7b2d480d4843b323c", "paranoia-level-3"],
  cloudflare_free_managed: ["2b5d06e34a814a889bee9a0699702280", "rce"],
};

function overridesOf(ruleset: string): fc.Arbitrary<JsonObject> {
  const [id = "", category = ""] = PARTS[ruleset] ?? [];
  return fc.constantFrom<JsonObject>(
    {},
    { overrides: { action: "log" } },
    { overrides: { rules: [{ id, action: "log", enabled: false }] } },
    { overrides: { enabled: true, categories: [{ category, action: "block" }] }, version: "latest" },
  );
}

function customAction(): fc.Arbitrary<JsonObject> {
  const response = { status_code: 429, content: "no", content_type: "text/plain" };
  return fc.constantFrom<JsonObject>(
    { action: "block" },
    { action: "block", action_parameters: { response } },
    { action: "log" },
    { action: "managed_challenge" },
    { action: "skip", action_parameters: { ruleset: "current", products: ["waf", "bic"] } },
    { action: "skip", action_parameters: { phases: ["http_ratelimit"] }, logging: { enabled: true } },
  );
}
