import { describe, expect, it } from "vitest";
import type { ApiRequest } from "../../../lib/service/client.ts";
import { AmbiguousError, ApiError, UnreachableError } from "../../../lib/service/errors.ts";
import { HttpFailure, type HttpResponse } from "../../../lib/service/http.ts";
import { manualClock } from "../../support/clock.ts";
import { answer, BUDGET, clientOver, failureOf, refusal } from "./world.ts";

const READ: ApiRequest = { method: "GET", path: "/zones/z", family: "zones" };
const CREATE: ApiRequest = {
  method: "POST",
  path: "/zones/z/custom_hostnames",
  family: "custom_hostnames",
  body: { hostname: "app.customer.net" },
  issues: true,
};

const cut = (): never => {
  throw new HttpFailure("other side closed", true, { reason: "cut" });
};
const refusedConnection = (): never => {
  throw new HttpFailure("connect ECONNREFUSED", false, { reason: "refused" });
};
const html = (status = 200): HttpResponse => ({ status, headers: { "cf-ray": "ray-1" }, body: "<html>" });

describe("a call", () => {
  it("carries the credential, the query and the body", async () => {
    const { client, sent } = clientOver(() => answer({ id: "h" }));
    await client.send({ ...CREATE, query: { "hostname.exact": "a b&c" } });
    expect(sent[0]).toMatchObject({
      method: "POST",
      url: "https://api.test/client/v4/zones/z/custom_hostnames?hostname.exact=a+b%26c",
      headers: { authorization: "Bearer a-token-of-these-tests", "content-type": "application/json" },
      body: '{"hostname":"app.customer.net"}',
    });
  });

  it("never uses a path that leads elsewhere", async () => {
    for (const path of ["/zones/../accounts", "/zones/%2e%2E/x", "/zones//x", "zones", "/zones/a?b=1", "/zones/a b"]) {
      const { client, sent } = clientOver(() => answer({}));
      await failureOf(client.send({ ...READ, path }));
      expect(sent).toEqual([]);
    }
  });
});

describe("a read", () => {
  it("is retried until it succeeds", async () => {
    const answers = [cut, (): HttpResponse => refusal(503, 1500), html, (): HttpResponse => answer({ id: "z" })];
    const { client, sent } = clientOver((_request, index) => answers[index]?.() ?? answer({}));
    expect(await client.send(READ)).toEqual({ id: "z" });
    expect(sent.map(({ at }) => at)).toEqual([0, 500, 1500, 3500]);
    expect(client.counts()).toEqual({
      requests: { GET: 4, POST: 0, PUT: 0, PATCH: 0, DELETE: 0 },
      retried: 3,
      waitedMilliseconds: 3500,
    });
  });

  it("fails after five attempts, and the error says that HTML came, and from where", async () => {
    const { client, sent } = clientOver(() => html());
    const failure = await failureOf(client.send(READ));
    expect(failure).toBeInstanceOf(UnreachableError);
    expect(failure).toMatchObject({
      reason: "unreadable",
      message:
        "GET /zones/z at https://api.test/client/v4 was answered HTML instead of JSON (status 200, request ray-1)",
    });
    expect(sent).toHaveLength(5);
  });

  it("fails with the service's own error if that is all it ever gets", async () => {
    const { client, sent } = clientOver(() => refusal(500, 1500, "internal"));
    expect(await failureOf(client.send(READ))).toMatchObject({ name: "ApiError", status: 500 });
    expect(sent).toHaveLength(5);
  });

  it("counts as unreachable if nothing ever answers", async () => {
    const { client } = clientOver(refusedConnection);
    const failure = await failureOf(client.send(READ));
    expect(failure).toBeInstanceOf(UnreachableError);
    expect(failure).toMatchObject({ reason: "network", cause: { reason: "refused" } });
  });

  it("that succeeds without its object is retried, then reported as strange", async () => {
    const { client, sent } = clientOver(() => answer(null));
    expect(await failureOf(client.send(READ))).toMatchObject({ name: "UnreachableError", reason: "unusable" });
    expect(sent).toHaveLength(5);
  });

  it("is not retried after a redirect", async () => {
    const { client, sent } = clientOver(() => ({ status: 302, headers: { location: "https://evil.test/" }, body: "" }));
    expect(await failureOf(client.send(READ))).toMatchObject({ name: "UnreachableError", reason: "redirect" });
    expect(sent).toHaveLength(1);
  });
});

