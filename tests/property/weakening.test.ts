import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { objects, optionalObject } from "../../lib/core/decode.ts";
import { equal, type JsonObject, leavesAsLive } from "../../lib/core/json.ts";
import { encodeUpdate } from "../../lib/kinds/ruleset/wire.ts";
import { weakens } from "../../lib/kinds/ruleset/weakens.ts";
import { inFull } from "../support/full.ts";
import { known, live, liveHostname, planned, wanted } from "../unit/plan/inputs.ts";
import { letsMoreIn, servesWorse } from "./weakening-oracle.ts";
import { CIPHERS, LEVELS, MEANINGS, REACTIONS, VERSIONS } from "./weakening-world.ts";

const NUMBER = inFull(10_000, 200);
const RUNS = { numRuns: NUMBER, seed: 20261122 };
const HOSTNAME = "app.customer.net";

const expression = fc.constantFrom(...Object.keys(MEANINGS));
const enabled = fc.integer({ min: 0, max: 4 }).map((number) => number > 0);

const LIMIT = {
  period: fc.constantFrom(10, 60),
  requests_per_period: fc.constantFrom(3, 20),
  mitigation_timeout: fc.constantFrom(60, 600),
};

/** A rule without its ref, as an entry point of that phase has it. */
const custom: fc.Arbitrary<JsonObject> = fc
  .record({
    sort: fc.constantFrom("block", "managed_challenge", "log", "rewrite", "limit", "skip", "skip-rest", "execute"),
    expression,
    enabled,
    limit: fc.record(LIMIT),
    override: fc.constantFrom<JsonObject>(
      {},
      { enabled: false },
      { enabled: true },
      { action: "log" },
      { action: "block" },
    ),
  })
  .map(({ sort, expression: matching, enabled: isOn, limit, override }) => ({
    expression: matching,
    enabled: isOn,
    ...detailsOf(sort, limit, override),
  }));

function detailsOf(sort: string, limit: JsonObject, override: JsonObject): JsonObject {
  switch (sort) {
    case "limit":
      return { action: "block", ratelimit: { characteristics: ["ip.src"], ...limit } };
    case "skip":
      return { action: "skip", action_parameters: { phases: ["http_ratelimit"] } };
    case "skip-rest":
      return { action: "skip", action_parameters: { ruleset: "current" } };
    case "execute": {
      const overrides = equal(override, {}) ? {} : { overrides: { rules: [{ id: "one", ...override }] } };
      return { action: "execute", action_parameters: { id: "efb7b8c949ac4650a09736fc376e9aee", ...overrides } };
    }
    default:
      return { action: sort };
  }
}

const settingUp: fc.Arbitrary<JsonObject> = fc
  .tuple(fc.constantFrom(...LEVELS), expression, enabled)
  .map(([level, matching, isOn]) => ({
    action: "set_config",
    expression: matching,
    enabled: isOn,
    action_parameters: { security_level: level },
  }));

const reacting: fc.Arbitrary<JsonObject> = fc
  .tuple(fc.constantFrom(...REACTIONS), expression, enabled)
  .map(([reaction, matching, isOn]) => ({
    action: "execute",
    expression: matching,
    enabled: isOn,
    action_parameters: {
      id: "4d21379b4f9f4bb088e0729962c8b3cf",
      overrides: { sensitivity_level: reaction },
    },
  }));

const PHASES = [
  ["http_request_firewall_custom", custom],
  ["http_config_settings", settingUp],
  ["ddos_l7", reacting],
] as const;

type Rules = readonly JsonObject[];

function rulesOf(body: fc.Arbitrary<JsonObject>): fc.Arbitrary<Rules> {
  return fc
    .array(body, { minLength: 1, maxLength: 4 })
    .map((bodies) => bodies.map((each, index) => ({ ref: `r${index}`, ...each })));
}

const EDITS = ["nothing", "switch", "replace", "remove", "insert", "swap", "expression", "action", "limit"] as const;

/** What an editor does to rules. */
interface Edit {
  readonly what: (typeof EDITS)[number];
  readonly at: number;
  readonly other: number;
  readonly body: JsonObject;
  /** A number of a rate limit. */
  readonly limit: JsonObject;
}

function editsOf(body: fc.Arbitrary<JsonObject>): fc.Arbitrary<Edit> {
  const limit: fc.Arbitrary<JsonObject> = fc.oneof(
    ...Object.entries(LIMIT).map(([field, number]) => number.map((value) => ({ [field]: value }))),
  );
  return fc.record({ what: fc.constantFrom(...EDITS), at: fc.nat({ max: 3 }), other: fc.nat({ max: 3 }), body, limit });
}

function edited(before: Rules, { what, at, other, body: given, limit }: Edit): Rules {
  const limits = before.filter(({ ratelimit }) => ratelimit !== undefined);
  const edits = what === "limit" ? limits : before;
  const rule = edits[at % Math.max(1, edits.length)];
  if (!rule) return before;
  const put = (now: JsonObject): Rules => before.map((each) => (each === rule ? now : each));
  const ref = rule["ref"] ?? "";
  switch (what) {
    case "switch":
      return put({ ...rule, enabled: rule["enabled"] === false });
    case "replace":
      return put({ ref, ...given });
    case "remove":
      return before.filter((each) => each !== rule);
    case "insert":
      return before.toSpliced(at, 0, { ref: `new-${at}-${other}-${before.length}`, ...given });
    case "swap":
      return before.filter((each) => each !== rule).toSpliced(other, 0, rule);
    case "expression":
      return put({ ...rule, expression: given["expression"] ?? "" });
    case "action":
      return put({ ref, ...given, expression: rule["expression"] ?? "", enabled: rule["enabled"] ?? true });
    case "limit":
      return put({ ...rule, ratelimit: { ...optionalObject(rule, "ratelimit"), ...limit } });
    case "nothing":
      return before;
    default:
      return what satisfies never;
  }
}

