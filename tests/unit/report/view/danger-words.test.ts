import { describe, expect, test } from "vitest";
import type { Change } from "../../../../lib/plan/change.ts";
import { planText } from "../../../../lib/report/plan/text.ts";
import { aChange, aLeaf, aPlan, aRule, sameChanges } from "../../../support/plans.ts";

/** The lines of the hazards, as they stand where nothing is broken. */
function hazardsOf(...changes: readonly Change[]): readonly string[] {
  const text = planText(aPlan([changes]), { colour: false, columns: 1_000_000 });
  const [, section = ""] = text.split("\n\n");
  return section
    .split("\n")
    .slice(1)
    .map((line) => line.trim());
}

function lowerTls(hostname: string, parts: Partial<Change> = {}): Change {
  const leaves = [aLeaf("ssl.settings.min_tls_version", "1.2", "1.1")];
  return aChange(hostname, "update", { hazards: ["weakens-protection"], leaves, ...parts });
}

function rules(...changed: Parameters<typeof aRule>[]): Change {
  const made = changed.map((each) => aRule(...each));
  return aChange("http_request_firewall_custom", "update", {
    kind: "ruleset",
    hazards: ["weakens-protection"],
    rules: made,
  });
}

describe("a hazard is one line that says what it means", () => {
  test("for hostnames whose TLS is lowered, all in one line with their names below", () => {
    expect(hazardsOf(lowerTls("a.net"), lowerTls("b.net"))).toEqual([
      "DANGER  2 hostnames accept TLS 1.1 (minimum was 1.2)  weakens-protection",
      "a.net, b.net",
    ]);
  });

  test("for one hostname, by its name", () => {
    expect(hazardsOf(lowerTls("a.net"))).toEqual([
      "DANGER  a.net accepts TLS 1.1 (minimum was 1.2)  weakens-protection",
    ]);
  });

  test("with the one field that is weaker, and not with those beside it", () => {
    const leaves = [aLeaf("ssl.settings.http2", "on", "off"), aLeaf("ssl.settings.tls_1_3", "on", "off")];
    expect(hazardsOf(lowerTls("a.net", { leaves }))).toEqual([
      "DANGER  a.net: ssl.settings.tls_1_3 on -> off  weakens-protection",
    ]);
  });

  test("for a rule that no longer blocks", () => {
    const edit = { from: 1, to: 1, leaves: [aLeaf("action", "block", "log")] };
    expect(hazardsOf(rules(["edit", "sec/admin", "admin", edit]))).toEqual([
      'DANGER  rule "sec/admin" changes from block to log  weakens-protection',
    ]);
  });

  test("for a rule that matches otherwise, with what it is declared to do: a skip rule that widens lets more through", () => {
    const edit = { from: 1, to: 1, leaves: [aLeaf("expression", "a", "b")] };
    const edited = rules(["edit", "sec/health", "health", edit]);
    const desired = { rules: [{ ref: "sec/health", action: "skip", expression: "b" }] };
    expect(hazardsOf({ ...edited, desired })).toEqual([
      'DANGER  skip rule "sec/health" changes which requests it matches  weakens-protection',
    ]);
  });

  test("for several rules of a ruleset, each below it; those that cannot let more through are left out", () => {
    const inserted = { to: 3, leaves: [aLeaf("action", undefined, "block")] };
    expect(
      hazardsOf(
        rules(
          ["disable", "a", "first", { from: 1, to: 1 }],
          ["remove", "b", "second", { from: 2 }],
          ["insert", "c", "third", inserted],
        ),
      ),
    ).toEqual([
      "DANGER  ruleset http_request_firewall_custom may let more through:  weakens-protection",
      'rule "a" is switched off',
      'rule "b" is deleted',
    ]);
  });

  test("for what is blocked and what is held, which it says", () => {
    const refused = { code: "protected", message: "it is protected", remedy: "set protect: false" } as const;
    const gone = { hazards: ["outage"] } as const;
    expect(hazardsOf(aChange("a.net", "delete", gone), aChange("b.net", "delete", { ...gone, refused }))).toEqual([
      "DANGER  a.net goes offline  outage",
      "DANGER  b.net goes offline (blocked)  outage",
    ]);
  });

  test("and a notice where nobody is endangered", () => {
    expect(hazardsOf(...sameChanges(1))).toEqual(["NOTICE  shop-00000.example.com gets a new certificate  reissue"]);
  });
});
