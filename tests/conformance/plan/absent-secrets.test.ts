import { describe, expect, test } from "vitest";
import { why } from "../../../lib/engine/why.ts";
import { changesOf, failuresOf, inWords, openRig, type Rig, ZONE } from "../../support/engine.ts";
import { certificate } from "../../support/x509.ts";

const HOST = "own.customer.net";
const OWN = certificate({ subject: HOST, issuer: ["Own", "CA"], sans: [HOST] });
const RENEWED = certificate({ subject: HOST, issuer: ["Own", "CA"], sans: [HOST], notAfter: "2035-01-01T00:00:00Z" });
const UPLOAD = { custom_certificate: { env: "C" }, custom_key: { env: "K" } };
const ENTRY = { hostname: HOST, ssl: { method: "http", settings: { min_tls_version: "1.2" }, ...UPLOAD } };
const PLAIN = { hostname: "plain.customer.net", custom_metadata: { tier: "gold" } };

function zoneFile(...entries: readonly object[]): object {
  return { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", ssl_updates: "always", entries } };
}

async function appliedRig(file: object): Promise<Rig> {
  const rig = openRig({
    zone: { plan: "enterprise" },
    files: { "zones/a.yaml": file },
    env: { C: OWN.certificate, K: OWN.key },
  });
  expect(failuresOf(await rig.run())).toEqual([]);
  await rig.wait(3_600_000);
  return rig;
}

function withoutSecrets(rig: Rig): void {
  Object.assign(rig.env, { C: undefined, K: undefined });
}

function editLive(rig: Rig, body: { [key: string]: string | object }): void {
  const path = `/zones/${ZONE.id}/custom_hostnames`;
  const [{ id }] = JSON.parse(rig.admin.dashboard("GET", `${path}?hostname=${HOST}`).body).result;
  expect(rig.admin.dashboard("PATCH", `${path}/${id}`, JSON.parse(JSON.stringify(body))).status).toBeLessThan(300);
}

describe("without the secrets of an uploaded certificate", () => {
  test("why says the same of every field, and that nothing would be sent", async () => {
    const rig = await appliedRig(zoneFile(ENTRY));
    editLive(rig, { ssl: { method: "http", type: "dv", settings: { min_tls_version: "1.0" } } });
    const address = `custom_hostname["${HOST}"]`;
    const { leaves, rules, importId } = await why(rig.world(), { file: rig.file }, address);
    withoutSecrets(rig);
    const found = await why(rig.world(), { file: rig.file }, address);
    // Nothing of a hostname can be sent without its secrets, and why says so.
    expect(found).toMatchObject({ refused: { code: "secret-missing" }, importId, rules });
    expect(found.leaves).toEqual(leaves.map(({ sent: _sent, ...leaf }) => leaf));
  });

  test("a plan shows no difference, and says that it cannot compare", async () => {
    const rig = await appliedRig(zoneFile(ENTRY));
    withoutSecrets(rig);
    const plan = await rig.plan();
    expect(inWords(changesOf(plan))).toEqual([]);
    const findings = plan.zones.flatMap((zone) => zone.findings);
    expect(findings.map(({ code, at }) => [code, at?.file])).toEqual([
      ["secret-not-at-hand", "zones/a.yaml"],
      ["secret-not-at-hand", "zones/a.yaml"],
    ]);
    expect(findings[0]?.message).toBe(
      `cannot tell whether the certificate of custom_hostname["${HOST}"] is the declared one: the environment variable C is not set`,
    );
  });

  test("the certificate is a difference once its secret is available and has changed", async () => {
    const rig = await appliedRig(zoneFile(ENTRY));
    withoutSecrets(rig);
    expect(inWords(changesOf(await rig.plan()))).toEqual([]);
    Object.assign(rig.env, { C: RENEWED.certificate, K: RENEWED.key });
    expect(inWords(changesOf(await rig.plan()))).toEqual([
      `update custom_hostname["${HOST}"] config ssl.custom_certificate:config`,
    ]);
  });

  test("a foreign change is still drift, and its repair is refused", async () => {
    const rig = await appliedRig(zoneFile(ENTRY));
    withoutSecrets(rig);
    editLive(rig, { custom_metadata: { tier: "iron" } });
    rig.write("zones/a.yaml", zoneFile({ ...ENTRY, custom_metadata: { tier: "gold" } }));
    expect(inWords(changesOf(await rig.plan()))).toEqual([
      `update custom_hostname["${HOST}"] config custom_metadata.tier:config refused secret-missing`,
    ]);
  });

  test("other objects are still changed, and nothing is created that needs the secrets", async () => {
    const rig = await appliedRig(zoneFile());
    withoutSecrets(rig);
    rig.write("zones/a.yaml", zoneFile(ENTRY, PLAIN));
    const plan = await rig.plan();
    expect(changesOf(plan).map(({ key, refused }) => [key, refused?.code])).toEqual([
      [HOST, "secret-missing"],
      [PLAIN.hostname, undefined],
    ]);
    await rig.apply(plan);
    const live = JSON.parse(rig.admin.dashboard("GET", `/zones/${ZONE.id}/custom_hostnames`).body).result;
    expect(live.map((record: { hostname: string }) => record.hostname)).toEqual([PLAIN.hostname]);
  });

  test("a policy's upload is remembered as it was applied", async () => {
    const policies = [{ name: "own", set: { ssl: ENTRY.ssl } }];
    const rig = await appliedRig(zoneFile(ENTRY));
    rig.write("zones/a.yaml", { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "app", policies } });
    expect(failuresOf(await rig.run())).toEqual([]);
    withoutSecrets(rig);
    expect(failuresOf(await rig.run())).toEqual([]);
    Object.assign(rig.env, { C: OWN.certificate, K: OWN.key });
    expect(inWords(changesOf(await rig.plan()))).toEqual([]);
  });
});