/** What was applied, what is live and what the YAML says: two editors who both started from what was applied. */
function triplesOf(body: fc.Arbitrary<JsonObject>): fc.Arbitrary<{ applied: Rules; now: Rules; yaml: Rules }> {
  const edits = editsOf(body);
  return fc
    .tuple(rulesOf(body), fc.array(edits, { maxLength: 2 }), fc.array(edits, { maxLength: 3 }), fc.boolean())
    .map(([applied, byOthers, byYou, isOnTop]) => {
      const now = byOthers.reduce(edited, applied);
      return { applied, now, yaml: byYou.reduce(edited, isOnTop ? now : applied) };
    });
}

/** The rules that block requests or let them pass, without those that are switched off. */
function protecting(from: Rules): Rules {
  return from.filter(({ enabled, action }) => enabled !== false && action !== "log" && action !== "rewrite");
}

/** The rules that the write leaves live: what the YAML does not declare of a rule stays as it is. */
function leftLive(phase: string, applied: Rules, now: Rules, yaml: Rules): Rules {
  const there = { id: "1", key: phase, values: { rules: [...now] }, status: {} };
  return objects(encodeUpdate({ rules: [...yaml] }, { rules: [...applied] }, there, {}), "rules");
}

/** The live rules, with only the applied part of those that were applied. */
function owned(applied: Rules, now: Rules): Rules {
  return now.map((rule) => {
    const last = applied.find(({ ref }) => ref === rule["ref"]);
    return last ? leavesAsLive(last, rule) : rule;
  });
}

describe.each(PHASES)("weakens-protection of rules in %s", (phase, body) => {
  it("is reported whenever some request gets in that did not before, through the YAML or a foreign edit", () => {
    fc.assert(
      fc.property(triplesOf(body), ({ applied, now, yaml }) => {
        const { changes } = planned({
          objects: [wanted("ruleset", phase, { rules: [...yaml] })],
          known: [known("ruleset", phase, { rules: [...applied] })],
          live: [live("ruleset", phase, { rules: [...now] })],
        });
        const isNamed = changes.some(({ hazards }) => hazards.includes("weakens-protection"));
        const isSeen = changes.some(({ dangers = [] }) => dangers.includes("weakens-protection"));
        const after = leftLive(phase, applied, now, yaml);
        const seen = owned(applied, now);
        if (letsMoreIn(now, after)) expect(isNamed).toBe(true);
        if (changes.some(({ action }) => action === "update") && letsMoreIn(applied, seen)) expect(isSeen).toBe(true);
        if (equal([...protecting(now)], [...protecting(after)])) expect(isNamed).toBe(false);
        if (equal([...protecting(applied)], [...protecting(seen)])) expect(isSeen).toBe(false);
      }),
      RUNS,
    );
  });

  it("is not reported for most edits that let nothing in", () => {
    let [harmless, wronged] = [0, 0];
    fc.assert(
      fc.property(rulesOf(body), editsOf(body), (from, one) => {
        const to = edited(from, one);
        if (letsMoreIn(from, to)) return;
        harmless += 1;
        if (weakens({ rules: [...from] }, { rules: [...to] }, phase)) wronged += 1;
      }),
      RUNS,
    );
    expect(harmless).toBeGreaterThan(NUMBER / 3);
    expect(wronged / harmless).toBeLessThan(0.25);
  });
});

const settings: fc.Arbitrary<JsonObject> = fc.record(
  {
    min_tls_version: fc.constantFrom(...VERSIONS),
    tls_1_3: fc.constantFrom("on", "off"),
    ciphers: fc.shuffledSubarray(
      [...CIPHERS.keys()].filter((_, index) => index % 3 < 2),
      { maxLength: 4 },
    ),
    http2: fc.constantFrom("on", "off"),
  },
  { requiredKeys: [] },
);

/** Some answers have an empty text for what is not set. */
const unset = settings.map((set) => ({ ...set, min_tls_version: "" }));

describe("weakens-protection of TLS", () => {
  it("is reported if some client gets a worse connection, and only then", () => {
    fc.assert(
      fc.property(settings, fc.oneof(settings, unset), settings, (applied, now, yaml) => {
        const values = (from: JsonObject): JsonObject => ({ ssl: { method: "http", type: "dv", settings: from } });
        const after = { ...now, ...yaml };
        const { changes } = planned({
          objects: [wanted("custom_hostname", HOSTNAME, values(yaml))],
          known: [known("custom_hostname", HOSTNAME, values(applied))],
          live: [liveHostname(HOSTNAME, values(now))],
        });
        const isNamed = changes.some(({ hazards }) => hazards.includes("weakens-protection"));
        // With TLS 1.3 as the minimum, the settings for older versions have no effect, and count anyway.
        if (after["min_tls_version"] !== "1.3") expect(isNamed).toBe(servesWorse(now, after));
        else if (servesWorse(now, after)) expect(isNamed).toBe(true);
        const owned = Object.fromEntries(Object.entries(now).filter(([name]) => Object.hasOwn(applied, name)));
        const isSeen = changes.some(({ dangers = [] }) => dangers.includes("weakens-protection"));
        const isUpdated = changes.some(({ action }) => action === "update");
        if (isUpdated && servesWorse(applied, owned)) expect(isSeen).toBe(true);
      }),
      RUNS,
    );
  });
});
