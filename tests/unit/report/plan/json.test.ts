import { expect, test } from "vitest";
import { planDocument } from "../../../../lib/report/plan/json.ts";
import { aChange, aLeaf, aPlan, aZone } from "../../../support/plans.ts";

test("the document has every change ungrouped, with its digest, hazards and the three values of each leaf", () => {
  const change = aChange("a.example", "update", {
    id: "0d89c70d",
    leaves: [aLeaf("ssl.method", "http", "txt", { prior: "txt", cause: "drift" })],
    hazards: ["reissue"],
  });
  const plan = aPlan([aZone({ changes: [change] })]);
  expect(planDocument(plan, new Map([["saas.eu", 3]]))).toMatchObject({
    format_version: "zoneform/1.0",
    hash: plan.hash,
    zones: [
      {
        zone: { name: "saas.eu", id: "023e105f4ecef8ad9ca31a8372d0c353" },
        exit_code: 3,
        counts: { update: 1, unchanged: 40, refused: 0 },
        changes: [
          {
            address: 'custom_hostname["a.example"]',
            action: "update",
            id: "0d89c70d",
            hazards: ["reissue"],
            digest: change.digest,
            leaves: [{ path: ["ssl", "method"], before: "http", after: "txt", prior: "txt", cause: "drift" }],
          },
        ],
      },
    ],
  });
});

test("the document is the same after a trip through JSON", () => {
  const document = planDocument(aPlan([[aChange("a.example", "create", { leaves: [aLeaf("a", undefined, null)] })]]));
  expect(JSON.parse(JSON.stringify(document))).toEqual(document);
});
