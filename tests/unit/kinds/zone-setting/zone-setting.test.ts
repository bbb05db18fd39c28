import { describe, expect, test } from "vitest";
import { zoneSetting } from "../../../../lib/kinds/zone-setting/kind.ts";

const WEAKER = [
  ["min_tls_version", "1.2", "1.0"],
  ["tls_1_3", "on", "off"],
  ["ssl", "strict", "full"],
  ["ssl", "strict", "flexible"],
  ["ssl", "flexible", "off"],
  ["always_use_https", "on", "off"],
  ["security_level", "high", "essentially_off"],
] as const;

describe("a zone setting", () => {
  test.each(WEAKER)("%s protects less when it goes from %s to %s, and no less on the way back", (key, more, less) => {
    expect(zoneSetting.weakens?.({ value: more }, { value: less }, key)).toBe(true);
    expect(zoneSetting.weakens?.({ value: less }, { value: more }, key)).toBe(false);
    expect(zoneSetting.weakens?.({ value: more }, { value: more }, key)).toBe(false);
  });

  test.each([
    ["ssl", "origin_pull", "strict"],
    ["ssl", "strict", "origin_pull"],
    ["tls_1_3", "on", "zrt"],
  ])("%s may protect less where nobody can compare %s with %s", (key, from, to) => {
    expect(zoneSetting.weakens?.({ value: from }, { value: to }, key)).toBe(true);
  });

  test("that the service lets nobody change is refused with its name", () => {
    const live = { id: "ssl", key: "ssl", values: { value: "full" }, status: { editable: false } };
    const { objections } = zoneSetting.compare({ desired: { value: "strict" }, prior: undefined, live, options: {} });
    expect(objections).toMatchObject([{ code: "setting-not-editable" }]);
    const same = zoneSetting.compare({ desired: { value: "full" }, prior: undefined, live, options: {} });
    expect(same.objections ?? []).toEqual([]);
  });
});
