import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { zoneId } from "../../../../lib/core/brand.ts";
import { openRedaction } from "../../../../lib/core/redaction.ts";
import { Secret } from "../../../../lib/core/secret.ts";
import type { Change, Plan } from "../../../../lib/plan/change.ts";
import { markdownText } from "../../../../lib/report/escape/markdown.ts";
import { HAZARDS } from "../../../../lib/kinds/hazards.ts";
import { planMarkdown } from "../../../../lib/report/plan/markdown.ts";
import { planText } from "../../../../lib/report/plan/text.ts";
import { aChange, aLeaf, aPlan, aRule, aZone, sameChanges } from "../../../support/plans.ts";
import { commentParts, hiddenIn, shownChanges } from "../../../support/comments.ts";

/** What a comment of GitHub's holds. */
const LIMIT = 65_280;
/** The smallest budget there is. */
const LEAST = 4096;
const RUN = "https://github.com/acme/edge/actions/runs/42";

const OTHER_ZONE = { id: zoneId("123e105f4ecef8ad9ca31a8372d0c353"), name: "saas.dev" };

/** So many changes, no two of which are the same; the value of each holds `value`. */
function different(count: number, value: string): Change[] {
  return Array.from({ length: count }, (_item, index) =>
    aChange(`h${index}.example.com`, "update", {
      leaves: [aLeaf("custom_metadata.note", "old", `${index} ${value}`)],
    }),
  );
}

function deletes(count: number): Change[] {
  return Array.from({ length: count }, (_item, index) =>
    aChange(`old-${index}.example.com`, "delete", { hazards: ["outage"], reason: "no longer declared" }),
  );
}

