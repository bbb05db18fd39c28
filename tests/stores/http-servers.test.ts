import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { describe, expect, onTestFinished, test } from "vitest";
import { zoneId } from "../../lib/core/brand.ts";
import { realClock, realSteadyClock } from "../../lib/real/clock.ts";
import { undiciHttp } from "../../lib/service/undici-http.ts";
import { nameOfState } from "../../lib/state/engines/http/session.ts";
import { httpStores } from "../../lib/state/engines/http/engine.ts";
import { type Authority, hasOpenssl, makeAuthority } from "../support/authority.ts";
import { temporaryFolder } from "../support/disk.ts";
import { stateModel } from "../support/http-state-model.ts";
import { PASSWORD, startHttpStates } from "../support/http-state-server.ts";
import { collect, given, HOLDER, jumpingClock, random, ZONE } from "../support/state-world.ts";
import { answering, failureOf, isWrite, NAME, storeOn } from "../support/http-states.ts";

describe("a server", () => {
  test("gets the id of the lock, a checksum and a rising serial with each write", async () => {
    const server = await startHttpStates("gitlab");
    const store = storeOn(server);
    const lease = await store.lock(ZONE, HOLDER, 0);
    await store.append(ZONE, lease, ["a"]);
    await store.write(ZONE, lease, undefined, given(["state"]));
    const [first, second, ...writes] = server.requests.filter(isWrite);
    // The first one is to be refused; GitLab says so with a 500, which is asked for twice.
    for (const refused of [first, second]) expect(refused?.url).not.toContain(lease.id);
    const serials = writes.map(({ body }) => Number(/"serial":(\d+)/.exec(body ?? "")?.[1]));
    expect(serials).toEqual([1, 2, 3]);
    for (const { url, headers } of writes) {
      expect(new URL(url).searchParams.get("ID")).toBe(lease.id);
      expect(headers["content-md5"]).toMatch(/^[A-Za-z0-9+/]{22}==$/);
      expect(headers["authorization"]).toBe(`Basic ${Buffer.from(`robot:${PASSWORD}`).toString("base64")}`);
    }
  });

  test("has to return a large state once before the first write, and once after it", async () => {
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

  test("gets no state that is too large to be read back", async () => {
    const server = await startHttpStates();
    const store = server.open({ mostBytes: 100_000 }).of("suite");
    const lease = await store.lock(ZONE, HOLDER, 0);
    await store.append(ZONE, lease, ["a"]);
    const before = server.model.writesOf(NAME);
    const failure = await failureOf(store.append(ZONE, lease, ["x".repeat(100_000)]));
    expect(failure.diagnostic.code).toBe("state-server");
    expect(server.model.writesOf(NAME)).toBe(before);
    await lease.release();
    expect(await collect((await store.view(ZONE)).journal())).toEqual(["a"]);
  });

  test("that grants a lock to two runs at once is not used", async () => {
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
    expect((await storeOn(server).view(ZONE)).state).toBeUndefined();
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
      const failure = await failureOf(storeOn(server).view(ZONE));
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
    expect(await collect((await store.view(ZONE)).journal())).toEqual([]);
  });

  test("that is busy for a moment is asked again, after the pause that it asks for", async () => {
    const server = await startHttpStates();
    const clock = jumpingClock();
    const store = server.open({ clock }).of("suite");
    let left = 3;
    server.interfere(() => (left-- > 0 ? { status: 503, headers: { "retry-after": "20" }, body: "" } : undefined));
    const before = clock.now();
    expect((await store.view(ZONE)).state).toBeUndefined();
    expect(clock.now() - before).toBe(60_000);
  });

  test("that redirects gets no second request, and the other address gets none", async () => {
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
    await failureOf(storeOn(server).view(ZONE));
    expect([server.requests.length, seen]).toEqual([1, []]);
  });

  test("that has a state of another program keeps it as it is", async () => {
    const server = await startHttpStates();
    const theirs = '{"version":4,"terraform_version":"1.11.4","serial":3,"lineage":"x","resources":[]}';
    server.model.put(NAME, theirs);
    const failure = await failureOf(storeOn(server).lock(ZONE, HOLDER, 0));
    expect(failure.diagnostic.code).toBe("state-foreign");
    expect([server.model.bodyOf(NAME), server.model.holderOf(NAME)]).toEqual([theirs, undefined]);
  });

  test("that returns the state of another zone is noticed", async () => {
    const server = await startHttpStates();
    const store = storeOn(server);
    await store.lock(ZONE, HOLDER, 0);
    const other = zoneId("9a7806061c88ada191ed06f989cc3dac");
    server.model.put(nameOfState("suite", other), server.model.bodyOf(NAME) ?? "");
    expect((await failureOf(store.view(other))).diagnostic.code).toBe("state-foreign");
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

  test("is trusted only through the authority of the variables, and gets the certificate that they name", async () => {
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
      return stores
        .of("suite")
        .view(ZONE)
        .then(({ state }) => state);
    };
    const ca = (of: Authority): Record<string, string> => ({
      TF_HTTP_CLIENT_CA_CERTIFICATE_PEM: readFileSync(of.root, "utf8"),
    });
    expect(await read({ ...ca(authority), ...own })).toBeUndefined();
    for (const variables of [own, { ...ca(other), ...own }, ca(authority)])
      expect((await failureOf(read(variables))).diagnostic.code).toBe("state-unreachable");
  });
});
