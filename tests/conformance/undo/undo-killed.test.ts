import { describe, expect, test } from "vitest";
import type { Diagnostic } from "../../../lib/core/diagnostic.ts";
import { refusalOf } from "../../support/approving.ts";
import { changesOf, failuresOf, inWords, openRig, type Rig, runCutOffAfter, ZONE } from "../../support/engine.ts";
import { runsOf, settle, undo } from "../../support/undoing.ts";

const SSL = { method: "http", type: "dv" };

/** A zone file with these origins by hostname. */
function zoneFile(origins: Readonly<Record<string, string>>, options: Readonly<Record<string, object>> = {}): object {
  const entries = Object.entries(origins).map(([hostname, custom_origin_server]) => ({
    hostname,
    custom_origin_server,
    ssl: SSL,
    ...options[hostname],
  }));
  return { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", entries } };
}

const FIRST = { "a.net": "origin1.saas.net", "b.net": "origin1.saas.net" };
const MONDAY = { ...FIRST, "a.net": "origin2.saas.net" };
const TUESDAY = { ...MONDAY, "b.net": "origin2.saas.net" };

/** On Monday a run moved a.net and ended well; on Tuesday one moved b.net and was killed before the answer arrived. */
async function killedOnTuesday(): Promise<{ readonly rig: Rig; readonly monday: string }> {
  const rig = openRig({ zone: { plan: "enterprise" }, files: { "zones/a.yaml": zoneFile(FIRST) } });
  expect(failuresOf(await rig.run())).toEqual([]);
  await settle(rig);
  rig.write("zones/a.yaml", zoneFile(MONDAY));
  expect(failuresOf(await rig.run())).toEqual([]);
  await settle(rig);
  const monday = (await runsOf(rig))[0] ?? "";
  rig.write("zones/a.yaml", zoneFile(TUESDAY));
  await runCutOffAfter(rig, "PATCH");
  return { rig, monday };
}

/** The id of the run that the refusal names. */
function namedIn([diagnostic]: readonly Diagnostic[]): string {
  const [, run = ""] = /^run (\S+) is unfinished in saas\.net:/.exec(diagnostic?.message ?? "") ?? [];
  return run;
}

describe("after a run was killed", () => {
  test("the run before it does not count as the last one: it is left as it is, and the refusal says what to do", async () => {
    const { rig } = await killedOnTuesday();
    const { diagnostics } = await refusalOf(undo(rig));
    expect(diagnostics).toMatchObject([{ code: "run-not-finished" }]);
    expect(diagnostics[0]?.remedy).toContain("finish it with zoneform apply; then zoneform undo last ");
  });

  test("the remedy works: an apply finishes it, then it is the last run and is undone", async () => {
    const { rig } = await killedOnTuesday();
    const killed = namedIn((await refusalOf(undo(rig))).diagnostics);
    expect(failuresOf(await rig.run())).toEqual([]);
    const { plan, run } = await undo(rig);
    expect(run).toBe(killed);
    expect(inWords(changesOf(plan))).toEqual(['update custom_hostname["b.net"] config custom_origin_server:config']);
  });

  test("it cannot be undone by its id either, nor by the beginning of that", async () => {
    const { rig } = await killedOnTuesday();
    const killed = namedIn((await refusalOf(undo(rig))).diagnostics);
    expect(killed).toHaveLength(36);
    for (const name of [killed, killed.slice(0, 8)]) {
      const { diagnostics } = await refusalOf(undo(rig, name));
      expect(diagnostics).toMatchObject([{ code: "run-not-finished" }]);
    }
  });

  test("an earlier run can be undone by its id: what the killed one did stays", async () => {
    const { rig, monday } = await killedOnTuesday();
    expect(failuresOf(await rig.apply((await undo(rig, monday)).plan))).toEqual([]);
    rig.write("zones/a.yaml", zoneFile({ ...TUESDAY, "a.net": "origin1.saas.net" }));
    expect(inWords(changesOf(await rig.plan()))).toEqual([]);
  });

  test("the undo of an earlier run restores protection too: the journal that is left does not make it stale", async () => {
    const isProtected = { "a.net": { protect: true } };
    const rig = openRig({ zone: { plan: "enterprise" }, files: { "zones/a.yaml": zoneFile(FIRST, isProtected) } });
    expect(failuresOf(await rig.run())).toEqual([]);
    await settle(rig);
    rig.write("zones/a.yaml", zoneFile(MONDAY, { "a.net": { protect: false } }));
    expect(failuresOf(await rig.run())).toEqual([]);
    await settle(rig);
    const [monday = ""] = await runsOf(rig);
    rig.write("zones/a.yaml", zoneFile(TUESDAY, { "a.net": { protect: false } }));
    await runCutOffAfter(rig, "PATCH");
    expect(failuresOf(await rig.apply((await undo(rig, monday)).plan))).toEqual([]);
    expect((await rig.state())?.objects.get('custom_hostname["a.net"]')).toMatchObject({
      protect: true,
      applied: { custom_origin_server: "origin1.saas.net" },
    });
  });
});
