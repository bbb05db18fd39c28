import { describe, expect, it } from "vitest";
import type { HttpResponse } from "../../lib/service/http.ts";
import { editState } from "../../lib/state/edit.ts";
import { loadState, saveState } from "../../lib/state/load.ts";
import { changesOf, failuresOf, HOLDER, inWords, openRig, runCutOffAfter, type Rig, ZONE } from "../support/engine.ts";

const HOSTNAMES = `/zones/${ZONE.id}/custom_hostnames`;
const SSL = { method: "http", type: "dv" };
const AN_HOUR = 60 * 60_000;

function zoneFile(hostnames: readonly string[]): object {
  const entries = hostnames.map((hostname) => ({ hostname, ssl: SSL }));
  return { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", entries } };
}

function liveNames(rig: Rig): readonly string[] {
  const { result } = JSON.parse(rig.admin.dashboard("GET", HOSTNAMES).body);
  return result.map(({ hostname }: { hostname: string }) => hostname).toSorted();
}

async function tracked(rig: Rig): Promise<readonly string[]> {
  return [...((await rig.state())?.objects.keys() ?? [])];
}

/** Takes a hostname out of every list, as one that lags behind does. What is asked for by id is there. */
function hideFromLists(rig: Rig, hidden: string): void {
  rig.network(async (request, _index, pass) => {
    const answer = await pass();
    const isList = request.method === "GET" && new URL(request.url).pathname.endsWith("/custom_hostnames");
    return isList ? without(answer, hidden) : answer;
  });
}

function without(answer: HttpResponse, hidden: string): HttpResponse {
  const envelope = JSON.parse(answer.body);
  const result = envelope.result.filter(({ hostname }: { hostname: string }) => hostname !== hidden);
  const total_count = envelope.result_info.total_count - (envelope.result.length - result.length);
  const result_info = { ...envelope.result_info, count: result.length, total_count };
  return { ...answer, body: JSON.stringify({ ...envelope, result, result_info }) };
}

function showEverything(rig: Rig): void {
  rig.network((_request, _index, pass) => pass());
}

describe("a list that does not show an object", () => {
  it("is no drift, and creates nothing, where the object is there by its id", async () => {
    const rig = openRig({ files: { "zones/a.yaml": zoneFile(["a.net", "b.net"]) } });
    await rig.run();
    hideFromLists(rig, "a.net");
    expect(changesOf(await rig.plan())).toEqual([]);
    expect(await rig.drift()).toEqual([]);
  });

  it("does not lose an object that is declared no more: it is deleted, and not forgotten", async () => {
    const rig = openRig({ files: { "zones/a.yaml": zoneFile(["a.net", "b.net"]) } });
    await rig.run();
    rig.write("zones/a.yaml", zoneFile(["b.net"]));
    hideFromLists(rig, "a.net");
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(liveNames(rig)).toEqual(["b.net"]);
    expect(await tracked(rig)).toEqual(['custom_hostname["b.net"]']);
  });

  it("is not another object that has the id which the state names", async () => {
    const rig = openRig({ files: { "zones/a.yaml": zoneFile(["a.net"]) } });
    await rig.run();
    const { store } = rig.world();
    const saved = await loadState(store, ZONE.id);
    const known = saved?.state.objects.get('custom_hostname["a.net"]');
    if (!saved || !known) throw new Error("nothing was applied");
    const editor = editState(saved.state);
    editor.delete('custom_hostname["a.net"]');
    editor.set('custom_hostname["b.net"]', { ...known, key: "b.net" });
    const lease = await store.lock(ZONE.id, HOLDER, 0);
    await saveState(store, lease, saved.version, editor.toState());
    await lease.release();
    rig.write("zones/a.yaml", zoneFile(["b.net"]));
    expect(changesOf(await rig.plan()).map(({ action, key }) => [action, key])).toEqual([["create", "b.net"]]);
  });

  it("believes that an object is gone where its id is not found", async () => {
    const rig = openRig({ files: { "zones/a.yaml": zoneFile(["a.net", "b.net"]) } });
    await rig.run();
    const { result } = JSON.parse(rig.admin.dashboard("GET", HOSTNAMES).body);
    const { id } = result.find(({ hostname }: { hostname: string }) => hostname === "a.net");
    rig.admin.dashboard("DELETE", `${HOSTNAMES}/${id}`);
    expect(changesOf(await rig.plan()).map(({ action, cause }) => [action, cause])).toEqual([["create", "drift"]]);
  });
});

describe("a create whose answer was lost, of an entry that is declared no more", () => {
  /** The process dies when the create has taken effect and before its answer is seen. */
  async function cutOff(): Promise<Rig> {
    const rig = openRig({ files: { "zones/a.yaml": zoneFile(["a.net"]) } });
    await runCutOffAfter(rig, "POST");
    rig.write("zones/a.yaml", zoneFile([]));
    return rig;
  }

  it("is not given up while lists may lag, and is deleted once it shows", async () => {
    const rig = await cutOff();
    hideFromLists(rig, "a.net");
    await rig.run();
    expect(await tracked(rig)).toEqual(['custom_hostname["a.net"]']);
    showEverything(rig);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect([liveNames(rig), await tracked(rig)]).toEqual([[], []]);
  });

  it("is given up when it has not shown for longer than any list lags", async () => {
    const rig = await cutOff();
    const { result } = JSON.parse(rig.admin.dashboard("GET", HOSTNAMES).body);
    rig.admin.dashboard("DELETE", `${HOSTNAMES}/${result[0].id}`);
    await rig.wait(AN_HOUR / 2);
    await rig.run();
    expect(await tracked(rig)).toEqual(['custom_hostname["a.net"]']);
    await rig.wait(AN_HOUR);
    await rig.run();
    expect(await tracked(rig)).toEqual([]);
  });

  it("takes nothing away that has its name and is not what was sent", async () => {
    const rig = await cutOff();
    const { result } = JSON.parse(rig.admin.dashboard("GET", HOSTNAMES).body);
    rig.admin.dashboard("DELETE", `${HOSTNAMES}/${result[0].id}`);
    rig.admin.dashboard("POST", HOSTNAMES, { hostname: "a.net", ssl: { method: "txt", type: "dv" } });
    expect(changesOf(await rig.plan()).filter(({ action }) => action === "delete")).toEqual([]);
    await rig.run();
    expect(liveNames(rig)).toEqual(["a.net"]);
  });
});

describe("a create that never left, of an entry that is declared no more", () => {
  /** The process dies before the create has taken effect; the application creates that name so much later. */
  async function overtaken(entry: object, made: object, later: number): Promise<Rig> {
    const rig = openRig({ files: { "zones/a.yaml": zoneFile([]) } });
    expect(failuresOf(await rig.run())).toEqual([]);
    const entries = [{ hostname: "a.net", ...entry }];
    rig.write("zones/a.yaml", { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", entries } });
    rig.network((request, _index, pass) => {
      if (request.method === "POST") rig.crash();
      return pass();
    });
    expect(await rig.untilCrash(rig.run())).toBe("crashed");
    await rig.restart();
    rig.write("zones/a.yaml", zoneFile([]));
    await rig.wait(later);
    rig.admin.dashboard("POST", HOSTNAMES, { hostname: "a.net", ...made });
    return rig;
  }

  it.each([
    [
      "an hour later, with all that was sent and more",
      { ssl: SSL },
      { ssl: SSL, custom_metadata: { app: "x" } },
      AN_HOUR,
    ],
    ["two days later, exactly as it was sent", { ssl: SSL }, { ssl: SSL }, 48 * AN_HOUR],
    ["at once, where nothing was sent by which to know it", {}, { ssl: { method: "txt", type: "dv" } }, 0],
  ])("takes nothing away that the application made %s, and does not forget", async (_name, entry, made, later) => {
    const rig = await overtaken(entry, made, later);
    expect(inWords(changesOf(await rig.plan()))).toEqual([]);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(failuresOf(await rig.run({ isDestroy: true }))).toEqual([]);
    expect([liveNames(rig), await tracked(rig)]).toEqual([["a.net"], ['custom_hostname["a.net"]']]);
  });
});

describe("a create whose answer was lost, of an entry that is declared still", () => {
  it("is known for our own where the service says that the name is taken, though no list showed it", async () => {
    const rig = openRig({ files: { "zones/a.yaml": zoneFile(["a.net"]) } });
    await runCutOffAfter(rig, "POST");
    let isHidden = true;
    rig.network(async (request, _index, pass) => {
      const answer = await pass();
      if (request.method === "POST") isHidden = false;
      const isList = request.method === "GET" && new URL(request.url).pathname.endsWith("/custom_hostnames");
      return isList && isHidden ? without(answer, "a.net") : answer;
    });
    expect(failuresOf(await rig.run())).toEqual([]);
    expect([liveNames(rig), await tracked(rig)]).toEqual([["a.net"], ['custom_hostname["a.net"]']]);
    expect(changesOf(await rig.plan())).toEqual([]);
  });
});
