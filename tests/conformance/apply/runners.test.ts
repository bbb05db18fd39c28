import { expect, test } from "vitest";
import { failuresOf, NO_LIMITS, openRig, type Rig } from "../../support/engine.ts";

const IDS = ["1", "2"].map((digit) => digit.repeat(32));
const ZONES = IDS.map((id, index) => ({ id, name: `zone${index}.net` }));
/** All that the service allows, for two runners: with one certificate or one call more, it refuses. */
const HALVES = { api: "100%", issuance: { per_minute: 15, reserve: 0 }, runners: 2 };
const MINUTE = 60_000;

/** A runner that applies one zone, which has 20 hostnames with certificates. */
function runnerOf(zone: number, besides?: Rig): Rig {
  const entries = Array.from({ length: 20 }, (_none, number) => ({
    hostname: `h${String(number).padStart(4, "0")}.customer${zone}.net`,
    ssl: { method: "http" },
  }));
  const project = { version: 1, project: "rig", zones: ["zones/*.yaml"], budget: HALVES, deletion_limits: NO_LIMITS };
  return openRig({
    hasUsualLimits: true,
    zones: ZONES,
    files: {
      "zoneform.yaml": project,
      "zones/zone.yaml": { version: 1, zone: ZONES[zone] ?? {}, custom_hostnames: { lifecycle: "zoneform", entries } },
    },
    seed: zone + 1,
    ...(besides ? { besides } : {}),
  });
}

test("two runners with budget.runners: 2 that apply two zones at once are refused no call", async () => {
  const one = runnerOf(0);
  const rigs = [one, runnerOf(1, one)];
  const plans = await Promise.all(rigs.map((rig) => rig.plan()));
  await one.wait(10 * MINUTE);
  let refused = 0;
  for (const rig of rigs)
    rig.network(async (_request, _index, pass) => {
      const answer = await pass();
      if (answer.status === 429) refused += 1;
      return answer;
    });
  const began = one.clock.now();
  const ended = await Promise.all(
    rigs.flatMap((rig, index) => {
      const plan = plans[index];
      return plan ? [rig.apply(plan)] : [];
    }),
  );
  expect(ended.flatMap(failuresOf)).toEqual([]);
  expect(refused).toBe(0);
  // Each has 7 certificates a minute, so the last of its 20 are ordered after two minutes.
  expect((one.clock.now() - began) / MINUTE).toBeCloseTo(2, 1);
});
