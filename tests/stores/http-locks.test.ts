import { projectsIn } from "../../lib/state/stores.ts";
import { describe, expect, test } from "vitest";
import { Locked, StoreConflict } from "../../lib/state/lock.ts";
import { startHttpStates } from "../support/http-state-server.ts";
import { collect, given, LEASED, HOLDER, jumpingClock, steadyAs, ZONE } from "../support/state-world.ts";
import { CLAIM, failureOf, lockList, MODES, NAME, storeOn } from "../support/http-states.ts";

describe("a lock that was freed from outside", () => {
  test.each(MODES)(
    "stops every write and every request of its holder, even if no run took it since (%s)",
    async (mode) => {
      const server = await startHttpStates(mode);
      const store = storeOn(server);
      const lease = await store.lock(ZONE, HOLDER, 0);
      await store.append(ZONE, lease, ["mine"]);
      server.model.free(NAME);
      await expect(store.checkLease(ZONE, lease)).rejects.toThrow(StoreConflict);
      await expect(store.append(ZONE, lease, ["late"])).rejects.toThrow(StoreConflict);
      expect(await collect((await store.view(ZONE)).journal())).toEqual(["mine"]);
      expect(server.model.holderOf(NAME)).toBeUndefined();
    },
  );

  test.each(MODES)("stops its holder if another run has it (%s)", async (mode) => {
    const server = await startHttpStates(mode);
    const [store, other] = [storeOn(server), storeOn(server)];
    const lease = await store.lock(ZONE, HOLDER, 0);
    server.model.free(NAME);
    await other.lock(ZONE, HOLDER, 0);
    await expect(store.checkLease(ZONE, lease)).rejects.toThrow(StoreConflict);
    await expect(store.append(ZONE, lease, ["late"])).rejects.toThrow(StoreConflict);
  });

  test.each(MODES)("is not freed once more by the run that lost it (%s)", async (mode) => {
    const server = await startHttpStates(mode);
    const [store, other] = [storeOn(server), storeOn(server)];
    const lease = await store.lock(ZONE, HOLDER, 0);
    server.model.free(NAME);
    const next = await other.lock(ZONE, HOLDER, 0);
    await lease.release();
    expect(server.model.holderOf(NAME)).toBe(next.id);
    await other.checkLease(ZONE, next);
  });

  test("that was not written into the state yet is found, and freed by its id", async () => {
    const server = await startHttpStates("gitlab");
    const store = storeOn(server);
    // What a run leaves that is killed right after it got the lock.
    server.model.handle({
      method: "POST",
      url: `${server.address}/${NAME}/lock`,
      headers: {},
      body: JSON.stringify({ ID: "abc", Operation: "apply", Info: "", Who: "x", Version: "1", Created: "", Path: "" }),
    });
    expect(await store.holding(ZONE)).toBeUndefined();
    expect(await store.inquire?.(ZONE)).toMatchObject({ unlockId: "abc" });
    await store.unlock(ZONE, "abc");
    expect(await store.inquire?.(ZONE)).toBeUndefined();
  });
});