describe("a refusal", () => {
  it("keeps family, code, status and request id, and is not retried", async () => {
    const { client, sent } = clientOver(() => refusal(409, 1406, "duplicate"));
    const failure = await failureOf(client.send(CREATE));
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ family: "custom_hostnames", status: 409, requestId: "8a1b2c3d4e5f6071-AMS" });
    expect(failure instanceof ApiError && failure.has(1406)).toBe(true);
    expect(sent).toHaveLength(1);
  });
});

describe("a write", () => {
  it.each(["POST", "PUT", "PATCH", "DELETE"] as const)(
    "that was sent and got no answer is ambiguous at once, and not retried: %s",
    async (method) => {
      const answers = [html(502), html(200), html(403), html(404), answer(null), { ...html(204), body: "" }];
      for (const lost of [cut, ...answers.map((each) => (): HttpResponse => each)]) {
        const { client, sent } = clientOver(lost);
        expect(await failureOf(client.send({ ...CREATE, method }))).toBeInstanceOf(AmbiguousError);
        expect(sent).toHaveLength(1);
      }
    },
  );

  it("keeps in its cause why the answer was lost", async () => {
    const { client } = clientOver(() => refusal(500, 1500, "internal"));
    expect(await failureOf(client.send(CREATE))).toMatchObject({
      cause: { status: 500, requestId: "8a1b2c3d4e5f6071-AMS" },
    });
  });

  it("that is documented to return nothing needs no result", async () => {
    const { client } = clientOver(() => ({ status: 204, headers: {}, body: "" }));
    expect(await client.send({ ...CREATE, method: "DELETE", answer: "nothing" })).toBeNull();
  });

  it("that is documented to return a bare id needs no envelope", async () => {
    const { client } = clientOver(() => ({ status: 200, headers: {}, body: '{"id":"h"}' }));
    expect(await client.send({ ...CREATE, method: "DELETE", answer: "gone" })).toEqual({ id: "h" });
    expect(await failureOf(client.send(CREATE))).toBeInstanceOf(AmbiguousError);
  });

  it("that was never sent is retried", async () => {
    const { client, sent } = clientOver((_request, index) => (index < 2 ? refusedConnection() : answer({ id: "h" })));
    expect(await client.send(CREATE)).toEqual({ id: "h" });
    expect(sent).toHaveLength(3);
  });

  it("that was never sent is unreachable after five attempts, not ambiguous", async () => {
    const { client, sent } = clientOver(refusedConnection);
    expect(await failureOf(client.send(CREATE))).toBeInstanceOf(UnreachableError);
    expect(sent).toHaveLength(5);
  });

  it("is ambiguous if the network breaks its promise and throws something else", async () => {
    const { client } = clientOver(() => {
      throw new TypeError("a bug");
    });
    expect(await failureOf(client.send(CREATE))).toBeInstanceOf(AmbiguousError);
  });
});

