import { describe, expect, test } from "vitest";
import { findDrift } from "../../../lib/engine/drift.ts";
import { why } from "../../../lib/engine/why.ts";
import { changesOf, dnsRecords, FALLBACK, failuresOf, inWords, openRig, type Rig, ZONE } from "../../support/engine.ts";
import { flat } from "../../support/text.ts";
import { certificate, type Pem } from "../../support/x509.ts";
import { driftText } from "../../support/texts.ts";

const HOST = "own.customer.net";
const OWN = pem("2033-01-01T00:00:00Z");
const OTHER = pem("2034-01-01T00:00:00Z");
const ADDRESS = `custom_hostname["${HOST}"]`;
const UPLOAD = { custom_certificate: { env: "C" }, custom_key: { env: "K" } };
const FILE = {
  version: 1,
  zone: ZONE,
  custom_hostnames: {
    lifecycle: "zoneform",
    ssl_updates: "always",
    entries: [{ hostname: HOST, ssl: { method: "http", type: "dv", ...UPLOAD } }],
  },
};

function pem(notAfter: string): Pem {
  return certificate({ subject: HOST, issuer: ["Own", "CA"], sans: [HOST], notAfter });
}

async function uploadedRig(): Promise<Rig> {
  const rig = openRig({
    zone: { plan: "enterprise", validation: "world", dns_records: dnsRecords(), fallback_origin: FALLBACK },
    files: { "zones/a.yaml": FILE },
    env: { C: OWN.certificate, K: OWN.key },
  });
  rig.admin.setDns(HOST, { cname: FALLBACK });
  expect(failuresOf(await rig.run())).toEqual([]);
  await settle(rig);
  return rig;
}

async function settle(rig: Rig): Promise<void> {
  await rig.wait(24 * 3_600_000);
}

async function patch(rig: Rig, ssl: object): Promise<void> {
  const path = `/zones/${ZONE.id}/custom_hostnames`;
  const [{ id }] = JSON.parse(rig.admin.dashboard("GET", `${path}?hostname=${HOST}`).body).result;
  const body = JSON.parse(JSON.stringify({ ssl: { method: "http", type: "dv", ...ssl } }));
  expect(rig.admin.dashboard("PATCH", `${path}/${id}`, body).status).toBeLessThan(300);
  await settle(rig);
}

async function served(rig: Rig): Promise<unknown> {
  const path = `/zones/${ZONE.id}/custom_hostnames?hostname=${HOST}`;
  return JSON.parse(rig.admin.dashboard("GET", path).body).result[0].ssl.certificates[0].fingerprint_sha256;
}

async function driftOf(rig: Rig): Promise<{ drifted: readonly unknown[]; said: string }> {
  const found = await findDrift(rig.world(), { file: rig.file });
  const drifted = found.zones.flatMap(({ judgement }) =>
    judgement.drifted.map(({ address, leaves }) => [address, leaves.length]),
  );
  return { drifted, said: flat(driftText(found, { colour: false }, rig.clock.now())) };
}

describe("an uploaded certificate", () => {
  test("is created without a validation method, and the next plan is empty", async () => {
    const entries = [{ hostname: HOST, ssl: UPLOAD }];
    const rig = openRig({
      zone: { plan: "enterprise", validation: "world", dns_records: dnsRecords(), fallback_origin: FALLBACK },
      files: { "zones/a.yaml": { ...FILE, custom_hostnames: { ...FILE.custom_hostnames, entries } } },
      env: { C: OWN.certificate, K: OWN.key },
    });
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(await served(rig)).toBeDefined();
    expect(inWords(changesOf(await rig.plan()))).toEqual([]);
  });

  test("is no drift while it is served, with its secret available and without", async () => {
    const rig = await uploadedRig();
    expect(await driftOf(rig)).toMatchObject({
      drifted: [],
      said: expect.stringMatching(/^No drift in project \S+\. \S+: no drift, .*\)\s*$/),
    });
    expect(inWords(changesOf(await rig.plan()))).toEqual([]);
    Object.assign(rig.env, { C: undefined, K: undefined });
    expect(await driftOf(rig)).toMatchObject({
      drifted: [],
      said: expect.stringMatching(/^No drift in project \S+\. /),
    });
  });

  test.each([
    ["another one is uploaded", { custom_certificate: OTHER.certificate, custom_key: OTHER.key }],
    ["one is issued", { certificate_authority: "google" }],
  ])("is drift if %s by hand, even without its secret, and an apply repairs it", async (_what, ssl) => {
    const rig = await uploadedRig();
    const own = await served(rig);
    await patch(rig, ssl);
    expect(await served(rig)).not.toBe(own);
    expect((await driftOf(rig)).drifted).toEqual([[ADDRESS, 1]]);
    Object.assign(rig.env, { C: undefined, K: undefined });
    expect((await driftOf(rig)).drifted).toEqual([[ADDRESS, 1]]);
    Object.assign(rig.env, { C: OWN.certificate, K: OWN.key });
    expect(inWords(changesOf(await rig.plan()))).toEqual([`update ${ADDRESS} drift ssl.custom_certificate:drift`]);
    expect(failuresOf(await rig.run())).toEqual([]);
    await settle(rig);
    expect(await served(rig)).toBe(own);
    expect((await driftOf(rig)).drifted).toEqual([]);
    expect(inWords(changesOf(await rig.plan()))).toEqual([]);
  });

  test("is not judged while one is being deployed: the report says so, and never a plain no drift", async () => {
    const rig = await uploadedRig();
    rig.admin.forceHostname(ZONE.id, HOST, { sslStatus: "pending_deployment" });
    Object.assign(rig.env, { C: undefined, K: undefined });
    const { drifted, said } = await driftOf(rig);
    expect(drifted).toEqual([]);
    expect(said).toMatch(/^No drift found in project \S+, but not everything could be checked: /);
    expect(said).toContain("secret-not-at-hand");
  });

  test("matches the YAML if the declared certificate is uploaded by hand", async () => {
    const rig = await uploadedRig();
    await patch(rig, { custom_certificate: OTHER.certificate, custom_key: OTHER.key });
    Object.assign(rig.env, { C: OTHER.certificate, K: OTHER.key });
    expect((await driftOf(rig)).drifted).toEqual([]);
    expect(inWords(changesOf(await rig.plan()))).toEqual([]);
    expect(await why(rig.world(), { file: rig.file }, HOST)).toMatchObject({ action: "no-op" });
  });
});
