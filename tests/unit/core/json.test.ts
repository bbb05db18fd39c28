import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  canonical,
  equal,
  formatPath,
  type Json,
  leaves,
  valueAt,
  withoutValueAt,
  withValueAt,
} from "../../../lib/core/json.ts";

const json = fc.jsonValue().map((value): Json => JSON.parse(JSON.stringify(value)));

describe("json", () => {
  it("gives equal values equal canonical text, whatever the order of their keys", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonical(shuffled(value))).toBe(canonical(value));
        expect(equal(shuffled(value), value)).toBe(true);
      }),
    );
  });

  it("gives different values different canonical text", () => {
    fc.assert(
      fc.property(json, json, (left, right) => {
        expect(equal(left, right)).toBe(canonical(left) === canonical(right));
      }),
    );
  });

  it("finds what it set, and nothing once that is removed", () => {
    const path = fc.array(fc.constantFrom("a", "b", "ssl"), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(path, (at) => {
        const set = withValueAt({ a: 1, other: { kept: true } }, at, "x");
        expect(valueAt(set, at)).toBe("x");
        expect(valueAt(withoutValueAt(set, at), at)).toBeUndefined();
        expect(valueAt(withoutValueAt(set, at), ["other", "kept"])).toBe(true);
      }),
    );
  });

  it("counts lists as leaves, and null as no leaf", () => {
    expect(leaves({ a: { b: [1], c: null }, d: {} })).toEqual([{ path: ["a", "b"], value: [1] }]);
  });

  it("quotes keys that contain a dot", () => {
    expect(formatPath(["custom_metadata", "a.b"])).toBe('custom_metadata."a.b"');
  });
});

function shuffled(value: Json): Json {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, child]) => [key, shuffled(child)]),
  );
}
