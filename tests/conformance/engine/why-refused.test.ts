import { describe, expect, test } from "vitest";
import { why } from "../../../lib/engine/why.ts";
import { whyText } from "../../../lib/report/commands/why.ts";
import { changesOf, dnsRecords, openRig, type Rig, ZONE } from "../../support/engine.ts";

const LATER = "2126-01-31T00:00:00Z";

function rigWith(content: object, network?: Parameters<Rig["network"]>[0]): Rig {
  const file = { version: 1, zone: ZONE, ...content };
  const rig = openRig({
    zone: {
      plan: "enterprise",
      dns_records: dnsRecords(),
      rulesets: [{ phase: "http_request_firewall_custom", rules: [] }],
    },
    files: { "zones/a.yaml": file },
  });
  if (network) rig.network(network);
  return rig;
}

const notEditable: Parameters<Rig["network"]>[0] = async (_request, _index, pass) => {
  const answer = await pass();
  return { ...answer, body: answer.body.replace('"editable":true', '"editable":false') };
};
const REFUSED = [
  {
    address: 'zone_setting["ssl"]',
    content: { zone_settings: { ssl: { value: "flexible" } } },
    network: notEditable,
  },
  { address: "zone_hold", content: { zone_hold: { hold: true, hold_after: LATER } } },
  {
    address: 'ruleset["http_request_firewall_custom"]',
    content: {
      entry_points: { http_request_firewall_custom: { rules: [{ ref: "ours", action: "block", expression: "true" }] } },
    },
  },
];

describe("why for a change that a guard blocks", () => {
  test.each(REFUSED)(
    "says for $address what the plan says, and that nothing would be sent",
    async ({ address, content, network }) => {
      const rig = rigWith(content, network);
      const [change] = changesOf(await rig.plan());
      const { code = "", message = "", remedy = "" } = change?.refused ?? {};
      expect([change?.address, message]).toEqual([address, expect.stringMatching(/./)]);
      const found = await why(rig.world(), { file: rig.file }, address);
      expect(found.leaves.filter(({ sent }) => sent)).toEqual([]);
      const text = whyText(found, { colour: false });
      // Long lines are folded.
      expect(text.replaceAll(/\s+/g, " ")).toContain(`${message} [${code}] ${remedy} `);
      expect(text).not.toMatch(/would be sent {2}(?!nothing)/);
    },
  );

  test("says for others what would be sent, and mentions no refusal", async () => {
    const rig = rigWith({ zone_settings: { ssl: { value: "flexible" } } });
    const found = await why(rig.world(), { file: rig.file }, 'zone_setting["ssl"]');
    expect(found.refused).toBeUndefined();
    expect(whyText(found, { colour: false })).toMatch(/would be sent {2}"?flexible"? {2}\(config\)/);
  });
});
