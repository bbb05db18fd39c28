import { createServer } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { zoneId } from "../../lib/core/brand.ts";
import { kindNamed } from "../../lib/kinds/registry.ts";
import { ApiClient } from "../../lib/service/api-client.ts";
import { type FoundAddress, type Lookup, readEndpoint } from "../../lib/service/endpoint.ts";
import { Governor } from "../../lib/service/governor.ts";
import { undiciHttp } from "../../lib/service/undici-http.ts";
import { manualClock } from "../support/clock.ts";
import { openRig } from "../support/engine.ts";
import { freshWorld } from "../support/project.ts";
import { answer, BUDGET, clientOver, CREDENTIALS, failureOf, RANDOM, refusal } from "../unit/service/world.ts";

/** A server on this machine that answers every request alike, and what it was asked with. */
async function listening(status = 200, headers: Record<string, string> = {}, body = "{}") {
  const asked: { readonly path: string; readonly authorization: string }[] = [];
  const server = createServer((request, response) => {
    asked.push({ path: request.url ?? "", authorization: request.headers.authorization ?? "" });
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return { asked, url: `http://127.0.0.1:${address.port}` };
}

/** A network whose names are looked up here: the nth look-up gives the nth list of addresses. */
function networkWhere(...answers: readonly (readonly string[])[]) {
  const names: string[] = [];
  const lookup: Lookup = (name, _options, done) => {
    const found = answers[names.length] ?? [];
    names.push(name);
    const addresses: FoundAddress[] = found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    done(null, addresses);
  };
  const http = undiciHttp({ lookup });
  onTestFinished(() => http.close());
  return { http, names };
}

function get(url: string) {
  return { method: "GET", url, headers: { authorization: "Bearer a-token-of-these-tests" } };
}

describe("a base URL", () => {
  test.each([
    "https://api.cloudflare.com@evil.example/",
    "https://169.254.169.254/",
    "https://2852039166/",
    "https://0xa9.254.169.254/",
    "https://[fe80::1]/",
    "https://[fd00:ec2::254]/",
    "https://[::ffff:169.254.169.254]/",
    "https://0.0.0.0/",
    "http://169.254.169.254/",
    "http://2130706433/",
    "http://0177.0.0.1/",
    "http://[::ffff:127.0.0.1]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://127.0.0.1.evil.example/",
    "http://evil.example/",
  ])("%s is refused before any request", (url) => {
    expect(readEndpoint(url, {})).toMatchObject({ ok: false, diagnostics: [{ code: "bad-endpoint" }] });
    expect(readEndpoint(undefined, { CLOUDFLARE_BASE_URL: url })).toMatchObject({ ok: false });
  });
});

describe("a name that resolves to a forbidden address", () => {
  test.each([
    ["https to the metadata of the machine's cloud", "https://api.example/", "169.254.169.254"],
    ["https to the same, written inside of IPv6", "https://api.example/", "::ffff:169.254.169.254"],
    ["https to a link-local address", "https://api.example/", "fe80::1"],
    ["plain http away from this machine", "http://localhost/", "192.0.2.1"],
  ])("%s: no connection is made", async (_case, url, address) => {
    const { http } = networkWhere([address]);
    expect(await failureOf(http.send(get(url)))).toMatchObject({ sent: false, reason: "forbidden" });
  });

  test.each(["https://169.254.169.254/", "https://[fe80::1]/", "http://192.0.2.1/", "http://[::ffff:7f00:1]/"])(
    "a forbidden address is refused without a DNS query: %s",
    async (url) => {
      const { http, names } = networkWhere();
      expect(await failureOf(http.send(get(url)))).toMatchObject({ sent: false, reason: "forbidden" });
      expect(names).toEqual([]);
    },
  );

  test("only the allowed ones of several addresses are connected to", async () => {
    const { url, asked } = await listening();
    const { http } = networkWhere(["169.254.169.254", "127.0.0.1"]);
    expect((await http.send(get(url.replace("127.0.0.1", "localhost")))).status).toBe(200);
    expect(asked).toHaveLength(1);
  });

  test("a name that resolves differently the second time (rebinding) is resolved once for each connection", async () => {
    const { url, asked } = await listening(200, { connection: "close" });
    const { http, names } = networkWhere(["127.0.0.1"], ["169.254.169.254"]);
    const request = get(url.replace("127.0.0.1", "localhost"));
    await http.send(request);
    expect(names).toEqual(["localhost"]);
    expect(await failureOf(http.send(request))).toMatchObject({ sent: false, reason: "forbidden" });
    expect(names).toEqual(["localhost", "localhost"]);
    expect(asked).toHaveLength(1);
  });

  test("is one message that says what to do, and is not retried", async () => {
    const { http, names } = networkWhere(["169.254.169.254"], ["169.254.169.254"]);
    const client = clientWith(http, "https://api.example");
    expect(await failureOf(client.send(LIST))).toMatchObject({ name: "UnreachableError" });
    expect(names).toHaveLength(1);
  });
});

const LIST = { method: "GET", path: "/zones/z/custom_hostnames", family: "custom_hostnames" } as const;

function clientWith(http: ReturnType<typeof undiciHttp>, url: string) {
  const clock = manualClock();
  return new ApiClient({
    http,
    endpoint: { url, from: "--api-url" },
    credentials: CREDENTIALS,
    governor: new Governor({ budget: BUDGET, clock }),
    clock,
    random: RANDOM,
  });
}

describe("a redirect", () => {
  test.each([301, 302, 303, 307, 308])("%i is an error, and the token is not sent elsewhere", async (status) => {
    const elsewhere = await listening();
    const service = await listening(status, { location: `${elsewhere.url}/stolen` });
    const http = undiciHttp();
    onTestFinished(() => http.close());
    const redirected = { name: "UnreachableError", reason: "redirect" };
    const client = clientWith(http, service.url);
    expect(await failureOf(client.send({ ...LIST, method: "GET" }))).toMatchObject(redirected);
    // Whoever redirects a write does not say what became of it.
    const write = await failureOf(client.send({ ...LIST, method: "POST" }));
    expect(write).toMatchObject({ name: "AmbiguousError", cause: redirected });
    expect(service.asked).toHaveLength(2);
    expect(elsewhere.asked).toEqual([]);
  });
});

test("a proxy from the environment is ignored: a token only goes to the configured endpoint", async () => {
  const proxy = await listening(502);
  const world = await freshWorld();
  const variables = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
  const env = Object.fromEntries(variables.map((name) => [name, proxy.url]));
  const ended = await world.zoneformWith({ ...env, NODE_USE_ENV_PROXY: "1" }, "plan");
  expect(ended.code).toBe(0);
  expect(proxy.asked).toEqual([]);
});

describe("a malformed list", () => {
  const paged = { ...LIST, pageSizes: [5], style: "page" } as const;

  async function read(result: Parameters<typeof answer>[0], info = {}): Promise<readonly unknown[]> {
    const found: unknown[] = [];
    const { client } = clientOver(() => answer(result, info));
    for await (const item of client.pages(paged)) found.push(item);
    return found;
  }

  test("with an object without an id is an error", async () => {
    expect(await failureOf(read([{ hostname: "a.customer.net" }]))).toMatchObject({ name: "DecodeError" });
    expect(await failureOf(read([{ id: 7 }]))).toMatchObject({ name: "DecodeError" });
  });

  test("with something that is not an object is an error", async () => {
    expect(await failureOf(read(["a"]))).toMatchObject({ name: "DecodeError" });
    expect(await failureOf(read({ id: "a" }))).toMatchObject({ name: "UnreachableError", reason: "unusable" });
  });

  test("with the same object twice counts it once", async () => {
    expect(await read([{ id: "a" }, { id: "a" }], { total_count: 1, total_pages: 1 })).toEqual([{ id: "a" }]);
  });

  test("with more pages announced than it has still ends", async () => {
    const { client, sent } = clientOver((request) =>
      new URL(request.url).searchParams.get("page") === "1"
        ? answer([{ id: "a" }], { total_count: 150_000, total_pages: 30_000 })
        : answer([], { total_count: 150_000, total_pages: 30_000 }),
    );
    const found: unknown[] = [];
    for await (const item of client.pages(paged)) found.push(item);
    expect(found).toEqual([{ id: "a" }]);
    expect(sent.length).toBeLessThan(12);
  });

  test("with an id that would lead to another path is not followed there", async () => {
    const { client, sent } = clientOver(() => answer({ id: "x", hostname: "a.customer.net" }));
    const target = { id: "../../zones/x?y#z", key: "a.customer.net" };
    const read = kindNamed("custom_hostname").read(client, zoneId("2".repeat(32)), target);
    expect(await failureOf(read)).toMatchObject({ name: "DecodeError" });
    expect(sent).toHaveLength(1);
    for (const { url } of sent) {
      expect(new URL(url).pathname).toBe(
        `/client/v4/zones/${"2".repeat(32)}/custom_hostnames/${encodeURIComponent(target.id)}`,
      );
    }
  });
});

describe("a wait that the service requests", () => {
  test.each(["-1", "0", "1e9", "1000000000", "soon", "Wed, 21 Oct 2015 07:28:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT"])(
    "of %s is limited",
    async (wait) => {
      const { client, clock, sent } = clientOver(() => refusal(429, 10_100, "slow down", { "retry-after": wait }));
      const began = clock.now();
      expect(await failureOf(client.send(LIST))).toMatchObject({ name: "ApiError", status: 429 });
      expect(clock.now() - began).toBeLessThanOrEqual(20 * 60_000);
      expect(sent.length).toBeLessThanOrEqual(20);
    },
  );
});

test("a token that expires during an apply fails the rest with one reason, and nothing is repeated", async () => {
  const names = ["a", "b", "c", "d"].map((name) => `${name}.customer.net`);
  const rig = openRig({
    files: {
      "zones/a.yaml": {
        version: 1,
        zone: { id: "023e105f4ecef8ad9ca31a8372d0c353", name: "saas.net" },
        custom_hostnames: { lifecycle: "zoneform", entries: names.map((hostname) => ({ hostname })) },
      },
    },
  });
  const plan = await rig.plan();
  let created = 0;
  rig.network(async (request, _index, pass) => {
    if (request.method === "POST") created += 1;
    return created > 2 ? refusal(401, 1000, "Invalid API token") : pass();
  });
  const report = await rig.apply(plan, { parallelism: 1 });
  const statuses = report.zones.flatMap(({ ended }) => ended.map(({ outcome }) => outcome.status));
  expect(statuses.filter((status) => status === "done")).toHaveLength(2);
  expect(JSON.stringify(report)).toContain("Invalid API token");
  expect(JSON.stringify(report)).not.toContain("Bearer");
  rig.network((_request, _index, pass) => pass());
  await rig.run();
  expect((await rig.plan()).zones.flatMap(({ changes }) => changes)).toEqual([]);
});
