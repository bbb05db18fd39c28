import { describe, expect, it } from "vitest";
import { zoneId } from "../../../lib/core/brand.ts";
import { Refusal } from "../../../lib/core/diagnostic.ts";
import type { Plan } from "../../../lib/plan/change.ts";
import { changesOf, dnsRecords, failuresOf, inWords, openRig, type Rig, ZONE } from "../../support/engine.ts";

const OTHER = { id: zoneId("9a7806061c88ada191ed06f989cc3dac"), name: "other.net" };
const SSL = { method: "http", type: "dv" };
const A_DAY = 24 * 60 * 60_000;

type Zone = typeof ZONE;

function zoneFile(zone: Zone, hostnames: readonly string[], more: object = {}): object {
  const entries = hostnames.map((hostname) => ({ hostname, ssl: SSL }));
  return { version: 1, zone, custom_hostnames: { lifecycle: "zoneform", entries }, ...more };
}

/** Applies both zones at once. */
async function runAtOnce(rig: Rig): Promise<void> {
  expect(failuresOf(await rig.apply(await rig.plan(), { zonesInParallel: 2 }))).toEqual([]);
}

/** Two zones; the first has a hostname that serves. */
async function twoZones(): Promise<Rig> {
  const zones = [ZONE, OTHER].map((zone) => ({ ...zone, dns_records: zone === ZONE ? dnsRecords() : [] }));
  const rig = openRig({
    zones,
    files: {
      "zones/a.yaml": zoneFile(ZONE, ["app.customer.net", "stays.customer.net"]),
      "zones/b.yaml": zoneFile(OTHER, ["other.customer.net"]),
    },
  });
  expect(failuresOf(await rig.run())).toEqual([]);
  await rig.wait(A_DAY);
  return rig;
}

function liveNames(rig: Rig, zone: Zone): readonly string[] {
  const { result } = JSON.parse(rig.admin.dashboard("GET", `/zones/${zone.id}/custom_hostnames`).body);
  return result.map(({ hostname }: { hostname: string }) => hostname).toSorted();
}

const FROM_ZONE = { moved: [{ from: `${ZONE.name}/custom_hostname["app.customer.net"]` }] };

function move(rig: Rig): void {
  rig.write("zones/a.yaml", zoneFile(ZONE, ["stays.customer.net"]));
  rig.write("zones/b.yaml", zoneFile(OTHER, ["app.customer.net", "other.customer.net"], FROM_ZONE));
}

