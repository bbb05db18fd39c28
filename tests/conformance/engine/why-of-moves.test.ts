import { expect, it } from "vitest";
import { zoneId } from "../../../lib/core/brand.ts";
import { why } from "../../../lib/engine/why.ts";
import { changesOf, dnsRecords, failuresOf, openRig, ZONE } from "../../support/engine.ts";

const OTHER = { id: zoneId("9a7806061c88ada191ed06f989cc3dac"), name: "other.net" };
const A_DAY_MILLISECONDS = 24 * 60 * 60_000;
const ADDRESS = `${ZONE.name}/custom_hostname["app.customer.net"]`;

function zoneFile(zone: typeof ZONE, names: readonly string[], more: object = {}): object {
  const entries = names.map((hostname) => ({ hostname, ssl: { method: "http", type: "dv" } }));
  return { version: 1, zone, custom_hostnames: { lifecycle: "zoneform", entries }, ...more };
}

it("why says about a hostname that moves what the plan says, at each step of the move, and reads only that", async () => {
  const names = ["app.customer.net", "b.customer.net", "c.customer.net"];
  const rig = openRig({
    zones: [ZONE, OTHER].map((zone) => ({ ...zone, dns_records: zone === ZONE ? dnsRecords() : [] })),
    files: { "zones/a.yaml": zoneFile(ZONE, [...names, "stays.net"]), "zones/b.yaml": zoneFile(OTHER, ["other.net"]) },
  });
  expect(failuresOf(await rig.run())).toEqual([]);
  await rig.wait(A_DAY_MILLISECONDS);
  const moved = names.map((name) => ({ from: `${ZONE.name}/custom_hostname["${name}"]` }));
  rig.write("zones/a.yaml", zoneFile(ZONE, ["stays.net"]));
  rig.write("zones/b.yaml", zoneFile(OTHER, [...names, "other.net"], { moved }));

  let calls = 0;
  rig.network((_request, _index, pass) => {
    calls += 1;
    return pass();
  });
  const before = await why(rig.world(), { file: rig.file }, ADDRESS);
  // The hostname here, and its successor there.
  expect(calls).toBe(2);
  expect(before).toMatchObject({ action: "held" });
  await rig.run();
  expect(await why(rig.world(), { file: rig.file }, ADDRESS)).toMatchObject({ action: "held" });
  await rig.wait(A_DAY_MILLISECONDS);
  const [planned] = changesOf(await rig.plan()).filter(({ address }) => address === ADDRESS);
  expect(planned).toMatchObject({ action: "delete", reason: "it has moved, and the new one serves traffic" });
  expect(await why(rig.world(), { file: rig.file }, ADDRESS)).toMatchObject({
    action: "delete",
    reason: "it has moved, and the new one serves traffic",
  });
});
