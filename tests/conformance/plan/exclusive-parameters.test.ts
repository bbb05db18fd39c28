import { expect, it } from "vitest";
import { formatPath } from "../../../lib/core/json.ts";
import { changesOf, failuresOf, openRig, ZONE } from "../../support/engine.ts";

const MANAGED = "http_request_firewall_managed";
const REWRITE = "http_request_transform";
const CUSTOM = "http_request_firewall_custom";

const EXECUTE = { ref: "b", expression: "true", action: "execute", action_parameters: { id: "cloudflare_managed" } };

/** A zone file with the rule, and behind it one that executes what a skip may skip. */
function file(phase: string, rule: object): object {
  const rules = [{ ref: "a", expression: "true", ...rule }, ...(phase === MANAGED ? [EXECUTE] : [])];
  return { version: 1, zone: ZONE, entry_points: { [phase]: { rules } } };
}

it.each([
  [
    "rulesets in place of the current one",
    MANAGED,
    { action: "skip", action_parameters: { ruleset: "current" } },
    { action: "skip", action_parameters: { rulesets: ["cloudflare_managed"] } },
    ["action_parameters.ruleset", "current"],
  ],
  [
    "an expression in place of a value",
    REWRITE,
    { action: "rewrite", action_parameters: { uri: { path: { value: "/" } } } },
    { action: "rewrite", action_parameters: { uri: { path: { expression: "lower(http.request.uri.path)" } } } },
    ["action_parameters.uri.path.value", "/"],
  ],
  [
    "another action without parameters",
    CUSTOM,
    { action: "skip", action_parameters: { ruleset: "current" }, logging: { enabled: false } },
    { action: "log" },
    ["action_parameters.ruleset", "current"],
  ],
])(
  "%s replaces it, and the plan says what goes: both together would be refused",
  async (_what, phase, before, after, gone) => {
    const rig = openRig({ files: { "zones/a.yaml": file(phase, before) }, zone: { plan: "enterprise" } });
    expect(failuresOf(await rig.run())).toEqual([]);
    rig.write("zones/a.yaml", file(phase, after));
    const planned = changesOf(await rig.plan()).flatMap(({ rules }) => rules.flatMap(({ leaves }) => leaves));
    const lost = planned
      .filter((leaf) => leaf.after === undefined)
      .map(({ path, before: was }) => [formatPath(path), was]);
    expect(lost).toContainEqual(gone);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(changesOf(await rig.plan())).toEqual([]);
  },
);
