import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { ApiClient } from "../../lib/service/api-client.ts";
import { AmbiguousError } from "../../lib/service/errors.ts";
import { Governor } from "../../lib/service/governor.ts";
import { HttpFailure, type HttpRequest } from "../../lib/service/http.ts";
import { undiciHttp, type UndiciHttpOptions } from "../../lib/service/undici-http.ts";
import { manualClock } from "../support/clock.ts";
import { BUDGET, CREDENTIALS, failureOf, RANDOM } from "../unit/service/world.ts";

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

/** Starts a server on this machine for one test; returns its URL. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return listen(server);
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return `http://127.0.0.1:${portOf(address)}`;
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}

function network(options: UndiciHttpOptions = {}): ReturnType<typeof undiciHttp> {
  const http = undiciHttp(options);
  closers.push(() => http.close());
  return http;
}

function post(url: string, body = "{}"): HttpRequest {
  return { method: "POST", url, headers: { "content-type": "application/json" }, body };
}

describe("an exchange", () => {
  it("carries method, path, query, headers and body, and asks for no compression", async () => {
    const url = await serve((request, response) => {
      const chunks: string[] = [];
      request.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
      request.on("end", () => {
        response.setHeader("CF-Ray", "ray-1").statusCode = 201;
        const { method, url: path, headers } = request;
        response.end(
          JSON.stringify({
            method,
            path,
            type: headers["content-type"],
            coding: headers["accept-encoding"],
            body: chunks.join(""),
          }),
        );
      });
    });
    const response = await network().send(post(`${url}/a/b?c=d`, '{"name":"é"}'));
    expect(response.status).toBe(201);
    expect(response.headers["cf-ray"]).toBe("ray-1");
    expect(JSON.parse(response.body)).toEqual({
      method: "POST",
      path: "/a/b?c=d",
      type: "application/json",
      body: '{"name":"é"}',
    });
  });

  it("does not follow a redirect, so that no credential goes elsewhere", async () => {
    let visits = 0;
    const elsewhere = await serve((_request, response) => {
      visits += 1;
      response.end();
    });
    const url = await serve((_request, response) => response.writeHead(307, { location: elsewhere }).end());
    expect((await network().send(post(url))).status).toBe(307);
    expect(visits).toBe(0);
  });

  it("returns compressed bytes as they are, so that none of them unpacks to gigabytes", async () => {
    const url = await serve((_request, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(50_000_000))),
    );
    expect((await network().send(post(url))).body.length).toBeLessThan(100_000);
  });

  it("reads a 204 answer as an empty body", async () => {
    const url = await serve((_request, response) => response.writeHead(204).end());
    expect(await network().send({ method: "DELETE", url, headers: {} })).toMatchObject({ status: 204, body: "" });
  });
});

describe("a failure before anything was sent says so", () => {
  it("when the connection is refused", async () => {
    const server = createTcpServer();
    const url = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await failureOf(network().send(post(url)))).toMatchObject({ sent: false, reason: "refused" });
  });

  it("when the name does not resolve", async () => {
    const failure = await failureOf(network().send(post("http://no-such-host.invalid/")));
    expect(failure).toMatchObject({ sent: false, reason: "name" });
  });

  it("when TLS fails", async () => {
    const url = await serve((_request, response) => response.end());
    const failure = await failureOf(network().send(post(url.replace("http:", "https:"))));
    expect(failure).toMatchObject({ sent: false, reason: "tls" });
  });

  it("when the caller had aborted already", async () => {
    const url = await serve((_request, response) => response.end());
    const reason = new Error("interrupted");
    const failure = await failureOf(network().send(post(url), AbortSignal.abort(reason)));
    expect(failure).toMatchObject({ sent: false, reason: "aborted", cause: reason });
  });
});

describe("a failure after the request was written says so", () => {
  it("when the connection is cut without an answer", async () => {
    const url = await serve((request) => request.socket.destroy());
    expect(await failureOf(network().send(post(url)))).toMatchObject({ sent: true, reason: "cut" });
  });

  it.each([
    ["of a known length", { "content-length": "1000" }],
    ["in chunks", {}],
  ])("when the body is cut %s", async (_case, headers: Record<string, string>) => {
    const url = await serve((_request, response) => {
      response.writeHead(200, headers);
      response.write('{"success":', () => response.destroy());
    });
    expect(await failureOf(network().send(post(url)))).toMatchObject({ sent: true, reason: "cut" });
  });

  it("when the answer does not begin in time", async () => {
    const url = await serve(() => undefined);
    const failure = await failureOf(network({ headersMilliseconds: 100 }).send(post(url)));
    expect(failure).toMatchObject({ sent: true, reason: "timeout" });
  });

  it("when the answer drips forever", async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write(" "), 10);
      response.on("close", () => clearInterval(drip));
    });
    const failure = await failureOf(network({ totalMilliseconds: 300 }).send(post(url)));
    expect(failure).toMatchObject({ sent: true, reason: "timeout" });
  });

  it("when the answer is larger than allowed", async () => {
    const url = await serve((_request, response) => response.end("x".repeat(100_001)));
    const failure = await failureOf(network({ bodyLimitBytes: 100_000 }).send(post(url)));
    expect(failure).toMatchObject({ sent: true, reason: "too-large" });
  });

  it("when the caller aborts meanwhile, and the connection is closed", async () => {
    const stop = new AbortController();
    let isClosed: Promise<unknown> = Promise.resolve();
    const url = await serve((request) => {
      isClosed = new Promise((resolve) => request.socket.on("close", resolve));
      stop.abort(new Error("interrupted"));
    });
    const failure = await failureOf(network().send(post(url), stop.signal));
    expect(failure).toMatchObject({ sent: true, reason: "aborted" });
    await isClosed;
  });
});

describe("the network", () => {
  it("still serves after any of these failures", async () => {
    let count = 0;
    const url = await serve((request, response) => {
      count += 1;
      if (count % 2 === 1) request.socket.destroy();
      else response.end(String(count));
    });
    const http = network();
    for (const wanted of ["2", "4", "6"]) {
      await failureOf(http.send(post(url)));
      expect((await http.send(post(url))).body).toBe(wanted);
    }
  });

  it("never repeats a request by itself, whatever its method", async () => {
    for (const method of ["GET", "PUT", "DELETE", "PATCH", "POST"]) {
      let count = 0;
      const url = await serve((request, response) => {
        count += 1;
        // The first answer keeps the connection open, so that the second request finds one that dies under it.
        if (count === 1) response.end("{}");
        else request.socket.destroy();
      });
      const http = network();
      await http.send({ method, url, headers: {} });
      expect(await failureOf(http.send({ method, url, headers: {} }))).toBeInstanceOf(HttpFailure);
      expect(count).toBe(2);
    }
  });

  it("closes even if it was never used", async () => {
    await expect(undiciHttp().close()).resolves.toBeUndefined();
  });
});

describe("a create over the network whose answer is lost", () => {
  it.each([
    ["before it began", (): string | undefined => undefined],
    ["in the middle", (): string | undefined => '{"success":true,"result":{"id":'],
  ])("%s reached the service once, and is ambiguous", async (_case, part) => {
    let arrived = 0;
    const url = await serve((request, response) => {
      arrived += 1;
      const text = part();
      if (text === undefined) request.socket.destroy();
      else response.writeHead(201, { "content-length": "1000" }).write(text, () => response.destroy());
    });
    const clock = manualClock();
    const client = new ApiClient({
      http: network(),
      endpoint: { url, from: "--api-url" },
      credentials: CREDENTIALS,
      governor: new Governor({ budget: BUDGET, clock }),
      clock,
      random: RANDOM,
    });
    const create = client.send({
      method: "POST",
      path: "/zones/z/custom_hostnames",
      family: "custom_hostnames",
      body: {},
      issues: true,
    });
    expect(await failureOf(create)).toBeInstanceOf(AmbiguousError);
    expect(arrived).toBe(1);
  });
});
