import { describe, expect, test } from "vitest";
import type { Clock } from "../../lib/core/clock.ts";
import { nameOfState } from "../../lib/state/engines/http/session.ts";
import { httpStores } from "../../lib/state/engines/http/engine.ts";
import { listRuns, loadRun } from "../../lib/state/runs.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { STORES_FULL as FULL } from "../support/full.ts";
import { changesOf, failuresOf, openRig, type Rig, ZONE } from "../support/engine.ts";
import { modelTransport, type StateModel, stateModel } from "../support/http-state-model.ts";
import { random, steadyAs } from "../support/state-world.ts";
import { undo } from "../support/undoing.ts";

const NAME = nameOfState("edge", ZONE.id);

interface HttpRig extends Rig {
  readonly model: StateModel;
}

/** A project with this many hostnames, whose state is on a server like GitLab. */
function rigOf(hostnames: number): HttpRig {
  const model = stateModel("gitlab");
  const store = (clock: Clock): ProjectStore =>
    httpStores("https://gitlab.example/api/v4/projects/1/terraform/state", {
      env: {},
      clock,
      steady: steadyAs(clock),
      random,
      connect: () => modelTransport(model),
    }).of("edge");
  return { ...openRig({ files: { "zones/a.yaml": zoneOf(hostnames) }, store }), model };
}

function zoneOf(count: number, origin = "origin1.saas.net"): Parameters<Rig["write"]>[1] {
  const entries = Array.from({ length: count }, (_none, index) => ({
    hostname: `app-${index}.customer.net`,
    custom_origin_server: origin,
    ssl: { method: "http", type: "dv" },
  }));
  return {
    version: 1,
    zone: ZONE,
    fallback_origin: { origin: "fallback.saas.net" },
    custom_hostnames: { lifecycle: "zoneform", ssl_updates: "always", foreign: "ignore", entries },
  };
}

/** What a run says about hostnames in what is stored now. */
function isStored(model: StateModel, hostname: string): boolean {
  return model.bodyOf(NAME)?.includes(hostname) === true;
}

function hostnameIn(body: string | undefined): string {
  return /"hostname":"([^"]+)"/.exec(body ?? "")?.[1] ?? "";
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_none, index) => first + index);
}

/** Cuts the process off after so many calls with this method. */
async function killAfter(rig: Rig, method: string, calls: number): Promise<void> {
  let left = calls;
  rig.network(async (request, _index, pass) => {
    const answer = await pass();
    if (request.method === method && --left <= 0) rig.crash();
    return answer;
  });
  expect(await rig.untilCrash(rig.run())).toBe("crashed");
  await rig.restart();
}

function liveCount(rig: Rig): number {
  const { body } = rig.admin.dashboard("GET", `/zones/${ZONE.id}/custom_hostnames?per_page=5`);
  return Number(/"total_count":(\d+)/.exec(body)?.[1]);
}