describe("the plan as a comment", () => {
  test("reads from the verdict down: counts, hazards, what is blocked and found, then folded changes, the cost and the hash", () => {
    const plan = aPlan([
      aZone({
        changes: [
          aChange("a.example.com", "update", { leaves: [aLeaf("ssl.method", "http", "txt")] }),
          aChange("b.example.com", "update", { leaves: [aLeaf("ssl.method", "http", "txt")] }),
          aChange("c.example.com", "update", { leaves: [aLeaf("ssl.type", "dv", "`</details>` @org/admins")] }),
          aChange("old.example.com", "delete", { hazards: ["outage"], reason: "no longer declared" }),
          aChange("bank.example.com", "delete", {
            hazards: ["outage"],
            refused: { code: "protected", message: "it is protected", remedy: "set protect: false" },
          }),
          aChange("waits.example.com", "held", {
            held: { reason: "the hostname is pending", leaves: [aLeaf("ssl.method", "http", "txt")] },
          }),
          aChange("kept.example.com", "forget", {
            letGo: [["custom_metadata", "owner"]],
            keeps: { "custom_metadata.owner": "edge team" },
          }),
        ],
        findings: [{ severity: "warning", code: "denied-live-value", message: "lets_encrypt is live" }],
      }),
    ]);
    expect(planMarkdown(plan, { link: RUN }))
      .toBe(`## Plan for project edge&#45;prod&#58; 6 changes in zone saas.eu, including 1 blocked deletion, 1 held.

|  | update | delete | release fields | held | blocked | unchanged |
| --- | --: | --: | --: | --: | --: | --: |
| saas.eu | 3 | 1 | 1 | 1 | 1 | 40 |

### Hazards: 2 outage

\`\`\`diff
!  old.example.com goes offline  outage
!  bank.example.com goes offline (blocked)  outage
\`\`\`

### Blocked: apply leaves these as they are

\`\`\`diff
- delete bank.example.com, BLOCKED, DANGER (config)
    it is protected [protected]
    set protect: false
\`\`\`

### Findings

\`\`\`diff
warning: lets_encrypt is live [denied-live-value]
\`\`\`

<details open>
<summary>&#45; delete old.example.com, DANGER &#40;config&#58; no longer declared&#41;</summary>

\`\`\`diff
- delete old.example.com, DANGER (config: no longer declared)
\`\`\`

</details>

<details>
<summary>&#126; update 3 objects</summary>

\`\`\`diff
~ update 2 hostnames (config)
    ssl.method  http -> txt
    a.example.com, b.example.com
~ update c.example.com (config)
    ssl.type  dv -> "\`</details>\` @org/admins"
\`\`\`

</details>

<details>
<summary>Held &#40;1 object&#41;</summary>

\`\`\`diff
| hold waits.example.com
    ssl.method  http -> txt  (config)
    the hostname is pending
\`\`\`

</details>

<details>
<summary>Released &#40;1 object&#41;</summary>

\`\`\`diff
. stop managing custom_metadata.owner on kept.example.com; live keeps "edge team"
\`\`\`

</details>

Applying the rest makes 8 API calls and orders 3 certificates.

Hash of this plan&#58; sha256&#58;${plan.hash.slice("sha256:".length)}
`);
  });

  test("begins with the words of the text, whatever the plan", () => {
    for (const plan of [aPlan([[]]), aPlan([sameChanges(5000)]), aPlan([deletes(3)])]) {
      const [verdict = ""] = planText(plan, { colour: false, columns: 1000 }).split("\n");
      expect(planMarkdown(plan).split("\n")[0]).toBe(`## ${markdownText(verdict)}`);
    }
  });

  test("counts the changes of each zone in one table, and has a section for each that changes", () => {
    const idle = [1, 2].map((number) => aZone({ zone: { id: OTHER_ZONE.id, name: `idle${number}.dev` }, changes: [] }));
    const plan = aPlan([sameChanges(2), aZone({ zone: OTHER_ZONE, changes: deletes(1) }), ...idle]);
    const { outside } = commentParts(planMarkdown(plan));
    expect(outside.filter((line) => /\.(?:eu|dev)\b/.test(line) && !line.startsWith("<"))).toEqual(
      [
        "## Plan for edge&#45;prod&#58; 3 changes in 2 zones.",
        "| saas.eu | 2 | - | 40 |",
        "| saas.dev | - | 1 | 40 |",
        "| idle1.dev | - | - | 40 |",
        "| idle2.dev | - | - | 40 |",
        "### saas.eu",
        "### saas.dev",
      ].slice(1),
    );
  });

  test("has the blocked changes of all zones before any other change", () => {
    const refused = { code: "protected", message: "it is protected", remedy: "set protect: false" } as const;
    const zones = [sameChanges(1), aZone({ zone: OTHER_ZONE, changes: [aChange("x.dev", "delete", { refused })] })];
    const comment = planMarkdown(aPlan(zones));
    expect(comment).toContain("### saas.dev: Blocked: ");
    expect(comment.indexOf("### saas.dev: Blocked: ")).toBeLessThan(comment.indexOf("### saas.eu"));
  });

  test("has the same change of 5,000 hostnames as one group", () => {
    const comment = planMarkdown(aPlan([sameChanges(5000)]));
    expect(comment.length).toBeLessThan(4000);
    expect(comment).toContain(
      "~ update 5,000 hostnames (config)\n    ssl.certificate_authority  lets_encrypt -> google\n",
    );
    expect(hiddenIn(comment)).toEqual({});
  });

  test("shows of secrets that they changed, and nothing else", () => {
    const leaf = aLeaf("ssl.custom_key", "hmac-sha256:c4nary", "hmac-sha256:c4nary2", { sensitive: true });
    const comment = planMarkdown(aPlan([[aChange("a.example", "update", { leaves: [leaf] })]]));
    expect(comment).not.toContain("c4nary");
    expect(comment).toContain("(sensitive, changed)");
  });

  test("shows no secret that somebody put where none belongs, however Markdown would spell it", () => {
    const secret = "c4nary-<token>_(x)";
    const redaction = openRedaction();
    redaction.learn(new Secret(secret));
    const leaves = [aLeaf("custom_metadata.note", "old", secret)];
    const changes = ["a.example", "b.example"].map((name) => aChange(name, "update", { leaves }));
    const zone = { id: OTHER_ZONE.id, name: `${secret}.dev` };
    const comment = planMarkdown(aPlan([aZone({ zone, changes })]), { redact: redaction.redact });
    expect(comment).not.toContain("c4nary");
    expect(comment.match(/sensitive/g)).toHaveLength(3);
  });
});

