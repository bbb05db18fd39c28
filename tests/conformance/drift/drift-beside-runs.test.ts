import { describe, expect, it } from "vitest";
import { findDrift, type ZoneDrift } from "../../../lib/engine/drift.ts";
import { driftExit } from "../../../lib/engine/exit.ts";
import type { HttpResponse } from "../../../lib/service/http.ts";
import { at, text } from "../../support/emulator.ts";
import { driftInWords, failuresOf, heldUp, openRig, type Rig, runCutOffAfter, ZONE } from "../../support/engine.ts";

const PATH = `/zones/${ZONE.id}/custom_hostnames`;
const [FIRST, SECOND] = ["a.customer.net", "b.customer.net"] as const;

function filesOf(tier: string): { readonly "zones/a.yaml": object } {
  const policies = [{ name: "all", set: { custom_metadata: { tier } } }];
  const entries = [{ hostname: FIRST }, { hostname: SECOND }];
  return {
    "zones/a.yaml": { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", policies, entries } },
  };
}

/** A zone with two applied hostnames, and a YAML that now wants something else of both. */
async function changedRig(): Promise<Rig> {
  const rig = openRig({ files: filesOf("gold"), zone: { plan: "enterprise" } });
  expect(failuresOf(await rig.run())).toEqual([]);
  rig.write("zones/a.yaml", filesOf("silver")["zones/a.yaml"]);
  return rig;
}

function edit(rig: Rig, name: string): void {
  const found = JSON.parse(rig.admin.dashboard("GET", `${PATH}?hostname=${name}`).body);
  const id = text(at(found, "result.0") ?? null, "id");
  expect(rig.admin.dashboard("PATCH", `${PATH}/${id}`, { custom_metadata: { tier: "bronze" } }).status).toBe(200);
}

async function look(rig: Rig): Promise<ZoneDrift> {
  const { zones } = await findDrift(rig.world(), { file: rig.file });
  const [zone] = zones;
  if (!zone) throw new Error("the zone could not be looked at");
  return zone;
}

/** The keys of what is being changed, and the runs that change it. */
function underWay({ judgement }: ZoneDrift): readonly string[] {
  return judgement.underWay.map(
    ({ address, run }) => `${address} ${run === undefined ? "by nobody known" : "by a run"}`,
  );
}

/** An apply whose first write has reached the service, and does not get its answer until it is let go. */
function runThatWaits(rig: Rig): ReturnType<typeof heldUp> {
  return heldUp(rig, "PATCH", async () => rig.apply(await rig.plan(), { parallelism: 1 }));
}

describe("with concurrent runs, drift", () => {
  it("is not what a killed run may have written: that is named until a run has finished it", async () => {
    const rig = await changedRig();
    await runCutOffAfter(rig, "PATCH");
    const found = await look(rig);
    expect(driftInWords(found.judgement.drifted)).toEqual([]);
    expect(underWay(found)).toEqual(expect.arrayContaining([`custom_hostname["${FIRST}"] by a run`]));
    expect(driftExit(found.judgement)).toBe(1);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(await look(rig)).toMatchObject({ judgement: { drifted: [], adopted: [], underWay: [] } });
  });

  it("is not what a run writes meanwhile, but is a foreign edit beside that run", async () => {
    const rig = await changedRig();
    const { letGo, applied } = await runThatWaits(rig);
    edit(rig, SECOND);
    const found = await look(rig);
    expect(driftInWords(found.judgement.drifted)).toEqual([
      `changed custom_hostname["${SECOND}"] custom_metadata.tier:both`,
    ]);
    expect(underWay(found)).toEqual([`custom_hostname["${FIRST}"] by a run`]);
    expect(driftExit(found.judgement)).toBe(3);
    expect(found.holding?.holder?.who).toBe("tests@here");
    letGo();
    await applied;
  });

  it("awaits what a live run is changing, and then judges it", async () => {
    const rig = await changedRig();
    const { letGo, applied } = await runThatWaits(rig);
    const start = rig.clock.now();
    const looking = look(rig);
    await rig.clock.sleep(40_000);
    letGo();
    const found = await looking;
    expect(rig.clock.now() - start).toBeLessThan(60_000);
    expect(found.judgement).toMatchObject({ drifted: [], adopted: [], underWay: [] });
    expect(driftExit(found.judgement)).toBe(0);
    await applied;
  });

  it("finds a foreign edit right after a run that was awaited", async () => {
    const rig = await changedRig();
    const { letGo, applied } = await runThatWaits(rig);
    const found = look(rig);
    await rig.clock.sleep(10_000);
    letGo();
    await applied;
    edit(rig, FIRST);
    expect(driftInWords((await found).judgement.drifted)).toEqual([
      `changed custom_hostname["${FIRST}"] custom_metadata.tier:drift`,
    ]);
  });

  it("is unknown if a live run does not end within a minute, and that is never called clean", async () => {
    const rig = await changedRig();
    const { letGo, applied } = await runThatWaits(rig);
    const start = rig.clock.now();
    const found = await look(rig);
    expect(rig.clock.now() - start).toBe(60_000);
    expect(underWay(found)).toEqual([`custom_hostname["${FIRST}"] by a run`]);
    expect(driftExit(found.judgement)).toBe(1);
    letGo();
    await applied;
  });

  it("is not what a list still shows after a run has overwritten it", async () => {
    const rig = await changedRig();
    let shown: HttpResponse | undefined;
    const isList = ({ method, url }: { method: string; url: string }): boolean =>
      method === "GET" && /\/custom_hostnames\?/.test(url);
    rig.network(async (request, _index, pass) => {
      const answer = await pass();
      if (isList(request)) shown ??= answer;
      return answer;
    });
    expect(failuresOf(await rig.run())).toEqual([]);
    rig.network((request, _index, pass) => (isList(request) && shown ? Promise.resolve(shown) : pass()));
    expect(await look(rig)).toMatchObject({ judgement: { drifted: [], adopted: [], underWay: [] } });
    edit(rig, FIRST);
    rig.network((_request, _index, pass) => pass());
    expect(driftInWords(await rig.drift())).toEqual([`changed custom_hostname["${FIRST}"] custom_metadata.tier:drift`]);
  });

  it("ends even if runs write the state again and again: what has not settled then belongs to them", async () => {
    const rig = await changedRig();
    edit(rig, FIRST);
    const tiers = ["one", "two"];
    let isRunning = false;
    rig.network(async (request, _index, pass) => {
      const answer = await pass();
      // Whenever drift has read the hostname again, another run applies another value and somebody edits it once more.
      const isReread = request.method === "GET" && /\/custom_hostnames\/[0-9a-f-]+$/.test(request.url);
      if (isRunning || !isReread) return answer;
      isRunning = true;
      const tier = tiers.shift() ?? "";
      tiers.push(tier);
      rig.write("zones/a.yaml", filesOf(tier)["zones/a.yaml"]);
      await rig.run();
      edit(rig, FIRST);
      isRunning = false;
      return answer;
    });
    const found = await look(rig);
    expect(driftInWords(found.judgement.drifted)).toEqual([]);
    // The other one was read before the last apply, and never while it was not being written.
    expect(underWay(found)).toEqual([FIRST, SECOND].map((name) => `custom_hostname["${name}"] by nobody known`));
  });
});