describe("an apply with the state on an HTTP server", () => {
  test("announces each create before its call, and writes about once for a hundred", async () => {
    const rig = rigOf(1000);
    const early: string[] = [];
    rig.network((request, _index, pass) => {
      const hostname = request.method === "POST" ? hostnameIn(request.body) : "";
      if (hostname !== "" && !isStored(rig.model, hostname)) early.push(hostname);
      return pass();
    });
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(early).toEqual([]);
    expect((await rig.state())?.objects.size).toBe(1001);
    // The lock, the approval, the first state, the end of the run, and its release.
    expect(rig.model.writesOf(NAME)).toBeLessThanOrEqual(1000 / 100 + 12);
  });

  test.each(FULL ? range(99, 210) : [99, 120, 160, 210])(
    "that is killed after %i creates leaves at most a hundred unfinished changes",
    async (creates) => {
      const rig = rigOf(320);
      await killAfter(rig, "POST", creates);
      const open = [...((await rig.state())?.objects.values() ?? [])].filter(({ pending }) => pending !== undefined);
      expect(open.length).toBeGreaterThan(20);
      expect(open.length).toBeLessThanOrEqual(100);
    },
  );

  test("that is killed creates nothing twice when it is run again", async () => {
    const rig = rigOf(150);
    await killAfter(rig, "POST", 110);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(liveCount(rig)).toBe(150);
    expect(await rig.drift()).toEqual([]);
  });

  test("that is stopped leaves nothing unfinished that it did not begin", async () => {
    const rig = rigOf(150);
    const plan = await rig.plan();
    let sent = 0;
    rig.network((request, _index, pass) => {
      // The service refuses the credentials, which stops the run.
      if (request.method === "POST" && ++sent > 30)
        return Promise.resolve({
          status: 401,
          headers: {},
          body: '{"success":false,"errors":[{"code":10000,"message":"x"}]}',
        });
      return pass();
    });
    await rig.apply(plan);
    const objects = [...((await rig.state())?.objects.values() ?? [])];
    expect(objects.filter(({ pending, unanswered }) => pending ?? unanswered)).toEqual([]);
    expect(objects.length).toBeGreaterThan(20);
  });

  test("can be undone, because the next write stores what was live before", async () => {
    const rig = rigOf(110);
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.wait(3_600_000);
    const before = rig.model.writesOf(NAME);
    rig.write("zones/a.yaml", zoneOf(110, "origin2.saas.net"));
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(rig.model.writesOf(NAME) - before).toBeLessThanOrEqual(2 + 12);
    const { plan } = await undo(rig);
    const changes = plan.zones.flatMap((zone) => zone.changes);
    expect(changes).toHaveLength(110);
    for (const { leaves, refused } of changes) {
      expect(refused).toBeUndefined();
      expect(leaves).toMatchObject([{ path: ["custom_origin_server"], after: "origin1.saas.net" }]);
    }
  });

  test("that is killed names the objects whose previous values were not recorded", async () => {
    const rig = rigOf(50);
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.wait(3_600_000);
    rig.write("zones/a.yaml", zoneOf(50, "origin2.saas.net"));
    await killAfter(rig, "PATCH", 20);
    expect(failuresOf(await rig.run())).toEqual([]);
    const [, killed] = await listRuns(await rig.world().store.view(ZONE.id));
    const record = await loadRun(await rig.world().store.view(ZONE.id), killed?.run ?? "");
    const lacking = record?.changes.filter(({ before }) => before === undefined) ?? [];
    expect(lacking.length).toBeGreaterThan(0);
    const { plan } = await undo(rig, killed?.run);
    const said = plan.zones.flatMap(({ findings }) => findings.map(({ message }) => message)).join("\n");
    expect(said).toContain("the run was killed before it stored what was there");
  });

  test("that is killed is undone only as far as it is known to have come: what the next run created stays", async () => {
    const rig = rigOf(40);
    await killAfter(rig, "POST", 10);
    expect(failuresOf(await rig.run())).toEqual([]);
    const [, killed] = await listRuns(await rig.world().store.view(ZONE.id));
    const { plan } = await undo(rig, killed?.run);
    const changes = plan.zones.flatMap((zone) => zone.changes.filter(({ kind }) => kind === "custom_hostname"));
    expect(changes.filter(({ action, refused }) => action === "delete" && !refused)).toEqual([]);
    expect(changes.filter(({ refused }) => refused?.code === "changed-since-run").length).toBeGreaterThan(30);
  });

  test("stores its results after a minute, however few there are", async () => {
    const rig = rigOf(20);
    let stored = 0;
    let sent = 0;
    rig.network(async (request, _index, pass) => {
      if (request.method === "POST" && ++sent === 10) {
        stored = rig.model.writesOf(NAME);
        await rig.wait(70_000);
        stored = rig.model.writesOf(NAME) - stored;
      }
      return pass();
    });
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(stored).toBeGreaterThanOrEqual(1);
  });
});