describe("a comment of 65,280 characters", () => {
  /** A plan whose comment has exactly so many characters. */
  function planOf(length: number): Plan {
    const withFiller = (filler: number): Plan =>
      aPlan([
        [
          ...different(100, "value"),
          aChange("filler.example.com", "update", {
            leaves: [aLeaf("custom_metadata.note", "old", "x".repeat(filler))],
          }),
        ],
      ]);
    const rest = planMarkdown(withFiller(100), { budget: LIMIT * 2 }).length - 100;
    return withFiller(length - rest);
  }

  test("is whole", () => {
    const comment = planMarkdown(planOf(LIMIT));
    expect(comment).toHaveLength(LIMIT);
    expect(shownChanges(comment)).toBe(101);
    expect(hiddenIn(comment)).toEqual({});
  });

  test("is cut where it would have one more, by the one change that does not fit", () => {
    const plan = planOf(LIMIT + 1);
    expect(planMarkdown(plan, { budget: LIMIT + 1 })).toHaveLength(LIMIT + 1);
    const comment = planMarkdown(plan, { link: RUN });
    expect(comment.length).toBeLessThanOrEqual(LIMIT);
    expect(shownChanges(comment)).toBe(100);
    expect(comment).toMatch(
      /\n\n\*\*Not shown here: 1 of 101 changes\*\*; the whole plan is in \[this run\]\(<https:\/\/github\.com\/acme\/edge\/actions\/runs\/42>\)\n$/,
    );
    expect(comment).toContain("\nnot shown here: 1 of 101 changes\n```\n\n</details>\n");
  });

  test("of any other budget is whole at it and cut below it", () => {
    const plan = aPlan([different(100, "value")]);
    const { length } = planMarkdown(plan);
    expect(planMarkdown(plan, { budget: length })).toBe(planMarkdown(plan));
    const cut = planMarkdown(plan, { budget: length - 1 });
    expect(cut.length).toBeLessThan(length);
    expect(shownChanges(cut) + (hiddenIn(cut)["changes"] ?? 0)).toBe(100);
  });
});

