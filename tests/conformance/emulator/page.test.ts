import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../../lib/emulator.ts";
import type { SeenRequest } from "../../../lib/emulator/request-log.ts";
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

/** Sends a GET with exactly these headers, `Host` included. */
async function get(emulator: Emulator, path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const { hostname, port } = new URL(emulator.url);
  const asking = request({ host: hostname, port, path, headers, agent: false });
  asking.end();
  const [incoming] = await once(asking, "response");
  return incoming;
}

/** Calls the service as a client. */
async function call(emulator: Emulator, method: string, path: string, body?: unknown): Promise<Result> {
  const headers = { authorization: "Bearer all", "content-type": "application/json", "user-agent": "zoneform/test" };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${emulator.url}/zones/${ZONE_ID}${path}`, { method, headers, ...sent });
  const { result }: { readonly result: Result } = JSON.parse(await response.text());
  return result;
}

/** What the tests read in the result of a call. */
interface Result {
  readonly id: string;
  readonly rules: readonly { readonly id: string }[];
}

/** Follows the requests, and returns how to take the next events from the stream. */
async function follow(
  emulator: Emulator,
  headers: Record<string, string> = {},
): Promise<(count: number) => Promise<SeenRequest[]>> {
  const incoming = await get(emulator, "/_admin/events", headers);
  expect(incoming.headers["content-type"]).toBe("text/event-stream");
  const chunks = incoming[Symbol.asyncIterator]();
  let text = "";
  return async (count) => {
    const events: string[] = [];
    while (events.length < count) {
      const end = text.indexOf("\n\n");
      if (end === -1) {
        const { value } = await chunks.next();
        text += String(value);
        continue;
      }
      const event = text.slice(0, end);
      text = text.slice(end + 2);
      if (!event.startsWith(":")) events.push(event);
    }
    return events.map((event) => JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? ""));
  };
}

describe("the page", () => {
  it("is one document with a policy that no other site can frame or read", async () => {
    const incoming = await get(await start(), "/");
    expect(incoming.statusCode).toBe(200);
    expect(incoming.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": expect.stringMatching(/^default-src 'none'; .*; frame-ancestors 'none'$/),
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
    });
    expect(await textOf(incoming)).toMatch(/^<!doctype html>/);
  });

  it.each(["/", "/_admin/events"])("refuses a foreign Host and a foreign Origin at %s", async (path) => {
    const emulator = await start();
    const { host } = new URL(emulator.url);
    for (const headers of [
      { host: "evil.example" },
      { host, origin: "http://evil.example" },
      { host, origin: "null" },
    ]) {
      const incoming = await get(emulator, path, headers);
      expect(incoming.statusCode).toBe(403);
      expect(JSON.parse(await textOf(incoming))).toMatchObject({ success: false });
    }
  });

  it("opens without the admin token, and then asks for it: the stream needs it", async () => {
    const emulator = await start({ adminToken: "a-token-of-the-test" });
    const page = await get(emulator, "/");
    expect(page.statusCode).toBe(200);
    const text = await textOf(page);
    expect(text).toContain(`id="data">{"isGuarded":true}<`);
    expect(text).not.toContain("a-token-of-the-test");
    expect((await get(emulator, "/_admin/events")).statusCode).toBe(403);
    const allowed = await get(emulator, "/_admin/events", { "x-emulator-token": "a-token-of-the-test" });
    expect(allowed.statusCode).toBe(200);
  });
});

describe("the stream of requests", () => {
  it("shows a write with what it sent and what it changed, and names neither tokens nor private keys", async () => {
    const emulator = await start();
    const next = await follow(emulator);
    const created = await call(emulator, "POST", "/custom_hostnames", {
      hostname: "shop.acme.com",
      ssl: { method: "http", type: "dv", settings: { min_tls_version: "1.3" } },
    });
    const ssl = { method: "http", type: "dv", settings: { min_tls_version: "1.0" } };
    await call(emulator, "PATCH", `/custom_hostnames/${created.id}`, { ssl });
    await call(emulator, "POST", "/custom_certificates", {
      private_key: `-----BEGIN PRIVATE KEY-----\nQUJD\n-----END PRIVATE KEY-----`,
    });
    const [post, patch, upload] = await next(3);
    expect(post).toMatchObject({ method: "POST", status: 200, before: null, after: { hostname: "shop.acme.com" } });
    expect(patch).toMatchObject({
      method: "PATCH",
      path: `/zones/${ZONE_ID}/custom_hostnames/${created.id}`,
      agent: "zoneform/test",
      body: JSON.stringify({ ssl }),
      before: { ssl: { settings: { min_tls_version: "1.3" } } },
      after: { ssl: { settings: { min_tls_version: "1.0" } } },
    });
    expect(upload?.body).toBe(`{"private_key":"[private key]"}`);
    expect(JSON.stringify([post, patch, upload])).not.toContain("Bearer");
  });

  it("shows the edit of one rule as a change of its ruleset", async () => {
    const emulator = await start();
    const rule = { ref: "admin", action: "block", expression: "true" };
    const entry = await call(emulator, "PUT", "/rulesets/phases/http_request_firewall_custom/entrypoint", {
      rules: [rule],
    });
    const next = await follow(emulator, { "last-event-id": "1" });
    await call(emulator, "PATCH", `/rulesets/${entry.id}/rules/${entry.rules[0]?.id}`, { ...rule, action: "log" });
    const [patch] = await next(1);
    expect(patch).toMatchObject({ before: { rules: [{ action: "block" }] }, after: { rules: [{ action: "log" }] } });
  });

  it("begins with the latest 50 requests, and goes on after the last event that the client has", async () => {
    const emulator = await start();
    for (let count = 0; count < 60; count += 1) await call(emulator, "GET", "/settings/ssl");
    const numbers = async (headers: Record<string, string>, count: number): Promise<number[]> =>
      (await (await follow(emulator, headers))(count)).map(({ number }) => number);
    expect(await numbers({}, 50)).toEqual(Array.from({ length: 50 }, (_, index) => index + 11));
    expect(await numbers({ "last-event-id": "58" }, 2)).toEqual([59, 60]);
    // That of an emulator which has started again since.
    expect(await numbers({ "last-event-id": "1000" }, 50)).toHaveLength(50);
  });

  it("says when the requests were forgotten", async () => {
    const emulator = await start();
    await call(emulator, "GET", "/settings/ssl");
    const next = await follow(emulator);
    await next(1);
    emulator.requests.reset();
    expect(await next(1)).toEqual([null]);
  });

  it("ends when its client leaves, and when the emulator stops", async () => {
    const emulator = await start();
    const incoming = await get(emulator, "/_admin/events");
    expect(emulator.requests.isFollowed()).toBe(true);
    incoming.destroy();
    while (emulator.requests.isFollowed()) await call(emulator, "GET", "/settings/ssl");
    await get(emulator, "/_admin/events");
    await emulator.close();
  });
});

/** The answer to a request for an edit. */
interface Acted {
  readonly result: { readonly did: string } | null;
}

describe("a colleague", () => {
  const HOSTNAMES = ["a", "b", "c"].map((name) => ({
    hostname: `${name}.acme.com`,
    ssl: { method: "http", type: "dv", settings: { min_tls_version: "1.2" } },
  }));
  const RULES = ["admin", "login"].map((ref) => ({ ref, action: "block", expression: `http.host eq "${ref}"` }));

  async function managed(): Promise<Emulator> {
    const emulator = await start();
    for (const hostname of HOSTNAMES) await call(emulator, "POST", "/custom_hostnames", hostname);
    await call(emulator, "PUT", "/rulesets/phases/http_request_firewall_custom/entrypoint", { rules: RULES });
    emulator.advance(600_000);
    return emulator;
  }

  async function act(emulator: Emulator): Promise<Acted> {
    const response = await fetch(`${emulator.adminUrl}/colleague`, { method: "POST" });
    return JSON.parse(await response.text());
  }

  it("makes each sort of dangerous edit, says what it did, and the same again from the same start", async () => {
    const stories = [await managed(), await managed()];
    const said: string[][] = [];
    for (const emulator of stories) {
      const did: string[] = [];
      for (let count = 0; count < 12; count += 1) did.push((await act(emulator)).result?.did ?? "nothing");
      said.push(did);
    }
    expect(said[0]).toEqual(said[1]);
    for (const sort of [
      /^lowered the minimum TLS version of [abc]\.acme\.com from 1\.2 to 1\.0$/,
      /^deleted the hostname/,
      /^disabled the rule "/,
      /^let the rule ".*" only log/,
      /^put a rule "quick fix" ahead/,
    ])
      expect(said[0]).toContainEqual(expect.stringMatching(sort));
  });

  it("does not show the edit among the requests, and says after which one it was made", async () => {
    const emulator = await managed();
    expect((await act(emulator)).result).toMatchObject({ zone_id: ZONE_ID, after_request: 4 });
    expect(emulator.requests.total()).toBe(4);
  });

  it("says so if there is nothing to edit", async () => {
    expect(await act(await start())).toMatchObject({
      success: false,
      errors: [{ message: "there is nothing to edit: no zone has a custom hostname or a rule" }],
    });
  });
});
