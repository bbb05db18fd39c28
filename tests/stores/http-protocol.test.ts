import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { describe, expect, onTestFinished, test } from "vitest";
import { zoneId } from "../../lib/core/brand.ts";
import { redactionOf } from "../../lib/real/credential-redaction.ts";
import { realClock, realSteadyClock } from "../../lib/real/clock.ts";
import { undiciHttp } from "../../lib/service/undici-http.ts";
import { StateError } from "../../lib/state/error.ts";
import { parseHttpAddress } from "../../lib/state/http/address.ts";
import { nameOfState } from "../../lib/state/http/place.ts";
import { httpStores } from "../../lib/state/http/stores.ts";
import type { StateAnswer, StateRequest } from "../../lib/state/http/transport.ts";
import { Locked, StoreConflict } from "../../lib/state/store.ts";
import type { ProjectStore } from "../../lib/state/upkeep.ts";
import { type Authority, hasOpenssl, makeAuthority } from "../support/authority.ts";
import { temporaryFolder } from "../support/disk.ts";
import { type ServerMode, stateModel } from "../support/http-state-model.ts";
import { type HttpStateServer, startHttpStates } from "../support/http-state-server.ts";
import { collect, given, HOLDER, jumpingClock, random, steadyAs, ZONE } from "../support/state-world.ts";

const NAME = nameOfState("suite", ZONE);
const PASSWORD = "correct-horse-battery";
const MODES: readonly ServerMode[] = ["terraform", "gitlab", "careless", "silent"];

/** Stores whose pauses take no time. */
function storeOn(server: HttpStateServer): ProjectStore {
  return server.open({ clock: jumpingClock() }).of("suite");
}

/** Does something to the first request that fits. */
function once(
  server: HttpStateServer,
  fits: (request: StateRequest) => boolean,
  what: "cut-before" | "cut-after",
): void {
  let isDone = false;
  server.interfere((request) => {
    if (isDone || !fits(request)) return undefined;
    isDone = true;
    return what;
  });
}

function answering(server: HttpStateServer, status: number, body = "", headers: Record<string, string> = {}): void {
  server.interfere(() => ({ status, headers, body }));
}

const isWrite = ({ method, url }: StateRequest): boolean =>
  method === "POST" && url.includes(NAME) && url.includes("?ID=");

async function failureOf(work: Promise<unknown>): Promise<StateError> {
  const thrown: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof StateError)) throw new Error("it did not fail with a StateError", { cause: thrown });
  return thrown;
}

/** A request that takes a lock: GitLab's is a POST, as its writes are. */
const isLock = ({ method, url }: StateRequest): boolean =>
  method === "LOCK" || (method === "POST" && url.endsWith("/lock"));
const isUnlock = ({ method }: StateRequest): boolean => method === "UNLOCK" || method === "DELETE";

const CLAIM = { project: "edge", zone: ZONE, things: [{ kind: "custom_hostname" }] };