describe("a comment of a plan that does not fit", () => {
  const VALUES = {
    "short values": "v",
    backticks: "`".repeat(50),
    "the end of a fold": "</details></summary><script>",
    "mentions and references": "@org/admins fixes #1",
    "lines of their own": "\n```\n</details>\n- delete custom_hostname[x]\n",
  };
  const cases = Object.entries(VALUES).flatMap(([name, value]) =>
    [1, 100, 2000].map((count) => [count, name, value] as const),
  );

  test.each([
    ...cases,
    [20_000, "short values", "v"] as const,
    [1, "100 kB", "x y ".repeat(25_000)] as const,
    [50, "100 kB", "x y ".repeat(25_000)] as const,
    [2, "100 kB of backticks", "`".repeat(100_000)] as const,
    [3, "fences longer than half of the rest", "`".repeat(15_000)] as const,
  ])(
    "%i changes with %s: it keeps to its budget, every fold is closed, and every change is counted",
    (count, _name, value) => {
      const comment = planMarkdown(aPlan([different(count, value)]));
      expect(comment.length).toBeLessThanOrEqual(LIMIT);
      expectSound(comment);
      expect(shownChanges(comment) + (hiddenIn(comment)["changes"] ?? 0)).toBe(count);
    },
  );

  test("uses the room that it has", () => {
    expect(planMarkdown(aPlan([different(20_000, "v")])).length).toBeGreaterThan(LIMIT - 200);
  });

  test("is the same, byte by byte, for the same plan", () => {
    const plan = (): Plan => aPlan([[...deletes(30), ...different(2000, "v")]]);
    expect(planMarkdown(plan())).toBe(planMarkdown(plan()));
  });

  test("hides a change that is too long, and none of those behind it", () => {
    const changes = [...different(1, "x".repeat(LIMIT)), ...sameChanges(1), ...deletes(1)];
    const comment = planMarkdown(aPlan([changes]));
    expect(comment).toContain("shop-00000.example.com");
    expect(hiddenIn(comment)).toEqual({ changes: 1 });
    expect(comment).toMatch(/; the whole plan is in the text and JSON reports\n$/);
  });

  test("names 20 objects of a hazard, and counts the others, before it shows the first change", () => {
    const comment = planMarkdown(aPlan([[...different(20_000, "v"), ...deletes(300)]]));
    for (let index = 0; index < 20; index += 1) expect(comment).toContain(`old-${index}.example.com`);
    expect(comment).toContain(" and 280 more\n");
    expect(hiddenIn(comment)["hazards"]).toBeUndefined();
    expect(shownChanges(comment) + (hiddenIn(comment)["changes"] ?? 0)).toBe(20_300);
  });

  test("names 20 objects of a hazard also where their names are as long as names can be", () => {
    const long = Array.from({ length: 20 }, (_item, index) =>
      aChange(`${index}.${"x".repeat(250)}`, "delete", { hazards: ["outage"] }),
    );
    const comment = planMarkdown(aPlan([[...long, ...different(20_000, "v"), ...sameChanges(3)]]));
    expect(comment.length).toBeLessThanOrEqual(LIMIT);
    expectSound(comment);
    expect(comment).toContain("### Hazards: 20 outage, 3 reissue\n");
    expect(comment).toContain("\n!  3 hostnames get a new certificate  reissue\n");
    for (const { key } of long) expect(comment).toContain(key);
  });

  test("names an object that loses more foreign rules than fit, and counts the rules", () => {
    const rules = Array.from({ length: 2000 }, (_rule, index) =>
      aRule("remove", `team/rule-${index}`, `Rule ${index} of another team`, { from: index + 1, foreign: true }),
    );
    const change = aChange("phase", "update", { kind: "ruleset", rules, hazards: ["loses-foreign-rule"] });
    const comment = planMarkdown(aPlan([[change]]));
    expect(comment).toContain("!  ruleset phase loses 2,000 foreign rules  loses-foreign-rule\n");
    const named = comment.match(/^ {3}#\d/gm)?.length ?? 0;
    expect(hiddenIn(comment)).toEqual({ "lost rules": 2000 - named, "changed rules": 2000, changes: 1 });
  });

  test("shows no rule under an object that it does not name", () => {
    const rules = [aRule("remove", "team/rule", "Rule of another team", { from: 1, foreign: true })];
    const parts = { kind: "ruleset", rules, hazards: ["loses-foreign-rule"] } as const;
    const changes = [
      aChange("first", "update", parts),
      aChange("x".repeat(LIMIT), "update", { ...parts, notes: ["another one"] }),
    ];
    const comment = planMarkdown(aPlan([changes]));
    expect(comment.match(/^ {3}#1 /gm)).toHaveLength(1);
    expect(hiddenIn(comment)).toEqual({ hazards: 1, "lost rules": 1, "changed rules": 1, changes: 1 });
  });

  test("keeps to the least budget with every hazard, section and zone there is", () => {
    const refused = { code: "protected", message: "m".repeat(500), remedy: "r" } as const;
    const many = [...different(999, "v"), ...deletes(999), ...sameChanges(999)].map((change, index): Change => ({
      ...(index % 3 === 1 && change.action === "update"
        ? { ...change, held: { reason: `${index}`, leaves: [] } }
        : change),
      hazards: [...HAZARDS],
      letGo: [["custom_metadata", `leaf${index}`]],
      ...(index % 3 === 0 ? { refused } : {}),
      rules: [aRule("remove", "r".repeat(300), "t", { foreign: true })],
    }));
    const findings = [{ severity: "warning", code: "foreign-hostnames", message: "m".repeat(5000) } as const];
    const counts = {
      byAction: { ...aZone({}).counts.byAction, "no-op": 9e15 },
      foreign: 9e15,
      expired: 9e15,
    };
    const addresses = many.map(({ address }) => address);
    const zones = Array.from({ length: 50 }, (_zone, index) =>
      aZone({
        zone: { ...OTHER_ZONE, name: `zone-${index}.dev` },
        ...(index < 2 ? { changes: many, findings, counts, gone: addresses } : {}),
      }),
    );
    const dropped = addresses.map((address) => ({ address, because: "gone" as const }));
    const approval = { hash: aPlan([[]]).hash, dropped, leftOut: addresses, takenOver: addresses };
    const plan: Plan = { ...aPlan(zones), approval };
    const comment = planMarkdown(plan, { budget: LEAST, link: `https://ci.example/${"a".repeat(980)}` });
    expect(comment.length).toBeLessThanOrEqual(LEAST);
    expectSound(comment);
    expect(comment).toContain("[this run](");
    const [title = ""] = /^### Hazards: .*$/m.exec(comment) ?? [];
    for (const hazard of HAZARDS) expect(title).toContain(` 5,994 ${hazard}`);
  });

  test("is refused for a budget that holds nothing", () => {
    for (const budget of [0, LEAST - 1, Number.NaN])
      expect(() => planMarkdown(aPlan([[]]), { budget })).toThrow(RangeError);
  });

  test("keeps to any budget, closes what it opens and counts exactly, whatever the values", () => {
    const hostile = fc.oneof(
      fc.string({ unit: "binary", maxLength: 50 }),
      fc.string({
        unit: fc.constantFrom("`", "```", "\n", "</details>", "<details>", "@a/b", "#1", "\u202e", "x", " ", "~~~"),
        maxLength: 400,
      }),
    );
    const change = fc
      .tuple(hostile, hostile, fc.constantFrom("update", "create", "delete", "adopt"), fc.boolean())
      .map(([name, value, action, isHazard]) =>
        aChange(name, action, {
          leaves: [aLeaf("custom_metadata.note", "old", value)],
          notes: [value],
          ...(isHazard ? { hazards: ["outage", "needs-customer"] } : {}),
        }),
      );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 80 }), fc.integer({ min: LEAST, max: 30_000 }), (changes, budget) => {
        const comment = planMarkdown(aPlan([changes]), { budget });
        expect(comment.length).toBeLessThanOrEqual(budget);
        expectSound(comment);
        expect(shownChanges(comment) + (hiddenIn(comment)["changes"] ?? 0)).toBe(changes.length);
      }),
      { numRuns: 200 },
    );
  });
});

