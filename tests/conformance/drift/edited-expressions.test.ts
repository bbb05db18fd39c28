import { expect, it } from "vitest";
import { findDrift } from "../../../lib/engine/drift.ts";
import { failuresOf, openRig, ZONE } from "../../support/engine.ts";
import { driftText } from "../../support/texts.ts";

const ENTRY_POINT = `/zones/${ZONE.id}/rulesets/phases/http_request_firewall_custom/entrypoint`;

/** What drift says after somebody edited the expression of a rule with this action in the dashboard. */
async function driftAfter(action: "skip" | "block", before: string, after: string): Promise<string> {
  const parameters = action === "skip" ? { action_parameters: { ruleset: "current" } } : {};
  const rule = { ref: "sec/one", action, expression: before, ...parameters };
  const file = { version: 1, zone: ZONE, entry_points: { http_request_firewall_custom: { rules: [rule] } } };
  const rig = openRig({ files: { "zones/a.yaml": file }, zone: { plan: "enterprise" } });
  expect(failuresOf(await rig.run())).toEqual([]);
  rig.admin.dashboard("PUT", ENTRY_POINT, { rules: [{ ...rule, expression: after }] });
  const found = await findDrift(rig.world(), { file: rig.file });
  return driftText(found, { colour: false, columns: 120 }, rig.clock.now());
}

it.each([
  ["skip", "ip.src in {192.0.2.0/24}", "ip.src in {192.0.2.0/23}", 'DANGER  skip rule "sec/one" matches more requests'],
  [
    "block",
    "ip.src in {192.0.2.0/24}",
    "ip.src in {192.0.2.0/25}",
    'DANGER  block rule "sec/one" matches fewer requests',
  ],
] as const)("a %s rule from %s to %s is a danger", async (action, before, after, line) => {
  expect(await driftAfter(action, before, after)).toContain(line);
});

it.each([
  ["skip", "ip.src in {192.0.2.0/24}", "ip.src in {192.0.2.0/25}", "matches fewer requests"],
  ["block", "ip.src in {192.0.2.0/24}", "ip.src in {192.0.2.0/23}", "matches more requests"],
  ["block", 'ssl and http.host eq "a.net"', 'http.host == "a.net" and ssl', "matches the same requests"],
] as const)("a %s rule from %s to %s is drift, and no danger", async (action, before, after, reach) => {
  const said = (await driftAfter(action, before, after)).replaceAll(/\s+/g, " ");
  expect(said).toContain(reach);
  expect(said).not.toContain("DANGER");
});
