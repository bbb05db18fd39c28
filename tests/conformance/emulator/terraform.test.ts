import { describe, expect, test } from "vitest";
import { exportedObjects } from "../../../lib/engine/export.ts";
import { hclLines } from "../../../lib/report/formats/hcl.ts";
import { failuresOf, openRig, type Rig, ZONE } from "../../support/engine.ts";
import { importedZone } from "../../support/importing.ts";
import { openTerraform, pluginsFor } from "../../support/terraform.ts";
import { UPLOADED, WHOLE_ZONE } from "../../support/whole-zone.ts";

const MAJOR = "5";
const plugins = pluginsFor(MAJOR);
const LIMIT_MILLISECONDS = 300_000;
const DAY_MILLISECONDS = 24 * 3_600_000;
const CUSTOM = `/zones/${ZONE.id}/rulesets/phases/http_request_firewall_custom/entrypoint`;
const OURS = { ref: "ours/a", action: "log", expression: "true" };

// Printed here, because the reporter does not list skipped tests.
if (plugins.missing !== undefined) process.stderr.write(`skipped: the real provider ${MAJOR}: ${plugins.missing}\n`);
const WITHOUT = plugins.missing === undefined ? "" : ` (skipped: ${plugins.missing})`;

describe.skipIf(plugins.missing !== undefined)(`the real provider ${MAJOR}${WITHOUT}`, () => {
  test(
    "plans no change after import --write and export of a whole zone",
    async () => {
      const rig = await importedZone();
      await expectNoChanges(rig, {});
    },
    LIMIT_MILLISECONDS,
  );

  test(
    "plans no change after an export of a partly declared zone, with secrets and foreign rules",
    async () => {
      const rig = await declaredZone();
      await expectNoChanges(rig, { own_certificate: "certificate", own_key: "key" });
    },
    LIMIT_MILLISECONDS,
  );
});

/** A zone with a foreign rule, of which the YAML declares only some hostnames. */
async function declaredZone(): Promise<Rig> {
  const custom_hostnames = {
    lifecycle: "zoneform",
    entries: [
      {
        hostname: "app.customer.net",
        ssl: { method: "http", certificate_authority: "default", settings: { min_tls_version: "1.2" } },
        custom_metadata: { tier: "gold" },
      },
      {
        hostname: "own.customer.net",
        ssl: { method: "http", custom_certificate: { env: "OWN_CERTIFICATE" }, custom_key: { env: "OWN_KEY" } },
      },
    ],
  };
  const entry_points = { http_request_firewall_custom: { own: ["ours/"], rules: [OURS] } };
  const rig = openRig({
    zone: WHOLE_ZONE,
    env: { OWN_CERTIFICATE: UPLOADED.certificate, OWN_KEY: UPLOADED.key },
    files: { "zones/a.yaml": { version: 1, zone: ZONE, custom_hostnames, entry_points } },
  });
  expect(failuresOf(await rig.run())).toEqual([]);
  const theirs = { ref: "theirs", action: "block", expression: "false" };
  expect(rig.admin.dashboard("PUT", CUSTOM, { rules: [theirs, OURS] }).status).toBe(200);
  await rig.wait(DAY_MILLISECONDS);
  return rig;
}

async function expectNoChanges(rig: Rig, variables: Readonly<Record<string, string>>): Promise<void> {
  const hcl = `${[...hclLines(await exportedObjects(rig.world(), { file: rig.file }))].join("\n")}\n`;
  const objects = hcl.split("\nimport {").length - 1;
  const terraform = await openTerraform(rig, plugins.folder, MAJOR, hcl);
  const given = Object.entries(variables).flatMap(([name, value]) => ["-var", `${name}=${value}`]);
  const writes = writesOf(rig);
  const planned = await terraform("plan", "-no-color", "-input=false", ...given);
  expect(planned.output).toContain(`Plan: ${objects} to import, 0 to add, 0 to change, 0 to destroy.`);
  const applied = await terraform("apply", "-no-color", "-input=false", "-auto-approve", ...given);
  expect(applied.output).toContain(`${objects} imported, 0 added, 0 changed, 0 destroyed.`);
  const after = await terraform("plan", "-no-color", "-input=false", "-detailed-exitcode", ...given);
  expect([after.code, after.output]).toEqual([0, expect.stringContaining("No changes.")]);
  expect(writesOf(rig)).toEqual(writes);
}

function writesOf({ service }: Rig): Readonly<Record<string, number>> {
  const counts = Object.entries(service.core.log.counts());
  return Object.fromEntries(counts.filter(([request]) => !request.startsWith("GET ")));
}
