import { describe, expect, it } from "vitest";
import { applyExit } from "../../../lib/engine/exit.ts";
import { changesOf, endingsOf, openRig, type Rig, ZONE } from "../../support/engine.ts";
import { applyApproved, hostnamesOf, statuses } from "../../support/approving.ts";

const HOSTNAMES = `/zones/${ZONE.id}/custom_hostnames`;
const HOUR_MILLISECONDS = 3_600_000;

function zoneFile(hostnames: readonly string[], tls = "1.1"): object {
  const entries = hostnames.map((hostname) => ({
    hostname,
    ssl: { method: "http", type: "dv", settings: { min_tls_version: tls } },
  }));
  return { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", entries } };
}

/** A zone in which these hostnames were applied; they are active unless they are still pending. */
async function applied(hostnames: readonly string[], { isPending = false } = {}): Promise<Rig> {
  const rig = openRig({ files: { "zones/a.yaml": zoneFile(hostnames) } });
  await rig.run();
  if (!isPending) await rig.wait(HOUR_MILLISECONDS);
  return rig;
}

/** Edits the certificate of `a.net` in the dashboard. */
function setTls(rig: Rig, settings: Readonly<Record<string, string>>): void {
  const [{ id }] = JSON.parse(rig.admin.dashboard("GET", HOSTNAMES).body).result;
  const ssl = { method: "http", type: "dv", settings: { min_tls_version: "1.1", ...settings } };
  expect(rig.admin.dashboard("PATCH", `${HOSTNAMES}/${id}`, { ssl }).status).toBe(200);
}

describe("a hazard that came after the approval", () => {
  it("refuses its change with the code of that hazard, and names it: exit 4", async () => {
    const rig = await applied(["a.net"], { isPending: true });
    rig.write("zones/a.yaml", zoneFile([]));
    const saved = await rig.plan();
    await rig.wait(HOUR_MILLISECONDS);
    const report = await applyApproved(rig, { saved });
    expect(endingsOf(report)).toMatchObject([
      {
        action: "delete",
        outcome: {
          status: "refused",
          refused: { code: "hazard-not-approved", message: expect.stringContaining("outage") },
        },
      },
    ]);
    expect(applyExit(report).code).toBe(4);
    expect(hostnamesOf(rig)).toEqual(["a.net"]);
  });
});

describe("a hazard that went away", () => {
  it("causes no conflict", async () => {
    const rig = await applied(["a.net", "b.net"]);
    rig.write("zones/a.yaml", zoneFile([]));
    const saved = await rig.plan();
    for (const name of ["a.net", "b.net"]) rig.admin.setDns(name, { cname: "elsewhere.example" });
    await rig.wait(HOUR_MILLISECONDS);
    const fresh = changesOf(await rig.plan());
    expect(fresh.map(({ hazards }) => hazards)).not.toEqual(changesOf(saved).map(({ hazards }) => hazards));
    expect(statuses(await applyApproved(rig, { saved }))).toEqual([
      'delete custom_hostname["a.net"] done',
      'delete custom_hostname["b.net"] done',
    ]);
  });
});

describe("a held change", () => {
  it("is approved by the hash of the plan that showed it as held, once it can continue", async () => {
    const rig = await applied(["a.net"], { isPending: true });
    rig.write("zones/a.yaml", zoneFile(["a.net"], "1.2"));
    const waiting = await rig.plan();
    expect(changesOf(waiting).map(({ action }) => action)).toEqual(["held"]);
    await rig.wait(HOUR_MILLISECONDS);
    expect((await rig.plan()).hash).toBe(waiting.hash);
    expect(statuses(await applyApproved(rig, { expect: waiting.hash }))).toEqual([
      'update custom_hostname["a.net"] done',
    ]);
  });

  it("whose object was edited after the approval is a conflict, although it is held: exit 5", async () => {
    const rig = await applied(["a.net"]);
    rig.write("zones/a.yaml", zoneFile(["a.net"], "1.2"));
    const saved = await rig.plan();
    expect(changesOf(saved).map(({ action }) => action)).toEqual(["update"]);
    setTls(rig, { min_tls_version: "1.3" });
    const report = await applyApproved(rig, { saved });
    expect(statuses(report)).toEqual(['held custom_hostname["a.net"] conflict']);
    expect(endingsOf(report)[0]?.outcome).toMatchObject({
      fields: [{ path: ["ssl", "settings", "min_tls_version"], planned: "1.1", live: "1.3", wanted: "1.2" }],
    });
    expect(applyExit(report).code).toBe(5);
  });

  it("that is still as approved stays held, and the same plan applies it later: exit 0", async () => {
    const rig = await applied(["a.net"], { isPending: true });
    rig.write("zones/a.yaml", zoneFile(["a.net"], "1.2"));
    const saved = await rig.plan();
    const report = await applyApproved(rig, { saved });
    expect([statuses(report), applyExit(report).code]).toEqual([['held custom_hostname["a.net"] held'], 0]);
    await rig.wait(HOUR_MILLISECONDS);
    expect(statuses(await applyApproved(rig, { saved }))).toEqual(['update custom_hostname["a.net"] done']);
  });

  it("in part is the rest of an edit that was approved as a whole, and not a part of any other", async () => {
    const entry = (tier: string, tls: string): object => {
      const file = JSON.parse(JSON.stringify(zoneFile(["a.net"], tls)));
      file.custom_hostnames.entries[0].custom_metadata = { tier };
      return file;
    };
    const rig = openRig({ files: { "zones/a.yaml": entry("silver", "1.1") } });
    await rig.run();
    rig.write("zones/a.yaml", entry("gold", "1.2"));
    const saved = await rig.plan();
    expect(statuses(await applyApproved(rig, { saved }))).toEqual(['update custom_hostname["a.net"] done']);
    rig.write("zones/a.yaml", entry("bronze", "1.2"));
    await rig.wait(HOUR_MILLISECONDS);
    expect(statuses(await applyApproved(rig, { saved }))).toEqual(['update custom_hostname["a.net"] conflict']);
    rig.write("zones/a.yaml", entry("gold", "1.2"));
    expect(statuses(await applyApproved(rig, { saved }))).toEqual(['update custom_hostname["a.net"] done']);
    expect(changesOf(await rig.plan())).toEqual([]);
  });
});
