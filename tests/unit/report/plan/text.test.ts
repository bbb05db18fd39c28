import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { aChange, aLeaf, aPlan, aRule, aZone, countsOf, sameChanges, ZONE } from "../../../support/plans.ts";
import { diagnosticCode, zoneId } from "../../../../lib/core/brand.ts";
import { formatPath, type Json, type Path } from "../../../../lib/core/json.ts";
import type { Change, Plan } from "../../../../lib/plan/change.ts";
import { planText } from "../../../../lib/report/plan.ts";

const PHASE = "http_request_firewall_managed";

const oldExpression = '(http.request.uri.path eq "/upload" and ip.src in {192.0.2.1 192.0.2.2})';
const newExpression = '(http.request.uri.path eq "/upload" and ip.src in {192.0.2.7 192.0.2.2})';

function reviewed(): Plan {
  const changes: Change[] = [
    aChange("new-a.example.com", "create", {
      leaves: [aLeaf("custom_origin_server", undefined, "pool-1.saas.eu"), aLeaf("ssl.method", undefined, "http")],
      hazards: ["needs-customer"],
    }),
    aChange("new-b.example.com", "create", {
      leaves: [aLeaf("custom_origin_server", undefined, "pool-2.saas.eu"), aLeaf("ssl.method", undefined, "http")],
      hazards: ["needs-customer"],
    }),
    aChange("app.customer-one.net", "update", {
      cause: "both",
      leaves: [
        aLeaf("ssl.settings.min_tls_version", "1.0", "1.2", { prior: "1.2", cause: "drift" }),
        aLeaf("ssl.settings.ciphers", ["ECDHE-RSA-AES128-GCM-SHA256"], ["AEAD-AES128-GCM-SHA256"], { cause: "config" }),
        aLeaf("custom_metadata.tier", "silver", "gold", { prior: "bronze", cause: "both" }),
        aLeaf("ssl.custom_key", "hmac-sha256:aa", "hmac-sha256:bb", { sensitive: true }),
      ],
      letGo: [["custom_metadata", "owner"]],
      keeps: { "custom_metadata.owner": "edge" },
    }),
    aChange("swap.example.com", "replace", {
      leaves: [aLeaf("ssl.type", "dv", "ev")],
      hazards: ["outage"],
      reason: "ssl.type cannot be changed in place",
    }),
    aChange(PHASE, "update", {
      kind: "ruleset",
      rules: [
        aRule("insert", "sec/skip-uploads", "Skip uploads", {
          to: 1,
          leaves: [
            aLeaf("action", undefined, "skip"),
            aLeaf("expression", undefined, 'starts_with(http.request.uri.path, "/upload")'),
            aLeaf("action_parameters.ruleset", undefined, "current"),
          ],
        }),
        aRule("move", "sec/managed", "Managed rules", { from: 3, to: 2 }),
        aRule("edit", "sec/office", "Office only", {
          from: 2,
          to: 3,
          leaves: [aLeaf("expression", oldExpression, newExpression), aLeaf("action", "log", "block")],
        }),
        aRule("disable", "sec/owasp", "OWASP", {
          from: 4,
          to: 4,
          cause: "drift",
          leaves: [aLeaf("enabled", true, false)],
        }),
        aRule("remove", "emergency/botnet", "Block the botnet", { from: 5, cause: "drift", foreign: true }),
      ],
      hazards: ["loses-foreign-rule"],
      notes: ["2 foreign rules are kept where they are"],
    }),
    aChange("old.example.com", "delete", { hazards: ["outage"], reason: "no longer declared" }),
    aChange("found.example.com", "adopt", {}),
    aChange("waits.example.com", "held", {
      held: { reason: "ssl waits until the hostname is active", leaves: [aLeaf("ssl.method", "http", "txt")] },
    }),
    aChange("bank.example.com", "delete", {
      hazards: ["outage"],
      refused: {
        code: "protected",
        message: "it is protected and is not deleted",
        remedy: "set protect: false, apply, then remove the entry",
      },
    }),
  ];
  return aPlan([
    aZone({
      changes,
      counts: { byAction: countsOf(changes), foreign: 3, expired: 1 },
      gone: [aChange("first.app.net", "forget").address, aChange("second.app.net", "forget").address],
      findings: [
        {
          severity: "warning",
          code: diagnosticCode("denied-live"),
          message: "lets_encrypt is live and no-lets-encrypt denies it",
          address: 'custom_hostname["third.example.com"]',
          remedy: "set another certificate_authority",
        },
      ],
    }),
  ]);
}

