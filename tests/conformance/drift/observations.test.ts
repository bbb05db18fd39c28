import { describe, expect, it } from "vitest";
import { driftExit } from "../../../lib/engine/exit.ts";
import { findDrift, type FoundDrift } from "../../../lib/engine/drift.ts";
import {
  condenseObservations,
  decodeObservation,
  encodeObservation,
  type Observation,
} from "../../../lib/state/observations.ts";
import { zoneStatus } from "../../../lib/engine/hostnames/status.ts";
import { lastSeen } from "../../../lib/plan/seen.ts";
import {
  changesOf,
  dnsRecords,
  driftInWords,
  FALLBACK,
  failuresOf,
  openRig,
  type Rig,
  type RigOptions,
  ZONE,
} from "../../support/engine.ts";
import { collect } from "../../support/state-world.ts";
import { driftText, statusText } from "../../support/texts.ts";

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const NAME = "a.one.net";

/** A zone of two hostnames that are active, and that an apply has seen. */
async function activeRig(more: object = {}, behaviour: RigOptions["behaviour"] = "described"): Promise<Rig> {
  const rig = openRig({
    behaviour,
    zone: { validation: "world", dns_records: dnsRecords(), fallback_origin: FALLBACK },
    files: {
      "zones/saas.yaml": {
        version: 1,
        zone: ZONE,
        fallback_origin: { origin: FALLBACK },
        custom_hostnames: {
          lifecycle: "zoneform",
          entries: [{ hostname: NAME }, { hostname: "b.one.net" }],
          policies: [{ name: "all", set: { ssl: { type: "dv", method: "http" } } }],
          ...more,
        },
      },
    },
  });
  for (const name of [NAME, "b.one.net"]) rig.admin.setDns(name, { cname: FALLBACK });
  expect(failuresOf(await rig.run())).toEqual([]);
  await rig.wait(DAY);
  await rig.run();
  expect(await seenInState(rig)).toMatchObject({ status: "active" });
  return rig;
}

async function seenInState(rig: Rig): Promise<object | undefined> {
  return (await rig.state())?.objects.get(`custom_hostname["${NAME}"]`)?.seen;
}

/** Does what `zoneform drift` does: it compares, and records what it sees. */
function look(rig: Rig): Promise<FoundDrift> {
  return findDrift(rig.world(), { file: rig.file, records: true });
}

async function driftCode(rig: Rig): Promise<number> {
  const [zone] = (await look(rig)).zones;
  return zone ? driftExit(zone.judgement) : 1;
}

async function observed(rig: Rig): Promise<readonly Observation[]> {
  const lines = await collect(rig.world().store.observations(ZONE.id));
  return lines.flatMap((line) => decodeObservation(line) ?? []);
}

function moveAway(rig: Rig): void {
  rig.admin.setDns(NAME, { cname: "elsewhere.test" });
}

function hostnameBody(rig: Rig, name = NAME): string {
  return rig.admin.dashboard("GET", `/zones/${ZONE.id}/custom_hostnames?hostname=${name}`).body;
}

function isLive(rig: Rig, name = NAME): boolean {
  return hostnameBody(rig, name).includes(name);
}

/** Advances the days until the service has deleted the hostname, and calls `daily` on each. */
async function untilDeleted(rig: Rig, daily: () => Promise<unknown>): Promise<void> {
  for (let day = 0; day < 9; day += 1) {
    await rig.wait(DAY);
    if (isLive(rig)) await daily();
  }
  expect(isLive(rig)).toBe(false);
}

describe("a hostname that was active once", () => {
  it.each(["blocked", "pending_migration", "provisioned", "test_active"] as const)(
    "and is deleted by hand after a week of %s is drift: Cloudflare deletes no such hostname",
    async (status) => {
      const rig = await activeRig();
      rig.admin.forceHostname(ZONE.id, NAME, { status });
      for (let day = 0; day < 8; day += 1) {
        await rig.wait(DAY);
        rig.admin.forceHostname(ZONE.id, NAME, { status });
        expect(await driftCode(rig)).toBe(0);
      }
      const [, id = ""] = /"id":"([^"]+)"/.exec(hostnameBody(rig)) ?? [];
      rig.admin.dashboard("DELETE", `/zones/${ZONE.id}/custom_hostnames/${id}`);
      await rig.wait(HOUR);
      expect(isLive(rig)).toBe(false);
      expect(await driftCode(rig)).toBe(3);
    },
  );
});

