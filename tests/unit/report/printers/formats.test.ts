import { describe, expect, test } from "vitest";
import { formatAddress } from "../../../../lib/core/address.ts";
import { zoneId } from "../../../../lib/core/brand.ts";
import type { Hazard } from "../../../../lib/kinds/hazards.ts";
import { jsonText } from "../../../../lib/report/escape/json.ts";
import type { Plan } from "../../../../lib/plan/change.ts";
import type { Drifted } from "../../../../lib/plan/drift.ts";
import { githubText, MOST_DISPLAYED } from "../../../../lib/report/printers/github.ts";
import { planGitlab } from "../../../../lib/report/printers/gitlab.ts";
import { prometheusText } from "../../../../lib/report/printers/prometheus.ts";
import { planTerraform } from "../../../../lib/report/printers/terraform.ts";
import { driftMetrics } from "../../../../lib/report/view/metrics.ts";
import { planAnnotations } from "../../../../lib/report/view/annotations.ts";
import { aChange, aLeaf, aPlan, aZone } from "../../../support/plans.ts";

const NOW = Date.UTC(2026, 10, 21, 8, 0, 0, 999);

/** A change of each sort: created, updated beside drift, replaced, blocked, adopted, released, held, a setting, a secret. */
function everySort(): Plan {
  const at = { file: "zones/eu.yaml", line: 12, column: 5 };
  const origin = { at: { file: "profiles/tls.yaml", line: 4, column: 9 }, through: 'policy "baseline"' };
  const changes = [
    aChange("new.example.com", "create", {
      at,
      desired: { ssl: { method: "txt", type: "dv", certificate_authority: "default" } },
      leaves: [aLeaf("ssl.method", undefined, "txt"), aLeaf("ssl.type", undefined, "dv")],
      hazards: ["needs-customer"],
    }),
    aChange("shop.example.com", "update", {
      id: "5ba1d6f3",
      cause: "both",
      desired: { ssl: { method: "http", settings: { min_tls_version: "1.0" } } },
      prior: { ssl: { method: "http", settings: { min_tls_version: "1.3" } } },
      expected: { ssl: { method: "http", settings: { min_tls_version: "1.2" } } },
      leaves: [aLeaf("ssl.settings.min_tls_version", "1.2", "1.0", { cause: "both", prior: "1.3", origin })],
      hazards: ["weakens-protection"],
    }),
    aChange("own.example.com", "update", {
      id: "7c2d",
      desired: { ssl: { custom_certificate: { env: "OWN_PEM" }, custom_key: { file: "own.key" } } },
      expected: { ssl: { method: "http" } },
      leaves: [aLeaf("ssl.custom_key", "hmac-sha256:00ff", { file: "own.key" }, { sensitive: true, origin: { at } })],
    }),
    aChange("*.example.com", "replace", {
      id: "91",
      desired: { ssl: { wildcard: true, method: "txt" } },
      expected: { ssl: { wildcard: false, method: "http" } },
      leaves: [aLeaf("ssl.wildcard", false, true, { origin: { at } })],
    }),
    aChange("bank.example.com", "delete", {
      id: "be11",
      expected: { ssl: { method: "http" } },
      hazards: ["outage"],
      refused: {
        code: "deletion-limit",
        message: "this plan would delete 1 custom_hostname, and 0 are allowed",
        remedy: "to delete it anyway:",
        commands: ["zoneform apply --approve zf1:00"],
      },
    }),
    aChange("found.example.com", "adopt", {
      id: "f0",
      desired: { ssl: { method: "http" } },
      expected: { ssl: { method: "http" } },
    }),
    aChange("left.example.com", "forget", { id: "1ef7", expected: { ssl: { method: "http" } } }),
    aChange("waits.example.com", "held", {
      id: "3a17",
      desired: { ssl: { method: "http", certificate_authority: "google" } },
      expected: { ssl: { method: "http" } },
      held: {
        reason: "it is being deployed",
        becomes: "update",
        leaves: [aLeaf("ssl.certificate_authority", "ssl_com", "google", { origin })],
      },
    }),
    aChange("", "update", {
      kind: "zone_hold",
      id: "",
      desired: { hold: false },
      expected: { hold: true, hold_after: "" },
    }),
  ];
  const other = { id: zoneId("123e105f4ecef8ad9ca31a8372d0c353"), name: "saas-app.dev" };
  const finding = { severity: "warning", code: "denied-live-value", message: "lets_encrypt is live" } as const;
  return {
    ...aPlan([aZone({ changes, findings: [finding] }), aZone({ zone: other })]),
    failed: [
      {
        zone: { id: zoneId("223e105f4ecef8ad9ca31a8372d0c353"), name: "saas.net" },
        at: { file: "zones/net.yaml", line: 2, column: 7 },
        diagnostics: [{ severity: "error", code: "unreachable", message: "saas.net: the service cannot be reached" }],
        exitCode: 1,
      },
    ],
  };
}

const HOSTILE = 'a"b\\\n::error::x\r\u001b[2J\u202e%0A::warning::y, file=z ${env} %{ if true } </script> ##[error]';

