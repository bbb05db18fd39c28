import { describe, expect, it } from "vitest";
import { adviceOn, reasonToLeave } from "../../../lib/engine/hostnames/revalidate.ts";
import { decode } from "../../../lib/kinds/custom-hostname/wire.ts";
import { applyApproved, statuses } from "../../support/approving.ts";
import { changesOf, failuresOf, FALLBACK, inWords, openRig, type Rig, ZONE } from "../../support/engine.ts";

const NAME = "app.customer.net";
const HOUR_MILLISECONDS = 3_600_000;
const DAY_MILLISECONDS = 24 * HOUR_MILLISECONDS;
const ADDRESS = `custom_hostname["${NAME}"]`;

/** A zone file of one hostname, with the wanted CA and more. */
function file(authority: string, more: object = {}): object {
  const ssl = { method: "http", type: "dv", certificate_authority: authority, settings: { min_tls_version: "1.2" } };
  const entries = [{ hostname: NAME, ssl, ...more }];
  return {
    version: 1,
    zone: ZONE,
    fallback_origin: { origin: FALLBACK },
    custom_hostnames: { lifecycle: "zoneform", entries },
  };
}

/** The hostname was applied with the CA google, and this much time has passed. */
async function rigAfter(milliseconds: number, dns: object, behaviour: "described" | "public" = "public"): Promise<Rig> {
  const rig = openRig({ files: { "zones/a.yaml": file("google") }, behaviour, zone: { plan: "enterprise" } });
  rig.admin.setDns(NAME, dns);
  expect(failuresOf(await rig.run())).toEqual([]);
  await rig.wait(milliseconds);
  return rig;
}

function certificateOf(rig: Rig): { readonly status: string; readonly certificate_authority: string } {
  return JSON.parse(rig.admin.dashboard("GET", `/zones/${ZONE.id}/custom_hostnames`).body).result[0].ssl;
}

const ELSEWHERE = { cname: "www.elsewhere.net" };
const ONLY_LETS_ENCRYPT = { cname: FALLBACK, caa: ['0 issue "letsencrypt.org"'] };

describe("a hostname that CAA records block", () => {
  it.each(["described", "public"] as const)("is cured by another CA (%s)", async (behaviour) => {
    const rig = await rigAfter(HOUR_MILLISECONDS, ONLY_LETS_ENCRYPT, behaviour);
    expect(certificateOf(rig).status).toBe("pending_issuance");
    rig.write("zones/a.yaml", file("lets_encrypt"));
    const plan = await rig.plan();
    expect(inWords(changesOf(plan))).toEqual([`update ${ADDRESS} config ssl.certificate_authority:config`]);
    expect(failuresOf(await rig.apply(plan))).toEqual([]);
    await rig.wait(HOUR_MILLISECONDS);
    expect(certificateOf(rig)).toMatchObject({ status: "active", certificate_authority: "lets_encrypt" });
    expect(changesOf(await rig.plan())).toEqual([]);
  });

  it("is cured by another CA after its issuance has timed out", async () => {
    const rig = await rigAfter(30 * DAY_MILLISECONDS, ONLY_LETS_ENCRYPT);
    expect(certificateOf(rig).status).toBe("issuance_timed_out");
    rig.write("zones/a.yaml", file("lets_encrypt"));
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.wait(HOUR_MILLISECONDS);
    expect(certificateOf(rig).status).toBe("active");
  });

  it("is handled by hostname retry, which names the other way out", async () => {
    const rig = await rigAfter(HOUR_MILLISECONDS, ONLY_LETS_ENCRYPT);
    const record = JSON.parse(rig.admin.dashboard("GET", `/zones/${ZONE.id}/custom_hostnames`).body).result[0];
    expect(reasonToLeave(decode(record), "retry")).toBeUndefined();
    expect(adviceOn(decode(record))).toContain("choose another certificate_authority");
  });
});

