import { describe, expect, it } from "vitest";
import { type ApplyReport, isResumable } from "../../../lib/apply/outcome.ts";
import { applyExit } from "../../../lib/engine/exit.ts";
import { statuses } from "../../support/approving.ts";
import { changesOf, endingsOf, failuresOf, openRig, type Rig, ZONE } from "../../support/engine.ts";
import { runText } from "../../support/texts.ts";

const HOUR_MILLISECONDS = 3_600_000;
const NAMES = ["a.customer.net", "b.customer.net", "c.customer.net"];
const PACK = { hosts: ["saas.net", "*.saas.net"], validation_method: "txt", validity_days: 90 };

function hostnamesFile(names: readonly string[]): object {
  const entries = names.map((hostname) => ({ hostname, ssl: { method: "http", type: "dv" } }));
  return { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", entries } };
}

function packFile(certificate_authority: string): object {
  return { version: 1, zone: ZONE, certificate_packs: [{ ...PACK, certificate_authority }] };
}

/** Does what `zoneform state unlock` does, with the right id. */
async function freeLock(rig: Rig): Promise<void> {
  const { store } = rig.world();
  const holding = await store.holding(ZONE.id);
  await store.unlock(ZONE.id, holding?.unlockId ?? "");
}

/** Applies one change at a time; somebody frees the lock during the first request with this method. */
async function applyUntilFreed(rig: Rig, method: string): Promise<{ report: ApplyReport; sent: readonly string[] }> {
  const plan = await rig.plan();
  const sent: string[] = [];
  rig.network(async (request, _index, pass) => {
    if (request.method !== "GET") sent.push(request.method);
    if (request.method === method && sent.length === 1) await freeLock(rig);
    return pass();
  });
  const report = await rig.apply(plan, { parallelism: 1 });
  rig.network((_request, _index, pass) => pass());
  return { report, sent };
}

describe("a run whose lock is freed from outside", () => {
  it("sends nothing more, and reports what it did not send as not started", async () => {
    const rig = openRig({ zone: {}, files: { "zones/a.yaml": hostnamesFile(NAMES) } });
    const { report, sent } = await applyUntilFreed(rig, "POST");
    expect(sent).toEqual(["POST"]);
    expect(statuses(report)).toEqual([
      'create custom_hostname["a.customer.net"] done',
      'create custom_hostname["b.customer.net"] not-started',
      'create custom_hostname["c.customer.net"] not-started',
    ]);
    expect([applyExit(report).code, isResumable(report)]).toEqual([6, true]);
    const told = runText(report, { colour: false });
    expect(told).toContain("2 not started\n  + create 2 hostnames\n      b.customer.net, c.customer.net\n");
    expect(told.match(/this run no longer has the lock/g)).toHaveLength(1);
    // One request was sent, and its result could not be stored.
    expect(told).toContain("the next apply, finds out how 1 change ended, and continues");
    expect(told).not.toMatch(/should not|report it| failed/);
    // What was under way is in the journal, and no record is kept yet by which it could be undone.
    expect(report.zones[0]?.canBeUndone).toBeUndefined();

    const next = await rig.run();
    expect(failuresOf(next)).toEqual([]);
    expect(next.zones[0]?.canBeUndone).toBe(true);
    expect(changesOf(await rig.plan())).toEqual([]);
  });

  it("does not report an ordered pack as not started if only the old one could not be deleted", async () => {
    const rig = openRig({ zone: {}, files: { "zones/a.yaml": packFile("google") } });
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.wait(HOUR_MILLISECONDS);
    rig.write("zones/a.yaml", packFile("ssl_com"));
    const plan = await rig.plan();
    const sent: string[] = [];
    rig.network(async (request, _index, pass) => {
      if (request.method !== "GET") sent.push(request.method);
      // The first read of the new order: by then its id is recorded.
      else if (sent.length === 1 && (await rig.world().store.holding(ZONE.id))) await freeLock(rig);
      return pass();
    });
    const report = await rig.apply(plan);
    rig.network((_request, _index, pass) => pass());
    expect(sent).toEqual(["POST"]);
    expect(endingsOf(report).map(({ outcome }) => outcome)).toMatchObject([
      { status: "done", note: expect.stringMatching(/^a later apply deletes .*; it stays for now/) },
    ]);
    expect(failuresOf(report)).toEqual([expect.stringContaining("this run no longer has the lock")]);

    for (let runs = 0; runs < 2; runs += 1) expect(failuresOf(await rig.run())).toEqual([]);
    expect(changesOf(await rig.plan())).toEqual([]);
  });
});
