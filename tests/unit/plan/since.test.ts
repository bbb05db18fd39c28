import { describe, expect, test } from "vitest";
import { comparePending, hazardsSince } from "../../../lib/plan/since.ts";
import type { Change, Pending } from "../../../lib/plan/change.ts";
import { aChange, aLeaf, aRule } from "../../support/plans.ts";

/** What of the change on the branch was pending before, if this was planned before. */
function pendingOf(now: Change, before: Change): Pending | undefined {
  return comparePending([now], [before]).pending.get(now.address);
}

/** An update of an entry point with these declared rules, in this order. */
function rulesUpdate(digest: string, refs: readonly string[], rules: Change["rules"]): Change {
  return aChange("http_request_firewall_custom", "update", {
    kind: "ruleset",
    desired: { rules: refs.map((ref) => ({ ref })) },
    rules,
    ...aDigest(digest),
  });
}

function aDigest(digest: string): Pick<Change, "digest"> {
  return { digest: aChange(digest, "update").digest };
}

describe("what was pending before a branch", () => {
  test("the same change was, and a change of an object that had none was not", () => {
    const [first, second] = [aChange("a.example", "delete"), aChange("b.example", "delete")];
    const { pending, withdrawn } = comparePending([first, second], [first]);
    expect([...pending]).toEqual([[first.address, { before: [], branch: [] }]]);
    expect(withdrawn).toEqual([]);
  });

  test("field by field, if the branch adds one or gives one another value", () => {
    const origin = aLeaf("custom_origin_server", "eu.example", "us.example");
    const before = aChange("a.example", "update", { leaves: [origin, aLeaf("ssl.method", "http", "txt")] });
    const leaves = [
      origin,
      aLeaf("ssl.method", "http", "email"),
      aLeaf("ssl.certificate_authority", "google", "digicert"),
    ];
    expect(pendingOf(aChange("a.example", "update", { leaves, ...aDigest("other") }), before)).toEqual({
      before: ["custom_origin_server"],
      branch: ["ssl.method", "ssl.certificate_authority"],
    });
  });

  test("all of a change is, if the branch only takes a part of it back", () => {
    const origin = aLeaf("custom_origin_server", "eu.example", "us.example");
    const before = aChange("a.example", "update", { leaves: [origin, aLeaf("ssl.method", "http", "txt")] });
    expect(pendingOf(aChange("a.example", "update", { leaves: [origin], ...aDigest("other") }), before)).toEqual({
      before: ["custom_origin_server"],
      branch: [],
    });
  });

  test("nothing is, if the branch lifts what blocked or held the change", () => {
    const leaves = [aLeaf("ssl.method", "http", "txt")];
    const now = aChange("a.example", "update", { leaves });
    const refused = { code: "protected", message: "it is protected", remedy: "set protect: false" } as const;
    expect(pendingOf(now, aChange("a.example", "update", { leaves, refused }))).toBeUndefined();
    const held = { reason: "the hostname is pending", leaves };
    expect(pendingOf(now, aChange("a.example", "held", { held, ...aDigest("other") }))).toBeUndefined();
    expect(pendingOf(aChange("a.example", "update", { leaves, refused }), now)).toEqual({
      before: ["ssl.method"],
      branch: [],
    });
  });

  test("a deletion of what was to be updated is all of the branch", () => {
    const before = aChange("a.example", "update", { leaves: [aLeaf("ssl.method", "http", "txt")] });
    expect(pendingOf(aChange("a.example", "delete"), before)).toBeUndefined();
  });

  test("a rule that the branch adds on top moves none of those that were pending", () => {
    const before = rulesUpdate("before", ["a", "b"], [aRule("insert", "b", "b", { to: 2 })]);
    const now = rulesUpdate(
      "now",
      ["new", "a", "b"],
      [aRule("insert", "new", "new", { to: 1 }), aRule("insert", "b", "b", { to: 3 })],
    );
    expect(pendingOf(now, before)).toEqual({ before: ["rules.b"], branch: ["rules.new"] });
  });

  test("a rule that was to be added, and that the branch puts elsewhere, is the branch's", () => {
    const before = rulesUpdate("before", ["a", "b", "c"], [aRule("insert", "c", "c", { to: 3 })]);
    const now = rulesUpdate("now", ["c", "a", "b"], [aRule("insert", "c", "c", { to: 1 })]);
    expect(pendingOf(now, before)).toBeUndefined();
  });

  test("a hazard is on the side of its fields and rules, and one that nothing explains is the branch's", () => {
    const insert = (ref: string): Change["rules"][number] => aRule("insert", ref, ref, { to: 1 });
    const before = rulesUpdate("before", ["a"], [insert("a")]);
    const now: Change = {
      ...rulesUpdate("now", ["a", "b"], [insert("a"), insert("b")]),
      hazards: ["outage", "weakens-protection"],
      hazardDetails: [{ hazard: "weakens-protection", rules: ["a", "b"] }],
    };
    const since = {
      ref: "main",
      commit: "0".repeat(40),
      isBehind: false,
      isNewProject: false,
      ...comparePending([now], [before]),
    };
    expect(hazardsSince(since, now, "branch")).toMatchObject({
      hazards: ["outage", "weakens-protection"],
      hazardDetails: [{ rules: ["b"] }],
    });
    expect(hazardsSince(since, now, "before")).toMatchObject({
      hazards: ["weakens-protection"],
      hazardDetails: [{ rules: ["a"] }],
    });
  });

  test("a change that the branch no longer has is withdrawn, and one that another call carries is not", () => {
    const [lone, carried] = [aChange("a.example", "update"), aChange("b.example", "update")];
    const leading = aChange("c.example", "update", { with: carried });
    expect(comparePending([leading], [lone, carried]).withdrawn).toEqual([lone.address]);
  });
});
