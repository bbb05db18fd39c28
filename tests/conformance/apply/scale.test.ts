import { totalCost } from "../../../lib/plan/cost.ts";
import { describe, expect, it } from "vitest";
import type { BehaviourName } from "../../../lib/emulator.ts";
import { changesOf, failuresOf, openRig, type Rig, ZONE } from "../../support/engine.ts";
import { inFull } from "../../support/full.ts";

const COUNT = 10_000;
/** A smaller number, for small pages, and for tests that count no pages. */
const FEWER = inFull(COUNT, 2000);
/** Calls besides the pages: the zone, single objects, a refused page size. */
const CONSTANT = 10;

function rigWith(behaviour: BehaviourName, pattern: string, count: number): Rig {
  const rows = Array.from({ length: count }, (_, index) => `app${index + 1}.customers.net,${index % 2 ? "gold" : ""}`);
  return openRig({
    behaviour,
    hasUsualLimits: true,
    zone: { plan: "enterprise", generate: [{ count, pattern, custom_metadata: { tier: "gold" } }] },
    files: {
      "zoneform.yaml": {
        version: 1,
        project: "scale",
        zones: ["zones/*.yaml"],
        sources: {
          customers: { csv: "customers.csv", fields: { hostname: "domain", "custom_metadata.tier": "tier" } },
        },
      },
      "customers.csv": ["domain,tier", ...rows, ""].join("\n"),
      "zones/a.yaml": {
        version: 1,
        zone: ZONE,
        fallback_origin: { origin: "fallback.saas.net" },
        custom_hostnames: {
          lifecycle: "zoneform",
          from: [{ source: "customers" }],
          policies: [{ name: "all", set: { ssl: { method: "http", settings: { min_tls_version: "1.2" } } } }],
        },
        entry_points: { http_request_firewall_managed: { rules: [] }, http_request_firewall_custom: { rules: [] } },
        total_tls: { enabled: true },
      },
    },
  });
}

describe.each([
  [COUNT, "described", 1000],
  [FEWER, "public", 50],
] as const)("%i hostnames from a CSV, service as %s", (count, behaviour, pageSize) => {
  it(`are planned with one call for each ${pageSize} of them, and no limit refuses any`, async () => {
    const rig = rigWith(behaviour, "app{n}.customers.net", count);
    const { log } = rig.service.core;
    const plan = await rig.plan();
    expect(changesOf(plan).filter(({ kind, action }) => kind === "custom_hostname" && action === "adopt")).toHaveLength(
      count,
    );
    expect(log.total()).toBeLessThanOrEqual(Math.ceil(count / pageSize) + CONSTANT);
    expect(log.entries().filter(({ status }) => status === 429)).toEqual([]);
    expect(log.entries().filter(({ method }) => method !== "GET")).toEqual([]);
  });

  it("cost no more if none of them is live yet and as many others are", async () => {
    const rig = rigWith(behaviour, "other{n}.customers.net", count);
    const plan = await rig.plan();
    expect(changesOf(plan).filter(({ action }) => action === "create").length).toBeGreaterThanOrEqual(count);
    expect(rig.service.core.log.total()).toBeLessThanOrEqual(Math.ceil(count / pageSize) + CONSTANT);
  });
});

it(`${FEWER} adopted hostnames are remembered without a single write, and planned again without a change`, async () => {
  const rig = rigWith("described", "app{n}.customers.net", FEWER);
  rig.write("zones/a.yaml", {
    version: 1,
    zone: ZONE,
    custom_hostnames: {
      lifecycle: "zoneform",
      from: [{ source: "customers" }],
      policies: [{ name: "all", set: { ssl: { method: "http" } } }],
    },
  });
  rig.write("customers.csv", rig.read("customers.csv").replaceAll(/,(gold)?\n/g, ",gold\n"));
  await rig.run();
  expect(changesOf(await rig.plan())).toEqual([]);
  expect(rig.service.core.log.entries().filter(({ method }) => method !== "GET")).toEqual([]);
  expect((await rig.state())?.objects.size).toBe(FEWER);
});

describe("new hostnames at the usual limits of an account", () => {
  const NEW = 35;

  async function minutesFor(ssl: object): Promise<number> {
    const entries = Array.from({ length: NEW }, (_, index) => ({ hostname: `app${index}.customers.net`, ...ssl }));
    const rig = openRig({
      hasUsualLimits: true,
      files: {
        "zoneform.yaml": { version: 1, project: "scale", zones: ["zones/*.yaml"] },
        "zones/a.yaml": { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", entries } },
      },
    });
    const plan = await rig.plan();
    const began = rig.clock.now();
    expect(failuresOf(await rig.apply(plan, { parallelism: 10 }))).toEqual([]);
    const { log } = rig.service.core;
    expect(log.entries().filter(({ status }) => status === 429)).toEqual([]);
    const minutes = (rig.clock.now() - began) / 60_000;
    expect(minutes).toBeGreaterThanOrEqual(totalCost(plan).seconds / 60);
    return minutes;
  }

  it("are paced to ten certificates a minute, which leaves five to others, and none is refused", async () => {
    const minutes = await minutesFor({ ssl: { method: "http" } });
    expect(minutes).toBeGreaterThanOrEqual(3);
    expect(minutes).toBeLessThan(3.5);
  });

  it("without a certificate are not paced by certificates", async () => {
    expect(await minutesFor({})).toBeLessThan(0.5);
  });
});