describe("a lock that is held", () => {
  test("by a holder that the server does not name has no id, and only the server frees it", async () => {
    const server = await startHttpStates("silent");
    const body = JSON.stringify({ ID: "abc", Operation: "apply", Info: "", Who: "x", Version: "1", Created: "" });
    server.model.handle({ method: "LOCK", url: `${server.address}/${NAME}`, headers: {}, body });
    const store = storeOn(server);
    expect(await store.inquire?.(ZONE)).toEqual({ unlockId: undefined, holder: undefined, isAlive: undefined });
    await expect(store.lock(ZONE, HOLDER, 0)).rejects.toThrow(/held, and the server does not say by whom/);
    const failure = await failureOf(store.unlock(ZONE, "unknown"));
    expect([failure.diagnostic.code, failure.diagnostic.remedy]).toEqual([
      "not-unlocked",
      "make sure that no run is active, then unlock the state on the server's page",
    ]);
    expect(server.model.holderOf(NAME)).toBe("abc");
  });

  test.each(MODES)("names its holder, the time and the id (%s)", async (mode) => {
    const server = await startHttpStates(mode);
    const lease = await storeOn(server).lock(ZONE, { ...HOLDER, runUrl: "https://ci.example/7" }, 0);
    const refused = await storeOn(server)
      .lock(ZONE, HOLDER, 0)
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Locked);
    expect(String(refused)).toContain(
      `by ${HOLDER.who} (apply, process 4711, still runs or was killed, https://ci.example/7)`,
    );
    expect(String(refused)).toContain(`, lock id ${lease.id}`);
  });

  test("is never unlocked without its id, which would force it", async () => {
    const server = await startHttpStates("gitlab");
    const store = storeOn(server);
    const lease = await store.lock(ZONE, HOLDER, 0);
    await lease.release();
    const again = await store.lock(ZONE, HOLDER, 0);
    await storeOn(server).unlock(ZONE, again.id);
    const bodies = server.requests.flatMap(({ method, body }) => (method === "DELETE" ? [body ?? ""] : []));
    expect(bodies.length).toBeGreaterThan(2);
    for (const body of bodies) expect(JSON.parse(body)).toMatchObject({ ID: expect.stringMatching(/./) });
  });

  test("is shown to a job with read-only access, as the state records it", async () => {
    const server = await startHttpStates("gitlab");
    const lease = await storeOn(server).lock(ZONE, HOLDER, 0);
    server.interfere(({ method }) => (method === "GET" ? undefined : { status: 403, headers: {}, body: "" }));
    expect(await storeOn(server).inquire?.(ZONE)).toMatchObject({ unlockId: lease.id, holder: HOLDER });
    expect((await failureOf(storeOn(server).lock(ZONE, HOLDER, 0))).diagnostic.code).toBe("state-denied");
  });

  test("by Terraform is respected", async () => {
    const server = await startHttpStates();
    const info = { ID: "tf-1", Operation: "OperationTypeApply", Info: "", Who: "ada@laptop", Version: "1.11.4" };
    const body = JSON.stringify({ ...info, Created: "2026-03-01T12:00:00.5Z", Path: "" });
    server.model.handle({ method: "LOCK", url: `${server.address}/${NAME}`, headers: {}, body });
    const refused = storeOn(server).lock(ZONE, HOLDER, 0);
    await expect(refused).rejects.toThrow(
      /held by ada@laptop \(OperationTypeApply, still runs or was killed\).*, lock id tf-1$/,
    );
  });
});

describe("the list of states", () => {
  test("has the projects and zones that have something stored", async () => {
    const server = await startHttpStates("gitlab");
    const stores = server.open();
    const lease = await stores.of("shop").lock(ZONE, HOLDER, 0);
    expect(projectsIn(await stores.kept())).toEqual([]);
    await stores.of("shop").write(ZONE, lease, undefined, given(["one"]));
    const other = server.open();
    expect([projectsIn(await other.kept()), await other.of("shop").zones(), await other.of("edge").zones()]).toEqual([
      ["shop"],
      [ZONE],
      [],
    ]);
    await stores.of("shop").retire(ZONE, lease);
    expect(projectsIn(await other.kept())).toEqual([]);
  });

  test("is freed from the lock of a dead process", async () => {
    const server = await startHttpStates("gitlab");
    const claims = server.open({ clock: jumpingClock() }).claims;
    lockList(server, "dead");
    expect(await claims.take(CLAIM, LEASED)).toEqual([]);
    expect(await claims.list()).toHaveLength(1);
  });

  test("is not freed from a live holder because the clock of this machine is set", async () => {
    const server = await startHttpStates();
    lockList(server, "living");
    const [passing, freed] = [jumpingClock(), [] as string[]];
    let looks = 0;
    // Each look at the clock is two minutes later; by the steady clock, the holder is done after a few seconds.
    const clock = { ...passing, now: () => passing.now() + 120_000 * ++looks };
    const steady = steadyAs(passing);
    server.interfere(({ method, body }) => {
      if (method === "UNLOCK" && body?.includes('"living"') === true) freed.push(body);
      if (looks > 0 && method === "LOCK" && passing.now() > Date.parse("2026-03-01T12:00:05Z"))
        server.model.free("zoneform-index");
      return undefined;
    });
    await server
      .open({ clock, steady })
      .claims.take(CLAIM, LEASED)
      .catch(() => undefined);
    expect(freed).toEqual([]);
  });

  test("is not written after the machine slept for so long that others may take our lock for dead", async () => {
    const server = await startHttpStates();
    const steady = steadyAs(jumpingClock());
    let slept = 0;
    const clock = { ...jumpingClock(), now: () => Date.parse("2026-03-01T12:00:00Z") + slept };
    server.interfere((request) => {
      if (request.method === "GET" && server.model.holderOf("zoneform-index") !== undefined) slept = 120_000;
      return undefined;
    });
    expect((await failureOf(server.open({ clock, steady }).claims.take(CLAIM, LEASED))).diagnostic.code).toBe(
      "state-unreachable",
    );
    expect(server.model.writesOf("zoneform-index")).toBe(0);
  });
});
