import { expect, test } from "vitest";
import { exitOf, planExit } from "../../../lib/engine/exit.ts";
import { changesOf, failuresOf, inWords, openRig, runCutOffAfter, ZONE } from "../../support/engine.ts";
import { undo } from "../../support/undoing.ts";

const HOUR_MILLISECONDS = 3_600_000;
const KEY = "*.saas.net,saas.net";
const ADDRESS = `certificate_pack["${KEY}"]`;

function zoneFile(certificate_authority: string): object {
  const pack = {
    hosts: ["saas.net", "*.saas.net"],
    validation_method: "txt",
    validity_days: 90,
    certificate_authority,
  };
  return { version: 1, zone: ZONE, certificate_packs: [pack] };
}

test("a run that only deleted the pack that an earlier run had replaced is undone by undoing that one", async () => {
  const rig = openRig({ zone: {}, files: { "zones/a.yaml": zoneFile("google") } });
  expect(failuresOf(await rig.run())).toEqual([]);
  await rig.wait(HOUR_MILLISECONDS);
  rig.write("zones/a.yaml", zoneFile("ssl_com"));
  await runCutOffAfter(rig, "POST");
  rig.network((_request, _index, pass) => pass());
  expect(failuresOf(await rig.run())).toEqual([]);
  await rig.wait(HOUR_MILLISECONDS);
  const last = await rig.plan();
  expect(inWords(changesOf(last))).toEqual([expect.stringContaining(`delete certificate_pack["${KEY}#`)]);
  expect(failuresOf(await rig.apply(last))).toEqual([]);

  const { plan } = await undo(rig);
  expect(inWords(changesOf(plan))).toEqual([]);
  expect(plan.zones[0]?.findings).toMatchObject([{ code: "cannot-be-undone" }]);
  expect(exitOf(plan, (section) => planExit(section, false)).code).toBe(4);
});

test("a deleted pack whose successor is gone comes back under the address of both", async () => {
  const rig = openRig({ zone: {}, files: { "zones/a.yaml": zoneFile("google") } });
  expect(failuresOf(await rig.run())).toEqual([]);
  await rig.wait(HOUR_MILLISECONDS);
  rig.write("zones/a.yaml", zoneFile("ssl_com"));
  await runCutOffAfter(rig, "POST");
  rig.network((_request, _index, pass) => pass());
  expect(failuresOf(await rig.run())).toEqual([]);
  const successor = (await rig.state())?.objects.get(ADDRESS)?.id ?? "";
  expect(rig.admin.dashboard("DELETE", `/zones/${ZONE.id}/ssl/certificate_packs/${successor}`).status).toBe(200);
  rig.write("zones/a.yaml", { version: 1, zone: ZONE, certificate_packs: [] });
  const last = await rig.plan();
  expect(inWords(changesOf(last))).toEqual([expect.stringContaining(`delete certificate_pack["${KEY}#`)]);
  expect(failuresOf(await rig.apply(last))).toEqual([]);

  const { plan } = await undo(rig);
  expect(changesOf(plan)).toMatchObject([
    { address: ADDRESS, action: "create", desired: { certificate_authority: "google" } },
  ]);
});
