import { expect, test } from "vitest";
import { nameOfState } from "../../lib/state/engines/http/session.ts";
import { httpStores } from "../../lib/state/engines/http/engine.ts";
import type { Transport } from "../../lib/state/engines/http/protocol.ts";
import { stateModel } from "../support/http-state-model.ts";
import { collect, HOLDER, jumpingClock, random, steadyAs, ZONE } from "../support/state-world.ts";

const NAME = nameOfState("edge", ZONE);

test("an old body that the server returns just after a lock is not taken for the stored one", async () => {
  const model = stateModel("gitlab");
  const clock = jumpingClock();
  let old = "";
  let oldUntil = 0;
  const send: Transport["send"] = async (request) => {
    const isOld = request.method === "GET" && request.url.includes(NAME) && clock.now() < oldUntil;
    return isOld ? { status: 200, headers: {}, body: old } : model.handle(request);
  };
  const open = (): ReturnType<ReturnType<typeof httpStores>["of"]> => {
    const parts = { env: {}, clock, steady: steadyAs(clock), random };
    const connect = (): Transport => ({ send, close: async () => undefined });
    return httpStores("https://states.example/api/v4/projects/1/terraform/state", { ...parts, connect }).of("edge");
  };
  const first = open();
  const lease = await first.lock(ZONE, HOLDER, 0);
  await first.append(ZONE, lease, ["the intent of a create"]);
  old = model.bodyOf(NAME) ?? "";
  await first.append(ZONE, lease, ["its result"]);
  await lease.release();

  oldUntil = clock.now() + 3000;
  const next = open();
  const held = await next.lock(ZONE, HOLDER, 0);
  await next.append(ZONE, held, ["the next run"]);
  await held.release();
  expect(await collect((await next.view(ZONE)).journal())).toEqual([
    "the intent of a create",
    "its result",
    "the next run",
  ]);
});

test("the contents that a killed run left are read again for some seconds, and then count", async () => {
  const model = stateModel("gitlab");
  const clock = jumpingClock();
  const connect = (): Transport => ({ send: async (request) => model.handle(request), close: async () => undefined });
  const parts = { env: {}, clock, steady: steadyAs(clock), random, connect };
  const open = (): ReturnType<ReturnType<typeof httpStores>["of"]> =>
    httpStores("https://states.example/api/v4/projects/1/terraform/state", parts).of("edge");
  const killed = open();
  await killed.append(ZONE, await killed.lock(ZONE, HOLDER, 0), ["an intent"]);
  model.free(NAME);
  const began = clock.now();
  const next = open();
  await next.lock(ZONE, HOLDER, 0);
  expect(await collect((await next.view(ZONE)).journal())).toEqual(["an intent"]);
  expect(clock.now() - began).toBeLessThan(10_000);
});
