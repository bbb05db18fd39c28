import { describe, expect, it } from "vitest";
import { Refusal } from "../../../lib/core/diagnostic.ts";
import { totalCost } from "../../../lib/plan/cost.ts";
import { failuresOf, NO_LIMITS, openRig, type Rig } from "../../support/engine.ts";
import { failureOf } from "../../unit/service/world.ts";

type Json = string | number | boolean | Json[] | { readonly [key: string]: Json };

const IDS = ["1", "2", "3"].map((digit) => digit.repeat(32));

/** A rig of zones under the service's usual limits; in each, `withCertificates` of the hostnames get one. */
function rigOf(budget: Json, zones: readonly { readonly hostnames: number; readonly withCertificates: number }[]): Rig {
  const files = zones.map(({ hostnames, withCertificates }, index): [string, Json] => [
    `zones/${index}.yaml`,
    {
      version: 1,
      zone: { id: IDS[index] ?? "", name: `zone${index}.net` },
      custom_hostnames: {
        lifecycle: "zoneform",
        entries: Array.from({ length: hostnames }, (_, number) => ({
          hostname: `h${String(number).padStart(4, "0")}.customer${index}.net`,
          ...(number < withCertificates ? { ssl: { method: "http" } } : {}),
        })),
      },
    },
  ]);
  const project = { version: 1, project: "rig", zones: ["zones/*.yaml"], budget, deletion_limits: NO_LIMITS };
  return openRig({
    hasUsualLimits: true,
    zones: zones.map((_, index) => ({ id: IDS[index] ?? "", name: `zone${index}.net` })),
    files: { "zoneform.yaml": project, ...Object.fromEntries(files) },
  });
}

/** Plans, then applies as a process of its own; returns what the plan estimated, and what it took, in seconds. */
async function timed(rig: Rig, zonesInParallel = 1): Promise<{ said: number; took: number; refused: number }> {
  const plan = await rig.plan();
  await rig.wait(3_600_000);
  await rig.restart();
  let refused = 0;
  rig.network(async (_request, _index, pass) => {
    const answer = await pass();
    if (answer.status === 429) refused += 1;
    return answer;
  });
  const began = rig.clock.now();
  expect(failuresOf(await rig.apply(plan, { zonesInParallel }))).toEqual([]);
  return { said: totalCost(plan).seconds, took: (rig.clock.now() - began) / 1000, refused };
}

const PACED = { api: "100%", issuance: { per_minute: 15, reserve: 0 } };

describe("40 certificates at 15 a minute", () => {
  it("take 2 minutes, and the service refuses none", async () => {
    const { took, refused } = await timed(rigOf(PACED, [{ hostnames: 40, withCertificates: 40 }]));
    // 15 at once, 15 a minute later, 10 another minute later.
    expect(took).toBeCloseTo(120, 0);
    expect(refused).toBe(0);
  });

  it("take a minute if the budget sets no limit: the service refuses, and its block of 30 seconds clears the minute", async () => {
    const unlimited = { api: "unlimited", issuance: "unlimited" };
    const { took, refused } = await timed(rigOf(unlimited, [{ hostnames: 40, withCertificates: 40 }]));
    expect(took).toBeGreaterThanOrEqual(60);
    expect(took).toBeLessThan(66);
    expect(refused).toBeGreaterThan(0);
  });
});

describe("three zones at once", () => {
  it("share one budget: the service refuses none, and it takes as long as one after the other", async () => {
    const zones = [14, 13, 13].map((hostnames) => ({ hostnames, withCertificates: hostnames }));
    const { said, took, refused } = await timed(rigOf(PACED, zones), 3);
    expect(took).toBeCloseTo(120, 0);
    expect(said).toBe(120);
    expect(refused).toBe(0);
  });
});

describe("a plan's estimate of its time", () => {
  const short = {
    certificates: {
      budget: { api: "50%", issuance: { per_minute: 15, reserve: 5 } },
      hostnames: 34,
      withCertificates: 34,
    },
    calls: { budget: { api: "5%", issuance: "unlimited" }, hostnames: 200, withCertificates: 0 },
    both: { budget: { api: "4%", issuance: { per_minute: 15, reserve: 5 } }, hostnames: 150, withCertificates: 60 },
  };

  it.each(Object.entries(short).flatMap(([what, each]) => [1, 2, 3].map((zones) => ({ what, zones, ...each }))))(
    "is within a twentieth of what it takes: $zones zones, $what are short",
    async ({ zones, budget, ...zone }) => {
      const { said, took } = await timed(
        rigOf(
          budget,
          Array.from({ length: zones }, () => zone),
        ),
      );
      expect(took).toBeGreaterThan(0);
      expect(Math.abs(said - took) / took).toBeLessThanOrEqual(0.05);
    },
  );
});

describe("a budget that is too small for one change", () => {
  it("is an error of the plan, at its place in the project file", async () => {
    const rig = rigOf(PACED, [{ hostnames: 1, withCertificates: 0 }]);
    await rig.run();
    rig.write("zones/0.yaml", {
      version: 1,
      zone: { id: IDS[0] ?? "", name: "zone0.net" },
      custom_hostnames: { lifecycle: "zoneform", entries: [] },
    });
    const head = 'version: 1\nproject: rig\nzones: ["zones/*.yaml"]\n';
    const limits = 'deletion_limits: { custom_hostname: { percent: "100%", count: 10 } }\n';
    rig.write("zoneform.yaml", `${head}${limits}budget:\n  api: 0.1%\n`);
    const failure = await failureOf(rig.plan());
    expect(failure).toBeInstanceOf(Refusal);
    expect(failure).toMatchObject({ diagnostics: [{ code: "empty-budget", at: { line: 6, column: 8 } }] });
    // Enough for one runner, and too little for each of several.
    rig.write("zoneform.yaml", `${head}${limits}budget:\n  api: 0.5%\n`);
    expect((await rig.plan()).zones[0]?.changes).toHaveLength(1);
    rig.write("zoneform.yaml", `${head}${limits}budget:\n  api: 0.5%\n  runners: 6\n`);
    const divided = await failureOf(rig.plan());
    expect(divided).toMatchObject({
      message: expect.stringContaining("budget.api allows 1 of Cloudflare's 1200 calls at once to each of 6 runners"),
    });
  });
});
