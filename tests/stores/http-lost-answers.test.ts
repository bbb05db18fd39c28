import { describe, expect, test } from "vitest";
import type { StateAnswer, StateRequest } from "../../lib/state/engines/http/protocol.ts";
import { type HttpStateServer, startHttpStates } from "../support/http-state-server.ts";
import { LEASED, collect, HOLDER, jumpingClock, ZONE } from "../support/state-world.ts";
import {
  CLAIM,
  failureOf,
  isLock,
  isUnlock,
  isWrite,
  lockList,
  MODES,
  NAME,
  once,
  storeOn,
} from "../support/http-states.ts";

describe.each(MODES)("a lost response (%s)", (mode) => {
  test("to a lock request leaves the lock to the run that asked, and to the next one after it", async () => {
    const server = await startHttpStates(mode);
    once(server, isLock, "cut-after");
    const lease = await storeOn(server).lock(ZONE, HOLDER, 0);
    expect(server.model.holderOf(NAME)).toBe(lease.id);
    await lease.release();
    await (await storeOn(server).lock(ZONE, HOLDER, 0)).release();
  });

  test("to the lock of the list locks no run out", async () => {
    const server = await startHttpStates(mode);
    once(server, isLock, "cut-after");
    const clock = jumpingClock();
    const begin = clock.now();
    expect(await server.open({ clock }).claims.take(CLAIM, LEASED)).toEqual([]);
    expect(clock.now() - begin).toBeLessThan(10_000);
    expect(server.model.holderOf("zoneform-index")).toBeUndefined();
  });

  test("to each check of the lock takes it from no run", async () => {
    const server = await startHttpStates(mode);
    const store = storeOn(server);
    const lease = await store.lock(ZONE, HOLDER, 0);
    once(server, isLock, "cut-after");
    await store.append(ZONE, lease, ["one"]);
    expect(server.model.holderOf(NAME)).toBe(lease.id);
  });

  test("to all attempts to lock leaves no lock behind", async () => {
    const server = await startHttpStates(mode);
    server.interfere((request) => (isLock(request) ? "cut-after" : undefined));
    expect((await failureOf(storeOn(server).lock(ZONE, HOLDER, 0))).diagnostic.code).toBe("state-unreachable");
    expect(server.model.holderOf(NAME)).toBeUndefined();
    expect((await failureOf(server.open({ clock: jumpingClock() }).claims.take(CLAIM, LEASED))).diagnostic.code).toBe(
      "state-unreachable",
    );
    expect(server.model.holderOf("zoneform-index")).toBeUndefined();
  });

  test.each(["cut-before", "cut-after"] as const)(
    "to a write (%s) loses no line, and stores none twice",
    async (what) => {
      const server = await startHttpStates(mode);
      const store = storeOn(server);
      const lease = await store.lock(ZONE, HOLDER, 0);
      await store.append(ZONE, lease, ["one"]);
      const before = server.model.writesOf(NAME);
      once(server, isWrite, what);
      await store.append(ZONE, lease, ["two"]);
      expect(await collect((await store.view(ZONE)).journal())).toEqual(["one", "two"]);
      expect(server.model.writesOf(NAME)).toBe(before + 1);
    },
  );

  test("to an unlock is no error", async () => {
    const server = await startHttpStates(mode);
    const lease = await storeOn(server).lock(ZONE, HOLDER, 0);
    once(server, (request) => isUnlock(request) && request.body?.includes(lease.id) === true, "cut-after");
    await lease.release();
    expect(server.model.holderOf(NAME)).toBeUndefined();
  });
});

describe("an interrupt while the server does not respond", () => {
  /** Stops at the first request that fits, which gets no answer for as long as the test lasts. */
  function stoppedAt(server: HttpStateServer, fits: (request: StateRequest) => boolean): AbortSignal {
    const stop = new AbortController();
    server.interfere((request) => {
      if (!fits(request)) return undefined;
      stop.abort(new Error("stopped"));
      return "never";
    });
    return stop.signal;
  }

  test.each([
    ["the lock", isLock],
    ["what is stored", ({ method }: StateRequest): boolean => method === "GET"],
  ] as const)("during a request for %s ends the wait, and leaves no lock", async (_name, fits) => {
    const server = await startHttpStates();
    const signal = stoppedAt(server, fits);
    await expect(storeOn(server).lock(ZONE, HOLDER, 0, signal)).rejects.toThrow("stopped");
    server.interfere(() => undefined);
    expect(server.model.holderOf(NAME)).toBeUndefined();
  });

  test("ends the wait for the lock of the list", async () => {
    const server = await startHttpStates();
    const claims = server.open({ clock: jumpingClock() }).claims;
    const signal = stoppedAt(server, isLock);
    await expect(claims.take(CLAIM, LEASED, signal)).rejects.toThrow("stopped");
    expect(server.model.holderOf("zoneform-index")).toBeUndefined();
  });

  test("ends the wait for another process that has the list", async () => {
    const server = await startHttpStates();
    lockList(server, "other");
    const stop = new AbortController();
    const clock = {
      ...jumpingClock(),
      sleep: async (_delay: number, signal?: AbortSignal): Promise<void> => {
        stop.abort(new Error("stopped"));
        signal?.throwIfAborted();
      },
    };
    await expect(server.open({ clock }).claims.take(CLAIM, LEASED, stop.signal)).rejects.toThrow("stopped");
  });
});

describe("a server that does not respond", () => {
  test("is given up within seconds if it never did, and is waited for if it did", async () => {
    const server = await startHttpStates();
    const clock = jumpingClock();
    const store = server.open({ clock }).of("suite");
    const begin = clock.now();
    server.interfere(() => "cut-before");
    expect((await failureOf(store.view(ZONE))).diagnostic.code).toBe("state-unreachable");
    expect(clock.now() - begin).toBe(3000);
    server.interfere(() => undefined);
    await store.view(ZONE);
    server.interfere(() => "cut-before");
    await failureOf(store.view(ZONE));
    expect(clock.now() - begin).toBe(3000 + 31_000);
  });
});

describe("a server that confirms writes that it did not store", () => {
  const ignored = (request: StateRequest): StateAnswer | undefined =>
    isWrite(request) ? { status: 200, headers: {}, body: "" } : undefined;

  test("is noticed before the first change", async () => {
    const server = await startHttpStates();
    server.interfere(ignored);
    const failure = await failureOf(storeOn(server).lock(ZONE, HOLDER, 0));
    expect(failure.diagnostic).toMatchObject({
      code: "state-server",
      message: expect.stringContaining("gives back another one"),
    });
  });

  test("is noticed at the end", async () => {
    const server = await startHttpStates();
    const lease = await storeOn(server).lock(ZONE, HOLDER, 0);
    server.interfere(ignored);
    expect((await failureOf(lease.release())).diagnostic.code).toBe("state-server");
  });

  test("is never read through a cache", async () => {
    const server = await startHttpStates();
    const asked: StateRequest[] = [];
    server.interfere((request) => void asked.push(request));
    await storeOn(server).view(ZONE);
    expect(asked).toMatchObject([{ method: "GET", headers: { "cache-control": "no-cache" } }]);
  });
});
