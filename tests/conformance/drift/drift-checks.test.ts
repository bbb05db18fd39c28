import { describe, expect, it } from "vitest";
import { zoneId } from "../../../lib/core/brand.ts";
import { type DriftOptions, findDrift, type FoundDrift } from "../../../lib/engine/drift.ts";
import { inspect } from "../../../lib/engine/plan.ts";
import { type ZoneStatus, zoneStatus } from "../../../lib/engine/hostnames/status.ts";
import { EVERYTHING } from "../../../lib/plan/inputs.ts";
import { decodeCheck, type DriftCheck, encodeCheck, type FailedCheck } from "../../../lib/state/observations.ts";
import { StateError } from "../../../lib/state/error.ts";
import { failuresOf, openRig, type Rig, runCutOffAfter, ZONE } from "../../support/engine.ts";
import { oneStore } from "../../support/one-store.ts";
import { collect } from "../../support/state-world.ts";
import { certificate } from "../../support/x509.ts";

const HOUR = 3_600_000;
const NAMES = ["a.customer.net", "b.customer.net"];
const OTHER = { id: zoneId("9a7806061c88ada191ed06f989cc3dac"), name: "shop.net" };

/** Two hostnames of one managed field each, and a rule of two: `action` and `expression`. */
function yaml(tier: string, zone: object = ZONE): object {
  return {
    version: 1,
    zone,
    custom_hostnames: {
      lifecycle: "zoneform",
      policies: [{ name: "all", set: { custom_metadata: { tier } } }],
      entries: NAMES.map((hostname) => ({ hostname: `${hostname.slice(0, -4)}.${tier === "other" ? "org" : "net"}` })),
    },
  };
}

async function appliedRig(): Promise<Rig> {
  const rig = openRig({ files: { "zones/a.yaml": yaml("gold") }, zone: { plan: "enterprise" } });
  expect(failuresOf(await rig.run())).toEqual([]);
  return rig;
}

function look(rig: Rig, more: Partial<DriftOptions> = {}): Promise<FoundDrift> {
  return findDrift(rig.world(), { file: rig.file, records: true, ...more });
}

async function checksOf(rig: Rig, zone = ZONE.id): Promise<readonly (DriftCheck | FailedCheck)[]> {
  return (await collect(rig.world().store.observations(zone))).flatMap((line) => decodeCheck(line) ?? []);
}

function edit(rig: Rig): void {
  const path = `/zones/${ZONE.id}/custom_hostnames`;
  const [{ id }] = JSON.parse(rig.admin.dashboard("GET", `${path}?hostname=${NAMES[0]}`).body).result;
  expect(rig.admin.dashboard("PATCH", `${path}/${id}`, { custom_metadata: { tier: "bronze" } }).status).toBe(200);
}

async function statusOf(rig: Rig): Promise<ZoneStatus["driftChecks"]> {
  const { made } = await inspect(rig.world(), { file: rig.file }, async ({ input, section }) =>
    zoneStatus(input, section, new Map(), 0),
  );
  return made[0]?.driftChecks;
}

describe("status", () => {
  it("knows the last drift check, even if a part was checked since", async () => {
    const rig = await appliedRig();
    expect(await statusOf(rig)).toEqual({ now: new Date(rig.clock.now()).toISOString() });
    await look(rig);
    const looked = new Date(rig.clock.now()).toISOString();
    await rig.wait(3 * HOUR);
    await look(rig, { selection: { ...EVERYTHING, target: [`custom_hostname["${NAMES[0]}"]`] } });
    expect(await statusOf(rig)).toMatchObject({
      last: { at: looked, counts: { fields: 2, fieldsNotJudged: 0 } },
      now: new Date(rig.clock.now()).toISOString(),
    });
  });

  it("knows a check that failed since, until one succeeds", async () => {
    const rig = await appliedRig();
    await look(rig);
    const { last } = (await statusOf(rig)) ?? {};
    await rig.wait(HOUR);
    rig.network(async () => ({ status: 500, headers: {}, body: "" }));
    await look(rig);
    rig.network((_request, _index, pass) => pass());
    expect(await statusOf(rig)).toMatchObject({ last, failed: { errors: [expect.any(String)] } });
    await rig.wait(HOUR);
    await look(rig);
    expect(await statusOf(rig)).not.toHaveProperty("failed");
  });

  it("ignores a check that is dated after the service's clock", async () => {
    const rig = await appliedRig();
    const { lineage = "", serial = 0 } = (await rig.state()) ?? {};
    const at = new Date(rig.clock.now() + 24 * HOUR).toISOString();
    const counts = {
      objects: 2,
      fields: 2,
      fieldsNotJudged: 0,
      beingChanged: 0,
      notJudged: 0,
      drifted: 0,
      vanished: 0,
      foreign: 0,
      unread: 0,
    };
    await rig.world().store.observe(ZONE.id, [encodeCheck({ at, lineage, serial, counts })]);
    expect(await statusOf(rig)).not.toHaveProperty("last");
  });
});

