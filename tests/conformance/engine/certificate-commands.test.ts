import { describe, expect, it } from "vitest";
import { audit, chainOf } from "../../../lib/engine/certificates/audit.ts";
import type { Certificate, CertificateKind } from "../../../lib/engine/certificates/certificate.ts";
import { type CertificateZone, certificates, search } from "../../../lib/engine/certificates/read.ts";
import { readProject } from "../../../lib/engine/world.ts";
import { openRig, type Rig, ZONE } from "../../support/engine.ts";

const DAY = 24 * 60 * 60 * 1000;
const HOSTNAMES = ["chosen.net", "default.net", "google.net", "app.net"];

/**
 * A zone with a certificate of every kind; those of the CA with the legacy chain are five days old; we do not know who
 * chose the CA of the application's hostname.
 */
function rigOf(start: string): Rig {
  const ssl = { method: "http", type: "dv" };
  const issued = { issued_by: "lets_encrypt", issued_at: new Date(Date.parse(start) - 5 * DAY).toISOString() };
  return openRig({
    start: Date.parse(start),
    zone: {
      total_tls: { enabled: true, certificate_authority: "lets_encrypt" },
      universal: { issued_by: "lets_encrypt" },
      certificate_packs: [{ certificate_authority: "lets_encrypt" }, { certificate_authority: "google" }],
      custom_certificates: [
        {
          hosts: ["up.saas.net"],
          bundle_method: "ubiquitous",
          uploaded_at: "2024-06-20T00:00:00Z",
          expires_at: "2026-01-01T00:00:00Z",
        },
        {
          hosts: ["up2.saas.net"],
          bundle_method: "optimal",
          uploaded_at: "2024-06-20T00:00:00Z",
          expires_at: "2026-01-01T00:00:00Z",
        },
        {
          hosts: ["up3.saas.net"],
          bundle_method: "force",
          chain: "cross-signed",
          uploaded_at: "2024-06-20T00:00:00Z",
          expires_at: "2026-01-01T00:00:00Z",
        },
        { hosts: ["other.saas.net"], certificate_authority: "digicert", uploaded_at: "2024-06-20T00:00:00Z" },
      ],
      custom_hostnames: [
        {
          hostname: "chosen.net",
          ssl: { ...ssl, certificate_authority: "lets_encrypt" },
          ...issued,
        },
        { hostname: "default.net", ssl, ...issued },
        { hostname: "google.net", ssl: { ...ssl, certificate_authority: "google" } },
        { hostname: "app.net", ssl, ...issued },
      ],
    },
    files: {
      "zones/saas.yaml": {
        version: 1,
        zone: ZONE,
        custom_hostnames: {
          lifecycle: "app",
          policies: [
            {
              name: "chosen",
              match: { hostname: "chosen.net" },
              set: { ssl: { certificate_authority: "lets_encrypt" } },
            },
            { name: "default", match: { hostname: "default.net" }, set: { ssl: { certificate_authority: "default" } } },
            { name: "google", match: { hostname: "google.net" }, set: { ssl: { certificate_authority: "google" } } },
          ],
        },
      },
    },
  });
}

async function zoneOf(rig: Rig): Promise<CertificateZone> {
  const { project } = await readProject(rig.world(), { file: rig.file });
  const [zone] = project.desired.zones;
  if (!zone) throw new Error("the project has no zone");
  return { client: rig.world().connect(project.desired.budget), zone, state: await rig.state() };
}

