import { expect, test } from "vitest";
import type { Clock } from "../../lib/core/clock.ts";
import { nameOfState } from "../../lib/state/engines/http/session.ts";
import { httpStores } from "../../lib/state/engines/http/engine.ts";
import type { StateRequest, Transport } from "../../lib/state/engines/http/protocol.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { failuresOf, openRig, type Rig, ZONE } from "../support/engine.ts";
import { type ServerMode, stateModel } from "../support/http-state-model.ts";
import { collect, HOLDER, jumpingClock, random, steadyAs } from "../support/state-world.ts";

const NAME = nameOfState("edge", ZONE.id);

function openAt(transport: Transport, clock: Clock, mode: ServerMode = "terraform"): ProjectStore {
  const env = mode === "gitlab" ? {} : { TF_HTTP_LOCK_ADDRESS: "https://states.example/states/{state}" };
  const path = mode === "gitlab" ? "api/v4/projects/1/terraform/state" : "states";
  const parts = { env, clock, steady: steadyAs(clock), random, connect: () => transport };
  return httpStores(`https://states.example/${path}`, parts).of("edge");
}

function createsIn(body: string): number {
  return (body.match(/custom_hostname\[/g) ?? []).length;
}

/** A server that gets the first announcement of creates, answers nothing, and only carries it out when asked. */
function slowServer(mode: ServerMode): {
  transport: Transport;
  model: ReturnType<typeof stateModel>;
  carryOut: () => number | undefined;
} {
  const model = stateModel(mode);
  let late: StateRequest | undefined;
  let isTaken = false;
  const send: Transport["send"] = async (request) => {
    const isAnnouncement = request.method === "POST" && createsIn(request.body ?? "") > 50;
    if (!isAnnouncement || isTaken) return model.handle(request);
    isTaken = true;
    late = request;
    throw new Error("timeout");
  };
  const carryOut = (): number | undefined => {
    const request = late;
    late = undefined;
    return request && model.handle(request).status;
  };
  return { transport: { send, close: async () => undefined }, model, carryOut };
}

function manyHostnames(transport: Transport): Rig {
  const entries = Array.from({ length: 400 }, (_none, index) => ({
    hostname: `app-${index}.customer.net`,
    ssl: { method: "http", type: "dv" },
  }));
  const zone = { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", entries } };
  return openRig({ files: { "zones/a.yaml": zone }, store: (clock) => openAt(transport, clock) });
}

test.each(["terraform", "silent"] as const)(
  "a write that the server stores after the next one takes no announced change back (%s)",
  async (mode) => {
    const { transport, model, carryOut } = slowServer(mode);
    const rig = manyHostnames(transport);
    let status: number | undefined;
    const unannounced: string[] = [];
    rig.network(async (request, _index, pass) => {
      const name = /"hostname":"([^"]+)"/.exec(request.body ?? "")?.[1];
      const stored = model.bodyOf(NAME) ?? "";
      if (request.method === "POST" && name !== undefined) {
        if (createsIn(stored) > 150) status ??= carryOut();
        if (!model.bodyOf(NAME)?.includes(name)) unannounced.push(name);
      }
      return pass();
    });
    expect(failuresOf(await rig.run())).toEqual([]);
    expect([status, unannounced]).toEqual([409, []]);
    expect((await rig.state())?.objects.size).toBe(400);
    expect(model.holderOf(NAME)).toBeUndefined();
  },
);

test("of several attempts without a response, none takes anything back, whenever each arrives", async () => {
  const model = stateModel("terraform");
  const kept: StateRequest[] = [];
  let lost = 0;
  const send: Transport["send"] = async (request) => {
    // The first attempt arrives just before its lock is given back.
    if (request.method === "UNLOCK" && request.url.includes(NAME) && kept.length === 1)
      expect(kept.map((each) => model.handle(each).status)).toEqual([200]);
    if (lost === 0 || request.method !== "POST" || !request.url.includes(`${NAME}?ID=`)) return model.handle(request);
    lost -= 1;
    kept.push(request);
    throw new Error("timeout");
  };
  const store = openAt({ send, close: async () => undefined }, jumpingClock());
  const lease = await store.lock(ZONE.id, HOLDER, 0);
  await store.append(ZONE.id, lease, ["first"]);
  lost = 2;
  await store.append(ZONE.id, lease, ["second"]);
  await store.append(ZONE.id, lease, ["third"]);
  expect(kept.map((each) => model.handle(each).status)).toEqual([409, 409]);
  expect(await collect((await store.view(ZONE.id)).journal())).toEqual(["first", "second", "third"]);
  await lease.release();
  expect(model.holderOf(NAME)).toBeUndefined();
});