function twoZones(): Plan {
  return aPlan([
    aZone({ changes: sameChanges(5000) }),
    aZone({ zone: { id: zoneId("123e105f4ecef8ad9ca31a8372d0c353"), name: "saas.dev" } }),
  ]);
}

const plain = { colour: false, columns: 80 };

describe("the plan as a text", () => {
  test("reads from the verdict down to the command that applies it", async () => {
    await expect(planText(reviewed(), { ...plain, apply: "zoneform apply plan.zfplan" })).toMatchFileSnapshot(
      "../../../golden/report/plan.txt",
    );
  });

  test("has a section for each zone that changes, with the same change of 5,000 hostnames as one group", async () => {
    await expect(planText(twoZones(), plain)).toMatchFileSnapshot("../../../golden/report/plan-two-zones.txt");
  });

  test("is one line where nothing changes, without the hash of nothing", async () => {
    await expect(planText(aPlan([[]]), plain)).toMatchFileSnapshot("../../../golden/report/plan-empty.txt");
  });

  test("says the same words with colour and without", () => {
    const coloured = planText(reviewed(), { ...plain, colour: true });
    expect(stripVTControlCharacters(coloured)).toBe(planText(reviewed(), plain));
    expect(coloured).not.toBe(planText(reviewed(), plain));
  });

  test("keeps to 80 columns where the words allow it", () => {
    const wide = planText(reviewed(), plain)
      .split("\n")
      .filter((line) => line.length > 80);
    expect(wide).toEqual([]);
  });
});

test("a plan of one zone does not name the zone in front of its changes", () => {
  expect(planText(reviewed(), plain)).not.toMatch(new RegExp(`^${ZONE.name}$`, "m"));
});

test("the places in the YAML stand at the right margin, and right behind the text where lines have no end", () => {
  const at = { file: "zones/eu.yaml", line: 10, column: 5 };
  const plan = aPlan([[aChange("a.example.com", "adopt", { at })]]);
  const [heading = ""] = planText(plan, plain)
    .split("\n")
    .filter((line) => line.startsWith("<="));
  expect([heading.length, heading.endsWith(" zones/eu.yaml:10:5")]).toEqual([80, true]);
  expect(planText(plan, { ...plain, columns: Number.MAX_SAFE_INTEGER })).toContain(
    "<= adopt a.example.com (config)  zones/eu.yaml:10:5\n",
  );
});

const REACH = "matches other requests";

test("a long expression is an old line and a new line", () => {
  const leaves = [aLeaf("expression", oldExpression, newExpression)];
  const rules = [aRule("edit", "sec/office", "Office only", { from: 2, to: 2, leaves })];
  const text = planText(aPlan([[aChange(PHASE, "update", { kind: "ruleset", rules })]]), { ...plain, columns: 200 });
  expect(text).toContain(
    `        expression  ${REACH}\n          - ${inside(oldExpression)}\n          + ${inside(newExpression)}\n`,
  );
});

/** An expression without the brackets around it. */
function inside(expression: string): string {
  return expression.slice(1, -1);
}

test("of an expression with many clauses, those that did not change stand once", () => {
  const clauses = ["a", "b", "c"].map((name) => `http.host ne "a-rather-long-name.${name}.example"`);
  const [before, after] = [clauses, [...clauses, "not ssl"]].map((each) => each.join(" and "));
  const rules = [
    aRule("edit", "sec/office", "Office only", { leaves: [aLeaf("expression", before ?? "", after ?? "")] }),
  ];
  const text = planText(aPlan([[aChange(PHASE, "update", { kind: "ruleset", rules })]]), { ...plain, columns: 200 });
  expect(text).toContain(`        expression  matches fewer requests
            http.host ne "a-rather-long-name.a.example"
            and http.host ne "a-rather-long-name.b.example"
            and http.host ne "a-rather-long-name.c.example"
          + and not ssl
`);
});

test("the command that lifts a limit stands once, at the end, on a line of its own", () => {
  const refused = {
    code: "deletion-limit",
    message: "deletes 2 of 3",
    remedy: "review them",
    commands: [`zoneform apply --approve zf1:${"0".repeat(64)}`],
  } as const;
  const changes = ["a.example.com", "b.example.com"].map((name) => aChange(name, "delete", { refused }));
  const text = planText(aPlan([changes]), { ...plain, apply: "zoneform apply plan.zfplan" });
  expect(text.split("--approve")).toHaveLength(2);
  expect(text.endsWith(`\n\nTo apply the 2 blocked deletions:\n  ${refused.commands[0]}\n`)).toBe(true);
  // Applied without it, this plan would do nothing.
  expect(text).not.toContain("plan.zfplan");
});

