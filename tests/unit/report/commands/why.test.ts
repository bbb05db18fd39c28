import { expect, test } from "vitest";
import { formatAddress } from "../../../../lib/core/address.ts";
import { whyText } from "../../../../lib/report/commands/why.ts";

test("why says what is known of each field that differs, then what is as declared, then what nobody manages", async () => {
  const at = { file: "zones/eu.yaml", line: 14, column: 40 };
  const why = {
    address: formatAddress({ kind: "custom_hostname", key: "app.customer-one.net" }),
    action: "update",
    importId: "023e105f4ecef8ad9ca31a8372d0c353/0d89c70d-ad9f-4843-b99f-6cc0252067e9",
    leaves: [
      {
        path: ["ssl", "settings", "min_tls_version"],
        wanted: { value: "1.2", origin: { at, through: "policy baseline" } },
        applied: "1.2",
        live: "1.0",
        sent: { value: "1.2", cause: "drift" },
      },
      { path: ["ssl", "custom_key"], wanted: { value: { env: "KEY" }, origin: { at } }, sensitive: true },
      {
        path: ["ssl", "certificate_authority"],
        wanted: {
          value: "default",
          origin: { at: { ...at, file: "tls.yaml" }, through: "policy a of the layer tls.yaml" },
        },
        applied: "default",
        live: "google",
      },
      { path: ["ssl", "type"], wanted: { value: "dv", origin: { at } }, applied: "dv", live: "dv" },
      { path: ["ssl", "wildcard"], live: false },
      { path: ["ssl", "bundle_method"], live: "ubiquitous" },
      { path: ["custom_metadata", "owner"], applied: "team-a", live: "team-b" },
      {
        path: ["ssl", "method"],
        wanted: { value: "txt" },
        applied: "http",
        live: "http",
        held: "ssl waits until active",
      },
    ],
    rules: [],
    notes: ["custom_metadata.owner is released"],
  } as const;
  await expect(whyText(why, { colour: false, columns: 80 })).toMatchFileSnapshot("../../../golden/report/why.txt");
});
