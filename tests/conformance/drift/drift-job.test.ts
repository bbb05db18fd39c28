import { expect, it } from "vitest";
import { zoneId } from "../../../lib/core/brand.ts";
import { driftExit, driftExits } from "../../../lib/engine/exit.ts";
import { findDrift, type ZoneDrift } from "../../../lib/engine/drift.ts";
import { openApplication } from "../../property/application.ts";
import { at, text } from "../../support/emulator.ts";
import { dnsRecords, failuresOf, heldUp, openRig, type Rig, seededRandom, ZONE } from "../../support/engine.ts";

const DAYS = process.env["ZONEFORM_FULL"] ? 60 : 10;
/** The first certificates are renewed after 60 days, which falls within the days of the job. */
const DAYS_BEFORE = 65 - DAYS;
const HOUR_MILLISECONDS = 3_600_000;
const HALF_AN_HOUR_MILLISECONDS = HOUR_MILLISECONDS / 2;
const OTHER = { id: zoneId("9a7806061c88ada191ed06f989cc3dac"), name: "shop.net" } as const;
const ENTRY_POINT = `/zones/${OTHER.id}/rulesets/phases/http_request_firewall_custom/entrypoint`;
const NAMES = ["a", "b", "c", "d", "moves", "moves-later"].map((name) => `${name}.customer.org`);
const [EDITED = "", , , , MOVES = "", MOVES_LATER = ""] = NAMES;

function policies(tls: string): object[] {
  return [{ name: "all", set: { ssl: { method: "http", settings: { min_tls_version: tls } } } }];
}

/** A zone in which the application makes the hostnames, and one in which the YAML does. */
function filesOf(tier: string): { readonly [name: string]: object } {
  const rule = { ref: "limit", action: "log", expression: "true" };
  return {
    "zones/app.yaml": { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "app", policies: policies("1.2") } },
    "zones/shop.yaml": {
      version: 1,
      zone: OTHER,
      custom_hostnames: {
        lifecycle: "zoneform",
        policies: [...policies("1.3"), { name: "tier", set: { custom_metadata: { tier } } }],
        entries: NAMES.map((hostname) => ({ hostname })),
      },
      entry_points: { http_request_firewall_custom: { rules: [rule] } },
    },
  };
}