test("dangers that a short report counts are named with --full", () => {
  const losing = Array.from({ length: 25 }, (_none, index) =>
    aChange(`phase_${index}`, "update", { kind: "ruleset", hazards: ["loses-foreign-rule"] }),
  );
  const text = planText(aPlan([losing]), plain);
  expect(text).toContain("\n  and 5 more; --full names all of them\n");
  expect(text).not.toContain("phase_24 loses");
  const full = planText(aPlan([losing]), { ...plain, isFull: true });
  expect(full).toContain("DANGER  ruleset phase_24 loses");
  expect(full).not.toContain(" more");
});

describe("what is released", () => {
  const ORIGIN = "custom_origin_server";
  const released = (values: readonly Json[], paths: readonly Path[] = [[ORIGIN]]): Change[] =>
    values.map((value, index) =>
      aChange(`${index}.net`, "forget", { letGo: paths, ...(value === null ? {} : { keeps: { [ORIGIN]: value } }) }),
    );

  test.each([
    ["the value that stays live", released(["pool-us.saas.dev", "pool-us.saas.dev"]), "live keeps pool-us.saas.dev"],
    ["how many values there are", released(["a.dev", "b.dev", "c.dev"]), "live keeps 3 different values"],
    ["a list as one value", released([["a.dev", "b.dev"]]), 'live keeps ["a.dev","b.dev"]'],
    ["no value that must not be shown", released([null]), "live stays as it is"],
    ["no secret", released(["hmac-sha256:aa"]), "live keeps (sensitive)"],
    ["which value is whose", released(["a.dev"], [["ssl", "method"], [ORIGIN]]), `live keeps ${ORIGIN}: a.dev`],
  ])("is said with %s", (_what, changes, words) => {
    const [first] = changes;
    const fields = first?.letGo.map(formatPath).join(", ");
    const which = changes.length === 1 ? "0.net" : `${changes.length} hostnames`;
    const text = planText(aPlan([changes]), { colour: false, columns: 300 });
    expect(text).toContain(`. stop managing ${fields} on ${which}; ${words}\n`);
  });
});

test("a long list of objects in danger hides none for which the danger is another one", () => {
  const deleted = Array.from({ length: 30 }, (_none, index) =>
    aChange(`h${index}.example.com`, "delete", { hazards: ["outage"] }),
  );
  const origin = aChange("", "delete", {
    kind: "fallback_origin",
    hazards: ["outage"],
    notes: ["30 hostnames use it"],
  });
  const text = planText(aPlan([[...deleted, origin]]), plain);
  expect(text).toMatch(/DANGER {2}.*fallback_origin/);
  expect(text).not.toContain("more; plan --json names all of them");
});

describe("what others do, and what happens later", () => {
  const until = (day: string, through: string): object => ({
    origin: { at: { file: "zones/saas.yaml", line: 26, column: 50 }, through, isShared: true, until: day },
  });

  test("customers who must set records are counted, with the command that lists the records", () => {
    const hazards = ["needs-customer"] as const;
    const one = planText(aPlan([[aChange("a.example", "create", { hazards })]]), plain);
    expect(one).toContain(
      "\n\n1 hostname needs DNS records from its customer; after the apply, to list them\n" +
        "  for each customer:\n  zoneform hostname todo --zone saas.eu\n\n",
    );
    const refused = { code: "protected", message: "it is protected", remedy: "set protect: false" } as const;
    const blocked = planText(aPlan([[aChange("a.example", "create", { hazards, refused })]]), plain);
    expect(blocked).not.toContain("hostname todo");
  });

  test("exceptions that end are listed by their days, each with its hostnames", () => {
    const leaf = (day: string, name: string): ReturnType<typeof aLeaf> =>
      aLeaf("ssl.settings.min_tls_version", "1.3", "1.1", until(day, `exception "${name}"`));
    const changes = [
      aChange("b.example", "update", { leaves: [leaf("2027-03-31", "EDGE-501")] }),
      aChange("a.example", "update", { leaves: [leaf("2027-01-31", "EDGE-500")] }),
      aChange("c.example", "update", { leaves: [leaf("2027-01-31", "EDGE-500")] }),
    ];
    expect(planText(aPlan([changes]), { colour: false })).toContain(
      '\n\nLater\n  2027-01-31: exception "EDGE-500" ends for a.example, c.example; the next apply after that day sets what the policies say\n' +
        '  2027-03-31: exception "EDGE-501" ends for b.example; the next apply after that day sets what the policies say\n\n',
    );
  });
});
