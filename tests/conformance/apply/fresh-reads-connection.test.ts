import { lookup } from "node:dns";
import { createServer } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { ApiClient } from "../../../lib/service/api-client.ts";
import type { ApiRequest, FreshClient } from "../../../lib/service/client.ts";
import { Governor } from "../../../lib/service/governor.ts";
import { undiciHttp } from "../../../lib/service/undici-http.ts";
import { manualClock } from "../../support/clock.ts";
import { answer, BUDGET, CREDENTIALS, RANDOM } from "../../unit/service/world.ts";
import { OLDEST_READ_MILLISECONDS } from "./stale-writes.ts";

const NEEDS = { calls: 2, issuances: 0 };
const HOSTNAMES = "/zones/0/custom_hostnames";
const READ: ApiRequest = { method: "GET", path: `${HOSTNAMES}/1`, family: "custom_hostnames" };
const EDIT: ApiRequest = { ...READ, method: "PATCH", body: { custom_origin_server: "origin.saas.net" } };
const CREATE: ApiRequest = {
  method: "POST",
  path: HOSTNAMES,
  family: "custom_hostnames",
  body: { hostname: "new.net" },
  needsNoRead: true,
};

interface Arrival {
  readonly method: string | undefined;
  readonly at: number;
}

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/**
 * A client of a service that closes each connection. The nth lookup of its name takes the given time on the clock;
 * later ones take no time.
 */
async function connected(lookUps: readonly number[]): Promise<{ client: FreshClient; arrived: Arrival[] }> {
  const clock = manualClock();
  const arrived: Arrival[] = [];
  const server = createServer((request, response) => {
    arrived.push({ method: request.method, at: clock.now() });
    request.resume();
    response.setHeader("connection", "close").end(answer({ id: "1" }).body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  let count = 0;
  const http = undiciHttp({
    lookup: (name, options, found) => {
      const takes = lookUps[count++] ?? 0;
      void clock.sleep(takes).then(() => lookup(name, { ...options, all: true, family: 4 }, found));
    },
  });
  closers.push(async () => {
    await http.close();
    await new Promise((resolve) => server.close(resolve));
  });
  const client = new ApiClient({
    http,
    clock,
    random: RANDOM,
    credentials: CREDENTIALS,
    endpoint: { url: `http://localhost:${address.port}`, from: "--api-url" },
    governor: new Governor({ budget: BUDGET, clock }),
  });
  return { client, arrived };
}

function readAndEdit(client: FreshClient): Promise<unknown> {
  return client.freshly(NEEDS, async (fresh) => {
    await fresh.send(READ);
    return fresh.send(EDIT);
  });
}

const inOrder = (arrived: readonly Arrival[]): readonly (string | undefined)[] => arrived.map(({ method }) => method);

describe("a write that has to connect first", () => {
  it("is not sent if connecting took longer than its read stays fresh, and is sent after another read", async () => {
    const { client, arrived } = await connected([0, OLDEST_READ_MILLISECONDS + 1]);
    await readAndEdit(client);
    expect(inOrder(arrived)).toEqual(["GET", "GET", "PATCH"]);
    const [, read, write] = arrived;
    expect((write?.at ?? Infinity) - (read?.at ?? -Infinity)).toBeLessThanOrEqual(OLDEST_READ_MILLISECONDS);
  });

  it("is sent if the read is still fresh by then", async () => {
    const { client, arrived } = await connected([0, OLDEST_READ_MILLISECONDS]);
    await readAndEdit(client);
    expect(inOrder(arrived)).toEqual(["GET", "PATCH"]);
  });

  it("is not sent if no connection is ever made in time, and nothing is reported as lost", async () => {
    const { client, arrived } = await connected(Array.from({ length: 100 }, () => OLDEST_READ_MILLISECONDS + 1));
    await expect(readAndEdit(client)).rejects.toMatchObject({ name: "NoFreshRead" });
    expect(new Set(inOrder(arrived))).toEqual(new Set(["GET"]));
  });

  it("starts over if it is a create, because its lock was checked before", async () => {
    const { client, arrived } = await connected([OLDEST_READ_MILLISECONDS + 1]);
    let attempts = 0;
    await client.freshly({ calls: 1, issuances: 0 }, (fresh) => {
      attempts += 1;
      return fresh.send(CREATE);
    });
    expect([attempts, inOrder(arrived)]).toEqual([2, ["POST"]]);
  });
});
