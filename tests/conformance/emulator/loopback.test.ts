import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { text as textOf } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../../lib/emulator.ts";
import { listen } from "../../../lib/emulator/server.ts";
import { seedOf, START, ZONE_ID } from "../../support/emulator.ts";

const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const each of closing.splice(0)) await each.close();
});

async function start(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ clock: "manual", startTime: START, seed: seedOf(), ...options });
  closing.push(emulator);
  return emulator;
}

interface Got {
  readonly status: number | undefined;
  readonly body: unknown;
}

/** Sends a request with exactly these headers, `Host` included, and exactly this path. */
async function send(url: string, path: string, headers: Record<string, string>, body?: string): Promise<Got> {
  const { hostname, port } = new URL(url);
  const method = body === undefined ? "GET" : "POST";
  const asking = request({ host: hostname.replace(/^\[|\]$/g, ""), port, path, method, headers, agent: false });
  asking.end(body);
  const [incoming] = await once(asking, "response");
  return { status: incoming.statusCode, body: JSON.parse(await textOf(incoming)) };
}

/** Sends bytes, and returns what comes back until the connection is closed. */
async function exchange(url: string, bytes: string): Promise<Got> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.end(bytes);
  const answer = await textOf(socket);
  const [head = "", body = ""] = answer.split("\r\n\r\n", 2);
  return { status: Number(head.split(" ")[1]), body: JSON.parse(body) };
}

const REFUSED = { success: false, errors: [{ message: expect.any(String) }], messages: [], result: null };
const ZONE = `/client/v4/zones/${ZONE_ID}`;
const TOKEN = { authorization: "Bearer all" };

describe("the address to listen on", () => {
  const hasVersion6 = Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === "::1"));
  const version6 = hasVersion6 ? ["::1", "0:0:0:0:0:0:0:1"] : [];

  it.each(["127.0.0.1", "127.8.9.10", "localhost", "LOCALHOST", ...version6])("may be %s", async (host) => {
    const emulator = await start({ host });
    expect(await send(emulator.url, ZONE, TOKEN)).toMatchObject({ status: 200 });
    expect((await fetch(emulator.url.replace("/client/v4", ZONE), { headers: TOKEN })).status).toBe(200);
  });

  it.each([
    "0.0.0.0",
    "::",
    "0",
    "",
    "10.0.0.1",
    "192.168.0.1",
    "::ffff:0.0.0.0",
    "emulator.example",
    "127.0.0.1.nip.io",
  ])("may not be %j", async (host) => {
    await expect(start({ host })).rejects.toThrow(`${JSON.stringify(host)} is not a loopback address`);
  });
});

describe("a request that a foreign web page may have sent", () => {
  const foreignHosts = (port: string): string[] => [
    "evil.example",
    `evil.example:${port}`,
    `localhost.evil.example:${port}`,
    `127.0.0.1.evil.example:${port}`,
    "127.0.0.1",
    "127.0.0.1:1",
    `10.0.0.1:${port}`,
    `localhost@evil.example:${port}`,
    `[::2]:${port}`,
  ];
  const foreignOrigins = (port: string): string[] => [
    "http://evil.example",
    `http://evil.example:${port}`,
    `https://127.0.0.1:${port}`,
    "http://localhost",
    "http://localhost:1",
    "null",
    "",
  ];

  it.each([ZONE, "/_admin/clock", "/_admin/snapshot", "/elsewhere"])("is refused with 403 on %s", async (path) => {
    const emulator = await start();
    const { port } = new URL(emulator.url);
    for (const host of foreignHosts(port))
      expect([host, await send(emulator.url, path, { ...TOKEN, host })]).toMatchObject([
        host,
        { status: 403, body: REFUSED },
      ]);
    for (const origin of foreignOrigins(port))
      expect([origin, await send(emulator.url, path, { ...TOKEN, origin })]).toMatchObject([
        origin,
        { status: 403, body: REFUSED },
      ]);
    expect(emulator.requests.total()).toBe(0);
  });

  it("moves no clock and orders no fault", async () => {
    const emulator = await start();
    const json = { "content-type": "application/json", origin: "http://evil.example" };
    const before = emulator.now();
    await send(emulator.url, "/_admin/clock", json, '{"advance_seconds": 60}');
    await send(emulator.url, ZONE, { ...TOKEN, origin: "http://evil.example", "x-emulator-advance": "60" });
    expect(emulator.now()).toBe(before);
  });

  it("is answered if Host and Origin are this emulator's own", async () => {
    const emulator = await start();
    const { port } = new URL(emulator.url);
    for (const host of [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `LocalHost:${port}`,
      `[::1]:${port}`,
      `127.9.9.9:${port}`,
    ])
      expect([host, await send(emulator.url, "/_admin/clock", { host, origin: `http://${host}` })]).toMatchObject([
        host,
        { status: 200 },
      ]);
  });

  it("is refused without a Host header", async () => {
    const emulator = await start();
    const bytes = "GET /_admin/clock HTTP/1.1\r\nconnection: close\r\n\r\n";
    expect(await exchange(emulator.url, bytes)).toMatchObject({ status: 403, body: REFUSED });
  });

  it("is refused if the target of the request names another host than its header", async () => {
    const emulator = await start();
    const { host } = new URL(emulator.url);
    expect(await send(emulator.url, "http://evil.example/_admin/clock", { host })).toMatchObject({ status: 403 });
    expect(await send(emulator.url, `http://${host}/_admin/clock`, { host })).toMatchObject({ status: 200 });
  });
});

