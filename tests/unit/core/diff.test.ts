import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Cause, diff, type FieldRules } from "../../../lib/core/diff.ts";
import { formatPath, type JsonObject } from "../../../lib/core/json.ts";

const PLAIN: FieldRules = { fixed: [], writeOnly: [], unordered: [] };

describe("diff", () => {
  it("says who caused each difference, for every triple of values", () => {
    const value = fc.constantFrom(undefined, "a", "b", "c");
    fc.assert(
      fc.property(fc.constantFrom("a", "b", "c"), value, value, (wanted, prior, live) => {
        const found = diff({ x: wanted }, object(prior), object(live) ?? {}, PLAIN);
        expect(found.leaves.map(({ cause }) => cause)).toEqual(oracle(wanted, prior, live));
      }),
      { numRuns: 10_000 },
    );
  });

  it("never looks at a field that is not declared now and was not last time", () => {
    expect(diff({ ssl: { method: "http" } }, undefined, { ssl: { method: "http", wildcard: true } }, PLAIN)).toEqual({
      leaves: [],
      letGo: [],
    });
  });

  it("reads null as unmanaged", () => {
    expect(diff({ a: null, b: { c: null } }, undefined, { a: "live", b: { c: 1 } }, PLAIN).leaves).toEqual([]);
  });

  it("releases a field that is no longer declared, and says so", () => {
    const found = diff({ a: 1 }, { a: 1, b: { c: 2 } }, { a: 1, b: { c: 3 } }, PLAIN);
    expect(found.leaves).toEqual([]);
    expect(found.letGo.map(formatPath)).toEqual(["b.c"]);
  });

  it("compares fields that are never shown with what was last sent", () => {
    const rules = { ...PLAIN, writeOnly: ["key"] };
    expect(diff({ key: "hmac-1" }, { key: "hmac-1" }, {}, rules).leaves).toEqual([]);
    expect(diff({ key: "hmac-2" }, { key: "hmac-1" }, {}, rules).leaves).toMatchObject([
      { cause: "config", sensitive: true },
    ]);
  });

  it("replaces lists as a whole, and respects their order unless told otherwise", () => {
    const live = { ciphers: ["x", "y"] };
    expect(diff({ ciphers: ["y", "x"] }, undefined, live, PLAIN).leaves).toHaveLength(1);
    expect(diff({ ciphers: ["y", "x"] }, undefined, live, { ...PLAIN, unordered: ["ciphers"] }).leaves).toEqual([]);
  });
});

/** The rule in a table's words: no difference, else who changed what since the last apply. */
function oracle(wanted: string, prior: string | undefined, live: string | undefined): Cause[] {
  if (wanted === live) return [];
  if (prior === undefined) return ["config"];
  const youChanged = wanted !== prior;
  const somebodyChanged = live !== prior;
  if (youChanged && somebodyChanged) return ["both"];
  return youChanged ? ["config"] : ["drift"];
}

function object(value: string | undefined): JsonObject | undefined {
  return value === undefined ? undefined : { x: value };
}
