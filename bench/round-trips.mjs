// Counts the round trips that a command makes to PostgreSQL, S3 and HTTP: a plan without changes, an apply of one change with
// and without a history of runs, and first applies of few and of many zones. Fails if a command makes more than it may. It does
// not count how the first apply of a day tries out S3, nor what a connection to PostgreSQL asks before its first statement. A
// state of more than 2 KB costs a plan one more round trip, except on HTTP. Usage: node bench/round-trips.mjs [HISTORY FEW MANY]
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect, createServer as listenTo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator } from "../dist/lib/emulator.js";
import { apply, openWorld, plan } from "../dist/lib/index.js";
import { startHttpServer } from "./http-server.mjs";
import { startPostgres } from "./postgres-server.mjs";

const TOKEN = "token-of-the-bench";
const given = process.argv.slice(2).map(Number);
/** How many runs to make, which is how many are kept; and how many zones are few and many. */
const [HISTORY, FEW, MANY] = given.length === 3 ? given : [20, 10, 40];
const HOSTNAMES = given.length === 3 ? 50 : 500;
const NO_LIMITS = { api_requests: 1_000_000, issuance_per_minute: 100_000 };
const [MOST_PLAN, MOST_LARGE_PLAN, MOST_APPLY] = [3, 4, 20];
/** How many hostnames make a state of far more than 2 KB. */
const LARGE = 50;
/** How much faster than the number of zones the round trips of a first apply may grow. */
const MOST_GROWTH = 1.1;
const ENV = { CLOUDFLARE_API_TOKEN: TOKEN };
Object.assign(process.env, { AWS_ACCESS_KEY_ID: "bench", AWS_SECRET_ACCESS_KEY: "bench-secret" });