test("if the server checks no id and stores a late write, the run stores everything again with its next write", async () => {
  const { transport, model, carryOut } = slowServer("careless");
  const rig = manyHostnames(transport);
  rig.network(async (_request, _index, pass) => {
    if (createsIn(model.bodyOf(NAME) ?? "") > 150) carryOut();
    return pass();
  });
  expect(failuresOf(await rig.run())).toEqual([]);
  expect((await rig.state())?.objects.size).toBe(400);
  expect(model.holderOf(NAME)).toBeUndefined();
});

test("a waiting run may get the lock while the holder renews it: then the holder stops, and writes nothing more", async () => {
  const { transport, model } = slowServer("terraform");
  const clock = jumpingClock();
  let isFirst = true;
  const greedy: Transport = {
    ...transport,
    send: async (request, signal) => {
      const answer = await transport.send(request, signal);
      if (request.method === "UNLOCK" && request.url.includes(NAME) && isFirst) {
        isFirst = false;
        model.handle({ ...request, method: "LOCK", body: JSON.stringify({ ID: "another", Who: "somebody" }) });
      }
      return answer;
    },
  };
  const store = openAt(greedy, clock);
  const lease = await store.lock(ZONE.id, HOLDER, 0);
  const lines = Array.from({ length: 60 }, (_none, index) => `custom_hostname[${index}]`);
  await expect(store.append(ZONE.id, lease, lines)).rejects.toMatchObject({
    diagnostics: [{ code: "state-taken-over" }],
  });
  await lease.release();
  expect(model.holderOf(NAME)).toBe("another");
  expect(await collect((await store.view(ZONE.id)).journal())).toEqual([]);
});

test.each(["terraform", "gitlab", "silent"] as const)(
  "a lock that was taken again under another id can be seen, and freed from outside by that id (%s)",
  async (mode) => {
    const model = stateModel(mode);
    let isLost = false;
    const clock = jumpingClock();
    const send: Transport["send"] = async (request) => {
      if (!isLost || request.method !== "POST" || !request.url.includes(`${NAME}?ID=`)) return model.handle(request);
      isLost = false;
      throw new Error("timeout");
    };
    const store = openAt({ send, close: async () => undefined }, clock, mode);
    const lease = await store.lock(ZONE.id, HOLDER, 0);
    const before = model.holderOf(NAME);
    isLost = true;
    await store.append(ZONE.id, lease, ["intent"]);
    await store.checkLease(ZONE.id, lease);
    const now = model.holderOf(NAME);
    expect(now).not.toBe(before);
    expect(await store.holding(ZONE.id)).toMatchObject({ unlockId: now, holder: { who: HOLDER.who } });
    expect(await store.inquire?.(ZONE.id)).toMatchObject({ unlockId: now, holder: { who: HOLDER.who } });
    await store.unlock(ZONE.id, now ?? "");
    await expect(store.append(ZONE.id, lease, ["another"])).rejects.toMatchObject({
      diagnostics: [{ code: "state-taken-over" }],
    });
    expect(await collect((await store.view(ZONE.id)).journal())).toEqual(["intent"]);
  },
);

test("a proxy that answers 500 once is not taken for a server that checks the id of the lock", async () => {
  const model = stateModel("careless");
  let isFirst = true;
  const send: Transport["send"] = async (request) => {
    if (request.method !== "POST" || !request.url.includes(`${NAME}?ID=`) || !isFirst) return model.handle(request);
    isFirst = false;
    return { status: 500, headers: {}, body: "" };
  };
  const store = openAt({ send, close: async () => undefined }, jumpingClock());
  const first = await store.lock(ZONE.id, HOLDER, 0);
  await store.append(ZONE.id, first, ["first"]);
  await first.release();
  const second = await store.lock(ZONE.id, HOLDER, 0);
  await store.append(ZONE.id, second, ["second"]);
  const holding = await store.holding(ZONE.id);
  await store.unlock(ZONE.id, holding?.unlockId ?? "");
  const next = await store.lock(ZONE.id, HOLDER, 0);
  await store.append(ZONE.id, next, ["third"]);
  await expect(store.append(ZONE.id, second, ["late"])).rejects.toThrow();
  expect(await collect((await store.view(ZONE.id)).journal())).toContain("third");
  expect(await collect((await store.view(ZONE.id)).journal())).not.toContain("late");
});