describe.each(MODES)("a lost answer (%s)", (mode) => {
  test("to a lock leaves the lock to the one who asked, and to the next one after it", async () => {
    const server = await startHttpStates(mode);
    once(server, isLock, "cut-after");
    const lease = await storeOn(server).lock(ZONE, HOLDER, 0);
    expect(server.model.holderOf(NAME)).toBe(lease.id);
    await lease.release();
    await (await storeOn(server).lock(ZONE, HOLDER, 0)).release();
  });

  test("to the lock of the list locks nobody out", async () => {
    const server = await startHttpStates(mode);
    once(server, isLock, "cut-after");
    const clock = jumpingClock();
    const begin = clock.now();
    expect(await server.open({ clock }).claims.take(CLAIM)).toEqual([]);
    expect(clock.now() - begin).toBeLessThan(10_000);
    expect(server.model.holderOf("zoneform-index")).toBeUndefined();
  });

  test("to each look at the lock takes it from nobody", async () => {
    const server = await startHttpStates(mode);
    const store = storeOn(server);
    const lease = await store.lock(ZONE, HOLDER, 0);
    once(server, isLock, "cut-after");
    await store.append(ZONE, lease, ["one"]);
    expect(server.model.holderOf(NAME)).toBe(lease.id);
  });

  test("to all attempts to lock leaves no lock when we give up", async () => {
    const server = await startHttpStates(mode);
    server.interfere((request) => (isLock(request) ? "cut-after" : undefined));
    expect((await failureOf(storeOn(server).lock(ZONE, HOLDER, 0))).diagnostic.code).toBe("state-unreachable");
    expect(server.model.holderOf(NAME)).toBeUndefined();
    expect((await failureOf(server.open({ clock: jumpingClock() }).claims.take(CLAIM))).diagnostic.code).toBe(
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
      expect(await collect(store.journal(ZONE))).toEqual(["one", "two"]);
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

describe("somebody who stops while the server does not answer", () => {
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
  ] as const)("to %s waits no longer, and leaves no lock", async (_name, fits) => {
    const server = await startHttpStates();
    const signal = stoppedAt(server, fits);
    await expect(storeOn(server).lock(ZONE, HOLDER, 0, signal)).rejects.toThrow("stopped");
    server.interfere(() => undefined);
    expect(server.model.holderOf(NAME)).toBeUndefined();
  });

  test("waits no longer for the lock of the list", async () => {
    const server = await startHttpStates();
    const claims = server.open({ clock: jumpingClock() }).claims;
    const signal = stoppedAt(server, isLock);
    await expect(claims.take(CLAIM, signal)).rejects.toThrow("stopped");
    expect(server.model.holderOf("zoneform-index")).toBeUndefined();
  });

  test("waits no longer for another process that has the list", async () => {
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
    await expect(server.open({ clock }).claims.take(CLAIM, stop.signal)).rejects.toThrow("stopped");
  });
});

/** Takes the lock of the list for another process. */
function lockList(server: HttpStateServer, id: string): void {
  const body = JSON.stringify({ ID: id, Operation: "list", Info: "", Who: "x", Version: "1", Created: "", Path: "" });
  const method = server.address.includes("/api/") ? "POST" : "LOCK";
  const url = `${server.address}/zoneform-index${method === "POST" ? "/lock" : ""}`;
  server.model.handle({ method, url, headers: {}, body });
}

describe("a lock that somebody freed", () => {
  test.each(MODES)(
    "stops every write and every request of its holder, even if nobody took it since (%s)",
    async (mode) => {
      const server = await startHttpStates(mode);
      const store = storeOn(server);
      const lease = await store.lock(ZONE, HOLDER, 0);
      await store.append(ZONE, lease, ["mine"]);
      server.model.free(NAME);
      await expect(store.checkHeld(ZONE, lease)).rejects.toThrow(StoreConflict);
      await expect(store.append(ZONE, lease, ["late"])).rejects.toThrow(StoreConflict);
      expect(await collect(store.journal(ZONE))).toEqual(["mine"]);
      expect(server.model.holderOf(NAME)).toBeUndefined();
    },
  );

  test.each(MODES)("stops its holder, if somebody else has it (%s)", async (mode) => {
    const server = await startHttpStates(mode);
    const [store, other] = [storeOn(server), storeOn(server)];
    const lease = await store.lock(ZONE, HOLDER, 0);
    server.model.free(NAME);
    await other.lock(ZONE, HOLDER, 0);
    await expect(store.checkHeld(ZONE, lease)).rejects.toThrow(StoreConflict);
    await expect(store.append(ZONE, lease, ["late"])).rejects.toThrow(StoreConflict);
  });

  test.each(MODES)("is not freed once more by the one who lost it (%s)", async (mode) => {
    const server = await startHttpStates(mode);
    const [store, other] = [storeOn(server), storeOn(server)];
    const lease = await store.lock(ZONE, HOLDER, 0);
    server.model.free(NAME);
    const next = await other.lock(ZONE, HOLDER, 0);
    await lease.release();
    expect(server.model.holderOf(NAME)).toBe(next.id);
    await other.checkHeld(ZONE, next);
  });

  test("that nobody could write down yet is found, and freed by its id", async () => {
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
  test("by somebody whom the server does not name has no id, and only the server frees it", async () => {
    const server = await startHttpStates("silent");
    const body = JSON.stringify({ ID: "abc", Operation: "apply", Info: "", Who: "x", Version: "1", Created: "" });
    server.model.handle({ method: "LOCK", url: `${server.address}/${NAME}`, headers: {}, body });
    const store = storeOn(server);
    expect(await store.inquire?.(ZONE)).toEqual({ unlockId: undefined, holder: undefined, isAlive: undefined });
    await expect(store.lock(ZONE, HOLDER, 0)).rejects.toThrow(/held, and the server does not say by whom/);
    const failure = await failureOf(store.unlock(ZONE, "unknown"));
    expect([failure.diagnostic.code, failure.diagnostic.remedy]).toEqual([
      "not-unlocked",
      "make sure that no run is active, then free the lock on the server's page",
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
      `by ${HOLDER.who} (apply, process 4711, maybe on another machine, https://ci.example/7)`,
    );
    expect(String(refused)).toContain(`, lock id ${lease.id}`);
  });

  test("is never freed without its id, which would force it", async () => {
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

  test("is shown to whoever may only read, as the state says", async () => {
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
      /held by ada@laptop \(OperationTypeApply, maybe on another machine\).*, lock id tf-1$/,
    );
  });
});

describe("a server", () => {
  test("gets the id of the lock, a checksum and a rising serial with each write", async () => {
    const server = await startHttpStates("gitlab");
    const store = storeOn(server);
    const lease = await store.lock(ZONE, HOLDER, 0);
    await store.append(ZONE, lease, ["a"]);
    await store.write(ZONE, lease, undefined, given(["state"]));
    const writes = server.requests.filter(isWrite);
    const serials = writes.map(({ body }) => Number(/"serial":(\d+)/.exec(body ?? "")?.[1]));
    expect(serials).toEqual([1, 2, 3]);
    for (const { url, headers } of writes) {
      expect(new URL(url).searchParams.get("ID")).toBe(lease.id);
      expect(headers["content-md5"]).toMatch(/^[A-Za-z0-9+/]{22}==$/);
      expect(headers["authorization"]).toBe(`Basic ${Buffer.from(`robot:${PASSWORD}`).toString("base64")}`);
    }
  });

  test("is asked for a large state once before the first write, and once after it", async () => {
    const server = await startHttpStates();
    const writer = storeOn(server);
    const large = await writer.lock(ZONE, HOLDER, 0);
    await writer.write(ZONE, large, undefined, given(["x".repeat(1024 * 1024)]));
    await large.release();
    const before = server.requests.length;
    await storeOn(server).lock(ZONE, HOLDER, 0);
    const methods = server.requests.slice(before).map(({ method }) => method);
    expect(methods.filter((method) => /^(GET|POST)$/.test(method))).toEqual(["GET", "POST", "GET"]);
  });

  test("that gives a lock to two at once is not used", async () => {
    const server = await startHttpStates();
    server.interfere(({ method }) => (method === "LOCK" ? { status: 200, headers: {}, body: "" } : undefined));
    const failure = await failureOf(storeOn(server).lock(ZONE, HOLDER, 0));
    expect(failure.diagnostic.code).toBe("state-not-locking");
    expect(server.model.bodyOf(NAME)).toBeUndefined();
  });

  test.each([
    [204, ""],
    [404, '{"message":"404 Not found"}'],
    [200, ""],
  ])("that answers %i %j has no state", async (status, body) => {
    const server = await startHttpStates();
    answering(server, status, body);
    expect(await storeOn(server).read(ZONE)).toBeUndefined();
  });

  test.each([
    [200, "<!DOCTYPE html><title>Sign in</title>", "state-server", "a web page"],
    [200, '{"version":4,"serial":', "state-server", "no whole JSON"],
    [200, "[]", "state-server", "no JSON object"],
    [
      200,
      '{"version":4,"terraform_version":"1.11.4","serial":3,"lineage":"x"}',
      "state-foreign",
      "a state of Terraform",
    ],
    [200, '{"tasks":[]}', "state-foreign", "of another program"],
    [401, "", "state-denied", "the user or the password is wrong"],
    [403, "", "state-denied", "this user may not do that"],
    [302, "", "state-server", "the server sends elsewhere"],
    [503, "", "state-unreachable", "HTTP 503"],
  ])(
    "that answers a reader %i %j is reported (%s), never taken for one without a state",
    async (status, body, code, words) => {
      const server = await startHttpStates();
      answering(server, status, body, { location: "https://elsewhere.example/" });
      const failure = await failureOf(storeOn(server).read(ZONE));
      expect(failure.diagnostic.code).toBe(code);
      expect(failure.message).toContain(words);
      expect(failure.diagnostic.remedy).toMatch(/./);
      expect(`${failure.message} ${failure.diagnostic.remedy ?? ""}`).not.toContain(PASSWORD);
    },
  );

  test.each([
    [403, "state-denied"],
    [404, "state-server"],
    [413, "state-server"],
    [422, "state-server"],
  ])("that answers a write with %i stores nothing, and the error says why", async (status, code) => {
    const server = await startHttpStates();
    const store = storeOn(server);
    const lease = await store.lock(ZONE, HOLDER, 0);
    server.interfere((request) => (isWrite(request) ? { status, headers: {}, body: "" } : undefined));
    const failure = await failureOf(store.append(ZONE, lease, ["x"]));
    expect(failure.diagnostic.code).toBe(code);
    expect(await collect(store.journal(ZONE))).toEqual([]);
  });

  test("that is busy for a moment is asked again, after the pause that it wants", async () => {
    const server = await startHttpStates();
    const clock = jumpingClock();
    const store = server.open({ clock }).of("suite");
    let left = 3;
    server.interfere(() => (left-- > 0 ? { status: 503, headers: { "retry-after": "20" }, body: "" } : undefined));
    const before = clock.now();
    expect(await store.read(ZONE)).toBeUndefined();
    expect(clock.now() - before).toBe(60_000);
  });

  test("that redirects gets no second request, and the other place none", async () => {
    const seen: string[] = [];
    const other = createServer((request, response) => {
      seen.push(request.url ?? "");
      response.end();
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void other.close());
    const found = other.address();
    const server = await startHttpStates();
    const location = `http://127.0.0.1:${typeof found === "object" && found ? found.port : 0}/states/x`;
    answering(server, 307, "", { location });
    await failureOf(storeOn(server).read(ZONE));
    expect([server.requests.length, seen]).toEqual([1, []]);
  });

  test("whose state is another program's is left as it is", async () => {
    const server = await startHttpStates();
    const theirs = '{"version":4,"terraform_version":"1.11.4","serial":3,"lineage":"x","resources":[]}';
    server.model.put(NAME, theirs);
    const failure = await failureOf(storeOn(server).lock(ZONE, HOLDER, 0));
    expect(failure.diagnostic.code).toBe("state-foreign");
    expect([server.model.bodyOf(NAME), server.model.holderOf(NAME)]).toEqual([theirs, undefined]);
  });

  test("whose state of one zone stands in the place of another is noticed", async () => {
    const server = await startHttpStates();
    const store = storeOn(server);
    await store.lock(ZONE, HOLDER, 0);
    const other = zoneId("9a7806061c88ada191ed06f989cc3dac");
    server.model.put(nameOfState("suite", other), server.model.bodyOf(NAME) ?? "");
    expect((await failureOf(store.read(other))).diagnostic.code).toBe("state-foreign");
  });

  test("without an address for locks is read, and never written", async () => {
    const server = await startHttpStates();
    await storeOn(server).lock(ZONE, HOLDER, 0);
    const connect = (): ReturnType<typeof undiciHttp> => undiciHttp();
    const stores = httpStores(server.address, { env: {}, clock: realClock, steady: realSteadyClock, random, connect });
    onTestFinished(() => stores.close());
    expect(await stores.of("suite").holding(ZONE)).toMatchObject({ holder: HOLDER });
    expect((await failureOf(stores.of("suite").lock(ZONE, HOLDER, 0))).diagnostic.code).toBe("state-without-lock");
  });
});

describe.skipIf(!hasOpenssl())("a server with TLS", () => {
  /** An HTTPS server that wants a certificate of its clients; returns its address. */
  async function startTls(authority: Authority): Promise<string> {
    const own = authority.issue("localhost");
    const [model, ca] = [stateModel(), readFileSync(authority.root, "utf8")];
    const options = { cert: own.read("cert"), key: own.read("key"), ca, requestCert: true, rejectUnauthorized: true };
    const server = createTlsServer(options, (request, response) => {
      const { status, body } = model.handle({
        method: request.method ?? "",
        url: `https://h${request.url}`,
        headers: {},
      });
      response.writeHead(status).end(body);
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const found = server.address();
    return `https://localhost:${typeof found === "object" && found ? found.port : 0}/states`;
  }

  test("is trusted by the authority of the variables alone, and gets the certificate that they name", async () => {
    const folder = await temporaryFolder();
    const [authority, other] = [makeAuthority(folder, "ours"), makeAuthority(folder, "theirs")];
    const address = await startTls(authority);
    const client = authority.issue("robot");
    const own = {
      TF_HTTP_CLIENT_CERTIFICATE_PEM: client.read("cert"),
      TF_HTTP_CLIENT_PRIVATE_KEY_PEM: client.read("key"),
    };
    const read = (variables: Record<string, string>): Promise<unknown> => {
      const env = { TF_HTTP_RETRY_MAX: "0", ...variables };
      const stores = httpStores(address, {
        env,
        clock: realClock,
        steady: realSteadyClock,
        random,
        connect: (tls) => undiciHttp({ tls }),
      });
      onTestFinished(() => stores.close());
      return stores.of("suite").read(ZONE);
    };
    const ca = (of: Authority): Record<string, string> => ({
      TF_HTTP_CLIENT_CA_CERTIFICATE_PEM: readFileSync(of.root, "utf8"),
    });
    expect(await read({ ...ca(authority), ...own })).toBeUndefined();
    for (const variables of [own, { ...ca(other), ...own }, ca(authority)])
      expect((await failureOf(read(variables))).diagnostic.code).toBe("state-unreachable");
  });
});

describe("a server that answers that it stored what it did not", () => {
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

  test("is noticed with the next write, and at the end", async () => {
    const server = await startHttpStates();
    const store = storeOn(server);
    const lease = await store.lock(ZONE, HOLDER, 0);
    await store.append(ZONE, lease, ["stored"]);
    server.interfere(ignored);
    await store.append(ZONE, lease, ["lost"]);
    await expect(store.append(ZONE, lease, ["next"])).rejects.toThrow(StoreConflict);
    const other = await startHttpStates();
    const last = await storeOn(other).lock(ZONE, HOLDER, 0);
    other.interfere(ignored);
    expect((await failureOf(last.release())).diagnostic.code).toBe("state-server");
  });

  test("is asked for nothing out of a cache", async () => {
    const server = await startHttpStates();
    const asked: StateRequest[] = [];
    server.interfere((request) => void asked.push(request));
    await storeOn(server).read(ZONE);
    expect(asked).toMatchObject([{ method: "GET", headers: { "cache-control": "no-cache" } }]);
  });
});

describe("a server that does not answer", () => {
  test("is given up within seconds if it never did, and is waited for if it did", async () => {
    const server = await startHttpStates();
    const clock = jumpingClock();
    const store = server.open({ clock }).of("suite");
    const begin = clock.now();
    server.interfere(() => "cut-before");
    expect((await failureOf(store.read(ZONE))).diagnostic.code).toBe("state-unreachable");
    expect(clock.now() - begin).toBe(3000);
    server.interfere(() => undefined);
    await store.read(ZONE);
    server.interfere(() => "cut-before");
    await failureOf(store.read(ZONE));
    expect(clock.now() - begin).toBe(3000 + 31_000);
  });
});

describe("the list of states", () => {
  test("has the projects and zones for which something is kept", async () => {
    const server = await startHttpStates("gitlab");
    const stores = server.open();
    const lease = await stores.of("shop").lock(ZONE, HOLDER, 0);
    expect(await stores.projects()).toEqual([]);
    await stores.of("shop").write(ZONE, lease, undefined, given(["one"]));
    const other = server.open();
    expect([await other.projects(), await other.of("shop").zones(), await other.of("edge").zones()]).toEqual([
      ["shop"],
      [ZONE],
      [],
    ]);
    await stores.of("shop").retire(ZONE, lease);
    expect(await other.projects()).toEqual([]);
  });

  test("is freed from the lock of a process that died", async () => {
    const server = await startHttpStates("gitlab");
    const claims = server.open({ clock: jumpingClock() }).claims;
    lockList(server, "dead");
    expect(await claims.take(CLAIM)).toEqual([]);
    expect(await claims.list()).toHaveLength(1);
  });

  test("is not freed from a living holder because the clock of this machine is set", async () => {
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
      .claims.take(CLAIM)
      .catch(() => undefined);
    expect(freed).toEqual([]);
  });

  test("is not written to after the machine slept for as long as others may take our lock for dead", async () => {
    const server = await startHttpStates();
    const steady = steadyAs(jumpingClock());
    let slept = 0;
    const clock = { ...jumpingClock(), now: () => Date.parse("2026-03-01T12:00:00Z") + slept };
    server.interfere((request) => {
      if (request.method === "GET" && server.model.holderOf("zoneform-index") !== undefined) slept = 120_000;
      return undefined;
    });
    expect((await failureOf(server.open({ clock, steady }).claims.take(CLAIM))).diagnostic.code).toBe(
      "state-unreachable",
    );
    expect(server.model.writesOf("zoneform-index")).toBe(0);
  });
});

describe("an address", () => {
  const urls = (address: string, env: Record<string, string> = {}): readonly (string | undefined)[] => {
    const { stateUrl, locking } = parseHttpAddress(address, env);
    return [stateUrl("n"), locking?.lockUrl("n"), locking?.lockMethod, locking?.unlockMethod];
  };

  test("of GitLab or Gitea needs nothing more", () => {
    const gitlab = "https://gitlab.example/api/v4/projects/42/terraform/state";
    expect(urls(gitlab)).toEqual([`${gitlab}/n`, `${gitlab}/n/lock`, "POST", "DELETE"]);
    const gitea = "https://gitea.example/api/packages/team/terraform/state/";
    expect(urls(gitea)).toEqual([`${gitea}n`, `${gitea}n/lock`, "POST", "DELETE"]);
  });

  test("follows Terraform's variables, with {state} for the name", () => {
    const env = {
      TF_HTTP_LOCK_ADDRESS: "https://h/l/{state}?x=1",
      TF_HTTP_LOCK_METHOD: "PUT",
      TF_HTTP_UNLOCK_METHOD: "DELETE",
    };
    expect(urls("https://h/s/{state}.json?token=abc", env)).toEqual([
      "https://h/s/n.json?token=abc",
      "https://h/l/n?x=1",
      "PUT",
      "DELETE",
    ]);
    expect(urls("https://h/s", { TF_HTTP_LOCK_ADDRESS: "https://h/l/{state}" }).slice(2)).toEqual(["LOCK", "UNLOCK"]);
    expect(urls("https://h/s")).toEqual(["https://h/s/n", undefined, undefined, undefined]);
  });

  test.each([
    ["http://states.example/x", {}, "unencrypted"],
    ["https://h/x", { TF_HTTP_SKIP_CERT_VERIFICATION: "true" }, "TF_HTTP_SKIP_CERT_VERIFICATION"],
    ["https://h/x", { TF_HTTP_LOCK_ADDRESS: "https://h/lock" }, "{state}"],
    ["https://h/x", { TF_HTTP_LOCK_ADDRESS: "https://evil/{state}" }, "another host"],
    ["https://h/x", { TF_HTTP_PASSWORD: "p4ssw0rd-x" }, "TF_HTTP_USERNAME"],
    ["https://h/x", { TF_HTTP_RETRY_MAX: "many" }, "TF_HTTP_RETRY_MAX"],
    ["https://h/x", { TF_HTTP_LOCK_ADDRESS: "https://h/{state}", TF_HTTP_LOCK_METHOD: "lock it" }, "HTTP method"],
    ["https://h/x", { TF_HTTP_CLIENT_CERTIFICATE_PEM: "x" }, "need each other"],
    ["https://", {}, "https://HOST/PATH"],
  ])("%s with %j is refused, and the message does not repeat it", (address, env, words) => {
    const read = (): unknown => parseHttpAddress(address, env);
    expect(read).toThrow(StateError);
    expect(read).toThrow(words);
    expect(read).not.toThrow("p4ssw0rd-x");
  });

  test("is shown without its login and its parameters, which are secrets", async () => {
    const address = "http://robot:s3cret-pass@127.0.0.1:9/x/{state}?token=t0ken-value";
    const learned: string[] = [];
    const connect = (): ReturnType<typeof undiciHttp> => undiciHttp();
    const env = { TF_HTTP_RETRY_MAX: "0" };
    const stores = httpStores(address, {
      env,
      clock: realClock,
      steady: realSteadyClock,
      random,
      connect,
      learn: (secret) => learned.push(secret.reveal()),
    });
    onTestFinished(() => stores.close());
    const failure = await failureOf(stores.of("edge").read(ZONE));
    expect(failure.message).toMatch(
      /^the state at http:\/\/127\.0\.0\.1:9\/x\/zoneform-edge-[0-9a-f]{32} cannot be reached/,
    );
    expect(failure.message).not.toMatch(/s3cret-pass|t0ken-value/);
    expect(learned).toEqual(expect.arrayContaining(["s3cret-pass", "t0ken-value"]));
    expect(redactionOf({ TF_HTTP_PASSWORD: PASSWORD }).redact(`x ${PASSWORD}`)).not.toContain(PASSWORD);
  });

  test("names each zone of each project with characters that every server takes", () => {
    const projects = ["edge", "Edge", "e_dge", "e.dge", "edge-1", "_5fedge", "x".repeat(64), "A".repeat(64)];
    const names = projects.map((project) => nameOfState(project, ZONE));
    expect(new Set(names).size).toBe(projects.length);
    for (const name of names) expect(name).toMatch(/^[a-z0-9_-]{1,255}$/);
    expect(nameOfState("edge", ZONE)).toBe(`zoneform-edge-${ZONE}`);
  });
});