describe("a held change of ssl", () => {
  it("says what would lift it", async () => {
    const rig = await rigAfter(HOUR_MILLISECONDS, ELSEWHERE);
    rig.write("zones/a.yaml", file("lets_encrypt"));
    const [change] = changesOf(await rig.plan());
    expect(change?.action).toBe("held");
    expect(change?.held?.lifts).toContain("zoneform hostname todo");
    expect(change?.hazards).toEqual(["reissue"]);
  });

  it("has the hash of the update that it will become, and today's approval covers that", async () => {
    const rig = await rigAfter(HOUR_MILLISECONDS, ELSEWHERE);
    rig.write("zones/a.yaml", file("lets_encrypt", { protect: false }));
    const saved = await rig.plan();
    expect(changesOf(saved).map(({ action }) => action)).toEqual(["held"]);
    expect(statuses(await applyApproved(rig, { saved }))).toEqual([`held ${ADDRESS} held`]);
    await becomesActive(rig);
    const now = await rig.plan();
    expect(changesOf(now).map(({ action }) => action)).toEqual(["update"]);
    expect(now.hash).toBe(saved.hash);
    expect(statuses(await applyApproved(rig, { saved }))).toEqual([`update ${ADDRESS} done`]);
    expect(certificateOf(rig).certificate_authority).toBe("lets_encrypt");
  });

  it("is covered if a part of the change is not held", async () => {
    const rig = await rigAfter(HOUR_MILLISECONDS, ELSEWHERE);
    rig.write("zones/a.yaml", file("lets_encrypt", { custom_origin_server: "origin1.saas.net" }));
    const saved = await rig.plan();
    expect(inWords(changesOf(saved))).toEqual([
      `update ${ADDRESS} config custom_origin_server:config held ssl.certificate_authority`,
    ]);
    await becomesActive(rig);
    expect((await rig.plan()).hash).toBe(saved.hash);
    expect(statuses(await applyApproved(rig, { saved }))).toEqual([`update ${ADDRESS} done`]);
    expect(changesOf(await rig.plan())).toEqual([]);
  });

  it("applies its other part while it is held", async () => {
    const rig = await rigAfter(HOUR_MILLISECONDS, ELSEWHERE);
    rig.write("zones/a.yaml", file("lets_encrypt", { custom_origin_server: "origin1.saas.net" }));
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(inWords(changesOf(await rig.plan()))).toEqual([`held ${ADDRESS} config held ssl.certificate_authority`]);
  });

  it("is covered for a hostname that is adopted while its certificate is pending", async () => {
    const rig = openRig({ files: { "zones/a.yaml": file("google") }, zone: { plan: "enterprise" } });
    const body = { hostname: NAME, ssl: { method: "http", type: "dv", certificate_authority: "lets_encrypt" } };
    rig.admin.dashboard("POST", `/zones/${ZONE.id}/custom_hostnames`, body);
    const saved = await rig.plan();
    expect(inWords(changesOf(saved))).toContain(
      `adopt ${ADDRESS} config held ssl.certificate_authority ssl.settings.min_tls_version`,
    );
    await becomesActive(rig);
    const report = await applyApproved(rig, { saved });
    expect(statuses(report)).toContain(`adopt ${ADDRESS} done`);
    expect(certificateOf(rig).certificate_authority).toBe("google");
  });

  it("is a conflict if ssl is edited before the certificate is active", async () => {
    const rig = await rigAfter(HOUR_MILLISECONDS, ELSEWHERE);
    rig.write("zones/a.yaml", file("lets_encrypt"));
    const saved = await rig.plan();
    await becomesActive(rig);
    const id = JSON.parse(rig.admin.dashboard("GET", `/zones/${ZONE.id}/custom_hostnames`).body).result[0].id;
    const ssl = { method: "http", type: "dv", settings: { min_tls_version: "1.0" } };
    rig.admin.dashboard("PATCH", `/zones/${ZONE.id}/custom_hostnames/${id}`, { ssl });
    await rig.wait(HOUR_MILLISECONDS);
    expect(statuses(await applyApproved(rig, { saved }))).toEqual([`update ${ADDRESS} conflict`]);
    expect(certificateOf(rig).certificate_authority).toBe("google");
  });

  it("is refused by --deny like the update that it will become", async () => {
    const rig = await rigAfter(HOUR_MILLISECONDS, ELSEWHERE);
    rig.write("zones/a.yaml", file("lets_encrypt"));
    const [change] = changesOf(await rig.plan({ selection: { target: [], exclude: [], deny: ["reissue"] } }));
    expect(change?.refused?.code).toBe("denied-by-flag");
  });
});

/** The customer sets the record, and the certificate is issued. */
async function becomesActive(rig: Rig): Promise<void> {
  rig.admin.setDns(NAME, { cname: FALLBACK });
  await rig.wait(HOUR_MILLISECONDS);
  expect(certificateOf(rig).status).toBe("active");
}
