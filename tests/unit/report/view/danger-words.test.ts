import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../lib/core/json.ts";
import type { Change } from "../../../../lib/plan/change.ts";
import { both } from "../../../../lib/kinds/hazards.ts";
import { planText } from "../../../../lib/report/plan.ts";
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
  return rulesOf(changed.map((each) => aRule(...each)));
}

function rulesOf(changed: Change["rules"], desired: JsonObject = {}): Change {
  const parts = { kind: "ruleset", hazards: ["weakens-protection"], rules: changed, desired } as const;
  return aChange("http_request_firewall_custom", "update", parts);
}

const UPLOAD = 'starts_with(http.request.uri.path, "/upload")';

/** A ruleset whose rules get other expressions: action, ref, the expression before and the one after. */
function rematched(...edits: readonly (readonly [string, string, string, string])[]): Change {
  const edited = edits.map(([, ref, before, after], index) => {
    const place = { from: index + 1, to: index + 1 };
    return aRule("edit", ref, ref, { ...place, leaves: [aLeaf("expression", before, after)] });
  });
  return rulesOf(edited, { rules: edits.map(([action, ref, , expression]) => ({ ref, action, expression })) });
}

describe("a hazard is one line that says what it means", () => {
  test("a certificate of the zone's own names has no customer", () => {
    const leaves = [aLeaf("validation_method", undefined, "txt")];
    const pack = { kind: "certificate_pack", hazards: ["needs-customer"], leaves } as const;
    expect(hazardsOf(aChange("*.app.dev,app.dev", "create", pack)).join()).toContain("needs a DNS record of your own");
  });

  test("a certificate pack that is deleted takes TLS from its names, and does not go offline itself", () => {
    const pack = { kind: "certificate_pack", hazards: ["outage"] } as const;
    expect(hazardsOf(aChange("app.dev", "delete", pack)).join()).toContain(": its names lose TLS");
  });

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

  test.each([
    ["skip", "true", "matches every request"],
    ["skip", `${UPLOAD} or ip.src eq 192.0.2.1`, "matches more requests"],
    ["skip", 'starts_with(http.request.uri.path, "/up")', "matches more requests"],
    ["skip", 'http.request.uri.path matches "^/up.oad"', "may match more or fewer requests (cannot tell which)"],
    ["block", `${UPLOAD} and ip.src eq 192.0.2.1`, "matches fewer requests"],
    ["block", "false", "matches no request"],
    ["block", 'http.request.uri.path matches "^/up.oad"', "may match more or fewer requests (cannot tell which)"],
  ])("for a %s rule whose expression becomes %s: it %s", (action, expression, words) => {
    expect(hazardsOf(rematched([action, "sec/uploads", UPLOAD, expression]))).toEqual([
      `DANGER  ${action} rule "sec/uploads" ${words}  weakens-protection`,
    ]);
  });

  test("for a rule that gets another action and another expression, with both", () => {
    const leaves = [aLeaf("action", "block", "skip"), aLeaf("expression", UPLOAD, "true")];
    expect(hazardsOf(rules(["edit", "sec/uploads", "uploads", { from: 1, to: 1, leaves }]))).toEqual([
      'DANGER  rule "sec/uploads" changes from block to skip and matches every request  weakens-protection',
    ]);
  });

  test("and not for rules beside it whose edit is proven harmless", () => {
    expect(
      hazardsOf(
        rematched(
          ["skip", "narrower", "a", "a and b"],
          ["block", "wider", "a", "a or b"],
          ["skip", "wider-skip", "a", "a or b"],
        ),
      ),
    ).toEqual(['DANGER  skip rule "wider-skip" matches more requests  weakens-protection']);
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

  test("for a rule, in the words of its kind, and the rule is marked", () => {
    const about = [{ hazard: "outage", rules: ["b"], words: both(" answers every request itself") }] as const;
    const change = rulesOf([aRule("insert", "a", "first", { to: 1 }), aRule("insert", "b", "second", { to: 2 })]);
    const danger = { ...change, hazards: ["outage"], hazardDetails: about } as const;
    expect(hazardsOf(danger)).toEqual(['DANGER  rule "b" answers every request itself  outage']);
    const marked = planText(aPlan([[danger]]), { colour: false, columns: 1_000_000 });
    expect(marked).toContain('+ add rule #2 "second" [b], DANGER\n');
    expect(marked).toContain('+ add rule #1 "first" [a]\n');
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