function dashboard(rig: Rig, method: string, path: string, body?: object): ReturnType<typeof at> {
  const answer = rig.admin.dashboard(method, path, body && JSON.parse(JSON.stringify(body)));
  if (answer.status >= 300) throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.body}`);
  return answer.body === "" ? undefined : at(JSON.parse(answer.body), "result");
}

function hostnamePath(rig: Rig, name: string): string {
  const path = `/zones/${OTHER.id}/custom_hostnames`;
  return `${path}/${text(at(dashboard(rig, "GET", `${path}?hostname=${name}`) ?? null, "0") ?? null, "id")}`;
}

/** Foreign edits, each of one managed field. */
const EDITS: readonly ((rig: Rig) => void)[] = [
  (rig) => {
    const ssl = { method: "http", type: "dv", settings: { min_tls_version: "1.0" } };
    dashboard(rig, "PATCH", hostnamePath(rig, EDITED), { ssl });
  },
  (rig) => {
    const rules = [{ ref: "limit", action: "log", expression: "true", enabled: false }];
    dashboard(rig, "PUT", ENTRY_POINT, { rules });
  },
  (rig) => {
    dashboard(rig, "DELETE", hostnamePath(rig, "b.customer.org"));
  },
];

/** One run of the job, as the command runs it: its exit code, and what it found. */
async function job(rig: Rig): Promise<{ readonly code: number; readonly zones: readonly ZoneDrift[] }> {
  const { zones, failed } = await findDrift(rig.world(), { file: rig.file, records: true });
  const codes = zones.map(({ section, judgement }) => ({ name: section.zone.name, code: driftExit(judgement) }));
  return { code: driftExits(codes, failed).code, zones };
}

/** A run of the job with a concurrent apply, which starts with the first list that the job reads. */
async function jobAround(rig: Rig): ReturnType<typeof job> {
  let applied: Promise<unknown> | undefined;
  rig.network(async (request, _index, pass) => {
    const answer = await pass();
    if (applied || !request.url.includes("/custom_hostnames")) return answer;
    applied = rig.run().then((report) => expect(failuresOf(report)).toEqual([]));
    await applied;
    return answer;
  });
  const found = await job(rig);
  expect(applied).toBeDefined();
  return found;
}

/** A run of the job while an apply waits for the answer to a write that took effect. */
async function jobWithin(rig: Rig): ReturnType<typeof job> {
  const { letGo, applied } = await heldUp(rig, "PATCH", () => rig.run());
  const found = await job(rig);
  letGo();
  expect(failuresOf(await applied)).toEqual([]);
  return found;
}

it(`a drift job that runs every hour of ${DAYS} days alerts from each edit to its repair, and at no other time`, async () => {
  const random = seededRandom(20261122);
  const rig = openRig({
    files: filesOf("bronze"),
    zones: [
      { id: ZONE.id, name: ZONE.name, plan: "enterprise", dns_records: dnsRecords() },
      { id: OTHER.id, name: OTHER.name, plan: "enterprise" },
    ],
  });
  const application = openApplication(rig, random, 12);
  for (let count = 0; count < 12; count += 1) application.act();
  expect(failuresOf(await rig.run())).toEqual([]);
  await rig.wait(DAYS_BEFORE * 24 * HOUR_MILLISECONDS);
  const shop = rig.service.core.store.zones.get(OTHER.id);
  const certificates = (): readonly string[] =>
    (shop?.hostnames.all() ?? []).map(({ ssl }) => JSON.stringify(ssl?.issued));
  const first = new Set(certificates());

  /** The hours of the edits; each is repaired 24 hours later. */
  const edits = EDITS.map((edit, index) => ({ edit, hour: Math.floor((DAYS * 24 * (index * 3 + 1)) / 10) }));
  const woken: number[] = [];
  for (let hour = 0; hour < DAYS * 24; hour += 1) {
    // The application is busy between the runs of the job, and before every second request of each run.
    application.act();
    rig.network((_request, index, pass) => {
      if (index % 2 === 0) application.act();
      return pass();
    });
    // They move while an edit waits for its repair, so that an apply sees it; the job's own observations show it too.
    if (hour === (edits[0]?.hour ?? 0) + 2) rig.admin.setDns(MOVES, { cname: "elsewhere.net" });
    if (hour === (edits[1]?.hour ?? 0) + 2) rig.admin.setDns(MOVES_LATER, { cname: "elsewhere.net" });
    const isAround = hour === (edits[1]?.hour ?? 0) + 30;
    const isWithin = hour === (edits[2]?.hour ?? 0) - 5;
    if (isAround || isWithin)
      for (const [name, content] of Object.entries(filesOf(`tier-${hour}`))) rig.write(name, content);
    const { code, zones } = await (isAround ? jobAround(rig) : isWithin ? jobWithin(rig) : job(rig));
    expect(isWithin ? [1] : [0, 3]).toContain(code);
    if (code === 3) woken.push(hour);
    if (isWithin) expect(zones.flatMap(({ judgement }) => judgement.underWay).length).toBeGreaterThan(0);
    await rig.wait(HALF_AN_HOUR_MILLISECONDS);
    for (const each of edits) {
      if (hour === each.hour) each.edit(rig);
      if (hour === each.hour + 24) expect(failuresOf(await rig.run())).toEqual([]);
    }
    await rig.wait(HALF_AN_HOUR_MILLISECONDS);
  }
  const expected = edits.flatMap(({ hour }) => Array.from({ length: 24 }, (_value, index) => hour + 1 + index));
  expect(woken).toEqual(expected);
  // Everything really happened: certificates were renewed, hostnames moved and were deleted, the application was busy.
  expect(certificates().some((certificate) => !first.has(certificate))).toBe(true);
  const left = (shop?.hostnames.all() ?? []).map(({ hostname }) => hostname);
  expect([left.includes(MOVES), left.includes(MOVES_LATER)]).toEqual([false, DAYS < 20]);
  for (const count of Object.values(application.done)) expect(count).toBeGreaterThan(DAYS);
});
