import { lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import {
  createService,
  parseSeed,
  PersistFileError,
  startEmulator,
  type Emulator,
  type EmulatorOptions,
} from "../../../lib/emulator.ts";
import { hostnameBody, seedOf, START, ZONE_ID } from "../../support/emulator.ts";

const started: Emulator[] = [];
const folders: string[] = [];

async function start(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ clock: "manual", startTime: START, seed: seedOf(), ...options });
  started.push(emulator);
  return emulator;
}

afterEach(async () => {
  for (const emulator of started.splice(0)) await emulator.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

async function send(emulator: Emulator, method: string, path: string, body?: unknown): Promise<Response> {
  const headers = { authorization: "Bearer all", "content-type": "application/json" };
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  return fetch(`${emulator.url}/zones/${ZONE_ID}${path}`, { method, headers, ...content });
}

async function administer(emulator: Emulator, method: string, path: string, body?: unknown): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${emulator.adminUrl}${path}`, { method, headers, ...content });
  expect(response.status).toBe(200);
  return ((await response.json()) as { result: unknown }).result;
}

describe("the emulator over HTTP", () => {
  it("serves the API below /client/v4, and nothing else", async () => {
    const emulator = await start();
    expect((await send(emulator, "GET", "/custom_hostnames")).status).toBe(200);
    expect((await fetch(new URL("/zones", emulator.url))).status).toBe(404);
  });

  it("breaks connections for lost responses and truncated bodies", async () => {
    const emulator = await start();
    emulator.faults.order({ fault: { kind: "lost-reply" }, method: "POST" });
    await expect(send(emulator, "POST", "/custom_hostnames", hostnameBody("a.customer.net"))).rejects.toThrow(
      "fetch failed",
    );
    expect((await send(emulator, "POST", "/custom_hostnames", hostnameBody("a.customer.net"))).status).toBe(409);
    emulator.faults.order({ fault: { kind: "truncated" } });
    const cut = await send(emulator, "GET", "/custom_hostnames");
    await expect(cut.text()).rejects.toThrow("terminated");
  });

  it("counts requests by method and route, without those of the admin API", async () => {
    const emulator = await start();
    await send(emulator, "GET", "/custom_hostnames?page=1");
    await send(emulator, "GET", "/custom_hostnames?page=2");
    await administer(emulator, "GET", "/clock");
    expect(emulator.requests.counts()).toEqual({ "GET /zones/:zone/custom_hostnames": 2 });
    expect(await administer(emulator, "GET", "/requests")).toMatchObject({ total: 2 });
    await administer(emulator, "DELETE", "/requests");
    expect(emulator.requests.total()).toBe(0);
  });
});

describe("the admin API", () => {
  it("moves the clock forward, never back", async () => {
    const emulator = await start();
    expect(await administer(emulator, "POST", "/clock", { advance_seconds: 1 })).toMatchObject({
      now: "2026-02-06T18:11:24.000Z",
    });
    const back = await fetch(`${emulator.adminUrl}/clock`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ now: START }),
    });
    expect(back.status).toBe(400);
  });

  it("edits live objects as the dashboard would, beyond limits and without counting", async () => {
    const emulator = await start();
    for (let n = 0; n < 20; n++) {
      const path = `/api/zones/${ZONE_ID}/custom_hostnames`;
      await administer(emulator, "POST", path, hostnameBody(`a${n}.customer.net`));
    }
    expect(emulator.requests.total()).toBe(0);
    const rules = [{ ref: "theirs", action: "block", expression: "true" }];
    const path = `/zones/${ZONE_ID}/rulesets/phases/http_request_firewall_custom/entrypoint`;
    expect(emulator.admin.dashboard("PUT", path, { rules }).status).toBe(200);
  });

  it("sets the world, forces a status, orders faults, takes a snapshot, and resets", async () => {
    const emulator = await start({ seed: seedOf({ custom_hostnames: [{ hostname: "a.customer.net" }] }) });
    await administer(emulator, "PUT", "/world/dns/a.customer.net", { cname: "elsewhere.net" });
    await administer(emulator, "POST", "/clock", { advance_seconds: 60 });
    const list = async (): Promise<unknown> => (await send(emulator, "GET", "/custom_hostnames")).json();
    expect(await list()).toMatchObject({ result: [{ status: "moved" }] });
    await administer(emulator, "PATCH", `/zones/${ZONE_ID}/custom_hostnames/a.customer.net`, { status: "blocked" });
    expect(await list()).toMatchObject({ result: [{ status: "blocked" }] });
    await administer(emulator, "POST", "/faults", { fault: "html", path: "/zones/**" });
    expect((await send(emulator, "GET", "/custom_hostnames")).status).toBe(502);
    expect(await administer(emulator, "GET", "/snapshot")).toMatchObject({ version: 1 });
    await administer(emulator, "POST", "/reset");
    expect(await list()).toMatchObject({ result: [{ status: "active" }] });
  });
});

describe("persistence", () => {
  it("refuses a file that no emulator wrote, and does not change it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "zoneform-emulator-"));
    folders.push(folder);
    const persistFile = join(folder, "theirs.json");
    for (const text of ["not JSON", "[]", '{ "version": 2 }']) {
      writeFileSync(persistFile, text);
      await expect(start({ persistFile })).rejects.toThrow(PersistFileError);
      expect(readFileSync(persistFile, "utf8")).toBe(text);
    }
  });

  it("continues where the last run stopped: same objects, same clock, same future", async () => {
    const folder = mkdtempSync(join(tmpdir(), "zoneform-emulator-"));
    folders.push(folder);
    const persistFile = join(folder, "store.json");
    const first = await startEmulator({ clock: "manual", startTime: START, seed: seedOf(), persistFile });
    await send(first, "POST", "/custom_hostnames", hostnameBody("a.customer.net"));
    first.advance(30_000);
    await first.close();
    expect(JSON.parse(readFileSync(persistFile, "utf8"))).toMatchObject({ version: 1 });
    const second = await start({ persistFile, seed: { zones: [] } });
    expect([first.isRestored, second.isRestored]).toEqual([false, true]);
    expect(second.now()).toBe(Date.parse(START) + 30_000);
    second.advance(40_000);
    expect(await (await send(second, "GET", "/custom_hostnames")).json()).toMatchObject({
      result: [{ hostname: "a.customer.net", status: "active", ssl: { status: "active" } }],
    });
  });
});

describe("the file of --persist", () => {
  it("is never written through a symbolic link, and only its owner can read it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "zoneform-emulator-"));
    folders.push(folder);
    const [persistFile, theirs] = [join(folder, "store.json"), join(folder, "theirs")];
    writeFileSync(theirs, "not ours");
    symlinkSync(theirs, `${persistFile}.new`);
    const emulator = await startEmulator({ clock: "manual", startTime: START, seed: seedOf(), persistFile });
    await send(emulator, "POST", "/custom_hostnames", hostnameBody("a.customer.net"));
    await emulator.close();
    expect(readFileSync(theirs, "utf8")).toBe("not ours");
    expect(lstatSync(persistFile).mode & 0o777).toBe(0o600);
  });
});

describe("a clock with a rate", () => {
  it("runs this many times faster than real time", () => {
    let systemNow = 0;
    const { core } = createService({ clock: "real", clockRate: 100_000, systemNow: () => systemNow });
    const before = core.clock.now();
    systemNow += 20;
    expect(core.clock.now() - before).toBe(2_000_000);
  });
});

describe("a seed", () => {
  it("may not contain what the API would refuse", async () => {
    const rules = [{ action: "explode", expression: "true" }];
    const seed = seedOf({ rulesets: [{ phase: "http_request_firewall_custom", rules }] });
    await expect(start({ seed })).rejects.toThrow("zones[0].rulesets[0] would be refused by Cloudflare: 'explode'");
  });

  it("is read from YAML", async () => {
    const seed = parseSeed(`
tokens: [{ value: all }]
zones:
  - id: ${ZONE_ID}
    name: saas.net
    plan: pro
    generate: [{ count: 3, pattern: "app{n}.customer.net", ssl: { certificate_authority: lets_encrypt } }]
world: { dns: { app2.customer.net: { cname: elsewhere.net } } }
`);
    const emulator = await start({ seed });
    const answer = (await (await send(emulator, "GET", "/custom_hostnames")).json()) as { result: unknown[] };
    expect(answer.result).toHaveLength(3);
  });

  it("is checked before anything listens, even if it is passed in code", async () => {
    const seed = seedOf({ plan: "gold" as never });
    await expect(start({ seed })).rejects.toThrow('zones[0].plan is "gold", expected free, pro, business, enterprise');
  });
});
