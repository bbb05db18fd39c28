// Measures the time of each step of a plan of many hostnames, and its memory: `npm run bench [count …]`, after a build. It
// sets no limits, but checks the results: .ci/run measures a few hundred hostnames, so that a change which breaks this script
// is noticed. The emulator and each measurement run in processes of their own, so that their peaks of memory do not add up.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";

const ROOT = resolve(import.meta.dirname, "..");
const ZONE = { id: "023e105f4ecef8ad9ca31a8372d0c353", name: "saas.net" };
const COUNTS = [1_000, 10_000, 100_000];
const STEPS = ["load", "refresh", "plan", "text", "encode", "decode"];
/**
 * What is planned for hostnames that are all live: `adopted` has no state yet, `unchanged` changes nothing, `updated` changes
 * all in the same way, and `distinct` changes each in another way.
 */
const CASES = ["adopted", "unchanged", "updated", "distinct"];
/** The cases in which no hostname changes. In the others all of them do. */
const QUIET = ["unchanged"];

if (process.argv[2] === "measure") await measure(process.argv[3], process.argv[4], process.argv[5]);
else await compare(process.argv.slice(2).map(Number));

async function compare(counts) {
  console.log(["hostnames", "case", "changes", "calls", ...STEPS, "total", "peak MB"].map(cell).join(""));
  for (const count of counts.length > 0 ? counts : COUNTS) {
    const folder = mkdtempSync(join(tmpdir(), "zoneform-bench-"));
    const emulator = await startEmulator(folder, count);
    try {
      writeProject(folder, count);
      for (const name of CASES) {
        const found = measured(folder, emulator.url, name);
        assert.equal(found.changes, QUIET.includes(name) ? 0 : count, `${name}: a wrong number of changes`);
        show(count, name, found);
      }
    } finally {
      emulator.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

function measured(folder, url, name) {
  const child = spawnSync(process.execPath, [import.meta.filename, "measure", folder, url, name], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (child.status !== 0) throw new Error(`the measurement ended with ${child.status}`);
  return JSON.parse(child.stdout);
}

function show(count, name, { changes, calls, seconds, peakBytes }) {
  const times = STEPS.map((step) => seconds[step].toFixed(2));
  const total = Object.values(seconds).reduce((sum, each) => sum + each, 0);
  const cells = [count, name, changes, calls, ...times, total.toFixed(2), Math.round(peakBytes / 2 ** 20)];
  console.log(cells.map(cell).join(""));
}

function cell(value) {
  return String(value).padStart(11);
}

/** Does everything that `zoneform plan --out` does, and prints the time of each step in seconds. */
async function measure(folder, url, name) {
  const lib = join(ROOT, "dist/lib");
  const { loadProject } = await import(join(lib, "config/load.js"));
  const { ApiClient } = await import(join(lib, "service/api-client.js"));
  const { Governor } = await import(join(lib, "service/governor.js"));
  const { undiciHttp } = await import(join(lib, "service/undici-http.js"));
  const { refresh } = await import(join(lib, "refresh/refresh.js"));
  const { plan, planZone } = await import(join(lib, "plan/plan.js"));
  const { EVERYTHING } = await import(join(lib, "plan/inputs.js"));
  const { decodePlan, encodePlan } = await import(join(lib, "plan/file.js"));
  const { planText } = await import(join(lib, "report/plan.js"));
  const { Secret } = await import(join(lib, "core/secret.js"));
  const { planLines } = await import(join(ROOT, "dist/cmd/saved-plan.js"));
  const { writeOutput } = await import(join(ROOT, "dist/cmd/output-file.js"));
  const { scopeOf } = await import(join(ROOT, "dist/cmd/planning.js"));
  const { disk } = await import(join(ROOT, "dist/lib/real/disk.js"));
  const { realClock, realRandom } = await import(join(ROOT, "dist/lib/real/clock.js"));

  const seconds = {};
  const timed = async (step, act) => {
    const began = performance.now();
    const result = await act();
    seconds[step] = (performance.now() - began) / 1000;
    return result;
  };

  const world = { fs: disk(), env: process.env, today: Date.now() };
  const loaded = await timed("load", () => loadProject(world, { file: join(folder, "zoneform.yaml") }));
  if (!loaded.ok) throw new Error(loaded.diagnostics[0].message);
  const { desired, sources } = loaded.value;
  const [zone] = desired.zones;
  const http = undiciHttp();
  const client = new ApiClient({
    http,
    endpoint: { url, from: "--api-url" },
    credentials: { scheme: "token", token: new Secret("bench") },
    governor: new Governor({ budget: desired.budget, clock: realClock }),
    clock: realClock,
    random: realRandom,
  });
  const live = await timed("refresh", () => refresh(client, zone, undefined));
  await http.close();
  const made = await timed("plan", () => {
    const input = {
      desired: zone,
      state: name === "adopted" ? undefined : stateOf(zone, live, name),
      live,
      isOneOfMany: false,
      leaving: new Map(),
      fingerprintOf: () => undefined,
      now: new Date().toISOString(),
      selection: EVERYTHING,
      sources: Object.fromEntries(sources.map((each) => [each.source, each])),
      isDestroy: false,
    };
    return plan(desired, [planZone(wanted(name, input), desired.budget)]);
  });
  await timed("text", () => planText(made, { colour: false }));
  const file = join(folder, "plan.zfplan");
  const saved = { plan: made, endpoint: url, scope: scopeOf({}) };
  await timed("encode", () => writeOutput({ cwd: folder }, file, encodePlan(saved)));
  const read = await timed("decode", () => decodePlan(planLines(world.fs, folder, file), file));
  assert.equal(read.plan.hash, made.hash, "the plan that was read differs from the one that was written");
  const changes = made.zones[0].changes.length;
  const calls = Object.values(client.counts().requests).reduce((sum, each) => sum + each, 0);
  console.log(JSON.stringify({ changes, calls, seconds, peakBytes: process.resourceUsage().maxRSS * 1024 }));
}

/** The state after an apply of everything that is live. */
function stateOf(zone, live, name) {
  const objects = new Map();
  for (const { key, id, values, status } of live.objects.get("custom_hostname").values()) {
    const applied = { ssl: { method: "http", settings: values.ssl.settings }, custom_metadata: values.custom_metadata };
    const seen = { status: status.status, at: "2026-01-01T00:00:00.000Z" };
    objects.set(`custom_hostname[${JSON.stringify(key)}]`, { kind: "custom_hostname", key, id, applied, seen });
  }
  return { zone: ZONE, lineage: name, serial: 1, secretKey: "00".repeat(32), objects };
}

/** The input of the plan, with the values that the case declares. */
function wanted(name, input) {
  switch (name) {
    case "unchanged":
      return withValues(input, ({ key, values }) => {
        const { settings } = input.live.objects.get("custom_hostname").get(key).values.ssl;
        return { ...values, ssl: { ...values.ssl, settings } };
      });
    case "distinct":
      return withValues(input, ({ key, values }) => ({ ...values, custom_metadata: { tier: "gold", customer: key } }));
    default:
      return input;
  }
}

function withValues(input, valuesOf) {
  const objects = input.desired.objects.map((object) => ({ ...object, values: valuesOf(object) }));
  return { ...input, desired: { ...input.desired, objects } };
}

function writeProject(folder, count) {
  mkdirSync(join(folder, "zones"));
  const rows = Array.from(
    { length: count },
    (_, index) => `app${index + 1}.customers.net,gold,${index % 2 ? "eu" : "us"}`,
  );
  writeFileSync(join(folder, "customers.csv"), ["domain,tier,region", ...rows, ""].join("\n"));
  writeFileSync(
    join(folder, "zoneform.yaml"),
    `version: 1
project: bench
zones: [zones/*.yaml]
sources:
  customers:
    csv: customers.csv
    fields: { hostname: domain, custom_metadata.tier: tier }
    labels: { region: region }
`,
  );
  writeFileSync(
    join(folder, "zones/a.yaml"),
    `version: 1
zone: { id: "${ZONE.id}", name: ${ZONE.name} }
custom_hostnames:
  lifecycle: zoneform
  from: [{ source: customers }]
  policies:
    - { name: all, set: { ssl: { method: http, settings: { min_tls_version: "1.2" } } } }
    - { name: eu, match: { label.region: eu }, set: { ssl: { settings: { http2: "on" } } } }
    - { name: gold, match: { metadata.tier: gold, hostname: "app*" }, set: { ssl: { settings: { tls_1_3: "on" } } } }
`,
  );
}

async function startEmulator(folder, count) {
  const seed = join(folder, "emulator.json");
  const generate = [
    {
      count,
      pattern: "app{n}.customers.net",
      custom_metadata: { tier: "gold" },
      ssl: { method: "http", type: "dv", settings: { min_tls_version: "1.0", http2: "off", tls_1_3: "off" } },
    },
  ];
  writeFileSync(seed, JSON.stringify({ tokens: [{ value: "bench" }], zones: [{ ...ZONE, generate }] }));
  const child = spawn(process.execPath, [join(ROOT, "dist/zoneform.js"), "emulator", "--port", "0", "--seed", seed], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout, "data");
  const url = /listening on (\S+)/.exec(String(line))?.[1];
  if (url === undefined) throw new Error("the emulator did not start");
  return { url, stop: () => child.kill() };
}
