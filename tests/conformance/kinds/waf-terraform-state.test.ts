import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../../lib/real/disk.ts";
import { Refusal } from "../../../lib/core/diagnostic.ts";
import { wafCheckText } from "../../../lib/report/commands/waf.ts";
import { previousWafResources, wafStandingsWith } from "../../../lib/engine/waf.ts";
import type { WafStanding } from "../../../lib/kinds/waf-migration/standing.ts";
import { openRig, type Rig, ZONE } from "../../support/engine.ts";

const A_MINUTE = 60_000;
const FILE = "terraform.tfstate";

/** A state as Terraform writes it, with these resources. */
function stateOf(...resources: readonly object[]): object {
  return { version: 4, terraform_version: "1.11.4", serial: 7, lineage: "0a1b", outputs: {}, resources };
}

function resource(type: string, name: string, instances: readonly object[], more: object = {}): object {
  return { mode: "managed", type, name, provider: 'provider["cloudflare"]', instances, ...more };
}

function instance(zone: string, more: object = {}): object {
  return { schema_version: 0, attributes: { id: "100030", zone_id: zone }, ...more };
}

const STATE = stateOf(
  resource("cloudflare_waf_package", "owasp", [instance(ZONE.id)]),
  resource("cloudflare_waf_rule", "each", [
    instance(ZONE.id, { index_key: "it's" }),
    instance(ZONE.id, { index_key: 1 }),
  ]),
  resource("cloudflare_waf_group", "php", [instance(ZONE.id)], { module: "module.waf[0]" }),
  resource("cloudflare_waf_override", "old", [{ schema_version: 0, attributes_flat: { id: "o", zone_id: ZONE.id } }]),
  resource("cloudflare_waf_rule", "elsewhere", [instance("9a7806061c88ada191ed06f989cc3dac")]),
  resource("cloudflare_waf_rule", "read", [instance(ZONE.id)], { mode: "data" }),
  resource("cloudflare_ruleset", "new", [instance(ZONE.id)]),
);

function rigWith(state: object | string): Rig {
  return openRig({
    zone: { plan: "business", waf: { migration: "start" } },
    files: {
      "zones/a.yaml": { version: 1, zone: ZONE },
      [FILE]: typeof state === "string" ? state : JSON.stringify(state),
    },
  });
}

async function checked(rig: Rig): Promise<readonly WafStanding[]> {
  const resources = await previousWafResources(rig.world().fs, rig.file.replace("zoneform.yaml", FILE), FILE);
  return wafStandingsWith(rig.world(), { file: rig.file }, resources);
}

const ADDRESSES = [
  "cloudflare_waf_package.owasp",
  `cloudflare_waf_rule.each["it's"]`,
  "cloudflare_waf_rule.each[1]",
  "module.waf[0].cloudflare_waf_group.php",
  "cloudflare_waf_override.old",
];

describe("waf check --terraform-state", () => {
  it("names what will stop working with the migration, and what has stopped after it, with the way out", async () => {
    const rig = rigWith(STATE);
    const [before] = await checked(rig);
    expect(before?.terraform?.map(({ address, fate }) => [address, fate])).toEqual(
      ADDRESSES.map((each) => [each, "dies"]),
    );
    rig.admin.waf.deploy(ZONE.id);
    await rig.wait(A_MINUTE);
    const [after] = await checked(rig);
    expect(after?.terraform?.map(({ address, fate }) => [address, fate])).toEqual(
      ADDRESSES.map((each) => [each, "dead"]),
    );
    const path = `/zones/${ZONE.id}/rulesets/phases/http_request_firewall_managed/entrypoint`;
    const { result } = JSON.parse(rig.admin.dashboard("GET", path).body);
    expect(after?.terraform?.[0]?.remedy).toContain("terraform state rm cloudflare_waf_package.owasp;");
    expect(after?.terraform?.[0]?.remedy).toContain(
      `cloudflare_ruleset of the phase http_request_firewall_managed, import id zone/${ZONE.id}/${result.id}, or with the provider 5 zones/${ZONE.id}/${result.id}`,
    );
    expect(after?.terraform?.[1]?.remedy).toContain(`terraform state rm 'cloudflare_waf_rule.each["it'\\''s"]';`);
    const text = wafCheckText(after ? [after] : [], { colour: false, columns: 300 });
    expect(text).toContain("Terraform: cloudflare_waf_override.old no longer works\n");
  });

  it("says so if the state has nothing about them", async () => {
    const standings = await checked(rigWith(stateOf()));
    expect(wafCheckText(standings, { colour: false })).toContain(
      "the Terraform state has no previous managed rules of this zone",
    );
  });

  it.each([
    ["no JSON", "terraform {", /is no Terraform state/],
    ["a list", "[]", /is no Terraform state/],
    ["something else of version 4", JSON.stringify({ version: 4 }), /is no Terraform state/],
    ["an encrypted state", JSON.stringify({ encrypted_data: "x", lineage: "a", serial: 1 }), /is no Terraform state/],
    ["a state of before 0.12", JSON.stringify({ version: 3, lineage: "a", modules: [] }), /of version 3/],
    ["nothing", "", /is no Terraform state/],
  ])("refuses %s, and says how to get a state", async (_what, content, message) => {
    const refused = await checked(rigWith(content)).catch((thrown: unknown) => thrown);
    if (!(refused instanceof Refusal)) throw new Error("it was not refused");
    expect(refused.diagnostics[0]?.message).toMatch(message);
    expect(refused.diagnostics[0]?.remedy).toContain("terraform state pull");
  });

  it("refuses a file that is too long to be one", async () => {
    const folder = mkdtempSync(join(tmpdir(), "zoneform-state-"));
    try {
      const file = join(folder, FILE);
      writeFileSync(file, "");
      truncateSync(file, 128 * 1024 * 1024 + 1);
      await expect(previousWafResources(disk(), file, FILE)).rejects.toThrow(/it has more than 128 MiB/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("refuses a missing file", async () => {
    const rig = rigWith(STATE);
    const refused = previousWafResources(rig.world().fs, "/nowhere/at-all", "at-all");
    await expect(refused).rejects.toThrow(/cannot read the Terraform state at-all: there is no such file/);
  });
});
