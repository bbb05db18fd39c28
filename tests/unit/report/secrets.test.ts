import { expect, test } from "vitest";
import type { ApplyReport } from "../../../lib/apply/outcome.ts";
import { brandAddress } from "../../../lib/core/brand.ts";
import type { Plan } from "../../../lib/plan/change.ts";
import type { Drifted } from "../../../lib/plan/drift.ts";
import { comparisonDocument, type ComparisonView } from "../../../lib/report/commands/against-config.ts";
import { driftDocument } from "../../../lib/report/commands/drift-json.ts";
import type { DriftView } from "../../../lib/report/commands/drift-view.ts";
import { planDocument } from "../../../lib/report/plan/json.ts";
import { reportDocument } from "../../../lib/report/run/report-json.ts";
import { planText } from "../../../lib/report/plan.ts";
import { whyText } from "../../../lib/report/commands/why.ts";
import type { RuleEvent } from "../../../lib/kinds/traits/shared.ts";
import { aChange, aLeaf, aPlan, aRule, ZONE } from "../../support/plans.ts";
import { comparisonText, driftText, runText } from "../../support/texts.ts";

const CANARY = "c4nary";
const plain = { colour: false };

/** Secrets that are marked, and fingerprints and references that nobody marked. */
function plan(): Plan {
  const marked = aLeaf("ssl.custom_key", `old-${CANARY}`, `new-${CANARY}`, {
    sensitive: true,
    cause: "both",
    prior: CANARY,
  });
  const unmarked = aLeaf("ssl.key", `hmac-sha256:${CANARY}`, [{ inside: { env: CANARY } }], { cause: "drift" });
  const leaves = [marked, unmarked];
  return aPlan([
    [
      aChange("a.example", "update", { leaves, held: { reason: "pending", leaves } }),
      aChange("b.example", "create", { leaves, desired: { ssl: { key: { file: CANARY } } } }),
      aChange("c.example", "delete", {
        prior: { ssl: { key: `hmac-sha256:${CANARY}` } },
        expected: { ssl: { key: CANARY, custom_key: CANARY } },
        options: { key: CANARY },
      }),
      aChange("phase", "update", { kind: "ruleset", rules: [aRule("edit", "r", "rule", { leaves, cause: "drift" })] }),
    ],
  ]);
}

/** The leaves of that plan as drift, and as differences from the YAML. */
function drifted(): DriftView {
  const [section] = plan().zones;
  const [change] = section?.changes ?? [];
  if (!section || !change) throw new Error("the plan has no change");
  const { address, kind, key, leaves } = change;
  const rules: readonly RuleEvent[] = [
    { what: "edited", ref: "r", title: "rule", to: 1, leaves, cause: "drift" },
    {
      what: "added",
      ref: "s",
      title: "rule",
      to: 2,
      leaves: leaves.map((leaf) => ({ ...leaf, path: ["expression"] })),
      cause: "drift",
    },
  ];
  const hazardDetails = [
    { hazard: "outage", paths: leaves.map(({ path }) => path) },
    { hazard: "weakens-protection", rules: ["r", "s"] },
  ] as const;
  const hazards = ["outage", "weakens-protection"] as const;
  const found: Drifted = { address, kind, key, what: "changed", hazards, hazardDetails, leaves, rules };
  const judgement = { drifted: [found], adopted: [], underWay: [], foreign: [], unread: [], unjudged: [] };
  return { section, judgement, coverage: { objects: 1, fields: 1, fieldsNotJudged: 0 } };
}

function compared(): ComparisonView {
  const { section, judgement } = drifted();
  const [found] = judgement.drifted;
  if (!found) throw new Error("there is no drift");
  const rules = [aRule("edit", "r", "rule", { leaves: found.leaves, cause: "drift" })];
  const unlike = [{ ...found, id: "id", at: { file: "zones/edge.yaml", line: 1, column: 1 }, rules }];
  return {
    zone: section.zone,
    judgement: { unlike, foreign: [], unread: [], isBare: false, objects: 1, leaves: 2, judged: 2, unknown: new Map() },
  };
}

const conflict: ApplyReport = {
  run: "run-1",
  zones: [
    {
      zone: ZONE,
      ended: [
        {
          address: brandAddress('custom_hostname["a.example"]'),
          action: "update",
          outcome: {
            status: "conflict",
            diagnostic: { severity: "error", code: "changed-since-plan", message: "live changed" },
            fields: [
              { path: ["key"], planned: CANARY, live: CANARY, wanted: CANARY, sensitive: true },
              { path: ["other"], wanted: `hmac-sha256:${CANARY}` },
            ],
          },
        },
      ],
    },
  ],
};

test("no format prints a secret, a fingerprint or a reference to one", () => {
  const leaf = { path: ["key"], wanted: { value: { env: CANARY } }, applied: `hmac-sha256:${CANARY}`, live: CANARY };
  const printed = [
    planText(plan(), plain),
    driftText({ project: "edge", zones: [drifted()], failed: [] }, plain, 0),
    JSON.stringify(driftDocument("edge", [drifted()], [], { byZone: new Map(), code: 3 })),
    comparisonText("edge", [compared()], [], plain),
    JSON.stringify(comparisonDocument("edge", [compared()], [], { byZone: new Map(), code: 3 })),
    JSON.stringify(planDocument(plan())),
    runText(conflict, plain),
    JSON.stringify(reportDocument(conflict)),
    whyText({ address: brandAddress("x"), action: "update", leaves: [leaf], rules: [], notes: [] }, plain),
  ];
  expect(printed.filter((text) => text.includes(CANARY))).toEqual([]);
});

test("that a secret changed is said", () => {
  expect(planText(plan(), plain)).toContain("(sensitive, changed)");
});