describe("a hostname that moves away while only drift runs", () => {
  it("is expired once the service has deleted it, without any write of the state", async () => {
    const rig = await activeRig();
    const before = await rig.state();
    moveAway(rig);
    await untilDeleted(rig, async () => expect(await driftCode(rig)).toBe(0));
    expect(await driftCode(rig)).toBe(0);
    const [section] = (await rig.plan()).zones;
    expect(section?.counts.expired).toBe(1);
    expect(changesOf(await rig.plan())).toEqual([]);
    expect(await rig.state()).toEqual(before);
  });

  it("is created again if when_expired says so, with the service as the cause", async () => {
    const rig = await activeRig({ when_expired: "create" });
    moveAway(rig);
    await untilDeleted(rig, () => look(rig));
    expect(changesOf(await rig.plan())).toMatchObject([{ action: "create", cause: "service" }]);
  });

  it("costs at most two lines for each change of its status, however often it is read", async () => {
    const rig = await activeRig();
    await rig.wait(HOUR);
    await look(rig);
    expect(await observed(rig)).toEqual([]);
    moveAway(rig);
    await rig.wait(DAY);
    for (let run = 0; run < 5; run += 1) await look(rig);
    // The first line says until when it was active: until the last check.
    expect((await observed(rig)).map(({ status }) => status)).toEqual(["active", "moved"]);
    rig.admin.setDns(NAME, { cname: FALLBACK });
    rig.admin.forceHostname(ZONE.id, NAME, { status: "active" });
    for (let run = 0; run < 5; run += 1) await look(rig);
    expect((await observed(rig)).map(({ status }) => status)).toEqual(["active", "moved", "active"]);
    expect(await driftCode(rig)).toBe(0);
  });

  it("is dated by the service's clock", async () => {
    const rig = await activeRig();
    moveAway(rig);
    await rig.wait(DAY);
    const ahead = Date.UTC(2030, 0, 1);
    rig.network(async (_request, _index, pass) => {
      const answer = await pass();
      return { ...answer, headers: { ...answer.headers, date: new Date(ahead).toUTCString() } };
    });
    await look(rig);
    expect((await observed(rig)).map(({ at }) => at)).toEqual([new Date(ahead).toISOString()]);
  });

  it("leaves nothing if the service does not say what time it is", async () => {
    const rig = await activeRig();
    moveAway(rig);
    await rig.wait(DAY);
    rig.network(async (_request, _index, pass) => {
      const { headers, ...answer } = await pass();
      return { ...answer, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "date")) };
    });
    await rig.restart();
    rig.network(async (_request, _index, pass) => {
      const { headers, ...answer } = await pass();
      return { ...answer, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "date")) };
    });
    await look(rig);
    expect(await observed(rig)).toEqual([]);
  });
});

