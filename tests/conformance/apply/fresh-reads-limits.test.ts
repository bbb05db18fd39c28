import { describe, expect, it } from "vitest";
import { isResumable } from "../../../lib/apply/outcome.ts";
import { Refusal } from "../../../lib/core/diagnostic.ts";
import { applyExit } from "../../../lib/engine/exit.ts";
import { changesOf, dnsRecords, endingsOf, failuresOf, openRig, type Rig, ZONE } from "../../support/engine.ts";
import { type Case, CASES, inTime, PATH, rigOf, statusOf, withBudget } from "./fresh-reads-world.ts";
import { staleWrites } from "./stale-writes.ts";

const HOUR_MILLISECONDS = 3_600_000;
const WINDOW_MILLISECONDS = 300_000;
const CHANGES = 40;
/** A read and a write each. */
const CALLS_OF_A_CHANGE = 2;
const CALLS_IN_A_WINDOW = 12;
/** A disk that takes longer for a record than a read stays fresh. */
const SLOW_DISK_MILLISECONDS = 2000;

const [UPDATE] = CASES;
if (!UPDATE) throw new Error("there are cases");

function hostnames(count: number, tier: string): object {
  const entries = Array.from({ length: count }, (_none, index) => ({
    hostname: `app${index}.customer.net`,
    custom_metadata: { tier },
    ssl: { type: "dv", method: "http" },
  }));
  return { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", entries } };
}

describe("forty changes, 32 at a time, with 12 calls in five minutes", () => {
  it.each(["update", "delete"] as const)("are all applied in time: %s", async (action) => {
    const rig = await grown();
    rig.write("zones/a.yaml", action === "update" ? hostnames(CHANGES, "gold") : hostnames(0, ""));
    const plan = await rig.plan();
    expect(changesOf(plan).map((change) => change.action)).toEqual(Array.from({ length: CHANGES }, () => action));
    const began = rig.clock.now();
    // Twice as long as the calls alone need: some places are given back, and others use them.
    const longest = 2 * WINDOW_MILLISECONDS * ((CHANGES * CALLS_OF_A_CHANGE) / CALLS_IN_A_WINDOW);
    const report = await inTime(rig, rig.apply(plan, { parallelism: 32 }), longest);
    expect(failuresOf(report)).toEqual([]);
    expect(rig.clock.now() - began).toBeGreaterThan(WINDOW_MILLISECONDS);
  });

  it("are all applied in time even if calls are refused with 429", async () => {
    const rig = await grown();
    rig.write("zones/a.yaml", hostnames(CHANGES, "gold"));
    const plan = await rig.plan();
    const fault = { kind: "throttle", code: 10100, status: 429, retryAfter: 5 } as const;
    rig.service.core.faults.order({ fault, rate: 0.1, seed: 7 });
    expect(failuresOf(await inTime(rig, rig.apply(plan, { parallelism: 32 })))).toEqual([]);
  });

  async function grown(): Promise<Rig> {
    const rig = openRig({
      // As documented, so that the service's limits and the budget mean the same.
      hasUsualLimits: true,
      zone: { dns_records: dnsRecords() },
      files: { "zones/a.yaml": hostnames(CHANGES, "silver") },
    });
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.wait(HOUR_MILLISECONDS);
    await withBudget(rig, "1%");
    return rig;
  }
});

describe("a budget that is smaller than an attempt needs", () => {
  it.each(CASES)("is refused for that reason, and nothing is written: $what", async (each) => {
    // One call in five minutes: a read, and nothing is left for the write.
    const rig = await rigOf({ ...each, budget: "0.1%" });
    rig.service.core.log.reset();
    expect(await codesOf(rig, each)).toContain("empty-budget");
    expect(rig.service.core.log.entries().filter(({ method }) => method !== "GET")).toEqual([]);
  });
});

/** The codes of everything that a plan and its apply refuse or fail for. */
async function codesOf(rig: Rig, { planOptions }: Case): Promise<readonly string[]> {
  try {
    const report = await inTime(
      rig,
      rig.plan(planOptions).then((plan) => rig.apply(plan)),
    );
    const stopped = report.zones.flatMap((zone) => zone.stopped?.diagnostics ?? []);
    return [...stopped.map(({ code }) => code), ...endingsOf(report).flatMap(({ outcome }) => codeOf(outcome))];
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown.diagnostics.map(({ code }) => code);
    throw thrown;
  }
}

function codeOf(outcome: ReturnType<typeof endingsOf>[number]["outcome"]): readonly string[] {
  if ("diagnostic" in outcome) return [outcome.diagnostic.code];
  return "refused" in outcome ? [outcome.refused.code] : [];
}

describe("a disk that takes two seconds for each intent", () => {
  it.each(CASES)("keeps no change from its fresh read: $what", async (each) => {
    const rig = await rigOf({ ...each, budget: "100%" });
    const plan = await rig.plan(each.planOptions);
    rig.storage(async (_index, pass) => {
      await rig.clock.sleep(SLOW_DISK_MILLISECONDS);
      return pass();
    });
    rig.service.core.log.reset();
    const report = await inTime(rig, rig.apply(plan));
    expect(statusOf(report, each.address)).toBe("done");
    expect(staleWrites(rig.service.core.log.entries()).join("; ")).toBe("");
  });
});

describe("reads that are never fresh, because the service asks for a pause after each of them", () => {
  it("leave the change undone, and nothing stale is sent", async () => {
    const rig = await rigOf({ ...UPDATE, budget: "100%" });
    const plan = await rig.plan(UPDATE.planOptions);
    const client = rig.world().connect(plan.budget);
    let others = 0;
    rig.network(async ({ method, url }, _index, pass) => {
      const answer = await pass();
      if (method !== "GET" || !/custom_hostnames\/[0-9a-f-]{36}$/.test(url)) return answer;
      // Another call with the same credential is refused before the write can be sent.
      const fault = { kind: "throttle", code: 10100, status: 429, retryAfter: 5 } as const;
      rig.service.core.faults.order({ fault, path: PATH, count: 1 });
      void client.send({ method: "GET", path: PATH, family: "zones" }).then(() => (others += 1));
      await rig.clock.sleep(1);
      return answer;
    });
    rig.service.core.log.reset();
    const report = await inTime(rig, rig.apply(plan));
    expect(others).toBeGreaterThan(0);
    expect(statusOf(report, UPDATE.address)).not.toBe("done");
    expect(rig.service.core.log.entries().filter(({ method }) => method !== "GET")).toEqual([]);
    expect([applyExit(report).code, isResumable(report)]).toEqual([1, true]);
  });
});
