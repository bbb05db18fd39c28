import { describe, expect, test } from "vitest";
import type { RuleChange } from "../../../lib/kinds/traits/compared.ts";
import type { Plan } from "../../../lib/plan/change.ts";
import { digestOf, planHash } from "../../../lib/plan/digest.ts";
import { decodePlan, encodePlan } from "../../../lib/plan/file.ts";
import { planMarkdown } from "../../../lib/report/plan.ts";
import { planText } from "../../../lib/report/plan.ts";
import { aChange, aLeaf, aPlan, aRule } from "../../support/plans.ts";

/** Expressions of 60 to 4,000 characters, of which only the last clause is dangerous. */
const EXPRESSIONS = [60, 75, 120, 200, 400, 800, 1200, 2000, 3000, 4000].map((length) => {
  const clause = `or http.host ne "open-${length}.example"`;
  const clauses: string[] = ['http.request.uri.path eq "/"'];
  while (clauses.join(" or ").length + clause.length + 30 < length)
    clauses.push(`http.request.uri.path eq "/path/number-${clauses.length}"`);
  return `${clauses.join(" or ")} ${clause}`;
});

const SCOPE = { zones: [], target: [], exclude: [], deny: [], sources: {}, isDestroy: false };

type Step = (expression: string, title: string) => RuleChange;

const added: Step = (expression, title) =>
  aRule("insert", "sec/skip", title, {
    to: 1,
    leaves: [aLeaf("action", undefined, "skip"), aLeaf("expression", undefined, expression)],
  });

const removed: Step = (expression, title) =>
  aRule("remove", "sec/block", title, { from: 1, lost: { ref: "sec/block", action: "block", expression } });

const edited: Step = (expression, title) =>
  aRule("edit", "sec/skip", title, {
    from: 1,
    to: 1,
    leaves: [aLeaf("expression", expression.slice(0, expression.lastIndexOf(" or ")), expression)],
  });

function planOf(rules: readonly RuleChange[], beside = 0): Plan {
  const others = Array.from({ length: beside }, (_item, index) =>
    aChange(`shop-${index}.${"long-name".repeat(8)}.example`, index % 2 === 0 ? "update" : "delete", {
      leaves: [aLeaf("custom_origin_server", `from-${index}.example`, `to-${index}.example`)],
      hazards: index % 2 === 0 ? ["weakens-protection"] : ["outage"],
    }),
  );
  const ruleset = aChange("http_request_firewall_custom", "update", { kind: "ruleset", rules });
  return aPlan([[...others, ruleset]]);
}

/** A text as somebody reads it: lines go on where they were broken. */
function read(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

/** Each clause of a long expression has a line of its own, and those that did not change stand once. */
function expectWhole(text: string, expression: string): void {
  for (const clause of expression.split(" or ")) expect(text).toContain(clause);
}

describe.each([
  ["an added rule without a description", added, (expression: string) => expression],
  ["an added rule with a description", added, () => "health checks"],
  ["a removed rule", removed, (expression: string) => expression],
  ["a removed rule with a description", removed, () => "admin"],
  ["an edited rule", edited, (expression: string) => expression],
  ["an edited rule with a description", edited, () => "health checks"],
])("the expression of %s stands in full", (_title, step, titleOf) => {
  const rules = EXPRESSIONS.map((expression) => step(expression, titleOf(expression)));

  test.each(rules.map((rule, index) => [EXPRESSIONS[index] ?? "", rule] as const))(
    "in text: %s",
    (expression, rule) => {
      expectWhole(read(planText(planOf([rule]), { colour: false, columns: 80 })), expression);
    },
  );

  test("in Markdown, also where thousands of other changes do not fit beside it", () => {
    const markdown = planMarkdown(planOf(rules, 4000));
    expect(markdown.length).toBeLessThanOrEqual(65_280);
    expect(markdown).toContain("Not shown here");
    for (const expression of EXPRESSIONS) expectWhole(markdown, expression);
  });

  test("in what show prints of a saved plan", async () => {
    const saved = encodePlan({ plan: withDigests(planOf(rules)), endpoint: "https://api.example", scope: SCOPE });
    const { plan: shown } = await decodePlan(lines(saved), "plan.zfplan");
    const text = read(planText(shown, { colour: false, columns: 80 }));
    for (const expression of EXPRESSIONS) expectWhole(text, expression);
  });
});

test("an expression that the title holds whole stands once", () => {
  const text = planText(planOf([added('http.host eq "a.example"', 'http.host eq "a.example"')]), { colour: false });
  expect(text.match(/a\.example/g)).toHaveLength(1);
});

/** The plan as planning makes it: reading a file checks its digests. */
function withDigests(plan: Plan): Plan {
  const zones = plan.zones.map((zone) => ({
    ...zone,
    changes: zone.changes.map((change) => ({ ...change, digest: digestOf(change) })),
  }));
  return { ...plan, zones, hash: planHash(zones) };
}

async function* lines(saved: Iterable<string>): AsyncIterable<string> {
  yield* saved;
}