describe("a moved hostname that is deleted by hand before its 7 days are over", () => {
  /** Moves, is seen, and is deleted by hand a day later. */
  async function deletedRig(): Promise<Rig> {
    const rig = await activeRig();
    moveAway(rig);
    await rig.wait(DAY);
    expect(await driftCode(rig)).toBe(0);
    const id = (await rig.state())?.objects.get(`custom_hostname["${NAME}"]`)?.id ?? "";
    rig.admin.dashboard("DELETE", `/zones/${ZONE.id}/custom_hostnames/${id}`);
    return rig;
  }

  it("was deleted on every later day too, if a run that only reads saw it gone", async () => {
    const rig = await deletedRig();
    for (let day = 1; day < 20; day += 1) {
      await rig.wait(DAY);
      const [zone] = (await look(rig)).zones;
      expect(driftInWords(zone?.judgement.drifted ?? [])).toEqual([`deleted custom_hostname["${NAME}"]`]);
      expect(zone?.section.counts.expired).toBe(0);
      // It served nobody any more when it was deleted.
      expect(zone?.judgement.drifted.flatMap(({ hazards }) => hazards)).toEqual([]);
    }
    expect(changesOf(await rig.plan())).toMatchObject([{ action: "create", cause: "drift" }]);
    expect((await observed(rig)).map(({ status }) => status)).toEqual(["moved", "gone"]);
  });

  it("stays deleted when the record is condensed", async () => {
    const rig = await deletedRig();
    await look(rig);
    await rig.wait(30 * DAY);
    await condenseObservations(rig.world().store, ZONE.id);
    expect(await driftCode(rig)).toBe(3);
    expect((await rig.plan()).zones[0]?.counts.expired).toBe(0);
  });

  it("was deleted by hand even if it had been active for weeks, as the checks of these weeks show", async () => {
    const rig = await activeRig();
    for (let day = 0; day < 10; day += 1) {
      await rig.wait(DAY);
      await look(rig);
    }
    moveAway(rig);
    await rig.wait(DAY);
    await look(rig);
    await rig.wait(2 * DAY);
    const id = (await rig.state())?.objects.get(`custom_hostname["${NAME}"]`)?.id ?? "";
    rig.admin.dashboard("DELETE", `/zones/${ZONE.id}/custom_hostnames/${id}`);
    for (let day = 1; day < 10; day += 1) {
      const [zone] = (await look(rig)).zones;
      expect(driftInWords(zone?.judgement.drifted ?? [])).toEqual([`deleted custom_hostname["${NAME}"]`]);
      expect(zone?.section.counts.expired).toBe(0);
      await condenseObservations(rig.world().store, ZONE.id);
      await rig.wait(DAY);
    }
  });

  it("is never both gone for an unknown reason and expired in one report", async () => {
    const rig = await activeRig();
    moveAway(rig);
    await rig.wait(8 * DAY);
    rig.admin.forceHostname(ZONE.id, NAME, { status: "moved" });
    await look(rig);
    const id = (await rig.state())?.objects.get(`custom_hostname["${NAME}"]`)?.id ?? "";
    rig.admin.dashboard("DELETE", `/zones/${ZONE.id}/custom_hostnames/${id}`);
    await rig.wait(DAY);
    const found = await look(rig);
    const printing = { colour: false, columns: 80 };
    const drift = driftText(found, printing, rig.clock.now());
    const status = statusText(
      found.zones.map(({ input, section }) => zoneStatus(input, section, new Map(), 0)),
      printing,
    );
    for (const text of [drift, status]) {
      expect(text).toContain("gone");
      expect(text).not.toMatch(/expired: Cloudflare|deleted by Cloudflare$/m);
    }
  });

  it("is expired if no run looked until the 7 days were over", async () => {
    const rig = await deletedRig();
    await rig.wait(7 * DAY);
    expect(await driftCode(rig)).toBe(0);
  });
});

describe("a hostname whose customer never sets the records", () => {
  const PENDING = "late.one.net";
  const pendingRig = (): Promise<Rig> =>
    activeRig({ entries: [{ hostname: NAME }, { hostname: "b.one.net" }, { hostname: PENDING }] }, "public");

  it("is expired once Cloudflare gave up, if a daily job saw it pending until then", async () => {
    const rig = await pendingRig();
    for (let day = 0; day < 9; day += 1) {
      expect(await driftCode(rig)).toBe(0);
      await rig.wait(DAY);
    }
    expect(isLive(rig, PENDING)).toBe(false);
    expect(await driftCode(rig)).toBe(0);
    expect((await rig.plan()).zones[0]?.counts.expired).toBe(1);
  });

  it("may have been active and deleted by hand, if no run looked for days", async () => {
    const rig = await pendingRig();
    expect(await driftCode(rig)).toBe(0);
    await rig.wait(4 * DAY);
    rig.admin.setDns(PENDING, { cname: FALLBACK });
    await rig.wait(DAY);
    const id = (await rig.state())?.objects.get(`custom_hostname["${PENDING}"]`)?.id ?? "";
    rig.admin.dashboard("DELETE", `/zones/${ZONE.id}/custom_hostnames/${id}`);
    await rig.wait(4 * DAY);
    const [zone] = (await look(rig)).zones;
    expect(zone && driftExit(zone.judgement, ["outage"])).toBe(3);
    expect(zone?.section.counts.expired).toBe(0);
    expect(zone?.section.findings.map(({ code }) => code)).toEqual(["vanished-hostnames"]);
  });
});

