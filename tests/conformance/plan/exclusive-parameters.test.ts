import { expect, it } from "vitest";
import { changesOf, failuresOf, openRig, ZONE } from "../../support/engine.ts";

const MANAGED = "http_request_firewall_managed";
const REWRITE = "http_request_transform";

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
  ],
  [
    "an expression in place of a value",
    REWRITE,
    { action: "rewrite", action_parameters: { uri: { path: { value: "/" } } } },
    { action: "rewrite", action_parameters: { uri: { path: { expression: "lower(http.request.uri.path)" } } } },
  ],
])("%s replaces it: both together would be refused", async (_what, phase, before, after) => {
  const rig = openRig({ files: { "zones/a.yaml": file(phase, before) }, zone: { plan: "enterprise" } });
  expect(failuresOf(await rig.run())).toEqual([]);
  rig.write("zones/a.yaml", file(phase, after));
  expect(failuresOf(await rig.run())).toEqual([]);
  expect(changesOf(await rig.plan())).toEqual([]);
});
