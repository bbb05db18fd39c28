import { describe, expect, test } from "vitest";
import { matcherOf } from "../../../lib/config/match.ts";
import { onProcessor } from "../../support/processor.ts";

function matches(pattern: string, hostname: string): boolean {
  return matcherOf({ hostname: [pattern], metadata: {}, label: {} })({ hostname, metadata: {}, labels: {} });
}

describe("* in a hostname stands for any characters", () => {
  test.each([
    ["*.customer.net", "a.customer.net", true],
    ["*.customer.net", "a.b.customer.net", true],
    ["*.customer.net", "customer.net", false],
    ["*.customer.net", "a.customer.net.evil.org", false],
    ["app*.net", "app.net", true],
    ["app*app.net", "app.net", false],
    ["a*b*c", "axbxc", true],
    ["a*b*c", "acb", false],
    ["a*bb*bc", "abbc", false],
    ["a*bb*bc", "abbbc", true],
    ["*", "anything.at.all", true],
    ["a.customer.net", "axcustomer.net", false],
    ["*.customer.net", "*.customer.net", true],
  ])("%s and %s: %s", (pattern, hostname, expected) => {
    expect(matches(pattern, hostname)).toBe(expected);
  });

  test("a pattern of a hundred stars goes back and forth for none", async () => {
    // Tried in every way, it would not end in a year.
    const [found, seconds] = await onProcessor(() => matches(`${"*a".repeat(100)}*b`, `${"a".repeat(250)}c`));
    expect(found).toBe(false);
    expect(seconds).toBeLessThan(60);
  });
});

test("an empty match matches everything, and all facts of a match have to hold", () => {
  const facts = { hostname: "a.net", metadata: { tier: "gold" }, labels: { region: "eu" } };
  expect(matcherOf({ metadata: {}, label: {} })(facts)).toBe(true);
  expect(matcherOf({ metadata: { tier: ["gold"] }, label: { region: ["us", "eu"] } })(facts)).toBe(true);
  expect(matcherOf({ metadata: { tier: ["gold"] }, label: { region: ["us"] } })(facts)).toBe(false);
  expect(matcherOf({ wildcard: false, metadata: {}, label: {} })(facts)).toBe(true);
  expect(matcherOf({ customOriginServer: ["pool"], metadata: {}, label: {} })(facts)).toBe(false);
});