describe("a change that was announced and never sent", () => {
  /** The run is killed by its third call with this method: most of its 60 changes were only announced. */
  const killedEarly = (rig: Rig, method: string): Promise<void> => killAfter(rig, method, 3);

  function createAsSomebodyElse(rig: Rig, hostname: string, origin: string): void {
    const body = { hostname, custom_origin_server: origin, ssl: { method: "http", type: "dv" } };
    const made = rig.admin.dashboard("POST", `/zones/${ZONE.id}/custom_hostnames`, body);
    expect(made.status).toBeLessThan(300);
  }

  function liveHostnames(rig: Rig): string {
    return rig.admin.dashboard("GET", `/zones/${ZONE.id}/custom_hostnames?per_page=1000`).body;
  }

  const LAST = "app-59.customer.net";

  test.each([
    ["long after it, with the same content", 3_600_000, "origin1.saas.net"],
    ["soon after it, with other content", 60_000, "origin2.saas.net"],
  ])("is not taken for ours if a stranger created the object %s", async (_name, delay, origin) => {
    const rig = rigOf(60);
    await killedEarly(rig, "POST");
    expect((await rig.state())?.objects.get(`custom_hostname["${LAST}"]`)?.pending).toBe("create");
    await rig.wait(delay);
    createAsSomebodyElse(rig, LAST, origin);
    // Nobody wants it any more: what is ours would be deleted.
    rig.write("zones/a.yaml", zoneOf(59));
    expect(changesOf(await rig.plan()).filter(({ address }) => address.includes(LAST))).toEqual([]);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(liveHostnames(rig)).toContain(LAST);
    expect((await rig.state())?.objects.get(`custom_hostname["${LAST}"]`)?.id ?? "").toBe("");
  });

  test.each([
    ["PATCH", "update", zoneOf(60, "origin2.saas.net")],
    ["DELETE", "delete", zoneOf(1)],
  ] as const)("is not reported as done after it was cancelled (%s)", async (method, action, wanted) => {
    const rig = rigOf(60);
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.wait(3_600_000);
    rig.write("zones/a.yaml", wanted);
    await killedEarly(rig, method);
    const announced = [...((await rig.state())?.objects.values() ?? [])].filter(({ unanswered }) => unanswered);
    expect(announced.length).toBeGreaterThan(20);
    rig.write("zones/a.yaml", zoneOf(60));
    // What live shows unchanged is in the state as it was.
    expect((await rig.state())?.objects.get(`custom_hostname["${LAST}"]`)?.applied).toMatchObject({
      custom_origin_server: "origin1.saas.net",
    });
    expect(await rig.drift()).toEqual([]);
    const plan = await rig.plan();
    expect(changesOf(plan).filter(({ address, action: does }) => address.includes(LAST) && does !== "held")).toEqual(
      [],
    );
    expect(failuresOf(await rig.apply(plan))).toEqual([]);
    const runs = await listRuns(await rig.world().store.view(ZONE.id));
    const records = await Promise.all(runs.map(async ({ run }) => loadRun(await rig.world().store.view(ZONE.id), run)));
    const killed = records.filter((record) => record?.changes.some((change) => change.action === action));
    const said = killed.flatMap((record) => record?.changes ?? []).filter(({ address }) => address.includes(LAST));
    expect(said).toHaveLength(1);
    expect(said.filter(({ isUnfinished }) => isUnfinished !== true)).toEqual([]);
    expect((await rig.state())?.objects.get(`custom_hostname["${LAST}"]`)?.unanswered).toBeUndefined();
  });

  test.each(["PATCH", "DELETE"])("is not touched by the undo of its run (%s)", async (method) => {
    const rig = rigOf(60);
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.wait(3_600_000);
    rig.write("zones/a.yaml", method === "PATCH" ? zoneOf(60, "origin2.saas.net") : zoneOf(1));
    await killedEarly(rig, method);
    rig.write("zones/a.yaml", zoneOf(60));
    expect(failuresOf(await rig.run())).toEqual([]);
    const runs = await listRuns(await rig.world().store.view(ZONE.id));
    const killed = runs[1]?.run;
    const { plan } = await undo(rig, killed);
    expect(changesOf(plan).filter(({ address, refused }) => address.includes(LAST) && !refused)).toEqual([]);
  });

  test("is not touched by the undo of its run, even if a stranger created the object since", async () => {
    const rig = rigOf(60);
    await killedEarly(rig, "POST");
    await rig.wait(3_600_000);
    createAsSomebodyElse(rig, LAST, "origin1.saas.net");
    rig.write("zones/a.yaml", zoneOf(59));
    expect(failuresOf(await rig.run())).toEqual([]);
    const runs = await listRuns(await rig.world().store.view(ZONE.id));
    const { plan } = await undo(rig, runs.at(-1)?.run);
    expect(changesOf(plan).filter(({ address, refused }) => address.includes(LAST) && !refused)).toEqual([]);
  });
});
