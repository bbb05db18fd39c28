import { describe, expect, it } from "vitest";
import { Refusal } from "../../../../lib/core/diagnostic.ts";
import { allMeanings, explain } from "../../../../lib/engine/explain/explain.ts";
import type { Family } from "../../../../lib/service/client.ts";
import { ApiError } from "../../../../lib/service/errors.ts";
import { explainFailure } from "../../../../lib/service/explain-failure.ts";

/** Codes that docs/service.md names, by family, and the status codes that it points at. */
const CODES: Readonly<Record<string, readonly number[]>> = {
  "any call": [971, 1000, 6003, 6103, 6111, 7000, 7001, 7003, 9103, 9106, 9109, 10_000, 10_001, 10_100],
  custom_hostnames: [...range(1000, 1005).slice(1), ...range(1400, 1449), 1456, 1459, 1469, 1500],
  custom_csrs: [...range(1403, 1411), 1414, 1417, 1418, 1419, 1420],
  fallback_origin: [1414, 1456, 1551],
  rulesets: [10_001, 10_003, 20_217, 50_002],
  waf: [1027, 10_020],
  total_tls: [1450, 1467, 1482],
  certificate_packs: [1408, 1450],
  zones: [1052, 1061, 1099, 1116],
  holds: [1003, 1005],
  dns_records: [1003, 1039, 81_044, 81_057, 81_058],
  purge: [1012, 1014, 1107, 1135, 1136],
  "HTTP status": [401, 403, 404, 405, 409, 410, 429, 500, 502, 503, 504],
};

/** Statuses (docs/service.md#hostname-lifecycle, docs/service.md#certificate-lifecycle). */
const STATUSES: Readonly<Record<string, string>> = {
  "status of a custom hostname":
    "active pending active_redeploying moved pending_deletion deleted pending_blocked pending_migration pending_provisioned test_pending test_active test_active_apex test_blocked test_failed provisioned blocked caa_error",
  "status of a certificate":
    "initializing pending_validation deleted pending_issuance pending_deployment pending_deletion pending_expiration expired active initializing_timed_out validation_timed_out issuance_timed_out deployment_timed_out deletion_timed_out pending_cleanup staging_deployment staging_active deactivating inactive backup_issued holding_deployment",
  "status of the fallback origin":
    "initializing pending_deployment pending_deletion active deployment_timed_out deletion_timed_out",
  "migration_state of the managed WAF rules": "default start validation complete",
};

describe("explain", () => {
  it.each(Object.entries(CODES))("knows every code of %s", (of, codes) => {
    for (const code of codes) expect(explain(String(code)).map((meaning) => meaning.of)).toContain(of);
  });

  it.each(Object.entries(STATUSES))("knows every %s", (of, statuses) => {
    for (const status of statuses.split(" ")) expect(explain(status).map((meaning) => meaning.of)).toContain(of);
  });

  it("shows each meaning of a code that several families use", () => {
    expect(explain("1408").map(({ of }) => of)).toEqual([
      "custom_hostnames",
      "custom_csrs",
      "certificate_packs",
      "custom_certificates",
    ]);
  });

  it("shows the three causes of 1016", () => {
    const causes = explain("1016").map(({ cause }) => cause);
    expect(causes).toEqual([
      expect.stringContaining("ownership"),
      expect.stringContaining("fallback origin"),
      expect.stringContaining("wildcard"),
    ]);
  });

  it.each([
    ["custom hostname does not CNAME to this zone.", "does-not-cname"],
    [
      "None of the A or AAAA records are owned by this account and the pre-generated ownership verification token was not found.",
      "no-owned-address",
    ],
    ["Zone does not have a fallback origin set.", "no-fallback-origin"],
    ["Fallback origin is in a status of pending_deployment.", "fallback-origin-not-active"],
    [
      "The hostname is associated with a held zone. Please contact the owner of this domain to have the hold removed.",
      "held-zone",
    ],
    ["SERVFAIL looking up CAA for app.customer.net", "caa-lookup-failed"],
    ["caa_error: app.customer.net", "caa-error"],
    ["app.customer.net reported as potential risk: google_safe_browsing", "potential-risk"],
  ])("knows the text %j", (text, code) => {
    expect(explain(text)[0].code).toBe(code);
  });

  it("takes a code as it is typed", () => {
    expect(explain(" Moved ")).toEqual(explain("moved"));
  });

  it("refuses what it does not know, with what may be meant", () => {
    const refusal = thrownBy(() => explain("vaildation_timed_out"));
    expect(refusal.diagnostics).toMatchObject([
      { code: "unknown-code", remedy: expect.stringContaining("validation_timed_out") },
    ]);
  });

  it("says in every meaning what is the matter and what to do", () => {
    for (const { code, of, cause, remedy } of allMeanings()) {
      expect(cause, `${code} of ${of}`).toMatch(/[^.]$/);
      expect(remedy, `${code} of ${of}`).not.toBe("");
    }
  });

  it("says the same as the message about such a refusal", () => {
    for (const [of, codes] of Object.entries(CODES)) {
      const family = familyOf(of);
      for (const code of codes) {
        const entries = of === "HTTP status" ? [] : [{ code, message: "said" }];
        const status = of === "HTTP status" ? code : 400;
        const { message, remedy } = explainFailure(new ApiError({ family, status, entries, request: "GET /x" }));
        const meaning = explain(String(code)).find((each) => each.of === of);
        expect(message).toContain(meaning?.cause);
        expect(remedy).toBe(meaning?.remedy);
      }
    }
  });
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_each, index) => from + index);
}

const FAMILIES: readonly Family[] = [
  "custom_hostnames",
  "custom_csrs",
  "fallback_origin",
  "rulesets",
  "waf",
  "total_tls",
  "certificate_packs",
  "zones",
  "holds",
  "dns_records",
  "purge",
];

/** A family that uses the code for nothing of its own stands for all. */
function familyOf(of: string): Family {
  return FAMILIES.find((family) => family === of) ?? "custom_certificates";
}

function thrownBy(act: () => unknown): Refusal {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown;
  }
  throw new Error("nothing was refused");
}
