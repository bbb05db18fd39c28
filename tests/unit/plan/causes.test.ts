import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../lib/core/json.ts";
import { pendingOf } from "../../../lib/report/commands/drift-view.ts";
import { causes, type Given, judged, known, live, liveHostname, onlyChange, planned, wanted } from "./inputs.ts";

const NAME = "app.customer.net";

function tls(version: string): JsonObject {
  return { ssl: { method: "http", settings: { min_tls_version: version } } };
}

describe("the cause of a leaf", () => {
  it.each([
    ["you changed the YAML", "1.2", "1.0", "1.0", "config"],
    ["somebody changed live", "1.0", "1.0", "1.1", "drift"],
    ["each did, and not the same", "1.2", "1.0", "1.1", "both"],
  ])("where %s", (_what, desired, prior, now, cause) => {
    const given: Given = {
      objects: [wanted("custom_hostname", NAME, tls(desired))],
      known: [known("custom_hostname", NAME, tls(prior))],
      live: [liveHostname(NAME, tls(now))],
    };
    expect(causes(onlyChange(given))).toEqual([`ssl.settings.min_tls_version ${cause}`]);
    expect(judged(given).drifted.map(({ key }) => key)).toEqual(cause === "config" ? [] : [NAME]);
  });

  it("is told for each leaf of a change, and the change's own is both where they differ", () => {
    const change = onlyChange({
      objects: [wanted("custom_hostname", NAME, { ...tls("1.2"), custom_metadata: { tier: "gold", by: "us" } })],
      known: [known("custom_hostname", NAME, { ...tls("1.0"), custom_metadata: { tier: "gold" } })],
      live: [liveHostname(NAME, { ...tls("1.0"), custom_metadata: { tier: "silver", by: "them" } })],
    });
    expect(causes(change)).toEqual([
      "ssl.settings.min_tls_version config",
      "custom_metadata.tier drift",
      "custom_metadata.by config",
    ]);
    expect(change.cause).toBe("both");
  });

  it("is none where somebody did what the YAML wants now", () => {
    const given: Given = {
      objects: [wanted("custom_hostname", NAME, tls("1.2"))],
      known: [known("custom_hostname", NAME, tls("1.0"))],
      live: [liveHostname(NAME, tls("1.2"))],
    };
    const plan = planned(given);
    expect(plan.changes).toEqual([]);
    expect(judged(given)).toMatchObject({
      drifted: [],
      adopted: [{ key: NAME, leaves: [["ssl", "settings", "min_tls_version"]] }],
    });
    expect(plan.bookkeeping.remember.map(({ applied }) => applied)).toEqual([tls("1.2")]);
  });
});

describe("the cause of a rule's change", () => {
  const rule = (ref: string, more: JsonObject = {}): JsonObject => ({
    ref,
    action: "log",
    expression: "true",
    enabled: true,
    ...more,
  });

  function ruleCauses(
    desired: readonly JsonObject[],
    prior: readonly JsonObject[],
    now: readonly JsonObject[],
  ): readonly string[] {
    const { changes } = planned({
      objects: [wanted("ruleset", "http_ratelimit", { rules: desired })],
      known: [known("ruleset", "http_ratelimit", { rules: prior })],
      live: [live("ruleset", "http_ratelimit", { name: "default", description: "", rules: now })],
    });
    return changes.flatMap(({ rules }) => rules.map(({ action, ref, cause }) => `${action} ${ref} ${cause}`));
  }

  const [a, b, c] = [rule("a"), rule("b"), rule("c")];

  it.each([
    ["inserted in the YAML", [a, b], [a], [a], ["insert b config"]],
    ["deleted live", [a, b], [a, b], [a], ["insert b drift"]],
    ["taken out of the YAML", [a], [a, b], [a, b], ["remove b config"]],
    ["added live where all rules are ours", [a], [a], [a, b], ["remove b drift"]],
    ["moved in the YAML", [c, a, b], [a, b, c], [a, b, c], ["move c config"]],
    ["moved live", [a, b, c], [a, b, c], [c, a, b], ["move c drift"]],
    ["edited in the YAML", [rule("a", { expression: "false" })], [a], [a], ["edit a config"]],
    ["edited live", [a], [a], [rule("a", { expression: "false" })], ["edit a drift"]],
    ["switched off live", [a], [a], [rule("a", { enabled: false })], ["enable a drift"]],
    ["switched off in the YAML", [rule("a", { enabled: false })], [a], [a], ["disable a config"]],
  ])("%s", (_what, desired, prior, now, expected) => {
    expect(ruleCauses(desired, prior, now)).toEqual(expected);
  });
});

describe("what was applied before and is gone has one cause in the plan and in a look for drift", () => {
  const rules = [{ ref: "sec/a", action: "block", expression: "true" }];
  const phase = "http_request_firewall_custom";

  it("for the rules of an entry point that somebody deleted", () => {
    const given: Given = {
      objects: [wanted("ruleset", phase, { rules })],
      known: [known("ruleset", phase, { rules })],
    };
    const change = onlyChange(given);
    expect([change.action, change.cause]).toEqual(["create", "drift"]);
    expect(change.rules.map(({ ref, cause }) => `${ref} ${cause}`)).toEqual(["sec/a drift"]);
    expect(notApplied(given)).toEqual([]);
  });

  it("for a hostname that somebody deleted and made again; what the YAML wants since then stays its own", () => {
    const given: Given = {
      objects: [wanted("custom_hostname", NAME, { ...tls("1.2"), custom_metadata: { tier: "gold" } })],
      known: [known("custom_hostname", NAME, tls("1.2"), { id: "the-one-before" })],
      live: [liveHostname(NAME, tls("1.0"))],
    };
    expect(causes(onlyChange(given))).toEqual(["ssl.settings.min_tls_version drift", "custom_metadata.tier config"]);
    expect(judged(given).drifted).toMatchObject([{ what: "replaced" }]);
  });

  it("for all of a hostname that somebody made again: nothing of it is told as not applied yet", () => {
    const given: Given = {
      objects: [wanted("custom_hostname", NAME, tls("1.2"))],
      known: [known("custom_hostname", NAME, tls("1.2"), { id: "the-one-before" })],
      live: [liveHostname(NAME, tls("1.0"))],
    };
    expect(notApplied(given)).toEqual([]);
  });
});

function notApplied(given: Given): readonly string[] {
  return pendingOf({ section: planned(given), judgement: judged(given) }).map(({ address }) => address);
}
