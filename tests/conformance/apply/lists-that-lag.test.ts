import { describe, expect, it } from "vitest";
import { applyPlan } from "../../../lib/engine/apply.ts";
import { findForImport } from "../../../lib/engine/import.ts";
import { makePlan } from "../../../lib/engine/plan.ts";
import { HttpFailure, type HttpResponse } from "../../../lib/service/http.ts";
import { editState } from "../../../lib/state/state.ts";
import { streamed } from "../../../lib/core/lists.ts";
import { loadState, saveState } from "../../../lib/state/load.ts";
import type { ProjectStore } from "../../../lib/state/zone/store.ts";
import {
  changesOf,
  endingsOf,
  failuresOf,
  HOLDER,
  WITHOUT_SECRETS,
  inWords,
  openRig,
  type Rig,
  runCutOffAfter,
  ZONE,
} from "../../support/engine.ts";

const HOSTNAMES = `/zones/${ZONE.id}/custom_hostnames`;
const SSL = { method: "http", type: "dv" };
const AN_HOUR = 60 * 60_000;

function zoneFile(hostnames: readonly string[], metadata?: object): object {
  const entries = hostnames.map((hostname) => ({
    hostname,
    ssl: SSL,
    ...(metadata ? { custom_metadata: metadata } : {}),
  }));
  return { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", entries } };
}

function liveNames(rig: Rig): readonly string[] {
  const { result } = JSON.parse(rig.admin.dashboard("GET", HOSTNAMES).body);
  return result.map(({ hostname }: { hostname: string }) => hostname).toSorted();
}

async function tracked(rig: Rig): Promise<readonly string[]> {
  return [...((await rig.state())?.objects.keys() ?? [])];
}

/** Removes a hostname from every list, like a list that lags. It can still be read by id. */
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

const PACK = {
  hosts: ["saas.net", "*.saas.net"],
  validation_method: "txt",
  validity_days: 90,
  certificate_authority: "google",
};
const GONE_ID = "00000000-0000-4000-8000-000000000000";

/** A list with a changed content. */
function changed(answer: HttpResponse, by: (result: readonly object[]) => readonly object[]): HttpResponse {
  const envelope = JSON.parse(answer.body);
  const result = by(envelope.result);
  const result_info = { ...envelope.result_info, count: result.length, total_count: result.length };
  return { ...answer, body: JSON.stringify({ ...envelope, result, result_info }) };
}

function showEverything(rig: Rig): void {
  rig.network((_request, _index, pass) => pass());
}

describe("a list that does not show an object", () => {
  it("is no drift, and creates nothing, if the object can be read by its id", async () => {
    const rig = openRig({ files: { "zones/a.yaml": zoneFile(["a.net", "b.net"]) } });
    await rig.run();
    hideFromLists(rig, "a.net");
    expect(changesOf(await rig.plan())).toEqual([]);
    expect(await rig.drift()).toEqual([]);
  });

  it("does not lose an object that is no longer declared: it is deleted, and not forgotten", async () => {
    const rig = openRig({ files: { "zones/a.yaml": zoneFile(["a.net", "b.net"]) } });
    await rig.run();
    rig.write("zones/a.yaml", zoneFile(["b.net"]));
    hideFromLists(rig, "a.net");
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(liveNames(rig)).toEqual(["b.net"]);
    expect(await tracked(rig)).toEqual(['custom_hostname["b.net"]']);
  });

  it("does not make another object with the id in the state ours", async () => {
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

  it("does not order a missing pack again", async () => {
    const rig = openRig({ files: { "zones/a.yaml": { version: 1, zone: ZONE, certificate_packs: [PACK] } } });
    expect(failuresOf(await rig.run())).toEqual([]);
    rig.network(async (request, _index, pass) => {
      const answer = await pass();
      const isList = request.method === "GET" && new URL(request.url).pathname.endsWith("/certificate_packs");
      return isList ? changed(answer, () => []) : answer;
    });
    expect(changesOf(await rig.plan())).toEqual([]);
  });

  it("does not hide an object behind a deleted one of the same name", async () => {
    const rig = openRig({ files: { "zones/a.yaml": zoneFile(["a.net"]) } });
    await rig.run();
    rig.network(async (request, _index, pass) => {
      const answer = await pass();
      const isList = request.method === "GET" && new URL(request.url).pathname.endsWith("/custom_hostnames");
      return isList ? changed(answer, (result) => result.map((each) => ({ ...each, id: GONE_ID }))) : answer;
    });
    rig.write("zones/a.yaml", zoneFile(["a.net"], { tier: "gold" }));
    expect(endingsOf(await rig.run()).map(({ action, outcome }) => [action, outcome.status])).toEqual([
      ["update", "done"],
    ]);
  });

  it("means that an object is gone if its id is not found", async () => {
    const rig = openRig({ files: { "zones/a.yaml": zoneFile(["a.net", "b.net"]) } });
    await rig.run();
    const { result } = JSON.parse(rig.admin.dashboard("GET", HOSTNAMES).body);
    const { id } = result.find(({ hostname }: { hostname: string }) => hostname === "a.net");
    rig.admin.dashboard("DELETE", `${HOSTNAMES}/${id}`);
    expect(changesOf(await rig.plan()).map(({ action, cause }) => [action, cause])).toEqual([["create", "drift"]]);
  });
});

describe("a create without a response, of an entry that is no longer declared", () => {
  /** The process dies after the create has taken effect and before its answer arrives. */
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

  it("is not given up by a machine whose clock is two hours ahead: the service's clock counts", async () => {
    const rig = await cutOff();
    hideFromLists(rig, "a.net");
    const world = rig.world();
    const ahead = { ...world, clock: { ...world.clock, now: () => world.clock.now() + 2 * AN_HOUR } };
    const { plan } = await makePlan(ahead, { file: rig.file });
    await applyPlan(ahead, plan, {
      ...WITHOUT_SECRETS,
    });
    expect(await tracked(rig)).toEqual(['custom_hostname["a.net"]']);
  });

  it("is not given up because one list skips it, if a read by its name finds it", async () => {
    const rig = await cutOff();
    await rig.wait(2 * AN_HOUR);
    rig.network(async (request, _index, pass) => {
      const answer = await pass();
      const { pathname, searchParams } = new URL(request.url);
      const isWholeList = pathname.endsWith("/custom_hostnames") && !searchParams.has("hostname");
      return request.method === "GET" && isWholeList ? without(answer, "a.net") : answer;
    });
    await rig.run();
    expect(await tracked(rig)).toEqual(['custom_hostname["a.net"]']);
    showEverything(rig);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect([liveNames(rig), await tracked(rig)]).toEqual([[], []]);
  });

  it("deletes nothing that has its name and differs from what was sent", async () => {
    const rig = await cutOff();
    const { result } = JSON.parse(rig.admin.dashboard("GET", HOSTNAMES).body);
    rig.admin.dashboard("DELETE", `${HOSTNAMES}/${result[0].id}`);
    rig.admin.dashboard("POST", HOSTNAMES, { hostname: "a.net", ssl: { method: "txt", type: "dv" } });
    expect(changesOf(await rig.plan()).filter(({ action }) => action === "delete")).toEqual([]);
    await rig.run();
    expect(liveNames(rig)).toEqual(["a.net"]);
  });
});

describe("a create that was never sent, of an entry that is no longer declared", () => {
  /** The process dies before the create has taken effect; the application creates that name this much later. */
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
    ["at once, if nothing that was sent identifies it", {}, { ssl: { method: "txt", type: "dv" } }, 0],
  ])("deletes nothing that the application made %s, and does not forget", async (_name, entry, made, later) => {
    const rig = await overtaken(entry, made, later);
    expect(inWords(changesOf(await rig.plan()))).toEqual([]);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(failuresOf(await rig.run({ isDestroy: true }))).toEqual([]);
    expect([liveNames(rig), await tracked(rig)]).toEqual([["a.net"], ['custom_hostname["a.net"]']]);
  });
});

describe("a create without a response, of an entry that is still declared", () => {
  it("is recognised as ours if the service says that the name is taken, although no list showed it", async () => {
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

describe("a replacement whose create was lost", () => {
  const branded = (isBranded: boolean): object => {
    const ssl = { ...SSL, cloudflare_branding: isBranded };
    const entries = [{ hostname: "a.net", ssl }];
    return { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", entries } };
  };

  it("is not done by the old object, which a list still shows", async () => {
    // So young that its age proves nothing: clocks may differ by minutes.
    const zone = { custom_hostnames: [{ hostname: "a.net", ssl: SSL }] };
    const rig = openRig({ zone, files: { "zones/a.yaml": branded(false) } });
    await rig.run();
    rig.write("zones/a.yaml", branded(true));
    const shown = rig.admin.dashboard("GET", HOSTNAMES);
    let isDeleted = false;
    rig.network(async (request, _index, pass) => {
      if (request.method === "POST") throw new HttpFailure("cut", true, { reason: "cut" });
      const answer = await pass();
      if (request.method === "DELETE") isDeleted = true;
      const isList = request.method === "GET" && new URL(request.url).pathname.endsWith("/custom_hostnames");
      return isList && isDeleted ? { ...answer, body: shown.body } : answer;
    });
    const [ended] = endingsOf(await rig.run());
    expect([isDeleted, liveNames(rig), ended?.outcome.status]).toEqual([true, [], "unknown"]);
  });
});

describe("a pack that is ordered in place of another", () => {
  const zoneWith = (authority: string): object => ({
    version: 1,
    zone: ZONE,
    certificate_packs: [{ ...PACK, certificate_authority: authority }],
  });

  async function rigWithPack(): Promise<Rig> {
    const rig = openRig({ files: { "zones/a.yaml": zoneWith("google") } });
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.wait(AN_HOUR);
    rig.write("zones/a.yaml", zoneWith("lets_encrypt"));
    return rig;
  }

  it("is unconfirmed if its response was lost and a list shows only the old one", async () => {
    const rig = await rigWithPack();
    let shown: string | undefined;
    rig.network(async (request, _index, pass) => {
      const answer = await pass();
      if (request.method === "POST") throw new HttpFailure("cut", true, { reason: "cut" });
      const isList = request.method === "GET" && new URL(request.url).pathname.endsWith("/certificate_packs");
      if (isList) shown ??= answer.body;
      return isList && shown !== undefined ? { ...answer, body: shown } : answer;
    });
    expect(endingsOf(await rig.run()).map(({ outcome }) => outcome.status)).toEqual(["unknown"]);
  });

  it("leaves the old one under one address, wherever its journal is cut off", async () => {
    const rig = await rigWithPack();
    await runCutOffAfter(rig, "POST");
    const { store } = rig.world();
    const lines: string[] = [];
    for await (const line of (await store.view(ZONE.id)).journal()) lines.push(line);
    const [old] = [...((await loadState(cutOff(store, lines.slice(0, 1)), ZONE.id))?.state.objects.values() ?? [])];
    expect(lines.length).toBeGreaterThan(2);
    for (let count = 1; count <= lines.length; count += 1) {
      const objects = (await loadState(cutOff(store, lines.slice(0, count)), ZONE.id))?.state.objects;
      expect([...(objects?.values() ?? [])].filter(({ id }) => id === old?.id)).toHaveLength(1);
    }
  });

  /** The same state with a journal of these lines. */
  function cutOff(store: ProjectStore, lines: readonly string[]): ProjectStore {
    return store.over((engine) => ({ ...engine, journal: () => streamed(lines) }));
  }
});

describe("an import by name, while the list shows an earlier object", () => {
  it("adds nothing to the state: the id in the list does not answer", async () => {
    const rig = openRig({ files: { "zones/a.yaml": zoneFile(["a.net"]) } });
    expect(failuresOf(await rig.run())).toEqual([]);
    const before = (await rig.state())?.objects.get('custom_hostname["a.net"]')?.id;
    rig.network(async (request, _index, pass) => {
      const answer = await pass();
      const isList = request.method === "GET" && new URL(request.url).pathname.endsWith("/custom_hostnames");
      return isList ? changed(answer, (result) => result.map((each) => ({ ...each, id: GONE_ID }))) : answer;
    });
    await expect(findForImport(rig.world(), { file: rig.file }, `${ZONE.id}/a.net`)).rejects.toMatchObject({
      diagnostics: [{ code: "nothing-to-import" }],
    });
    expect((await rig.state())?.objects.get('custom_hostname["a.net"]')?.id).toBe(before);
  });
});
