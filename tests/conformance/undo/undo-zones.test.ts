import { describe, expect, test } from "vitest";
import { zoneId } from "../../../lib/core/brand.ts";
import { exitOf, planExit } from "../../../lib/engine/exit.ts";
import { KEPT_RUNS } from "../../../lib/state/runs.ts";
import { makeUndo, type PlannedUndo } from "../../../lib/engine/undo.ts";
import { refusalOf } from "../../support/approving.ts";
import { changesOf, dnsRecords, failuresOf, openRig, type Rig, runCutOffAfter, ZONE } from "../../support/engine.ts";
import { runsOf, settle } from "../../support/undoing.ts";

const OTHER = { id: zoneId("9a7806061c88ada191ed06f989cc3dac"), name: "other.net" };
const SSL = { method: "http", type: "dv" };

function zoneFile(zone: typeof ZONE, hostname: string, version: string, more: readonly object[] = []): object {
  const entries = [{ hostname, custom_metadata: { version }, ssl: SSL }, ...more];
  return { version: 1, zone, custom_hostnames: { lifecycle: "zoneform", entries } };
}

/** Two zones, both changed by one run; returns its id. */
async function twoZones(): Promise<{ readonly rig: Rig; readonly run: string }> {
  const zones = [ZONE, OTHER].map((zone) => ({ ...zone, plan: "enterprise" as const, dns_records: dnsRecords() }));
  const rig = openRig({
    zones,
    files: { "zones/a.yaml": zoneFile(ZONE, "a.net", "1"), "zones/b.yaml": zoneFile(OTHER, "b.net", "1") },
  });
  expect(failuresOf(await rig.run())).toEqual([]);
  await settle(rig);
  rig.write("zones/a.yaml", zoneFile(ZONE, "a.net", "2"));
  rig.write("zones/b.yaml", zoneFile(OTHER, "b.net", "2"));
  expect(failuresOf(await rig.run())).toEqual([]);
  return { rig, run: (await runsOf(rig))[0] ?? "" };
}

/** This many more runs that write only in the other zone. */
async function runsInOther(rig: Rig, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await rig.wait(60_000);
    const more = [{ hostname: "c.net", custom_metadata: { n: `${n}` }, ssl: SSL }];
    rig.write("zones/b.yaml", zoneFile(OTHER, "b.net", "2", more));
    expect(failuresOf(await rig.run())).toEqual([]);
  }
}

function undo(rig: Rig, run: string, zones: readonly string[] = []): Promise<PlannedUndo> {
  return makeUndo(rig.world(), { file: rig.file, run, zones });
}

/** What the undo says that it cannot undo of the run. */
function impossibleIn({ plan }: PlannedUndo): readonly string[] {
  return plan.zones
    .flatMap(({ findings }) => findings)
    .flatMap(({ code, message }) => (code === "cannot-be-undone" ? [message] : []));
}

describe("the undo of a run in two zones", () => {
  test("names the zone whose record was pushed out, undoes the other one, and exits 4", async () => {
    const { rig, run } = await twoZones();
    await runsInOther(rig, KEPT_RUNS);
    const undone = await undo(rig, run);
    expect(changesOf(undone.plan).map(({ key }) => key)).toEqual(["a.net"]);
    expect(impossibleIn(undone)).toEqual([expect.stringMatching(/^cannot be undone: zone other\.net: /)]);
    expect(exitOf(undone.plan, (section) => planExit(section, false)).code).toBe(4);
  });

  test("has nothing to add if both records are kept", async () => {
    const { rig, run } = await twoZones();
    await runsInOther(rig, KEPT_RUNS - 1);
    const undone = await undo(rig, run);
    expect(changesOf(undone.plan).map(({ key }) => key)).toEqual(["a.net", "b.net"]);
    expect(impossibleIn(undone)).toEqual([]);
  });

  test("has nothing to add about a zone that was not asked for", async () => {
    const { rig, run } = await twoZones();
    await runsInOther(rig, KEPT_RUNS);
    expect(impossibleIn(await undo(rig, run, [ZONE.name]))).toEqual([]);
  });

  test("names a zone that is no longer in the project", async () => {
    const { rig, run } = await twoZones();
    rig.write("zones/b.yaml", { ...zoneFile(ZONE, "a.net", "2") });
    rig.write("zoneform.yaml", { version: 1, project: "rig", zones: ["zones/a.yaml"] });
    expect(impossibleIn(await undo(rig, run))).toEqual([expect.stringContaining(`zone ${OTHER.id}: `)]);
  });

  test("has nothing to add about a zone that was never reached: nothing was written there", async () => {
    const { rig } = await twoZones();
    rig.write("zones/a.yaml", zoneFile(ZONE, "a.net", "3"));
    rig.write("zones/b.yaml", zoneFile(OTHER, "b.net", "3"));
    const lease = await rig.world().store.lock(OTHER.id, { ...HOLDER_OF_OTHER, since: "2026-11-21T06:00:00Z" }, 0);
    await rig.run();
    await lease.release();
    const undone = await undo(rig, "last");
    expect(changesOf(undone.plan).map(({ key }) => key)).toEqual(["a.net"]);
    expect(impossibleIn(undone)).toEqual([]);
  });

  test("is refused until the run is finished in both; the other zone can undo its own last run", async () => {
    const { rig, run } = await twoZones();
    rig.write("zones/b.yaml", zoneFile(OTHER, "b.net", "3"));
    await runCutOffAfter(rig, "PATCH");
    expect((await refusalOf(undo(rig, "last"))).diagnostics).toMatchObject([{ code: "run-not-finished" }]);
    expect((await undo(rig, "last", [ZONE.name])).run).toBe(run);
  });
});

const HOLDER_OF_OTHER = { who: "somebody@else", processId: 2, operation: "apply" };