describe("a drift check", () => {
  it("records when it checked which state, how many managed fields it judged, and what it found", async () => {
    const rig = await appliedRig();
    const { lineage, serial } = (await rig.state()) ?? {};
    await rig.wait(HOUR);
    await look(rig);
    const clean = { beingChanged: 0, notJudged: 0, drifted: 0, vanished: 0, foreign: 0, unread: 0 };
    const counts = { objects: 2, fields: 2, fieldsNotJudged: 0, ...clean };
    const at = new Date(rig.clock.now()).toISOString();
    expect(await checksOf(rig)).toEqual([{ at, lineage, serial, counts }]);
    edit(rig);
    await rig.wait(HOUR);
    await look(rig);
    expect((await checksOf(rig))[1]).toMatchObject({ counts: { ...counts, drifted: 1 } });
  });

  it("changes neither state nor journal, and takes no lock", async () => {
    const rig = await appliedRig();
    const { store } = rig.world();
    const before = [await rig.state(), (await store.view(ZONE.id)).taken];
    await look(rig);
    expect([await rig.state(), (await store.view(ZONE.id)).taken]).toEqual(before);
    expect(await collect((await store.view(ZONE.id)).journal())).toEqual([]);
  });

  it.each([
    ["of a part", { selection: { ...EVERYTHING, target: [`custom_hostname["${NAMES[0]}"]`] } }],
    ["without a part", { selection: { ...EVERYTHING, exclude: [`custom_hostname["${NAMES[0]}"]`] } }],
    ["that is to record nothing", { records: false }],
  ])("%s is no check of the whole zone", async (_what, options) => {
    const rig = await appliedRig();
    await look(rig, options);
    expect(await checksOf(rig)).toEqual([]);
  });

  it("counts the fields of objects that a killed run left unfinished as not judged", async () => {
    const rig = await appliedRig();
    rig.write("zones/a.yaml", yaml("silver"));
    rig.network(async (request, _index, pass) => {
      const answer = await pass();
      if (request.method === "PATCH") rig.crash();
      return answer;
    });
    const plan = await rig.plan();
    expect(await rig.untilCrash(rig.apply(plan, { parallelism: 1 }))).toBe("crashed");
    await rig.restart();
    await look(rig);
    expect(await checksOf(rig)).toMatchObject([
      { counts: { objects: 2, fields: 1, fieldsNotJudged: 1, beingChanged: 1, drifted: 0 } },
    ]);
  });

  it("counts what a killed run was creating as not judged", async () => {
    const rig = openRig({ files: { "zones/a.yaml": yaml("gold") }, zone: { plan: "enterprise" } });
    await runCutOffAfter(rig, "POST");
    const { zones } = await look(rig);
    const unfinished = zones.flatMap(({ judgement }) => judgement.underWay).length;
    expect(unfinished).toBeGreaterThan(0);
    expect(await checksOf(rig)).toMatchObject([
      { counts: { objects: unfinished, fields: 0, fieldsNotJudged: unfinished, beingChanged: unfinished } },
    ]);
  });

  it("counts the fields of an upload that the service does not show as not judged", async () => {
    const [host = ""] = NAMES;
    const issuer: readonly [string, string] = ["Own", "CA"];
    const own = certificate({ subject: host, issuer, sans: [host], notAfter: "2033-01-01T00:00:00Z" });
    const ssl = { method: "http", type: "dv", custom_certificate: { env: "C" }, custom_key: { env: "K" } };
    const rig = openRig({
      zone: { plan: "enterprise" },
      files: {
        "zones/a.yaml": {
          version: 1,
          zone: ZONE,
          custom_hostnames: { lifecycle: "zoneform", entries: [{ hostname: host, ssl }] },
        },
      },
      env: { C: own.certificate, K: own.key },
    });
    expect(failuresOf(await rig.run())).toEqual([]);
    await look(rig);
    // Certificate and key cannot be seen yet; method and type can.
    expect(await checksOf(rig)).toMatchObject([
      { counts: { objects: 1, fields: 2, fieldsNotJudged: 2, notJudged: 1 } },
    ]);
  });

  it("counts each field of a rule", async () => {
    const rule = { ref: "limit", action: "log", expression: "true" };
    const files = {
      "zones/a.yaml": { version: 1, zone: ZONE, entry_points: { http_request_firewall_custom: { rules: [rule] } } },
    };
    const rig = openRig({ files, zone: { plan: "enterprise" } });
    expect(failuresOf(await rig.run())).toEqual([]);
    await look(rig);
    // `ref`, `action`, `expression`, and the switch, which is managed as well.
    expect(await checksOf(rig)).toMatchObject([{ counts: { objects: 1, fields: 4, fieldsNotJudged: 0 } }]);
  });

  it("that fails in a zone records that for the zone, and that it checked the others", async () => {
    const rig = openRig({
      files: { "zones/a.yaml": yaml("gold"), "zones/b.yaml": yaml("other", OTHER) },
      zones: [
        { ...ZONE, plan: "enterprise" },
        { ...OTHER, plan: "enterprise" },
      ],
    });
    expect(failuresOf(await rig.run())).toEqual([]);
    rig.network(async (request, _index, pass) =>
      request.url.includes(OTHER.id)
        ? {
            status: 403,
            headers: {},
            body: JSON.stringify({ success: false, errors: [{ code: 9109, message: "no" }] }),
          }
        : pass(),
    );
    const { failed } = await look(rig);
    const at = new Date(rig.clock.now()).toISOString();
    expect(await checksOf(rig)).toMatchObject([{ at, counts: { fields: 2 } }]);
    expect(await checksOf(rig, OTHER.id)).toEqual([
      { at, errors: failed.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code)) },
    ]);
  });

  it("of a zone without a state records nothing: there is no place for the record", async () => {
    const rig = openRig({ files: { "zones/a.yaml": yaml("gold") }, zone: { plan: "enterprise" } });
    expect((await look(rig)).failed).toHaveLength(1);
    expect(await checksOf(rig)).toEqual([]);
    expect(await rig.world().store.zones()).toEqual([]);
  });

  it.each(["state-damaged", "state-not-opened"] as const)(
    "of a state that cannot be read (%s) records nothing, so that no lines are added under a wrong passphrase",
    async (code) => {
      const rig = await appliedRig();
      const { store } = rig.world();
      // As a real store does: that the lines are bad shows when they are read.
      const next = async (): Promise<never> => {
        throw new StateError({ code, message: "the state cannot be read" });
      };
      const lines = { [Symbol.asyncIterator]: () => ({ next }) };
      const { failed } = await findDrift(
        {
          ...rig.world(),
          openStores: async () => oneStore(store.over((engine) => ({ ...engine, body: () => lines }))),
        },
        { file: rig.file, records: true },
      );
      expect(failed.flatMap(({ diagnostics }) => diagnostics)).toMatchObject([{ code }]);
      expect(await collect(store.observations(ZONE.id))).toEqual([]);
    },
  );

  it("again and again does not grow the record forever", async () => {
    const rig = await appliedRig();
    const { lineage = "", serial = 0 } = (await rig.state()) ?? {};
    const counts = {
      objects: 2,
      fields: 2,
      fieldsNotJudged: 0,
      beingChanged: 0,
      notJudged: 0,
      drifted: 0,
      vanished: 0,
      foreign: 0,
      unread: 0,
    };
    const at = (minutes: number): string => new Date(rig.clock.now() - minutes * 60_000).toISOString();
    const lines = Array.from({ length: 2000 }, (_value, index) =>
      encodeCheck({ at: at(2000 - index), lineage, serial, counts }),
    );
    await rig.world().store.observe(ZONE.id, lines);
    await look(rig);
    const left = await checksOf(rig);
    expect(left.length).toBeLessThan(50);
    expect(left.map((check) => check.at)).toContain(at(0));
  });
});
