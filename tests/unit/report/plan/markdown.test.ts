import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { zoneId } from "../../../../lib/core/brand.ts";
import { openRedaction } from "../../../../lib/core/redaction.ts";
import { Secret } from "../../../../lib/core/secret.ts";
import type { Change, Plan } from "../../../../lib/plan/change.ts";
import { markdownText } from "../../../../lib/report/escape/markdown.ts";
import { HAZARDS } from "../../../../lib/kinds/hazards.ts";
import { planMarkdown, planText } from "../../../../lib/report/plan.ts";
import { FLAVOURS } from "../../../../lib/report/printers/markdown.ts";
import { aChange, aLeaf, aPlan, aRule, aZone, sameChanges } from "../../../support/plans.ts";
import { displayedTags, hiddenIn, shownChanges } from "../../../support/comments.ts";

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
    expect(planMarkdown(plan, { link: RUN })).toBe(`<!-- zoneform plan edge-prod -->
## Plan for project edge-prod: 6 changes in zone saas.eu, including 1 blocked deletion, 1 held.

### Hazards: 2 outage
- **DANGER** old.example.com goes offline \`outage\`
- **DANGER** bank.example.com goes offline (blocked) \`outage\`

|  | update | delete | release fields | held | blocked | unchanged |
| --- | --: | --: | --: | --: | --: | --: |
| saas.eu | 3 | 1 | 1 | 1 | 1 | 40 |

\`-\` delete bank.example.com, BLOCKED, **DANGER** (config)
it is protected \\[protected\\]
set protect: false

\`-\` delete old.example.com, **DANGER** (config: no longer declared)

<details open>
<summary>5 other changes</summary>

\`~\` update 2 hostnames (config)

\`\`\`diff
  ssl.method
-   http
+   txt
\`\`\`

\`a.example.com\`, \`b.example.com\`

\`~\` update c.example.com (config)

\`\`\`diff
  ssl.type
-   dv
+   "\`</details>\` @org/admins"
\`\`\`

\`|\` hold waits.example.com

\`\`\`diff
  ssl.method  (config)
-   http
+   txt
\`\`\`

the hostname is pending

\`.\` stop managing custom_metadata.owner on kept.example.com; live keeps "edge team"

</details>

warning: lets_encrypt is live \\[denied-live-value\\]

Applying the rest makes 8 API calls and orders 3 certificates.

Hash of this plan: ${plan.hash}
`);
  });

  test("begins with the words of the text, whatever the plan", () => {
    for (const plan of [aPlan([[]]), aPlan([sameChanges(5000)]), aPlan([deletes(3)])]) {
      const [verdict = ""] = planText(plan, { colour: false, columns: 1000 }).split("\n");
      expect(planMarkdown(plan).split("\n")[1]).toBe(`## ${markdownText(verdict)}`);
    }
  });

  test("counts the changes of each zone in one table, and has a section for each that changes", () => {
    const idle = [1, 2].map((number) => aZone({ zone: { id: OTHER_ZONE.id, name: `idle${number}.dev` }, changes: [] }));
    const plan = aPlan([sameChanges(2), aZone({ zone: OTHER_ZONE, changes: deletes(1) }), ...idle]);
    const named = planMarkdown(plan)
      .split("\n")
      .filter((line) => /^\| .*\.(?:eu|dev)\b|^### (?!Hazards)/.test(line));
    expect(named).toEqual([
      "| saas.eu | 2 | - | 40 |",
      "| saas.dev | - | 1 | 40 |",
      "| idle1.dev | - | - | 40 |",
      "| idle2.dev | - | - | 40 |",
      "### saas.eu",
      "### saas.dev",
    ]);
  });

  test("has blocked and deleted objects of a zone before its other changes, and never in a fold", () => {
    const refused = { code: "protected", message: "it is protected", remedy: "set protect: false" } as const;
    const changes = [...sameChanges(9), ...different(9, "v"), ...deletes(1), aChange("x.dev", "delete", { refused })];
    const comment = planMarkdown(aPlan([changes]));
    const [unfolded = "", folded = ""] = comment.split("<details>");
    expect(unfolded.match(/^`-` .*$/gm)).toEqual([
      "`-` delete x.dev, BLOCKED (config)",
      "`-` delete old-0.example.com, **DANGER** (config: no longer declared)",
    ]);
    expect(shownChanges(folded)).toBe(18);
  });

  test("has the same change of 5,000 hostnames as one group, in less than 4,000 characters", () => {
    const comment = planMarkdown(aPlan([sameChanges(5000)]));
    expect(comment.length).toBeLessThan(4000);
    expect(comment).toContain(
      "`~` update 5,000 hostnames (config)\n\n```diff\n  ssl.certificate_authority\n-   lets_encrypt\n+   google\n```\n",
    );
    expect(hiddenIn(comment)).toEqual({ names: 5000 });
  });

  test("has all names of a long list in a fold of its own, if they fit", () => {
    const comment = planMarkdown(aPlan([sameChanges(500)]));
    expect(comment).toContain("\n<details>\n<summary>All 500 names</summary>\n\n`shop-00000.example.com`, ");
    expect(comment).toContain("`shop-00499.example.com`\n\n</details>\n");
    expect(hiddenIn(comment)).toEqual({});
  });

  test("links places to the page of the file, and shows them as code where there is none", () => {
    const at = { file: "zones/saas.yaml", line: 26, column: 50 };
    const plan = aPlan([[aChange("a.example.com", "update", { leaves: [aLeaf("ssl.method", "http", "txt")], at })]]);
    const linkTo = ({ file, line }: { file: string; line: number }): string => `https://host.example/${file}#L${line}`;
    expect(planMarkdown(plan, { linkTo })).toContain(
      "(config) [`zones/saas.yaml:26:50`](<https://host.example/zones/saas.yaml#L26>)\n",
    );
    expect(planMarkdown(plan)).toContain("(config) `zones/saas.yaml:26:50`\n");
  });

  test("has no tags and no marker of HTML for Bitbucket, which displays none", () => {
    const comment = planMarkdown(aPlan([[...different(50, "v"), ...sameChanges(30)]]), { flavour: FLAVOURS.bitbucket });
    expect(comment).toMatch(/^\[\/\/\]: # "zoneform plan edge-prod"\n\n## Plan/);
    expect(comment).not.toMatch(/<[a-z/!]/);
    expect(comment).toContain("\n#### 80 changes\n");
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
      /^## .*\n\n\*\*Not shown here: 1 of 101 changes\*\*; everything is in \[this run\]\(<https:\/\/github\.com\/acme\/edge\/actions\/runs\/42>\)\n/m,
    );
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
    expect(comment).toContain("; everything is in the text and JSON reports\n");
  });

  test("names 20 objects of a hazard, and counts the others, before it shows the first change", () => {
    const comment = planMarkdown(aPlan([[...different(20_000, "v"), ...deletes(300)]]));
    for (let index = 0; index < 20; index += 1) expect(comment).toContain(`old-${index}.example.com`);
    expect(comment).toContain("`old-19.example.com` and 280 more\n");
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
    expect(comment).toContain("\n- **NOTICE** 3 hostnames get a new certificate `reissue`\n");
    for (const { key } of long) expect(comment).toContain(key);
  });

  test("names an object that loses more foreign rules than fit, and counts the rules", () => {
    const rules = Array.from({ length: 2000 }, (_rule, index) =>
      aRule("remove", `team/rule-${index}`, `Rule ${index} of another team`, { from: index + 1, foreign: true }),
    );
    const change = aChange("phase", "update", { kind: "ruleset", rules, hazards: ["loses-foreign-rule"] });
    const comment = planMarkdown(aPlan([[change]]));
    expect(comment).toContain("- **DANGER** ruleset phase loses 2,000 foreign rules `loses-foreign-rule`\n");
    const named = comment.match(/^- `#\d/gm)?.length ?? 0;
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
    expect(comment.match(/^- `#1` /gm)).toHaveLength(1);
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
    expect(cut(link)).toContain(`; everything is in [this run](<${target}>)\n`);
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
    expect(cut(link)).toContain("; everything is in the text and JSON reports\n");
  });

  test("that holds a secret is left out", () => {
    const redaction = openRedaction();
    redaction.learn(new Secret("c4nary-token"));
    const options = { link: "https://ci.example/?job=c4nary-token", redact: redaction.redact, budget: LEAST };
    const comment = planMarkdown(aPlan([different(200, "v")]), options);
    expect(comment).toContain("; everything is in the text and JSON reports\n");
  });
});

/** What a comment consists of. */
const OWN = new Set("h2 h3 h4 ul li p strong code pre table thead tbody tr th td details summary br".split(" "));

/** As a host displays it, every fold is closed, and there is no tag but ours: no value opened one. */
function expectSound(comment: string): void {
  let depth = 0;
  for (const tag of displayedTags(comment)) {
    const [, end, name = ""] = /^<(\/?)(\w*)/.exec(tag) ?? [];
    if (name === "details") depth += end === "/" ? -1 : 1;
    expect(depth).toBeGreaterThanOrEqual(0);
    if (name === "a") expect(tag).toMatch(/^<\/a>$|^<a href="https:\/\/(?:ci\.example|github\.com)\//);
    else if (!tag.startsWith("<!-- zoneform")) expect(OWN).toContain(name);
  }
  expect(depth).toBe(0);
}