describe("a refusal as one too many", () => {
  it.each([
    ["429 and 10100", refusal(429, 10_100, "wait", { "retry-after": "7" })],
    ["429 and 971", refusal(429, 971, "wait", { "retry-after": "7" })],
    ["971 inside HTTP 200", refusal(200, 971, "wait", { "retry-after": "7" })],
  ])("makes all calls of the credential wait as long as the service asks: %s", async (_case, throttled) => {
    const { client, sent } = clientOver((_request, index) => (index === 0 ? throttled : answer({ id: "h" })));
    await client.send(CREATE);
    await client.send(READ);
    expect(sent.map(({ method, at }) => [method, at])).toEqual([
      ["POST", 0],
      ["POST", 7000],
      ["GET", 7000],
    ]);
  });

  it.each(["-1", "1e9", "0", "soon", "Thu, 01 Jan 1970 00:00:00 GMT"])(
    "whose Retry-After is %s is retried soon, then less and less often",
    async (text) => {
      const { client, sent } = clientOver(() => refusal(429, 971, "wait", { "retry-after": text }));
      expect(await failureOf(client.send(READ))).toMatchObject({ name: "ApiError", status: 429 });
      expect(sent.slice(0, 8).map(({ at }) => at / 1000)).toEqual([0, 1, 3, 7, 15, 31, 63, 123]);
      expect(sent.at(-1)?.at).toBe(600_000);
    },
  );

  it("that asks for years of waiting waits ten minutes once and fails", async () => {
    const { client, sent } = clientOver(() => refusal(429, 971, "wait", { "retry-after": "1000000000" }));
    const failure = await failureOf(client.send(READ));
    expect(sent.map(({ at }) => at)).toEqual([0, 600_000]);
    expect(failure).toMatchObject({ name: "ApiError", status: 429 });
  });

  it("is never retried before the time that the service asked for, and fails if that is too long", async () => {
    const { client, sent } = clientOver(() => refusal(429, 971, "wait", { "retry-after": "250" }));
    expect(await failureOf(client.send(READ))).toMatchObject({ name: "ApiError", status: 429 });
    expect(sent.map(({ at }) => at)).toEqual([0, 250_000, 500_000]);
  });

  it("that asks for too long a wait still counts when another one asks for less", async () => {
    const asked = ["250", "250", "400", "1"];
    const { client, sent } = clientOver((_request, index) =>
      refusal(429, 971, "wait", { "retry-after": asked[index] ?? "1" }),
    );
    await Promise.all([failureOf(client.send(READ)), failureOf(client.send(READ))]);
    expect(sent.map(({ at }) => at)).toEqual([0, 0, 250_000, 250_000]);
  });

  it("is forgotten after a good answer: the patience starts over", async () => {
    const { client, clock } = clientOver((_request, index) =>
      index % 2 === 0 ? refusal(429, 971, "wait", { "retry-after": "400" }) : answer({}),
    );
    for (let index = 0; index < 4; index += 1) await client.send(READ);
    expect(clock.now()).toBe(1_600_000);
  });

  it("ends all sending once it has failed", async () => {
    const { client, sent } = clientOver(() => refusal(429, 971, "wait", { "retry-after": "1000000000" }));
    await failureOf(client.send(READ));
    expect(await failureOf(client.send(READ))).toMatchObject({ name: "UnreachableError", reason: "throttled" });
    expect(sent).toHaveLength(2);
  });

  it("of many concurrent calls is one wave: they wait together", async () => {
    const clock = manualClock();
    const script = async (_request: unknown, index: number): Promise<HttpResponse> => {
      await clock.sleep(100 + index);
      return index < 8 ? refusal(429, 971, "wait", { "retry-after": "5" }) : answer({});
    };
    const { client, sent } = clientOver(script, { clock });
    await Promise.all(Array.from({ length: 8 }, () => client.send(READ)));
    // Five seconds after the last refusal, which came at 107.
    expect(sent.map(({ at }) => at)).toEqual([...Array<number>(8).fill(0), ...Array<number>(8).fill(5107)]);
  });

  it("of a certificate delays only certificates, half a minute at most", async () => {
    const { client, clock, sent } = clientOver((request) =>
      request.method === "POST" && clock.now() < 30_000
        ? refusal(429, 1, "too many", { "retry-after": "300" })
        : answer({}),
    );
    await Promise.all([client.send(CREATE), client.send(READ)]);
    const times = (method: string): number[] => sent.filter((call) => call.method === method).map(({ at }) => at);
    expect([times("GET"), times("POST")]).toEqual([[0], [0, 30_000]]);
  });
});

describe("an abort", () => {
  it("ends a read with the signal's reason while it waits for its next attempt", async () => {
    const stop = new AbortController();
    const { client } = clientOver(() => {
      stop.abort(new Error("interrupted"));
      return html();
    });
    expect(await failureOf(client.send(READ, stop.signal))).toEqual(new Error("interrupted"));
  });

  it("leaves a write that was sent ambiguous", async () => {
    const stop = new AbortController();
    const { client } = clientOver(() => {
      stop.abort(new Error("interrupted"));
      throw new HttpFailure("aborted", true, { reason: "aborted" });
    });
    expect(await failureOf(client.send(CREATE, stop.signal))).toBeInstanceOf(AmbiguousError);
  });

  it("can be shared by a thousand calls without a leak warning", async () => {
    const warnings: string[] = [];
    const note = (warning: Error): void => void warnings.push(warning.name);
    process.on("warning", note);
    const { client } = clientOver(() => answer({}), { budget: { ...BUDGET, apiShare: 0.1 } });
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 1000 }, () => client.send(READ, signal)));
    process.off("warning", note);
    expect(warnings).toEqual([]);
  });

  it("sends nothing more", async () => {
    const { client, sent } = clientOver(() => answer({}));
    await failureOf(client.send(READ, AbortSignal.abort(new Error("interrupted"))));
    expect(sent).toEqual([]);
  });
});
