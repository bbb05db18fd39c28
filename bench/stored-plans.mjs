// Measures how long a plan without changes takes with the state in PostgreSQL, compared with files. It times whole commands, one
// after the other, in alternating order. With the default counts it fails if the median with PostgreSQL is more than 1.5 times
// that with files. Usage: node bench/stored-plans.mjs [HOSTNAMES RUNS]
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { startPostgres } from "./postgres-server.mjs";

const MAIN = join(resolve(import.meta.dirname, ".."), "dist/zoneform.js");
const ZONE = { id: "023e105f4ecef8ad9ca31a8372d0c353", name: "saas.net" };
const TOKEN = "token-of-the-bench";
const MOST = 1.5;
const given = process.argv.slice(2).map(Number);
const [hostnames, runs] = given.length === 2 ? given : [100_000, 5];

const server = await startPostgres();
if (server === undefined) {
  console.log("stored plans: skipped, there is no initdb on the PATH or in /usr/lib/postgresql");
  process.exit();
}
const ADDRESSES = { files: "states", postgres: server.address };
const folder = mkdtempSync(join(tmpdir(), "zoneform-bench-"));
const emulator = await startEmulator();
try {
  compare();
} finally {
  emulator.stop();
  server.remove();
  rmSync(folder, { recursive: true, force: true });
}

function compare() {
  writeProject();
  for (const address of Object.values(ADDRESSES)) zoneform("apply", "--auto-approve", "--state", address);
  const seconds = { files: [], postgres: [] };
  for (let run = 0; run < runs; run += 1) {
    const order = Object.keys(ADDRESSES);
    for (const name of run % 2 ? order.toReversed() : order) seconds[name].push(timePlan(name));
  }
  tell(median(seconds.files), median(seconds.postgres));
}

function timePlan(name) {
  const began = performance.now();
  zoneform("plan", "--detailed-exitcode", "--state", ADDRESSES[name]);
  return (performance.now() - began) / 1000;
}

function tell(files, postgres) {
  const ratio = postgres / files;
  const limit = given.length === 0 ? `, at most ${MOST}` : "";
  console.log(
    `${hostnames} hostnames, a plan without changes, median of ${runs}: ${postgres.toFixed(2)} s with the state in PostgreSQL, ${files.toFixed(2)} s in files, ${ratio.toFixed(2)} times${limit}`,
  );
  if (given.length === 0 && ratio > MOST) process.exitCode = 1;
}

function zoneform(...args) {
  const env = { ...process.env, CLOUDFLARE_BASE_URL: emulator.url, CLOUDFLARE_API_TOKEN: TOKEN };
  const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env,
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  assert.equal(status, 0, `zoneform ${args.join(" ")}: ${stderr}`);
}

function median(numbers) {
  return numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)];
}

function writeProject() {
  const rows = Array.from({ length: hostnames }, (_, index) => `app${index + 1}.customers.net`);
  writeFileSync(join(folder, "customers.csv"), ["hostname", ...rows, ""].join("\n"));
  writeFileSync(
    join(folder, "zoneform.yaml"),
    `version: 1
project: bench
zones: [zone.yaml]
sources: { customers: { csv: customers.csv, fields: { hostname: hostname } } }
`,
  );
  writeFileSync(
    join(folder, "zone.yaml"),
    `version: 1
zone: { id: "${ZONE.id}", name: ${ZONE.name} }
custom_hostnames:
  lifecycle: zoneform
  from: [{ source: customers }]
  policies: [{ name: all, set: { ssl: { method: http, settings: { min_tls_version: "1.2" } } } }]
`,
  );
}

/** Starts an emulator in which everything is live as declared, so that an apply only adopts it. */
async function startEmulator() {
  const seed = join(folder, "emulator.json");
  const ssl = { method: "http", type: "dv", settings: { min_tls_version: "1.2" } };
  const generate = [{ count: hostnames, pattern: "app{n}.customers.net", ssl }];
  writeFileSync(seed, JSON.stringify({ tokens: [{ value: TOKEN }], zones: [{ ...ZONE, generate }] }));
  const child = spawn(process.execPath, [MAIN, "emulator", "--port", "0", "--seed", seed], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout, "data");
  const url = /listening on (\S+)/.exec(String(line))?.[1];
  if (url === undefined) throw new Error("the emulator did not start");
  return { url, stop: () => child.kill() };
}
