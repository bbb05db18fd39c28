import { expect, test } from "vitest";
import type { Json } from "../../../../lib/core/json.ts";
import { overrideLeaves } from "../../../../lib/kinds/ruleset/overrides.ts";

const RULES = ["action_parameters", "overrides", "rules"];
const CATEGORIES = ["action_parameters", "overrides", "categories"];

/** What is said of a list that changes from one value to the other: name, old and new value. */
function said(path: readonly string[], before: Json | undefined, after: Json | undefined): unknown {
  const leaf = {
    path,
    cause: "config" as const,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
  return overrideLeaves(leaf, "before", "after")?.map((each) => [each.name, each.before, each.after]);
}

test("an override that is added, changed and removed is named with its field", () => {
  const before = [
    { id: "a", action: "log" },
    { id: "b", enabled: false },
  ];
  const after = [
    { id: "a", action: "block" },
    { id: "c", enabled: true, score_threshold: 25 },
  ];
  expect(said(RULES, before, after)).toEqual([
    ["override of rule a: action", "log", "block"],
    ["override of rule b: enabled", false, undefined],
    ["override of rule c: enabled", undefined, true],
    ["override of rule c: score_threshold", undefined, 25],
  ]);
});

test("a whole list that is added or removed is named override by override", () => {
  const list = [{ category: "php", enabled: false }];
  expect(said(CATEGORIES, undefined, list)).toEqual([["override of category php: enabled", undefined, false]]);
  expect(said(CATEGORIES, list, undefined)).toEqual([["override of category php: enabled", false, undefined]]);
});

test("categories in another order are a change, because the later one wins", () => {
  const [php, xss] = [
    { category: "php", action: "log" },
    { category: "xss", action: "block" },
  ];
  expect(said(CATEGORIES, [php, xss], [xss, php])).toEqual([
    ["order of the overrides by category", ["php", "xss"], ["xss", "php"]],
  ]);
});

test("a rule whose name is public is called by it, and a name that could mislead is in quotes", () => {
  const score = "6179ae15870a4bb7b2d480d4843b323c";
  expect(said(RULES, [{ id: score, score_threshold: 40 }], [{ id: score, score_threshold: 60 }])).toEqual([
    [`override of rule "949110: Inbound Anomaly Score Exceeded" (${score}): score_threshold`, 40, 60],
  ]);
  expect(said(CATEGORIES, [], [{ category: "php: action", enabled: true }])).toEqual([
    ['override of category "php: action": enabled', undefined, true],
  ]);
});

test("of one list, the YAML may have changed one override and somebody else another one", () => {
  const [a, b] = [
    { id: "a", action: "log" },
    { id: "b", action: "log" },
  ];
  const leaf = {
    path: RULES,
    cause: "both" as const,
    prior: [a, b],
    before: [a, { ...b, action: "block" }],
    after: [{ ...a, action: "block" }, b],
  };
  expect(overrideLeaves(leaf, "before", "after")?.map(({ name, cause }) => [name, cause])).toEqual([
    ["override of rule a: action", "config"],
    ["override of rule b: action", "drift"],
  ]);
});

test.each([
  ["another field", ["action_parameters", "rulesets"], ["a"]],
  [
    "a list that names one twice",
    RULES,
    [
      { id: "a", action: "log" },
      { id: "a", action: "block" },
    ],
  ],
  ["a list of something else", RULES, ["a"]],
])("%s stays as it is", (_title, path, value) => {
  expect(said(path, [], value)).toBeUndefined();
});