describe("a hostname that moves to another zone", () => {
  it("is created there, kept here until the new one serves, and deleted then: each in the plan, and counted", async () => {
    const rig = await twoZones();
    move(rig);
    const first = await rig.plan();
    expect(inWords(changesOf(first))).toEqual([
      expect.stringContaining('held saas.net/custom_hostname["app.customer.net"]'),
      expect.stringContaining('create other.net/custom_hostname["app.customer.net"]'),
    ]);
    expect(changesOf(first)[0]).toMatchObject({
      movesTo: { address: 'other.net/custom_hostname["app.customer.net"]', zone: OTHER.id },
      held: { reason: "it moves to other.net, and is not live there yet" },
    });
    expect(failuresOf(await rig.apply(first))).toEqual([]);
    expect([liveNames(rig, ZONE), liveNames(rig, OTHER)]).toEqual([
      ["app.customer.net", "stays.customer.net"],
      ["app.customer.net", "other.customer.net"],
    ]);
    // The new one is not active yet.
    expect(changesOf(await rig.plan())).toMatchObject([{ action: "held" }]);
    expect(await rig.drift()).toEqual([]);

    await rig.wait(A_DAY);
    const last = await rig.plan();
    expect(changesOf(last)).toMatchObject([
      { action: "delete", reason: "it has moved, and the new one serves traffic" },
    ]);
    expect(failuresOf(await rig.apply(last))).toEqual([]);
    expect([liveNames(rig, ZONE), liveNames(rig, OTHER)]).toEqual([
      ["stays.customer.net"],
      ["app.customer.net", "other.customer.net"],
    ]);
    expect(changesOf(await rig.plan())).toEqual([]);
  });

  it("is there before it is deleted here, even if both zones are applied at once", async () => {
    const rig = await twoZones();
    move(rig);
    await runAtOnce(rig);
    expect([liveNames(rig, ZONE), liveNames(rig, OTHER)]).toEqual([
      ["app.customer.net", "stays.customer.net"],
      ["app.customer.net", "other.customer.net"],
    ]);
    await rig.wait(A_DAY);
    await runAtOnce(rig);
    expect(liveNames(rig, ZONE)).toEqual(["stays.customer.net"]);
    expect(changesOf(await rig.plan())).toEqual([]);
  });

  it("continues wherever a run was cut off, and is always served", async () => {
    for (let cut = 1; cut <= 12; cut += 1) {
      const rig = await twoZones();
      move(rig);
      rig.network((_request, index, pass) => {
        if (index === cut) rig.crash();
        return pass();
      });
      await rig.untilCrash(rig.run());
      await rig.restart();
      for (let run = 0; run < 3; run += 1) {
        expect([...liveNames(rig, ZONE), ...liveNames(rig, OTHER)]).toContain("app.customer.net");
        expect(failuresOf(await rig.run())).toEqual([]);
        await rig.wait(A_DAY);
      }
      expect([liveNames(rig, ZONE), liveNames(rig, OTHER)], `cut at ${cut}`).toEqual([
        ["stays.customer.net"],
        ["app.customer.net", "other.customer.net"],
      ]);
    }
  });

  it("keeps the old name until the new one serves if only the name changes", async () => {
    const rig = await twoZones();
    const moved = [{ from: 'custom_hostname["app.customer.net"]', to: 'custom_hostname["shop.customer.net"]' }];
    rig.write("zones/a.yaml", zoneFile(ZONE, ["shop.customer.net", "stays.customer.net"], { moved }));
    await rig.run();
    expect(liveNames(rig, ZONE)).toEqual(["app.customer.net", "shop.customer.net", "stays.customer.net"]);
    await rig.wait(A_DAY);
    await rig.run();
    expect(liveNames(rig, ZONE)).toEqual(["shop.customer.net", "stays.customer.net"]);
  });

  it("is also kept until the new one serves if the whole section is removed with the last hostname", async () => {
    const rig = await twoZones();
    const both = ["app.customer.net", "stays.customer.net"];
    const moved = both.map((key) => ({ from: `${ZONE.name}/custom_hostname["${key}"]` }));
    rig.write("zones/a.yaml", { version: 1, zone: ZONE });
    rig.write("zones/b.yaml", zoneFile(OTHER, [...both, "other.customer.net"], { moved }));
    const actions = async (): Promise<readonly string[]> => changesOf(await rig.plan()).map(({ action }) => action);
    expect(await actions()).toEqual(["held", "held", "create", "create"]);
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.wait(A_DAY);
    expect(await actions()).toEqual(["delete", "delete"]);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(liveNames(rig, ZONE)).toEqual([]);
  });

  it("stays if a list that lags still shows the new one, which is deleted", async () => {
    const rig = await twoZones();
    move(rig);
    await rig.run();
    await rig.wait(A_DAY);
    const plan = await rig.plan();
    expect(changesOf(plan)).toMatchObject([{ action: "delete" }]);
    const path = `/zones/${OTHER.id}/custom_hostnames`;
    const { result } = JSON.parse(rig.admin.dashboard("GET", `${path}?hostname=app.customer.net`).body);
    rig.admin.dashboard("DELETE", `${path}/${result[0].id}`);
    rig.service.core.faults.order({ fault: { kind: "stale-list", writes: 1 } });
    const [zone] = (await rig.apply(plan)).zones;
    expect(zone?.ended).toMatchObject([{ outcome: { status: "held" } }]);
    expect(liveNames(rig, ZONE)).toContain("app.customer.net");
  });

  it("costs no extra call if many move: the other zone is listed once more", async () => {
    const names = Array.from({ length: 120 }, (_item, index) => `h${index}.customer.net`);
    const zones = [ZONE, OTHER].map((zone) => ({ ...zone, dns_records: zone === ZONE ? dnsRecords() : [] }));
    const rig = openRig({
      zones,
      files: { "zones/a.yaml": zoneFile(ZONE, names), "zones/b.yaml": zoneFile(OTHER, ["other.customer.net"]) },
    });
    expect(failuresOf(await rig.run())).toEqual([]);
    let calls = 0;
    rig.network((_request, _index, pass) => {
      calls += 1;
      return pass();
    });
    await rig.plan();
    const before = calls;
    calls = 0;
    const moved = names.map((key) => ({ from: `${ZONE.name}/custom_hostname["${key}"]` }));
    rig.write("zones/a.yaml", zoneFile(ZONE, []));
    rig.write("zones/b.yaml", zoneFile(OTHER, [...names, "other.customer.net"], { moved }));
    const plan = await rig.plan();
    expect(changesOf(plan).filter(({ action }) => action === "held")).toHaveLength(names.length);
    expect(calls).toBe(before + 1);
    expect(failuresOf(await rig.apply(plan))).toEqual([]);
    await rig.wait(A_DAY);
    expect(new Set(changesOf(await rig.plan()).map(({ reason }) => reason))).toEqual(
      new Set(["it has moved, and the new one serves traffic"]),
    );
  });

  it.each([
    ["unknown-zone", { moved: [{ from: 'nowhere.net/custom_hostname["app.customer.net"]' }] }],
    ["moved-and-declared", { moved: [{ from: 'saas.net/custom_hostname["stays.customer.net"]' }] }],
    ["moved-and-not-declared", { moved: [{ from: 'saas.net/custom_hostname["gone.customer.net"]' }] }],
    ["not-movable", { moved: [{ from: "saas.net/total_tls" }] }],
    ["move-to-itself", { moved: [{ from: 'custom_hostname["other.customer.net"]' }] }],
    ["not-an-address", { forget: ["everything"] }],
    ["forgotten-and-declared", { forget: ['custom_hostname["other.customer.net"]'] }],
  ])("%s is an error of the configuration, at its place", async (code, more) => {
    const rig = await twoZones();
    rig.write("zones/b.yaml", zoneFile(OTHER, ["other.customer.net"], more));
    const thrown = await rig.plan().catch((error: unknown) => error);
    if (!(thrown instanceof Refusal)) return expect.fail(String(thrown));
    expect(thrown.diagnostics.map((diagnostic) => diagnostic.code)).toContain(code);
    expect(thrown.diagnostics[0]?.at?.file).toBe("zones/b.yaml");
    return undefined;
  });
});