describe("without an observation", () => {
  it("a missing hostname counts as deleted by hand", async () => {
    const rig = await activeRig();
    moveAway(rig);
    await untilDeleted(rig, async () => undefined);
    expect(await driftCode(rig)).toBe(3);
    expect(changesOf(await rig.plan())).toMatchObject([{ action: "create", cause: "drift" }]);
  });

  it("plan and apply leave none either; an apply remembers in the state", async () => {
    const rig = await activeRig();
    moveAway(rig);
    await rig.wait(DAY);
    await rig.run();
    expect(await observed(rig)).toEqual([]);
    expect(await seenInState(rig)).toMatchObject({ status: "moved" });
  });
});

describe("an observation", () => {
  it("counts only for exactly the hostname that was seen, by its id", async () => {
    const rig = await activeRig();
    const { store } = rig.world();
    const at = new Date(rig.clock.now()).toISOString();
    await store.observe(ZONE.id, [encodeObservation({ id: "0".repeat(32), hostname: NAME, status: "moved", at })]);
    const id = (await rig.state())?.objects.get(`custom_hostname["${NAME}"]`)?.id ?? "";
    rig.admin.dashboard("DELETE", `/zones/${ZONE.id}/custom_hostnames/${id}`);
    expect(await driftCode(rig)).toBe(3);
    await rig.wait(1000);
    const later = new Date(rig.clock.now()).toISOString();
    await store.observe(ZONE.id, [encodeObservation({ id, hostname: NAME, status: "moved", at: later })]);
    await rig.wait(7 * DAY);
    expect(await driftCode(rig)).toBe(0);
  });

  it("of yesterday loses to what an apply saw today, and wins against what it saw before", async () => {
    const rig = await activeRig();
    moveAway(rig);
    await rig.wait(DAY);
    await look(rig);
    // The customer comes back, and an apply sees it.
    rig.admin.setDns(NAME, { cname: FALLBACK });
    rig.admin.forceHostname(ZONE.id, NAME, { status: "active" });
    await rig.wait(HOUR);
    await rig.run();
    const id = (await rig.state())?.objects.get(`custom_hostname["${NAME}"]`)?.id ?? "";
    rig.admin.dashboard("DELETE", `/zones/${ZONE.id}/custom_hostnames/${id}`);
    expect(await driftCode(rig)).toBe(3);
  });

  it("of a future day does not count", async () => {
    const rig = await activeRig();
    const id = (await rig.state())?.objects.get(`custom_hostname["${NAME}"]`)?.id ?? "";
    const at = new Date(rig.clock.now() + 30 * DAY).toISOString();
    await rig.world().store.observe(ZONE.id, [encodeObservation({ id, hostname: NAME, status: "moved", at })]);
    rig.admin.dashboard("DELETE", `/zones/${ZONE.id}/custom_hostnames/${id}`);
    expect(await driftCode(rig)).toBe(3);
  });

  it("never gets into the state, even if an apply sees the same", async () => {
    const rig = await activeRig();
    moveAway(rig);
    await rig.wait(DAY);
    await look(rig);
    const [first] = await observed(rig);
    await rig.wait(DAY);
    await rig.run();
    expect(await seenInState(rig)).toMatchObject({ status: "moved", at: new Date(rig.clock.now()).toISOString() });
    const known = {
      seen: { status: "moved", at: new Date(rig.clock.now()).toISOString() },
      observed: first ? [first] : [],
    };
    expect(lastSeen(known)?.at).toBe(first?.at);
    await untilDeleted(rig, async () => undefined);
    expect(await driftCode(rig)).toBe(0);
  });

  it("does not grow the record forever: useless lines are deleted", async () => {
    const rig = await activeRig();
    const { store } = rig.world();
    const gone = Array.from({ length: 3000 }, (_value, number) =>
      encodeObservation({
        id: `gone-${number}`,
        hostname: `old-${number}.net`,
        status: "moved",
        at: new Date(rig.clock.now() - 60 * DAY).toISOString(),
      }),
    );
    await store.observe(ZONE.id, gone);
    moveAway(rig);
    await rig.wait(DAY);
    await look(rig);
    await look(rig);
    expect(await observed(rig)).toMatchObject([{ hostname: NAME, status: "moved" }]);
  });
});
