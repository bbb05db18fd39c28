import { expect, it } from "vitest";
import { changesBetween } from "../../../../pages/emulator/changes.ts";

const rule = (ref: string, action: string): { ref: string; action: string } => ({ ref, action });

it("a change is a field with its values, and what every write changes is none", () => {
  const before = { ssl: { settings: { min_tls_version: "1.3" } }, version: "1" };
  const after = { ssl: { settings: { min_tls_version: "1.0" } }, version: "2" };
  expect(changesBetween(before, after)).toEqual([
    { field: "ssl.settings.min_tls_version", before: "1.3", after: "1.0" },
  ]);
});

it("a rule that moved is the same rule in another place", () => {
  const [a, b] = [rule("a", "block"), rule("b", "log")];
  expect(changesBetween({ rules: [a, b] }, { rules: [b, a] })).toEqual([
    { field: "rules[a].place", before: "#1", after: "#2" },
    { field: "rules[b].place", before: "#2", after: "#1" },
  ]);
});

it("what is new has only values after, and what is gone only values before", () => {
  expect(changesBetween({ origin: "a" }, { sni: "b" })).toEqual([
    { field: "origin", before: "a", after: undefined },
    { field: "sni", before: undefined, after: "b" },
  ]);
  expect(changesBetween(null, { origin: "a" })).toEqual([{ field: "origin", before: undefined, after: "a" }]);
});