describe("the link to the whole plan", () => {
  const cut = (link: string): string => planMarkdown(aPlan([different(200, "v")]), { link, budget: LEAST });

  test.each([
    ["https://gitlab.example:8443/a/b/-/jobs/7?x=1", "https://gitlab.example:8443/a/b/-/jobs/7?x=1"],
    ["http://ci.example/a_b/(1)", "http://ci.example/a_b/%281%29"],
    ["https://ci.example/?a=1&copy=2", "https://ci.example/?a=1&amp;copy=2"],
    ["https://ci.example/>)[x](y) `z`", "https://ci.example/%3E%29[x]%28y%29%20%60z%60"],
    ["https://ci.example/\n\n<script>", "https://ci.example/%3Cscript%3E"],
  ])("%j is written so that it stays one", (link, target) => {
    expect(cut(link).endsWith(`; the whole plan is in [this run](<${target}>)\n`)).toBe(true);
  });

  test.each([
    "",
    "acme/edge/actions",
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "//ci.example/x",
    "https://user:password@ci.example/",
    `https://ci.example/${"a".repeat(2000)}`,
  ])("%j is none, and is left out", (link) => {
    expect(cut(link).endsWith("; the whole plan is in the text and JSON reports\n")).toBe(true);
  });

  test("that holds a secret is left out", () => {
    const redaction = openRedaction();
    redaction.learn(new Secret("c4nary-token"));
    const options = { link: "https://ci.example/?job=c4nary-token", redact: redaction.redact, budget: LEAST };
    const comment = planMarkdown(aPlan([different(200, "v")]), options);
    expect(comment.endsWith("; the whole plan is in the text and JSON reports\n")).toBe(true);
  });
});

/** Every fence and fold is closed, none stands in another, and outside of fences there is no mark but ours. */
function expectSound(comment: string): void {
  const { outside, folds, isClosed } = commentParts(comment);
  expect(isClosed).toBe(true);
  expect(folds.filter((tag) => tag.startsWith("<details")).length).toBe(folds.length / 2);
  for (const [index, tag] of folds.entries()) expect(tag === "</details>").toBe(index % 2 === 1);
  const own = /^<details(?: open)?>$|^<\/details>$|^<summary>|<\/summary>$|\(<https:[\w./]+>\)$/g;
  for (const line of outside) expect(line.replaceAll(own, "")).not.toMatch(/[<>`@]/);
}
