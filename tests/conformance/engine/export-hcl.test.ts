import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ExportedObject, exportedObjects } from "../../../lib/engine/export.ts";
import type { KindName } from "../../../lib/kinds/kind.ts";
import { quoted, hclLines } from "../../../lib/report/formats/hcl.ts";
import { failuresOf, openRig, type Rig, ZONE } from "../../support/engine.ts";
import { importedZone } from "../../support/importing.ts";
import { certificate } from "../../support/x509.ts";

const DAY_MILLISECONDS = 24 * 3_600_000;

const OWN = certificate({ subject: "own.customer.net", issuer: ["Own", "CA"], sans: ["own.customer.net"] });

const ZONE_FILE = {
  version: 1,
  zone: ZONE,
  fallback_origin: { origin: "fallback.saas.net" },
  custom_hostnames: {
    lifecycle: "zoneform",
    entries: [
      {
        hostname: "app.customer.net",
        ssl: { method: "http", certificate_authority: "default", settings: { min_tls_version: "1.2", http2: "on" } },
        custom_metadata: { tier: "gold", "needs-quotes": '${a} %{b} "c"', for: "x" },
      },
      { hostname: "*.customer.net", ssl: { method: "txt", certificate_authority: "google" } },
      {
        hostname: "own.customer.net",
        ssl: { method: "http", custom_certificate: { env: "OWN_CERTIFICATE" }, custom_key: { env: "OWN_KEY" } },
      },
    ],
  },
  certificate_packs: [
    {
      hosts: ["saas.net", "*.saas.net"],
      validation_method: "txt",
      validity_days: 90,
      certificate_authority: "google",
    },
  ],
  entry_points: {
    http_request_firewall_managed: {
      rules: [
        {
          ref: "skip",
          action: "skip",
          expression: 'http.request.uri.path matches "^/\\\\d${1}"',
          action_parameters: { ruleset: "current" },
        },
        {
          ref: "managed",
          action: "execute",
          expression: "true",
          enabled: false,
          action_parameters: {
            id: "cloudflare_managed",
            overrides: { rules: [{ id: "23ee7cebe6e8443e99ecf932ab579455", action: "log" }] },
          },
        },
      ],
    },
    http_request_firewall_custom: { own: ["ours/"], rules: [{ ref: "ours/a", action: "log", expression: "true" }] },
  },
  total_tls: { enabled: true, certificate_authority: "google" },
};

async function exported(file: object = ZONE_FILE): Promise<{ rig: Rig; text: string }> {
  const env = { OWN_CERTIFICATE: OWN.certificate, OWN_KEY: OWN.key };
  const rig = openRig({ zone: { plan: "enterprise" }, files: { "zones/a.yaml": file }, env });
  expect(failuresOf(await rig.run())).toEqual([]);
  return { rig, text: await hclOf(rig) };
}

async function hclOf(rig: Rig): Promise<string> {
  return `${[...hclLines(await exportedObjects(rig.world(), { file: rig.file }))].join("\n")}\n`;
}

/** One block of the text, by its first line. */
function block(text: string, head: string): string {
  const from = text.indexOf(head);
  expect(from, `${head} in\n${text}`).toBeGreaterThan(-1);
  return text.slice(from, text.indexOf("\n}\n", from) + 2);
}