/** A plan in which somebody else chose the texts. */
function hostile(): Plan {
  const leaf = aLeaf("custom_metadata.note", "old", HOSTILE, { origin: { at: { file: HOSTILE, line: 1, column: 1 } } });
  return aPlan([
    aZone({
      changes: [
        aChange("a.example.com", "update", {
          desired: { custom_metadata: { note: HOSTILE, __proto__: HOSTILE } },
          expected: { custom_metadata: { note: "old" } },
          leaves: [leaf],
          hazards: ["weakens-protection"],
        }),
        aChange(HOSTILE, "delete", { hazards: ["outage"] }),
      ],
      findings: [{ severity: "error", code: "denied-live-value", message: HOSTILE, remedy: HOSTILE }],
    }),
  ]);
}

describe("a plan in the formats of other tools", () => {
  test("is a plan of Terraform, with every change that an approval covers", async () => {
    await expect(`${jsonText(planTerraform(everySort(), { now: NOW }))}\n`).toMatchFileSnapshot(
      "../../../golden/report/plan.terraform.json",
    );
  });

  test("is annotations for GitHub, beside the places that decide, worst first", async () => {
    await expect(githubText(planAnnotations(everySort()))).toMatchFileSnapshot(
      "../../../golden/report/plan.github.txt",
    );
  });

  test("is counts for GitLab, where a replacement is a creation and a deletion", () => {
    expect(planGitlab(everySort())).toEqual({ create: 2, update: 3, delete: 3 });
  });

  test("does not depend on the order of the zones or changes that Terraform does not show", () => {
    const plan = everySort();
    const reversed = { ...plan, zones: plan.zones.map((zone) => ({ ...zone, changes: zone.changes.toReversed() })) };
    const resources = (each: Plan): unknown => planTerraform(each, { now: NOW })["resource_changes"];
    expect(resources(reversed)).toEqual(resources(plan));
  });
});

describe("a drift as gauges for Prometheus", () => {
  test("counts each object once, and says of zones that they were not checked", async () => {
    const drifted = (key: string, ...hazards: Hazard[]): Drifted => ({
      address: formatAddress({ kind: "custom_hostname", key }),
      kind: "custom_hostname",
      key,
      what: "changed",
      hazards,
      leaves: [],
      rules: [],
    });
    const found = [drifted("a.example", "weakens-protection", "outage"), drifted("b.example"), drifted("c.example")];
    const nothing = { drifted: [], adopted: [], underWay: [], foreign: [], unread: [], unjudged: [] };
    const zones = [
      { zone: { name: "saas.dev" }, judgement: { ...nothing, drifted: found } },
      { zone: { name: "saas-app.dev" }, judgement: { ...nothing, unread: ["http_ratelimit"] } },
    ];
    const { failed = [] } = everySort();
    await expect(prometheusText(driftMetrics({ project: 'edge "prod"', zones, failed, now: NOW }))).toMatchFileSnapshot(
      "../../../golden/report/drift.prom",
    );
  });
});

describe("texts that somebody else chose", () => {
  test("stay inside of a JSON string for Terraform's tools, whole and visible", () => {
    const printed = jsonText(planTerraform(hostile(), { now: NOW }));
    expect(printed).not.toMatch(/(?!\n)[\p{Cc}\u202e]|##\[/u);
    expect(printed.split("\n").filter((line) => line.trimStart().startsWith("::"))).toEqual([]);
    expect(JSON.parse(printed)).toMatchObject({
      resource_changes: [{ change: { after: { custom_metadata: { note: HOSTILE } } } }, { index: HOSTILE }],
    });
  });

  test("write no command of their own into a job's log", () => {
    const printed = githubText(planAnnotations(hostile()));
    const lines = printed.trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      expect(line).toMatch(/^::error (?:file=[^,:]*,line=1,col=1,)?title=[a-z-]+::[^\p{Cc}\u202e]*$/u);
      expect(line).not.toContain("##[");
      expect(line.replaceAll('%0Aa"b', "")).not.toMatch(/%0A(?!::)::/);
    }
  });

  test("end no label of a gauge, and no line", () => {
    const samples = [{ labels: { zone: HOSTILE }, value: 1 }];
    const printed = prometheusText([{ name: "a", help: "A.", samples }]);
    const [, , line = "", ...rest] = printed.split("\n");
    expect(rest).toEqual([""]);
    expect(line).toMatch(/^zoneform_a\{zone="(?:[^"\\\n]|\\["\\n])*"\} 1$/);
    expect(line).not.toMatch(/[\p{Cc}\u202e]/u);
  });
});

describe("more annotations than GitHub displays", () => {
  test("are counted behind the first ten of each level", () => {
    const many = Array.from({ length: 25 }, (_item, index) => ({
      severity: index % 5 === 0 ? ("warning" as const) : ("error" as const),
      title: "outage",
      lines: [`${index}`],
    }));
    const lines = githubText(many, { most: MOST_DISPLAYED }).trimEnd().split("\n");
    expect(lines.filter((line) => line.startsWith("::error"))).toHaveLength(10);
    expect(lines.filter((line) => line.startsWith("::warning"))).toHaveLength(5);
    expect(lines.at(-1)).toBe("10 more annotations: GitHub displays 10 of each level");
  });
});
