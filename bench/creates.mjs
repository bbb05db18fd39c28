// Measures how long the creates of an apply take, compared with a bare script that sends the same requests:
// `npm run bench:creates -- [--hostnames N] [--runs N] [--most RATIO]`. Neither side has limits. It times the creates on the
// emulator's clock, from the first to the last, and also shows how long the whole processes took. The two run one after the
// other in alternating order, each with its own emulator. Fails if the median of the ratios is too high.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request as forward } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";

const ROOT = resolve(import.meta.dirname, "..");
const MAIN = join(ROOT, "dist/zoneform.js");
const ZONE = { id: "023e105f4ecef8ad9ca31a8372d0c353", name: "saas.net" };
const TOKEN = "token-of-the-bench";
const PARALLELISM = 8;
const NO_LIMIT = 1_000_000_000;

if (process.argv[2] === "bare") await sendBare(process.argv[3], process.argv[4]);
else await compare();

async function compare() {
  const { values } = parseArgs({
    options: {
      hostnames: { type: "string", default: "2000" },
      runs: { type: "string", default: "5" },
      most: { type: "string", default: "1.6" },
    },
  });
  const [hostnames, runs, most] = [values.hostnames, values.runs, values.most].map(Number);
  const folder = mkdtempSync(join(tmpdir(), "zoneform-bench-"));
  try {
    const script = join(folder, "requests.json");
    writeFileSync(script, JSON.stringify(await recordedRequests(folder, hostnames)));
    const pairs = [];
    for (let run = 0; run < runs; run += 1) pairs.push(await pairOf(folder, script, hostnames, run % 2 === 1));
    tell(hostnames, pairs, most);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function tell(hostnames, pairs, most) {
  for (const { apply, bare } of pairs) console.log(sentence(apply, bare, apply.creates / bare.creates));
  const of = (who, what) => median(pairs.map((pair) => pair[who][what]));
  const [apply, bare] = ["apply", "bare"].map((who) => ({ creates: of(who, "creates"), whole: of(who, "whole") }));
  const ratio = median(pairs.map((pair) => pair.apply.creates / pair.bare.creates));
  console.log(`${hostnames} creates, median of ${pairs.length}: ${sentence(apply, bare, ratio)}, at most ${most}`);
  if (ratio > most) process.exitCode = 1;
}

function sentence(apply, bare, ratio) {
  const each = ({ creates, whole }) => `${creates.toFixed(2)} s (whole process ${whole.toFixed(2)} s)`;
  return `apply ${each(apply)}, bare script ${each(bare)}, ratio ${ratio.toFixed(2)}`;
}

function median(numbers) {
  const sorted = [...numbers].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Runs both once. Their order alternates, so that it is not always the same one that finds the machine warm. */
async function pairOf(folder, script, hostnames, isBareFirst) {
  const apply = () => measured(folder, (url) => applyArguments(newProject(folder, hostnames), url));
  const bare = () => measured(folder, (url) => [import.meta.filename, "bare", script, url]);
  if (!isBareFirst) return { apply: await apply(), bare: await bare() };
  const first = await bare();
  return { bare: first, apply: await apply() };
}

/** How long the creates and the whole process took, in seconds. */
async function measured(folder, argumentsFor) {
  return onEmulator(folder, async (url, adminUrl) => {
    const whole = await timed(argumentsFor(url));
    const { result } = await (await fetch(`${adminUrl}/requests`)).json();
    const creates = result.entries.filter(({ method }) => method === "POST").map(({ at }) => at);
    return { creates: (Math.max(...creates) - Math.min(...creates)) / 1000, whole };
  });
}

async function timed(args) {
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    env: { ...process.env, CLOUDFLARE_API_TOKEN: TOKEN },
    stdio: "ignore",
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}`);
  return (performance.now() - began) / 1000;
}

function applyArguments(project, url) {
  const flags = ["--config", project, "--api-url", url, "--parallelism", String(PARALLELISM)];
  return [MAIN, "apply", "--auto-approve", "--no-color", ...flags];
}

function newProject(folder, hostnames) {
  const project = mkdtempSync(join(folder, "project-"));
  mkdirSync(join(project, "zones"));
  const entries = Array.from({ length: hostnames }, (_, number) => ({
    hostname: `app${number}.customers.net`,
    ssl: { method: "http", settings: { min_tls_version: "1.2" } },
  }));
  const zone = { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", entries } };
  writeFileSync(join(project, "zones/saas.yaml"), JSON.stringify(zone));
  const budget = { api: "unlimited", issuance: "unlimited" };
  const file = join(project, "zoneform.yaml");
  writeFileSync(file, JSON.stringify({ version: 1, project: "bench", zones: ["zones/*.yaml"], budget }));
  return file;
}

/** The requests of one apply with their bodies, in order. A proxy records them in a run that is not timed. */
async function recordedRequests(folder, hostnames) {
  return onEmulator(folder, async (url) => {
    const requests = [];
    const proxy = createServer((incoming, outgoing) => {
      const pieces = [];
      incoming.on("data", (piece) => pieces.push(piece));
      incoming.on("end", () => {
        const { method, url: path, headers } = incoming;
        const body = Buffer.concat(pieces).toString();
        requests.push({ method, path, ...(body === "" ? {} : { body }) });
        const passed = forward(new URL(path, url), { method, headers: { ...headers, host: new URL(url).host } });
        passed.on("response", (answer) => {
          outgoing.writeHead(answer.statusCode, answer.headers);
          answer.pipe(outgoing);
        });
        passed.end(body);
      });
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const { pathname } = new URL(url);
    await timed(applyArguments(newProject(folder, hostnames), `http://127.0.0.1:${proxy.address().port}${pathname}`));
    proxy.close();
    proxy.closeAllConnections();
    return requests;
  });
}

/** The bare script: sends as many requests at a time as the apply, and does nothing else. */
async function sendBare(script, url) {
  const { Agent, request } = await import("undici");
  const requests = JSON.parse(readFileSync(script, "utf8"));
  const { origin } = new URL(url);
  const dispatcher = new Agent({ connections: PARALLELISM });
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  let next = 0;
  const worker = async () => {
    for (let each = requests[next++]; each !== undefined; each = requests[next++]) {
      const { path, ...options } = each;
      const answer = await request(`${origin}${path}`, { ...options, headers, dispatcher });
      const { success } = await answer.body.json();
      if (!success && options.method === "POST") throw new Error(`${path} was answered ${answer.statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: PARALLELISM }, worker));
  await dispatcher.close();
}

async function onEmulator(folder, act) {
  const seed = join(folder, "emulator.json");
  const accounts = [{ api_requests: NO_LIMIT, issuance_per_minute: NO_LIMIT }];
  writeFileSync(seed, JSON.stringify({ accounts, tokens: [{ value: TOKEN }], zones: [ZONE] }));
  const child = spawn(process.execPath, [MAIN, "emulator", "--port", "0", "--seed", seed], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let told = "";
  for await (const piece of child.stdout) {
    told += piece;
    if (told.includes("admin API on ") && told.endsWith("\n")) break;
  }
  const [url, adminUrl] = [/listening on (\S+)/, /admin API on (\S+)/].map((form) => form.exec(told)?.[1]);
  try {
    return await act(url, adminUrl);
  } finally {
    child.kill();
    await once(child, "exit");
  }
}
