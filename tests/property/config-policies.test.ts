import fc from "fast-check";
import { expect, test } from "vitest";
import type { HostnameRules, Policy } from "../../lib/config/desired.ts";
import { desiredFor } from "../../lib/config/policies.ts";
import { EMPTY, type Json, type JsonObject } from "../../lib/core/json.ts";

/** The oracle: flatten every layer to leaves, let the later leaf win, build the object again. Lists are leaves. */
function oracle(layers: readonly JsonObject[]): Json {
  const flat = new Map<string, Json>();
  const visit = (value: Json, path: readonly string[]): void => {
    if (value === null) return;
    if (typeof value !== "object" || Array.isArray(value)) return void flat.set(JSON.stringify(path), value);
    for (const [key, item] of Object.entries(value)) visit(item, [...path, key]);
  };
  for (const layer of layers) visit(layer, []);
  const result: Record<string, Record<string, Json>> = {};
  for (const [path, value] of flat) {
    const [first, second]: string[] = JSON.parse(path);
    if (first !== undefined && second !== undefined) result[first] = { ...result[first], [second]: value };
  }
  return result;
}

const leaf: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom("a", "b", "c"),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.constantFrom("x", "y"), { minLength: 1, maxLength: 3 }),
);
const values: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.constantFrom("ssl", "custom_metadata"),
  fc.dictionary(fc.constantFrom("one", "two", "three", "four"), leaf, { minKeys: 1, noNullPrototype: true }),
  { noNullPrototype: true },
);
const policy: fc.Arbitrary<Policy> = fc.record({
  name: fc.string(),
  isException: fc.constant(false),
  match: fc.record({
    hostname: fc.constantFrom(["app.a.net"], ["*.a.net"], ["b.net", "app.*"], ["none.net"], ["*"]),
    metadata: fc.constant({}),
    label: fc.constant({}),
  }),
  set: values,
  at: fc.constant({ file: "a.yaml", line: 1, column: 1 }),
});
const HITS = new Set(["app.a.net", "*.a.net", "b.net,app.*", "*"]);

function withoutEmpty(value: Json): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== null);
  const inner = kept.map(([key, item]) => [key, withoutEmpty(item)] as const);
  return Object.fromEntries(inner.filter(([, item]) => JSON.stringify(item) !== "{}"));
}

test("policies, own values and exceptions are layered as a simple oracle does it", () => {
  fc.assert(
    fc.property(
      fc.array(policy, { maxLength: 6 }),
      fc.array(policy, { maxLength: 3 }),
      values,
      (policies, above, base) => {
        const exceptions = above.map((each) => ({ ...each, isException: true }));
        const rules: HostnameRules = {
          isDeclared: true,
          lifecycle: "zoneform",
          foreign: "report",
          whenExpired: "report",
          options: {},
          policies: [...policies, ...exceptions],
        };
        const hit = (each: Policy): boolean => HITS.has(each.match.hostname?.join() ?? "");
        const layers = [
          ...policies.filter(hit).map(({ set }) => set),
          base,
          ...exceptions.filter(hit).map(({ set }) => set),
        ];
        const facts = { hostname: "app.a.net", metadata: {}, labels: {} };
        expect(withoutEmpty(desiredFor(rules, facts, base))).toEqual(oracle(layers));
      },
    ),
    { numRuns: 500, seed: 7 },
  );
});

test("a hostname without a match and without own values is EMPTY itself", () => {
  const rules: HostnameRules = {
    isDeclared: true,
    lifecycle: "app",
    foreign: "report",
    whenExpired: "report",
    options: {},
    policies: [],
  };
  expect(desiredFor(rules, { hostname: "a.net", metadata: {}, labels: {} }, EMPTY)).toBe(EMPTY);
});
