import { describe, expect, it } from "vitest";
import { Refusal } from "../../../lib/core/diagnostic.ts";
import { isNamedLive } from "../../../lib/engine/look-up.ts";
import { moveInState } from "../../../lib/state/state.ts";
import { failuresOf, openRig, runCutOffAfter, ZONE } from "../../support/engine.ts";

const PACK = { validation_method: "txt", validity_days: 90, certificate_authority: "google" };
const FROM = 'certificate_pack["*.saas.net,saas.net"]';
const TO = 'certificate_pack["saas.net,shop.saas.net"]';

function zoneFile(...hosts: readonly string[]): object {
  return { version: 1, zone: ZONE, certificate_packs: [{ hosts, ...PACK }] };
}

describe("state mv of a pack whose order was cut off", () => {
  it("is refused: only its own hosts lead to what may be live, and the next apply finds it", async () => {
    const rig = openRig({ zone: {}, files: { "zones/a.yaml": zoneFile("saas.net", "*.saas.net") } });
    await runCutOffAfter(rig, "POST");
    const open = await rig.state();
    expect(open?.objects.get(FROM)).toMatchObject({ pending: "create" });
    let thrown: unknown;
    try {
      moveInState(open, FROM, TO, isNamedLive);
    } catch (error) {
      thrown = error;
    }
    if (!(thrown instanceof Refusal)) return expect.fail(`it is moved, or fails otherwise: ${String(thrown)}`);
    expect(thrown.diagnostics).toMatchObject([{ code: "fate-unknown" }]);

    rig.network((_request, _index, pass) => pass());
    expect(failuresOf(await rig.run())).toEqual([]);
    expect([...moveInState(await rig.state(), FROM, TO, isNamedLive).objects.keys()]).toEqual([TO]);
    return undefined;
  });
});
