import { describe, expect, it } from "vitest";
import type { ApplyReport } from "../../../lib/apply/outcome.ts";
import { applyPlan } from "../../../lib/engine/apply.ts";
import { applyExit } from "../../../lib/engine/exit.ts";
import type { Plan } from "../../../lib/plan/change.ts";
import {
  changesOf,
  endingsOf,
  failuresOf,
  FALLBACK,
  WITHOUT_SECRETS,
  openRig,
  type Rig,
  ZONE,
} from "../../support/engine.ts";

const A_MINUTE = 60_000;
const TOO_MANY = JSON.stringify({
  success: false,
  errors: [{ code: 10_100, message: "too many" }],
  messages: [],
  result: null,
});
const SSL = { method: "http", type: "dv" };
const hostnames = Array.from({ length: 40 }, (_item, index) => `host-${index}.net`);

/** A zone whose account may order ten certificates a minute, and forty hostnames to create. */
function slowRig(): Rig {
  const entries = hostnames.map((hostname) => ({ hostname, ssl: SSL }));
  const issuance = { per_minute: 10, reserve: 0 };
  return openRig({
    files: {
      "zoneform.yaml": { version: 1, project: "rig", zones: ["zones/*.yaml"], budget: { api: "100%", issuance } },
      "zones/a.yaml": { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", entries } },
    },
  });
}

const ZONES = ["1", "2", "3"].map((digit) => ({ id: digit.repeat(32), name: `zone${digit}.net` }));

function namesIn(zone: string): string[] {
  return hostnames.slice(0, 30).map((name) => `${name.replace(".net", "")}.${zone}`);
}

/** Three zones that share ten certificates a minute, and thirty hostnames to create in each. */
function threeZones(): Rig {
  const issuance = { per_minute: 10, reserve: 0 };
  const files = ZONES.map((zone) => {
    const entries = namesIn(zone.name).map((hostname) => ({ hostname, ssl: SSL }));
    return [`zones/${zone.name}.yaml`, { version: 1, zone, custom_hostnames: { lifecycle: "zoneform", entries } }];
  });
  return openRig({
    zones: ZONES,
    files: {
      "zoneform.yaml": { version: 1, project: "rig", zones: ["zones/*.yaml"], budget: { api: "100%", issuance } },
      ...Object.fromEntries(files),
    },
  });
}

function applyFor(rig: Rig, plan: Plan, milliseconds: number, zonesInParallel = 1): Promise<ApplyReport> {
  return applyPlan(rig.world(), plan, {
    ...WITHOUT_SECRETS,
    parallelism: 2,
    zonesInParallel,
    deadlineMilliseconds: rig.clock.now() + milliseconds,
  });
}

const HOSTNAME = { hostname: "a.customer.net", custom_origin_server: "origin1.saas.net", ssl: SSL };
const PACK = { validation_method: "txt", validity_days: 90, certificate_authority: "google" };

function declared(entries: readonly object[], origin: string = FALLBACK): object {
  return { custom_hostnames: { lifecycle: "zoneform", entries }, fallback_origin: { origin } };
}

/** Writes whose first request is refused: the method, and what the YAML declares before and after. */
const AGAIN: readonly (readonly [string, string, object, object])[] = [
  ["create of a hostname", "POST", declared([]), declared([HOSTNAME])],
  ["order of a pack", "POST", declared([]), { ...declared([]), certificate_packs: [{ hosts: ["saas.net"], ...PACK }] }],
  ["edit", "PATCH", declared([HOSTNAME]), declared([{ ...HOSTNAME, custom_origin_server: "origin2.saas.net" }])],
  ["fallback origin", "PUT", declared([HOSTNAME], "fallback2.saas.net"), declared([HOSTNAME])],
  ["deletion", "DELETE", declared([HOSTNAME]), declared([{ ...HOSTNAME, hostname: "b.customer.net" }])],
];

/** Refuses the first request with a method as one too many, for 40 seconds. Returns how many were sent. */
function refuseFirst(rig: Rig, method: string): () => number {
  let sent = 0;
  rig.network(async (request, _index, pass) => {
    if (request.method !== method) return pass();
    sent += 1;
    return sent === 1 ? { status: 429, headers: { "retry-after": "40" }, body: TOO_MANY } : pass();
  });
  return () => sent;
}

describe("--max-duration", () => {
  it("starts nothing after its time, finishes what was started, and is code 6", async () => {
    const rig = slowRig();
    const started = rig.clock.now();
    const report = await applyFor(rig, await rig.plan(), A_MINUTE);
    const statuses = new Set(endingsOf(report).map(({ outcome }) => outcome.status));
    expect(statuses).toEqual(new Set(["done", "not-started"]));
    expect(report).toMatchObject({ outOfTime: true });
    expect(report.interrupted).toBeUndefined();
    expect(applyExit(report).code).toBe(6);
    // Running changes wait for their turn with the service, and no longer.
    expect(rig.clock.now() - started).toBeLessThan(3 * A_MINUTE);
  });

  it.each(AGAIN)("sends no %s again that the service refused for longer than the time", async (_, method, from, to) => {
    const rig = openRig({ files: { "zones/a.yaml": { version: 1, zone: ZONE, ...from } } });
    expect(failuresOf(await rig.run())).toEqual([]);
    rig.write("zones/a.yaml", { version: 1, zone: ZONE, ...to });
    const sent = refuseFirst(rig, method);
    const report = await applyFor(rig, await rig.plan(), 20_000);
    expect([sent(), applyExit(report).code]).toEqual([1, 6]);
    expect(endingsOf(report).map(({ outcome }) => outcome)).toContainEqual({
      status: "not-started",
      because: expect.stringContaining("the time of the run is over"),
    });
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(changesOf(await rig.plan())).toEqual([]);
  });

  it("creates what it has deleted to replace it, however late the service allows it", async () => {
    const branded = (isBranded: boolean): object =>
      declared([{ ...HOSTNAME, ssl: { ...SSL, cloudflare_branding: isBranded } }]);
    const rig = openRig({ files: { "zones/a.yaml": { version: 1, zone: ZONE, ...branded(true) } } });
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.wait(24 * 60 * A_MINUTE);
    rig.write("zones/a.yaml", { version: 1, zone: ZONE, ...branded(false) });
    const sent = refuseFirst(rig, "POST");
    const report = await applyFor(rig, await rig.plan(), 20_000);
    expect([failuresOf(report), sent()]).toEqual([[], 2]);
  });

  it("does not look for missing objects after its time: the next run forgets them", async () => {
    const rig = slowRig();
    expect(failuresOf(await rig.run())).toEqual([]);
    for (const object of (await rig.state())?.objects.values() ?? [])
      rig.admin.dashboard("DELETE", `/zones/${ZONE.id}/custom_hostnames/${object.id}`);
    rig.write("zones/a.yaml", { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", entries: [] } });
    const plan = await rig.plan();
    expect(plan.zones[0]?.bookkeeping.drop).toHaveLength(hostnames.length);
    let [calls, underWay, most] = [0, 0, 0];
    rig.network(async (_request, _index, pass) => {
      calls += 1;
      underWay += 1;
      most = Math.max(most, underWay);
      await rig.wait(1);
      const answer = await pass();
      underWay -= 1;
      return answer;
    });
    await applyFor(rig, plan, 0);
    expect([calls, (await rig.state())?.objects.size]).toEqual([0, hostnames.length]);
    expect(failuresOf(await applyFor(rig, await rig.plan(), A_MINUTE))).toEqual([]);
    expect((await rig.state())?.objects.size).toBe(0);
    expect(most).toBeGreaterThan(1);
  });

  it("leaves a complete state, and the next runs do the rest: each hostname once", async () => {
    const rig = slowRig();
    let runs = 0;
    for (let plan = await rig.plan(); changesOf(plan).length > 0; plan = await rig.plan()) {
      await applyFor(rig, plan, A_MINUTE);
      runs += 1;
    }
    expect(runs).toBeGreaterThan(2);
    expect((await rig.state())?.objects.size).toBe(hostnames.length);
    const { result_info } = JSON.parse(rig.admin.dashboard("GET", `/zones/${ZONE.id}/custom_hostnames`).body);
    expect(result_info.total_count).toBe(hostnames.length);
  });

  it("that is over before anything was started is code 6 too, and nothing is written", async () => {
    const rig = slowRig();
    const report = await applyFor(rig, await rig.plan(), 0);
    expect([applyExit(report).code, (await rig.state())?.objects.size]).toEqual([6, 0]);
  });

  it("stops all zones that are applied at once, and those that did not begin; the next runs do the rest", async () => {
    const rig = threeZones();
    const [started, plan] = [rig.clock.now(), await rig.plan()];
    const report = await applyFor(rig, plan, 2 * A_MINUTE, 2);
    const [first = [], second = [], third = []] = report.zones.map(({ ended }) =>
      ended.map(({ outcome }) => outcome.status),
    );
    // A sleep moves the clock at once, so one of the two may use up the budget of both.
    expect([...new Set([...first, ...second])].sort()).toEqual(["done", "not-started"]);
    expect(new Set(third)).toEqual(new Set(["not-started"]));
    expect(report).toMatchObject({ outOfTime: true });
    const { code, byZone } = applyExit(report);
    expect([code, ...byZone.values()]).toEqual([6, 6, 6, 6]);
    expect(rig.clock.now() - started).toBeLessThan(4 * A_MINUTE);

    let runs = 0;
    for (let rest = await rig.plan(); changesOf(rest).length > 0; rest = await rig.plan()) {
      await applyFor(rig, rest, 2 * A_MINUTE, 2);
      runs += 1;
    }
    expect(runs).toBeGreaterThan(1);
    for (const { id, name } of ZONES) {
      const { result } = JSON.parse(rig.admin.dashboard("GET", `/zones/${id}/custom_hostnames?per_page=50`).body);
      const live: string[] = result.map(({ hostname }: { hostname: string }) => hostname).sort();
      expect(live).toEqual(namesIn(name).sort());
    }
  });

  it("that was long enough does not change the code", async () => {
    const rig = slowRig();
    const report = await applyFor(rig, await rig.plan(), 24 * 60 * A_MINUTE);
    expect([failuresOf(report), applyExit(report).code]).toEqual([[], 0]);
  });
});
