import { expect, test } from "vitest";
import { applyExit } from "../../../lib/engine/exit.ts";
import type { Claimable } from "../../../lib/state/zone/claims.ts";
import { moveZone } from "../../../lib/state/upkeep/move-project.ts";
import { retire, retiring } from "../../../lib/state/upkeep/retire.ts";
import { failuresOf, HOLDER, openRig, type Rig, ZONE } from "../../support/engine.ts";
import { memoryStore } from "../../support/memory-store.ts";
import { LEASED } from "../../support/state-world.ts";

const TLS: Claimable = { kind: "zone_setting", key: "min_tls_version" };

function rig(store = memoryStore()): Rig {
  return openRig({
    store: () => store,
    files: {
      "zones/a.yaml": {
        version: 1,
        zone: { name: ZONE.name, id: ZONE.id },
        zone_settings: { min_tls_version: { value: "1.2" } },
      },
    },
  });
}

test("a claim of another project between a plan and its apply is refused under the lock, before any call", async () => {
  const made = rig();
  const plan = await made.plan();
  await made.world().stores.claims.take({ project: "other", zone: ZONE.id, things: [TLS] }, LEASED);
  let calls = 0;
  made.network((_request, _index, pass) => {
    calls += 1;
    return pass();
  });
  const report = await made.apply(plan);
  expect(report.zones).toMatchObject([
    { ended: [{ outcome: { status: "not-started" } }], stopped: { diagnostics: [{ code: "claimed" }], exitCode: 4 } },
  ]);
  expect(applyExit(report).code).toBe(4);
  expect(calls).toBe(0);
  expect(await made.state()).toBeUndefined();
});

test("rules are refused by the prefixes and the whole refs that another project claims, and not by the beginning of a ref", async () => {
  const key = "http_request_firewall_custom";
  const made = rig();
  const declare = (ref: string): void =>
    made.write("zones/a.yaml", {
      version: 1,
      zone: { name: ZONE.name, id: ZONE.id },
      entry_points: { [key]: { own: ["mine/"], rules: [{ ref, action: "block", expression: "true" }] } },
    });
  const things = [{ kind: "ruleset", key, prefixes: ["sec/"], refs: ["bots"] }];
  await made.world().stores.claims.take({ project: "other", zone: ZONE.id, things }, LEASED);
  for (const ref of ["bots", "sec/1"]) {
    declare(ref);
    await expect(made.plan()).rejects.toThrow(
      `project other already manages ruleset["${key}"] (rules with refs that begin with sec/, or the ref bots)`,
    );
  }
  declare("bots2");
  expect(failuresOf(await made.run())).toEqual([]);
});

test("a setting that leaves the YAML stays claimed until the apply that releases it", async () => {
  const made = rig();
  await made.run();
  made.write("zones/a.yaml", { version: 1, zone: { name: ZONE.name, id: ZONE.id } });
  const plan = await made.plan();
  expect(plan.zones[0]?.claims).toEqual({ declared: [], willChange: false });
  const claims = async (): Promise<readonly string[]> =>
    (await made.world().stores.claims.list()).map(({ kind }) => kind);
  expect(await claims()).toEqual(["zone_setting"]);
  await made.apply(plan);
  expect(await claims()).toEqual([]);
});

test("a zone that the project has claims in, and no state, is planned with a warning that its state may be lost", async () => {
  const made = rig();
  await made.run();
  const { store } = made.world();
  const lease = await store.lock(ZONE.id, HOLDER, 0);
  await store.retire(ZONE.id, lease);
  await lease.release();
  const findings = (await made.plan()).zones.flatMap((section) => section.findings);
  expect(findings).toMatchObject([
    { code: "no-state", message: expect.stringContaining("has claims there since 2026-") },
  ]);
});

test.each(["moved to the project's new name", "removed"])(
  "a state that was %s while an apply waited for its approval stays so: the apply claims nothing and begins no other",
  async (how) => {
    const store = memoryStore();
    const made = rig(store);
    await made.run();
    made.write("zones/a.yaml", {
      version: 1,
      zone: { name: ZONE.name, id: ZONE.id },
      zone_settings: { min_tls_version: { value: "1.3" } },
    });
    const waiting = await made.plan();

    const lease = await store.lock(ZONE.id, HOLDER, 0);
    await made.world().stores.claims.release("rig", ZONE.id, LEASED);
    if (how === "removed") await retire(store, lease, await retiring(store, ZONE.id));
    else {
      const to = memoryStore();
      await moveZone({ from: store, to }, ZONE.id, { from: lease, to: await to.lock(ZONE.id, HOLDER, 0) });
    }
    await lease.release();

    const report = await made.apply(waiting);
    expect(report.zones).toMatchObject([
      {
        ended: [{ outcome: { status: "not-started" } }],
        stopped: { diagnostics: [{ code: "plan-of-another-state" }], exitCode: 5 },
      },
    ]);
    expect(await made.world().stores.claims.list()).toEqual([]);
    expect(await store.zones()).toEqual([]);
  },
);