describe("an admin token", () => {
  const token = "0123456789abcdef";
  const guarded = (): Promise<Emulator> => start({ adminToken: token });
  const json = { "content-type": "application/json" };

  it.each(["/_admin/clock", "/_admin/snapshot", `/_admin/api/zones/${ZONE_ID}`])("is needed for %s", async (path) => {
    const emulator = await guarded();
    const refusal = { status: 403, body: { errors: [{ message: expect.stringContaining("X-Emulator-Token") }] } };
    for (const given of [
      {},
      { "x-emulator-token": "" },
      { "x-emulator-token": `${token}0` },
      { authorization: `Bearer ${token}` },
    ])
      expect(await send(emulator.url, path, given)).toMatchObject(refusal);
    expect(await send(emulator.url, path, { "x-emulator-token": token })).toMatchObject({ status: 200 });
  });

  it("is needed for headers that move the clock or order a fault, and for no other call of the service", async () => {
    const emulator = await guarded();
    const before = emulator.now();
    for (const header of [{ "x-emulator-advance": "60" }, { "x-emulator-fault": "html" }])
      expect(await send(emulator.url, ZONE, { ...TOKEN, ...header })).toMatchObject({ status: 403, body: REFUSED });
    expect(emulator.now()).toBe(before);
    expect(await send(emulator.url, ZONE, TOKEN)).toMatchObject({ status: 200 });
    await send(emulator.url, ZONE, { ...TOKEN, "x-emulator-advance": "60", "x-emulator-token": token });
    expect(emulator.now()).toBe(before + 60_000);
  });

  it("allows an address that other machines reach", async () => {
    // No machine has this address (RFC 5737). If the system refuses it, the emulator did not.
    await expect(start({ host: "192.0.2.1", adminToken: token })).rejects.toMatchObject({ code: "EADDRNOTAVAIL" });
  });

  it("allows calls by an address or a name without a dot, on any port, but no foreign web page", async () => {
    const emulator = await guarded();
    const admin = { "x-emulator-token": token, ...json };
    for (const host of ["127.0.0.1:9000", "emulator:8787", "emulator", "172.17.0.2:8787", "[::1]:80"])
      expect([host, await send(emulator.url, "/_admin/clock", { ...admin, host })]).toMatchObject([
        host,
        { status: 200 },
      ]);
    for (const host of ["evil.example:8787", "127.0.0.1.evil.example", "evil.example."])
      expect([host, await send(emulator.url, ZONE, { ...TOKEN, host })]).toMatchObject([host, { status: 403 }]);
    const host = "127.0.0.1:9000";
    expect(await send(emulator.url, ZONE, { ...TOKEN, host, origin: "http://evil.example" })).toMatchObject({
      status: 403,
    });
    expect(await send(emulator.url, ZONE, { ...TOKEN, host, origin: `http://${host}` })).toMatchObject({ status: 200 });
  });
});

describe("an answer always comes in the envelope, even", () => {
  it("to what is not HTTP", async () => {
    const emulator = await start();
    const { host } = new URL(emulator.url);
    const target = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`;
    expect(await exchange(emulator.url, "nonsense\r\n\r\n")).toMatchObject({ status: 400, body: REFUSED });
    expect(await exchange(emulator.url, target("/\0"))).toMatchObject({ status: 400, body: REFUSED });
    expect(await exchange(emulator.url, target(`/${"a".repeat(100_000)}`))).toMatchObject({
      status: 431,
      body: REFUSED,
    });
  });

  it.each(["//", "//x/y", "/%zz", "/client/v4/%E0%A4%A", "/client/v4/zones/%00", "/x?%", "*", "/client/v4//zones//"])(
    "to the path %s",
    async (path) => {
      const emulator = await start();
      expect(await send(emulator.url, path, TOKEN)).toMatchObject({
        status: expect.toSatisfy(isRefusal),
        body: { ...REFUSED, errors: expect.any(Array) },
      });
    },
  );

  it("to a body that is too long", async () => {
    const emulator = await start();
    const json = { ...TOKEN, "content-type": "application/json" };
    const answer = await send(emulator.url, `${ZONE}/custom_hostnames`, json, "x".repeat(5 * 1024 * 1024));
    expect(answer).toMatchObject({ status: 413, body: REFUSED });
  });

  it("to a failure of the emulator, which is reported to the caller that started it", async () => {
    const told: unknown[] = [];
    const mistake = new Error("ours");
    const handle = (): never => {
      throw mistake;
    };
    const listening = await listen({ host: "127.0.0.1", port: 0 }, handle, (error) => told.push(error));
    closing.push(listening);
    expect(await send(listening.origin, ZONE, {})).toEqual({
      status: 500,
      body: { success: false, errors: [{ code: 1500, message: "Internal error" }], messages: [], result: null },
    });
    expect(told).toEqual([mistake]);
  });
});

function isRefusal(status: number): boolean {
  return status >= 400 && status < 500;
}