describe("the forget section", () => {
  it("drops an object from the state, leaves it live, and says when its line can be removed", async () => {
    const rig = await twoZones();
    const forget = ['custom_hostname["app.customer.net"]'];
    rig.write("zones/a.yaml", zoneFile(ZONE, ["stays.customer.net"], { forget }));
    const plan = await rig.plan();
    expect(changesOf(plan)).toMatchObject([
      { action: "forget", address: 'saas.net/custom_hostname["app.customer.net"]' },
    ]);
    expect(failuresOf(await rig.apply(plan))).toEqual([]);
    expect(liveNames(rig, ZONE)).toContain("app.customer.net");
    expect([...((await rig.state())?.objects.keys() ?? [])]).toEqual(['custom_hostname["stays.customer.net"]']);
    const after = await rig.plan();
    expect(changesOf(after)).toEqual([]);
    expect(after.zones.flatMap(({ findings }) => findings.map(({ code }) => code))).toContain("forgotten-already");
  });

  const TLS = { ssl: { ...SSL, settings: { min_tls_version: "1.2" } } };
  const forget = ['custom_hostname["app.customer.net"]'];
  const policies = [{ name: "tls", set: TLS }];

  it.each([
    [
      "foreign hostnames are adopted",
      { lifecycle: "zoneform", foreign: "adopt", entries: [{ hostname: "stays.customer.net" }] },
    ],
    ["the application owns the hostnames", { lifecycle: "app" }],
  ])("holds even if %s: no policy reaches what was forgotten, and the line stays", async (_where, hostnames) => {
    const rig = await twoZones();
    const section = { ...hostnames, policies };
    rig.write("zones/a.yaml", { version: 1, zone: ZONE, custom_hostnames: section, forget });
    const appOf = (plan: Plan): readonly string[] =>
      inWords(changesOf(plan).filter(({ key }) => key === "app.customer.net"));
    const plan = await rig.plan();
    expect(appOf(plan)).toEqual([expect.stringContaining("forget saas.net/")]);
    expect(failuresOf(await rig.apply(plan))).toEqual([]);
    await rig.wait(A_DAY);
    expect(failuresOf(await rig.run())).toEqual([]);
    const after = await rig.plan();
    expect(changesOf(after)).toEqual([]);
    expect((await rig.state())?.objects.has(forget[0] ?? "")).toBe(false);
    expect(after.zones.flatMap(({ findings }) => findings.map(({ code }) => code))).not.toContain("forgotten-already");
  });

  it("is what keeps the policies away: without the line they reach the hostname again", async () => {
    const rig = await twoZones();
    const custom_hostnames = { lifecycle: "app", policies };
    rig.write("zones/a.yaml", { version: 1, zone: ZONE, custom_hostnames, forget });
    expect(failuresOf(await rig.run())).toEqual([]);
    rig.write("zones/a.yaml", { version: 1, zone: ZONE, custom_hostnames });
    expect(changesOf(await rig.plan())).toMatchObject([{ action: "update", key: "app.customer.net" }]);
  });
});