const folder = mkdtempSync(join(tmpdir(), "zoneform-bench-"));
const postgres = await startPostgres();
try {
  if (postgres === undefined)
    console.log("on PostgreSQL: skipped, there is no initdb on the PATH or in /usr/lib/postgresql");
  else await measure("PostgreSQL", await countingProxy(postgres.address));
  await measure("S3", await startS3Server());
  await measure("HTTP", await startHttpServer());
  await measureSizes(await startHttpServer());
} finally {
  postgres?.remove();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(name, { address, env = {}, count, stop }) {
  const place = { state: address, count, env: { ...ENV, ...env } };
  const one = await project("one", place, 1);
  await one.apply();
  one.change(1);
  const first = await one.apply();
  for (let run = 2; run <= HISTORY; run += 1) {
    one.change(run);
    await one.apply();
  }
  one.change(HISTORY + 1);
  const later = await one.apply();
  const quiet = await one.plan();
  await one.close();
  const large = await project("large", place, 1, LARGE);
  await large.apply();
  const largeQuiet = await large.plan();
  await large.close();
  const firsts = [];
  for (const zones of [FEW, MANY]) {
    const many = await project(`many-${zones}`, place, zones);
    firsts.push(await many.apply());
    if (zones === MANY) {
      many.change(1);
      console.log(
        `on ${name}: an apply that changes one of ${MANY} zones ${await many.apply()} round trips, a plan of them ${await many.plan()}`,
      );
    }
    await many.close();
  }
  console.log(
    `on ${name}: a plan without changes ${quiet} round trips, at most ${MOST_PLAN}, and of ${LARGE} hostnames ${largeQuiet}, at most ${MOST_LARGE_PLAN}`,
  );
  console.log(
    `on ${name}: an apply of one change ${first} round trips, and ${later} after ${HISTORY} others, at most ${MOST_APPLY}`,
  );
  const [few, most] = firsts;
  console.log(
    `on ${name}: a first apply of ${FEW} zones ${few} round trips, of ${MANY} zones ${most}: ${(most / few).toFixed(2)} times, at most ${((MOST_GROWTH * MANY) / FEW).toFixed(1)}`,
  );
  const isTooMuch = quiet > MOST_PLAN || largeQuiet > MOST_LARGE_PLAN || Math.max(first, later) > MOST_APPLY;
  if (isTooMuch || most / few > (MOST_GROWTH * MANY) / FEW) process.exitCode = 1;
  stop();
}

/** Measures a zone's state on an HTTP server, and the largest write of an apply that updates all its hostnames. */
async function measureSizes({ address, env, count, size, largest, stop }) {
  const many = await project("sizes", { state: address, count, env: { ...ENV, ...env } }, 1, HOSTNAMES);
  await many.apply();
  const idle = size();
  largest();
  many.change(1);
  await many.apply();
  const each = (bytes) => Math.round(bytes / HOSTNAMES);
  console.log(
    `on HTTP: the state of ${HOSTNAMES} hostnames has ${each(idle)} bytes each, the largest write of an update of all ${each(largest())}`,
  );
  await many.close();
  stop();
}

/** Makes a project with this many zones, and hostnames in each. `change` gives the hostnames of the first zone another setting. */
async function project(name, place, count, hostnames = 1) {
  const zones = Array.from({ length: count }, (_, index) => ({
    id: createHash("md5").update(`${name} ${index}`).digest("hex"),
    name: `zone-${index}.net`,
  }));
  const file = join(folder, `${name}.yaml`);
  const write = ({ id, name: zone }, index, tag) => {
    const text = `version: 1
zone: { id: "${id}", name: ${zone} }
custom_hostnames:
  lifecycle: zoneform
  entries:
`;
    const entries = Array.from(
      { length: hostnames },
      (_, number) => `    - hostname: app-${number}.customer-${index}.net\n      custom_metadata: { tag: "${tag}" }\n`,
    );
    writeFileSync(join(folder, `${name}-${index}.yaml`), text + entries.join(""));
  };
  for (const [index, zone] of zones.entries()) write(zone, index, 0);
  const files = zones.map((_, index) => `${name}-${index}.yaml`);
  writeFileSync(
    file,
    `version: 1\nproject: ${name}\nzones: [${files.join(", ")}]\nbudget: { api: unlimited, issuance: unlimited }\n`,
  );
  const emulator = await startEmulator({ seed: { accounts: [NO_LIMITS], tokens: [{ value: TOKEN }], zones }, port: 0 });
  /** Opens a new world for each act, like another process. */
  const within = async (act) => {
    const world = openWorld({ state: place.state, env: place.env, file, apiUrl: emulator.url });
    try {
      return await act(world);
    } finally {
      await world.close();
    }
  };
  return {
    change: (tag) => write(zones[0], 0, tag),
    plan: async () => {
      const before = place.count();
      await within((world) => plan(world));
      return place.count() - before;
    },
    /** Plans and applies, and counts the round trips of the apply alone. */
    apply: async () => {
      const planned = await within((world) => plan(world));
      const before = place.count();
      const report = await within((world) => apply(world, planned));
      const ended = report.zones.flatMap((zone) => zone.ended);
      const isDone = ended.length > 0 && ended.every(({ outcome }) => outcome.status === "done");
      if (!isDone) throw new Error(JSON.stringify(report));
      return place.count() - before;
    },
    close: () => emulator.close(),
  };
}

/** A proxy that counts round trips to a PostgreSQL server. One ends when the server is ready for the next query. */
async function countingProxy(address) {
  const { hostname, port } = new URL(address);
  let trips = 0;
  const server = listenTo((client) => {
    const behind = connect(Number(port), hostname);
    let rest = Buffer.alloc(0);
    let isConnected = false;
    behind.on("data", (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
        if (isConnected && rest[0] === "Z".charCodeAt(0)) trips += 1;
        rest = rest.subarray(1 + rest.readUInt32BE(1));
      }
      client.write(chunk);
    });
    // What a new connection asks ends with the first statement that has values.
    client.on("data", (chunk) => (isConnected ||= chunk[0] === "P".charCodeAt(0)));
    client.pipe(behind);
    for (const [socket, other] of [
      [client, behind],
      [behind, client],
    ]) {
      socket.on("error", () => other.destroy());
      socket.on("close", () => other.destroy());
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxied = address.replace(`:${port}/`, `:${server.address().port}/`);
  return { address: proxied, count: () => trips, stop: () => server.close() };
}

/** Serves as much of S3 as states need: creating an object once, replacing it by its tag, and deleting it. */
async function startS3Server() {
  const objects = new Map();
  let requests = 0;
  const put = (key, body, { "if-none-match": none, "if-match": match }) => {
    const found = objects.get(key);
    const isMet = none === undefined ? match === undefined || found?.etag === match : found === undefined;
    if (!isMet) return [412, {}, ""];
    const etag = `"${createHash("md5").update(body).digest("hex")}"`;
    objects.set(key, { body, etag, "last-modified": new Date().toUTCString() });
    return [200, { etag }, ""];
  };
  const answers = {
    GET: (key) => {
      if (!objects.has(key)) return [404, {}, "<Error><Code>NoSuchKey</Code><Message>none</Message></Error>"];
      const { body, ...headers } = objects.get(key);
      return [200, headers, body];
    },
    PUT: put,
    DELETE: (key) => [204, {}, void objects.delete(key)],
  };
  const serve = async (request, response) => {
    if (!request.url.includes("/_probe/")) requests += 1;
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const key = new URL(request.url, "http://127.0.0.1").pathname;
    const [status, headers, body] = answers[request.method](key, Buffer.concat(chunks), request.headers);
    response.writeHead(status, headers).end(body);
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = encodeURIComponent(`http://127.0.0.1:${server.address().port}`);
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { address: `s3://states/bench?region=us-east-1&endpoint=${endpoint}`, count: () => requests, stop };
}