async function all(rig: Rig, kinds?: readonly CertificateKind[]): Promise<readonly Certificate[]> {
  return collect(certificates(await zoneOf(rig), kinds));
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe("a list of certificates", () => {
  it("has each of the zone once, with chosen and issuing CA apart", async () => {
    const found = await all(rigOf("2024-07-15"));
    const inWords = found.map(
      ({ kind, hosts, chosen = "-", issuing = "-" }) => `${kind} ${hosts[0] ?? ""} ${chosen} ${issuing}`,
    );
    expect(inWords.sort()).toEqual([
      "advanced saas.net google google",
      "advanced saas.net lets_encrypt lets_encrypt",
      "custom other.saas.net - digicert",
      "custom up.saas.net - lets_encrypt",
      "custom up2.saas.net - lets_encrypt",
      "custom up3.saas.net - lets_encrypt",
      "custom_hostname app.net - lets_encrypt",
      "custom_hostname chosen.net lets_encrypt lets_encrypt",
      "custom_hostname default.net default lets_encrypt",
      "custom_hostname google.net google google",
      "total_tls_setting  lets_encrypt -",
      "universal saas.net default lets_encrypt",
    ]);
  });

  it("shows what was sent last, and not what the YAML wants since then", async () => {
    const rig = rigOf("2024-07-15");
    await rig.run();
    const text = rig.read("zones/saas.yaml");
    rig.write("zones/saas.yaml", text.replace("certificate_authority: lets_encrypt", "certificate_authority: google"));
    const [chosen] = (await all(rig)).filter(({ hosts }) => hosts.includes("chosen.net"));
    expect(chosen?.chosen).toBe("lets_encrypt");
  });

  it("reads only the lists that it needs", async () => {
    const rig = rigOf("2024-07-15");
    const zone = await zoneOf(rig);
    rig.service.core.log.reset();
    await collect(certificates(zone, ["custom_hostname"]));
    expect(rig.service.core.log.counts()).toEqual({ "GET /zones/:zone/custom_hostnames": 1 });
  });

  it("has the service's reasons why a certificate is not issued", async () => {
    const rig = rigOf("2024-07-15");
    rig.admin.forceHostname(ZONE.id, "app.net", {
      status: "pending",
      verificationErrors: ["custom hostname does not CNAME to this zone."],
    });
    const [found] = await collect(search(await zoneOf(rig), "app.net"));
    expect(found?.verificationErrors).toEqual(["custom hostname does not CNAME to this zone."]);
  });
});

describe("a search", () => {
  it.each([
    ["chosen.net", ["custom_hostname"]],
    ["up.saas.net", ["advanced", "advanced", "custom", "universal"]],
    ["nobody.test", []],
  ])("for %s finds the certificates that could serve it", async (hostname, kinds) => {
    const found = await collect(search(await zoneOf(rigOf("2024-07-15")), hostname));
    expect(found.map(({ kind }) => kind).sort()).toEqual(kinds);
  });

  it("finds a wildcard hostname by a name below it", async () => {
    const rig = rigOf("2024-07-15");
    const ssl = { method: "txt", type: "dv", wildcard: true };
    rig.admin.dashboard("POST", `/zones/${ZONE.id}/custom_hostnames`, { hostname: "tenants.org", ssl });
    const found = await collect(search(await zoneOf(rig), "one.tenants.org"));
    expect(found.map(({ hosts }) => hosts[0])).toEqual(["tenants.org"]);
  });
});

describe("the audit", () => {
  const DATES = ["2024-09-08", "2024-09-09", "2024-09-10", "2024-09-29", "2024-09-30", "2024-10-01"];

  it.each(DATES)("predicts the chain that the service serves on %s", async (date) => {
    const rig = rigOf("2024-07-15");
    const at = Date.parse(date);
    const foretold = new Map((await all(rig)).map((certificate) => [certificate.id, chainOf(certificate, at)]));
    const served = rig.admin.chains(ZONE.id, at).filter(({ chain }) => chain !== null);
    expect(served.length).toBeGreaterThan(8);
    for (const { id, chain, bundling } of served) {
      const name = typeof chain === "object" && chain !== null && "name" in chain ? chain["name"] : undefined;
      const isOwnUpload = bundling === "force";
      expect(typeof id === "string" && foretold.get(id)).toBe(isOwnUpload ? "as-uploaded" : name);
    }
  });

  it("predicts what the service switches by itself in June 2024, and what it keeps", async () => {
    const rig = rigOf("2024-05-20");
    await rig.run();
    const before = await all(rig, ["custom_hostname", "universal", "advanced"]);
    const isForetold = new Map(before.map((each) => [each.id, chainOf(each, Date.parse("2024-06-01"))]));
    await rig.wait(Date.parse("2024-06-02") - rig.clock.now() + DAY);
    const after = new Map(
      (await all(rig, ["custom_hostname", "universal", "advanced"])).map((each) => [each.id, each.issuing]),
    );
    const legacy = before.filter(({ issuing, chosen }) => issuing === "lets_encrypt" && chosen !== undefined);
    expect(legacy.length).toBeGreaterThan(3);
    for (const { id, kind, hosts } of legacy) {
      const isSwitched = isForetold.get(id) === "switched";
      expect(after.get(id), `${kind} ${hosts.join(" ")}`).toBe(isSwitched ? "google" : "lets_encrypt");
    }
  });

  it("names everything that its owner must act on", async () => {
    const audited = (await all(rigOf("2024-07-15"))).map((each) => audit(each, Date.parse("2024-10-01")));
    const wanting = audited.filter(({ owner }) => owner !== undefined).map(({ certificate }) => certificate);
    expect(wanting.map(({ kind, hosts }) => `${kind} ${hosts[0] ?? ""}`).sort()).toEqual([
      "advanced saas.net",
      "custom up.saas.net",
      "custom up2.saas.net",
      "custom up3.saas.net",
      "custom_hostname app.net",
      "custom_hostname chosen.net",
      "custom_hostname default.net",
      "total_tls_setting ",
    ]);
    const warned = audited.filter(({ isWarning }) => isWarning).map(({ certificate }) => certificate.hosts);
    expect(warned).toEqual([["up3.saas.net"]]);
  });

  it("distinguishes a choice that was sent from one that only the YAML has", async () => {
    const rig = rigOf("2024-07-15");
    const unsent = async (): Promise<readonly (readonly string[])[]> =>
      (await all(rig, ["custom_hostname"])).filter(({ isUnsent }) => isUnsent).map(({ hosts }) => hosts);
    expect(await unsent()).toEqual([["chosen.net"], ["default.net"], ["google.net"]]);
    await rig.run();
    expect(await unsent()).toEqual([]);
  });

  it("agrees with the list about every hostname", async () => {
    const found = await all(rigOf("2024-07-15"), ["custom_hostname"]);
    expect(found.map(({ hosts }) => hosts[0])).toEqual(HOSTNAMES);
  });
});
