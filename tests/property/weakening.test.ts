import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { objects } from "../../lib/core/decode.ts";
import { equal, type JsonObject, leavesAsLive } from "../../lib/core/json.ts";
import { encodeUpdate } from "../../lib/resources/ruleset/wire.ts";
import { weakens } from "../../lib/resources/weakens.ts";
import { known, live, liveHostname, planned, wanted } from "../unit/plan/inputs.ts";
import { letsMoreIn, MEANINGS, servesWorse } from "./weakening-oracle.ts";

const NUMBER = process.env["ZONEFORM_FULL"] ? 10_000 : 400;
const RUNS = { numRuns: NUMBER, seed: 20261122 };
const PHASE = "http_request_firewall_custom";
const HOSTNAME = "app.customer.net";

/** A rule without its ref, of any sort that matters here. */
const body: fc.Arbitrary<JsonObject> = fc
  .record({
    sort: fc.constantFrom("block", "managed_challenge", "log", "rewrite", "limit", "skip", "skip-rest", "execute"),
    expression: fc.constantFrom(...Object.keys(MEANINGS)),
    enabled: fc.integer({ min: 0, max: 4 }).map((number) => number > 0),
    most: fc.constantFrom(2, 6),
    override: fc.constantFrom<JsonObject>(
      {},
      { enabled: false },
      { enabled: true },
      { action: "log" },
      { action: "block" },
    ),
  })
  .map(({ sort, expression, enabled, most, override }) => ({
    expression,
    enabled,
    ...detailsOf(sort, most, override),
  }));

function detailsOf(sort: string, most: number, override: JsonObject): JsonObject {
  switch (sort) {
    case "limit":
      return { action: "block", ratelimit: { characteristics: ["ip.src"], period: 60, requests_per_period: most } };
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

type Rules = readonly JsonObject[];

const rules: fc.Arbitrary<Rules> = fc
  .array(body, { minLength: 1, maxLength: 4 })
  .map((bodies) => bodies.map((each, index) => ({ ref: `r${index}`, ...each })));

/** What an editor does to rules. */
const edit = fc.record({
  what: fc.constantFrom("nothing", "switch", "replace", "remove", "insert", "swap", "expression", "action"),
  at: fc.nat({ max: 3 }),
  other: fc.nat({ max: 3 }),
  body,
});

function edited(
  before: Rules,
  { what, at, other, body: given }: typeof edit extends fc.Arbitrary<infer T> ? T : never,
): Rules {
  const rule = before[at % Math.max(1, before.length)];
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
    case "action": {
      const { expression, enabled } = rule;
      return put({ ref, ...given, expression: expression ?? "", enabled: enabled ?? true });
    }
    case "nothing":
      return before;
    default:
      return what satisfies never;
  }
}

/** What was applied, what is live and what the YAML says: two editors, who both began with what was applied. */
const triple = fc
  .tuple(rules, fc.array(edit, { maxLength: 2 }), fc.array(edit, { maxLength: 3 }), fc.boolean())
  .map(([applied, byOthers, byYou, isOnTop]) => {
    const now = byOthers.reduce(edited, applied);
    return { applied, live: now, yaml: byYou.reduce(edited, isOnTop ? now : applied) };
  });

/** The rules that stop requests or let them past, without those that are switched off. */
function protecting(from: Rules): Rules {
  return from.filter(({ enabled, action }) => enabled !== false && action !== "log" && action !== "rewrite");
}

/** The rules that the write leaves live: what the YAML does not say of a rule stays as it is. */
function leftLive(applied: Rules, now: Rules, yaml: Rules): Rules {
  const there = { id: "1", key: PHASE, values: { rules: [...now] }, status: {} };
  return objects(encodeUpdate({ rules: [...yaml] }, { rules: [...applied] }, there, {}), "rules");
}

/** The live rules with nothing of those that were applied but what was applied of them. */
function owned(applied: Rules, now: Rules): Rules {
  return now.map((rule) => {
    const last = applied.find(({ ref }) => ref === rule["ref"]);
    return last ? leavesAsLive(last, rule) : rule;
  });
}

describe("weakens-protection of rules", () => {
  it("is named wherever some request gets in that did not, by the YAML or by somebody else", () => {
    fc.assert(
      fc.property(triple, ({ applied, live: now, yaml }) => {
        const { changes } = planned({
          objects: [wanted("ruleset", PHASE, { rules: [...yaml] })],
          known: [known("ruleset", PHASE, { rules: [...applied] })],
          live: [live("ruleset", PHASE, { rules: [...now] })],
        });
        const isNamed = changes.some(({ hazards }) => hazards.includes("weakens-protection"));
        const isSeen = changes.some(({ weakened }) => weakened);
        const after = leftLive(applied, now, yaml);
        const seen = owned(applied, now);
        if (letsMoreIn(now, after)) expect(isNamed).toBe(true);
        if (changes.some(({ action }) => action === "update") && letsMoreIn(applied, seen)) expect(isSeen).toBe(true);
        if (equal([...protecting(now)], [...protecting(after)])) expect(isNamed).toBe(false);
        if (equal([...protecting(applied)], [...protecting(seen)])) expect(isSeen).toBe(false);
      }),
      RUNS,
    );
  });

  it("is not named for most edits that let nobody in", () => {
    let [harmless, wronged] = [0, 0];
    fc.assert(
      fc.property(rules, edit, (from, one) => {
        const to = edited(from, one);
        if (letsMoreIn(from, to)) return;
        harmless += 1;
        if (weakens("ruleset", { rules: [...from] }, { rules: [...to] })) wronged += 1;
      }),
      RUNS,
    );
    expect(harmless).toBeGreaterThan(NUMBER / 3);
    expect(wronged / harmless).toBeLessThan(0.25);
  });
});

const settings: fc.Arbitrary<JsonObject> = fc.record(
  {
    min_tls_version: fc.constantFrom("1.0", "1.1", "1.2", "1.3"),
    tls_1_3: fc.constantFrom("on", "off"),
    ciphers: fc
      .subarray(["ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-SHA", "AES128-SHA"])
      .chain((list) => fc.shuffledSubarray(list, { minLength: list.length })),
    http2: fc.constantFrom("on", "off"),
  },
  { requiredKeys: [] },
);

describe("weakens-protection of TLS", () => {
  it("is named where some client gets a worse connection, and nowhere else", () => {
    fc.assert(
      fc.property(settings, settings, settings, (applied, now, yaml) => {
        const values = (from: JsonObject): JsonObject => ({ ssl: { method: "http", type: "dv", settings: from } });
        const after = { ...now, ...yaml };
        const { changes } = planned({
          objects: [wanted("custom_hostname", HOSTNAME, values(yaml))],
          known: [known("custom_hostname", HOSTNAME, values(applied))],
          live: [liveHostname(HOSTNAME, values(now))],
        });
        const isNamed = changes.some(({ hazards }) => hazards.includes("weakens-protection"));
        expect(isNamed).toBe(servesWorse(now, after));
        const owned = Object.fromEntries(Object.entries(now).filter(([name]) => Object.hasOwn(applied, name)));
        const isSeen = changes.some(({ weakened }) => weakened);
        if (changes.some(({ action }) => action === "update")) expect(isSeen).toBe(servesWorse(applied, owned));
      }),
      RUNS,
    );
  });
});