describe("export --format hcl", () => {
  it("writes each tracked object as the provider's resource, with its import id", async () => {
    const { rig, text } = await exported();
    const id = (address: string): string => ids.get(address) ?? "";
    const ids = new Map([...((await rig.state())?.objects ?? [])].map(([address, object]) => [address, object.id]));
    const imports = [...text.matchAll(/ {2}to = (\S+)\n {2}id = "([^"]+)"/g)].map(([, to, of]) => [to, of]);
    expect(imports).toEqual([
      [
        "cloudflare_certificate_pack.saas_net__wildcard_saas_net_saas_net_960b0423",
        `${ZONE.id}/${id('certificate_pack["*.saas.net,saas.net"]')}`,
      ],
      [
        "cloudflare_custom_hostname.saas_net__wildcard_customer_net_938d2cb4",
        `${ZONE.id}/${id('custom_hostname["*.customer.net"]')}`,
      ],
      [
        "cloudflare_custom_hostname.saas_net__app_customer_net",
        `${ZONE.id}/${id('custom_hostname["app.customer.net"]')}`,
      ],
      [
        "cloudflare_custom_hostname.saas_net__own_customer_net",
        `${ZONE.id}/${id('custom_hostname["own.customer.net"]')}`,
      ],
      ["cloudflare_custom_hostname_fallback_origin.saas_net", ZONE.id],
      [
        "cloudflare_ruleset.saas_net__http_request_firewall_custom",
        `zones/${ZONE.id}/${id('ruleset["http_request_firewall_custom"]')}`,
      ],
      [
        "cloudflare_ruleset.saas_net__http_request_firewall_managed",
        `zones/${ZONE.id}/${id('ruleset["http_request_firewall_managed"]')}`,
      ],
      ["cloudflare_total_tls.saas_net", ZONE.id],
    ]);
  });

  it("writes an entry point with every field of its rules", async () => {
    const { text } = await exported();
    expect(block(text, 'resource "cloudflare_ruleset" "saas_net__http_request_firewall_managed"')).toBe(
      `resource "cloudflare_ruleset" "saas_net__http_request_firewall_managed" {
  zone_id = "${ZONE.id}"
  name    = "default"
  kind    = "zone"
  phase   = "http_request_firewall_managed"
  rules = [
    {
      ref        = "skip"
      action     = "skip"
      expression = "http.request.uri.path matches \\"^/\\\\\\\\d$\${1}\\""
      enabled    = true
      action_parameters = {
        ruleset = "current"
      }
      logging = {
        enabled = true
      }
    },
    {
      ref        = "managed"
      action     = "execute"
      expression = "true"
      enabled    = false
      action_parameters = {
        id = "efb7b8c949ac4650a09736fc376e9aee"
        overrides = {
          rules = [
            {
              id     = "23ee7cebe6e8443e99ecf932ab579455"
              action = "log"
            },
          ]
        }
      }
    },
  ]
}`,
    );
  });

  it("writes foreign rules together with ours, in live order, and says so", async () => {
    const theirs = { ref: "theirs", action: "block", expression: "false" };
    const { rig } = await exported();
    const path = `/zones/${ZONE.id}/rulesets/phases/http_request_firewall_custom/entrypoint`;
    const ours = { ref: "ours/a", action: "log", expression: "true" };
    expect(rig.admin.dashboard("PUT", path, { rules: [theirs, ours] }).status).toBe(200);
    const text = await hclOf(rig);
    expect(text).toContain(
      '# 1 foreign rule is in here as well: Terraform owns an entry point as a whole.\nresource "cloudflare_ruleset" "saas_net__http_request_firewall_custom"',
    );
    const written = block(text, 'resource "cloudflare_ruleset" "saas_net__http_request_firewall_custom"');
    expect([...written.matchAll(/ref += "(.*)"/g)].map(([, ref]) => ref)).toEqual(["theirs", "ours/a"]);
  });

  it("writes secrets as variables, and omits the CA that the service chooses", async () => {
    const { text } = await exported();
    expect(text).not.toContain("BEGIN CERTIFICATE");
    expect(text).not.toContain("hmac-sha256");
    expect(block(text, 'resource "cloudflare_custom_hostname" "saas_net__own_customer_net"')).toMatch(
      /custom_key += var\.own_key\n/,
    );
    expect(block(text, 'variable "own_key"')).toMatch(/sensitive +=/);
    expect(block(text, 'resource "cloudflare_custom_hostname" "saas_net__own_customer_net"')).toContain(
      "    ignore_changes = [ssl.custom_certificate, ssl.custom_key]\n",
    );
    expect(block(text, 'resource "cloudflare_custom_hostname" "saas_net__app_customer_net"')).not.toContain(
      "certificate_authority",
    );
  });

  it("contains nothing that Terraform would evaluate", async () => {
    const { text } = await exported();
    expect(text).toContain('"needs-quotes" = "$${a} %%{b} \\"c\\""');
    expect(text.replaceAll("$${", "").replaceAll("%%{", "")).not.toMatch(/[$%]\{/);
  });

  it("keeps what is live and not declared: metadata of a zone whose hostnames an application owns, its CAs, TLS", async () => {
    const { rig } = await exported();
    rig.write("zones/a.yaml", {
      version: 1,
      zone: ZONE,
      custom_hostnames: {
        lifecycle: "app",
        policies: [{ name: "tls", match: { wildcard: false }, set: { ssl: { settings: { http2: "on" } } } }],
      },
    });
    await rig.wait(DAY_MILLISECONDS);
    expect(failuresOf(await rig.run())).toEqual([]);
    const written = block(await hclOf(rig), 'resource "cloudflare_custom_hostname" "saas_net__app_customer_net"');
    expect(written).toMatch(/custom_metadata = \{\n +tier += "gold"\n/);
    expect(written).toMatch(/ certificate_authority = "google"\n/);
    expect(written).toMatch(/ wildcard += false\n/);
    expect(written).toMatch(/ min_tls_version = "1.2"\n/);
  });

  it("names what is tracked but has no resource, or is no longer live", async () => {
    const { rig } = await exported({ ...ZONE_FILE, waf_migration: { target: "previous" } });
    const id = (await rig.state())?.objects.get('custom_hostname["app.customer.net"]')?.id ?? "";
    rig.admin.dashboard("DELETE", `/zones/${ZONE.id}/custom_hostnames/${id}`);
    const text = await hclOf(rig);
    expect(text).toContain(
      '\n# saas.net/custom_hostname["app.customer.net"] is tracked, and not live: it is left out.\n',
    );
    expect(text).toContain("\n# saas.net/waf_migration: the provider has no resource for it.\n");
    expect(text).not.toContain('"saas_net__app_customer_net"');
  });

  it("writes a zone with everything as the golden file has it", async () => {
    await expect(await hclOf(await importedZone())).toMatchFileSnapshot("../../golden/export/whole-zone.tf");
  });

  it("names each resource by its object alone: with others beside it, it is the same", () => {
    const zones = ["saas.dev", "saas-app.dev", "a.saas.dev"].map((name, at) => ({ name, id: `${at}`.repeat(32) }));
    const objects = zones.flatMap((zone) => [
      ...["a.b.c", "a-b.c", "a_b.c", "*.b.c", "wildcard.b.c"].map((key) => anObject("custom_hostname", zone, key)),
      ...["min_tls_version", "tls_1_3"].map((key) => anObject("zone_setting", zone, key)),
      anObject("fallback_origin", zone, ""),
    ]);
    const alone = objects.map((object) => resourceLine([object]));
    expect(new Set(alone).size).toBe(objects.length);
    expect(resourceLine(objects)).toBe(alone.join("\n"));
    expect(resourceLine(objects.toReversed())).toBe(alone.toReversed().join("\n"));
    expect(alone[0]).toBe('resource "cloudflare_custom_hostname" "saas_dev__a_b_c" {');
  });

  it("says of a zone hold that Terraform plans one change of it", () => {
    const hold = anObject("zone_hold", { name: "saas.dev", id: ZONE.id }, "");
    expect([...hclLines([{ ...hold, values: { hold: true } }])]).toContainEqual(
      expect.stringMatching(/^# Terraform plans one change of it .*: the provider does not read include_subdomains\.$/),
    );
  });

  it("says that the state has no objects yet", async () => {
    const { text } = await exported({ version: 1, zone: ZONE });
    expect(text).toContain("# Nothing is tracked yet.");
  });
});

function anObject(kind: KindName, zone: ExportedObject["zone"], key: string): ExportedObject {
  const id = "7b163417-1d2b-4c84-a38a-2fb7a0cd7752";
  return { kind, zone, key, id, values: {}, writeOnly: [], isShown: () => true, isLive: true, foreignRules: 0 };
}

/** The first line of each resource. */
function resourceLine(objects: readonly ExportedObject[]): string {
  return [...hclLines(objects)].filter((line) => line.startsWith("resource")).join("\n");
}

const hasTerraform = spawnSync("terraform", ["version"]).status === 0;
const WITHOUT = hasTerraform ? "" : " (skipped: there is no terraform on the PATH)";

describe.skipIf(!hasTerraform)(`for Terraform itself${WITHOUT}`, () => {
  it("is formatted as terraform fmt formats it", async () => {
    const { text } = await exported();
    expect(terraform(["fmt", "-"], text)).toBe(text);
  });

  it("reads back every text unchanged", () => {
    const texts = [
      "$${",
      "${a}",
      "%{if}",
      "$",
      "%",
      "$%{",
      '"\\',
      "a\nb\tc\r",
      "\u0000\u0007\u001b",
      "äß漢字😀",
      "\u2028\u200b",
      "{$",
      "$$$${x",
    ];
    const answer = terraform(["console"], `base64encode(jsonencode([${texts.map(quoted).join(", ")}]))\n`);
    expect(JSON.parse(Buffer.from(JSON.parse(answer), "base64").toString("utf8"))).toEqual(texts);
  });
});

/** What Terraform prints for an input, in an empty folder. */
function terraform(args: readonly string[], input: string): string {
  const cwd = mkdtempSync(join(tmpdir(), "zoneform-hcl-"));
  try {
    const { status, stdout, stderr } = spawnSync("terraform", args, { cwd, input, encoding: "utf8" });
    expect([status, status === 0 ? "" : stderr]).toEqual([0, ""]);
    return stdout;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
