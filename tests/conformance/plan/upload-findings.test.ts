import { expect, test } from "vitest";
import { openRig, type Rig, ZONE } from "../../support/engine.ts";
import { certificate } from "../../support/x509.ts";

const HOST = "own.customer.net";

function rigWith(notAfter: string, start?: number): Rig {
  const own = certificate({ subject: HOST, issuer: ["Own", "Own CA"], sans: [HOST], notAfter });
  const ssl = {
    method: "http",
    bundle_method: "ubiquitous",
    custom_certificate: { env: "C" },
    custom_key: { env: "K" },
  };
  const custom_hostnames = { lifecycle: "zoneform", entries: [{ hostname: HOST, ssl }] };
  return openRig({
    ...(start === undefined ? {} : { start }),
    zone: { plan: "enterprise" },
    env: { C: own.certificate, K: own.key },
    files: { "zones/a.yaml": { version: 1, zone: ZONE, custom_hostnames } },
  });
}

async function findingsOf(rig: Rig): Promise<readonly string[]> {
  return (await rig.plan()).zones.flatMap(({ findings }) => findings.map(({ code }) => code));
}

test("an expired certificate is a finding at its place, and so is one that is not valid yet", async () => {
  const expired = rigWith("2026-11-20T00:00:00Z");
  const [finding] = (await expired.plan()).zones.flatMap(({ findings }) => findings);
  expect(finding).toMatchObject({ code: "certificate-expired", severity: "warning" });
  expect(finding?.message).toBe(`custom_hostname["${HOST}"]: the uploaded certificate expired on 2026-11-20`);
  expect(finding?.at?.file).toBe("zones/a.yaml");
  const early = rigWith("2034-01-01T00:00:00Z", Date.UTC(2019, 0, 1));
  expect(await findingsOf(early)).toEqual(["certificate-not-yet-valid"]);
});

test("a certificate expires while time passes, and the plan says so from that moment on", async () => {
  const rig = rigWith("2026-11-22T06:00:00Z");
  expect(await findingsOf(rig)).toEqual([]);
  await rig.wait(24 * 3_600_000);
  expect(await findingsOf(rig)).toEqual(["certificate-expired"]);
});

test("a certificate expires by the service's clock, whatever this machine's clock says", async () => {
  const rig = rigWith("2026-12-24T00:00:00Z");
  expect(await findingsOf(rig)).toEqual([]);
  rig.network(async (_request, _index, pass) => {
    const answer = await pass();
    return { ...answer, headers: { ...answer.headers, date: "Fri, 25 Dec 2026 12:00:00 GMT" } };
  });
  expect(await findingsOf(rig)).toEqual(["certificate-expired"]);
});
