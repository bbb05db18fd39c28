// A tour on the built-in emulator: a risky pull request, an edit behind its back, drift, and a way back. With `--all` it shows
// everything else as well. `npm run demo` installs and builds first. Nothing leaves this machine; everything it writes is in a
// temporary folder.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { editProject, rewrite } from "./pull-request.mjs";

const root = resolve(import.meta.dirname, "..");
const zoneform = join(root, "dist/zoneform.js");
const folder = mkdtempSync(join(tmpdir(), "zoneform-demo-"));
const started = Date.now();

cpSync(join(root, "examples/saas"), folder, { recursive: true });
cpSync(join(root, "examples/waf-migration"), join(folder, "waf"), { recursive: true });
const emulator = await startEmulator();
const environment = { ...process.env, CLOUDFLARE_BASE_URL: emulator.url, CLOUDFLARE_API_TOKEN: "demo-token" };

try {
  await (process.argv.includes("--all") ? showAll() : showTour());
} finally {
  emulator.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** One screen after the other, each with one point. */
async function showTour() {
  chapter("Two zones, 14 customer hostnames from a CSV, one WAF ruleset: apply them");
  await run(["apply", "--auto-approve"], { expect: 0, from: "Applied", until: /^$/ });
  await advance(600);

  chapter("A pull request changes one word of a policy, one path of a rule, and two rows of the CSV");
  editProject(folder);
  await run(["plan", "--zone", "saas.dev", "--out", "pr.zfplan"], { expect: 4, from: "Plan" });

  chapter("Before it is merged, somebody edits one of its hostnames in the dashboard");
  await editHostname("www.northwind-books.com", "1.1");
  await run(["apply", "pr.zfplan"], { expect: 6, from: "Applied", until: /^\d+ blocked/ });

  chapter("The job that looks for drift every hour finds that edit");
  await run(["drift", "--zone", "saas.dev"], { expect: 3, from: "Drift", until: /^To keep/ });

  chapter("The change was a mistake: undo plans the way back");
  await advance(600);
  await run(["undo", "last", "--auto-approve"], { from: "Applied", until: /^$/ });

  console.log("More: npm run demo -- --all    By hand: README.md    The YAML: examples/saas");
}

async function showAll() {
  chapter("The configuration is checked before Cloudflare is called");
  await run(["validate"]);

  chapter("A plan says what will change, and why; a saved plan is an approval");
  await run(["plan", "--out", "first.zfplan"], { expect: 0 });

  chapter("Apply carries out exactly that");
  await run(["apply", "first.zfplan"], { expect: 0 });

  chapter("A second plan is empty, and the certificates that become active by themselves are no drift");
  await advance(600);
  await run(["plan", "--detailed-exitcode"], { expect: 0 });
  await run(["drift"], { expect: 0 });

  chapter("Somebody edits a hostname, a rule and the CA of Total TLS in the dashboard");
  await editBehindTheBack();
  await run(["drift"], { expect: 3 });

  chapter("What one hostname has, and which line of the YAML declares it");
  await run(["why", 'saas.dev/custom_hostname["pos.old-mill-bakery.com"]']);

  chapter("Apply puts back what was declared, and nothing else");
  await run(["apply", "--auto-approve"], { expect: 0 });
  await run(["drift"], { expect: 0 });

  chapter("A run is killed in the middle of its work; the next one finishes it, and makes nothing twice");
  rewrite(
    folder,
    "data/customers.csv",
    /$/,
    "a.new-bakery.com,gold,,us\nb.new-bakery.com,gold,,us\nc.new-bakery.com,gold,,us\n",
  );
  await killedInTheMiddle(["apply", "--auto-approve", "--parallelism", "1"]);
  await run(["state", "doctor"]);
  await run(["apply", "--auto-approve"], { expect: 0 });
  await run(["plan", "--detailed-exitcode"], { expect: 0 });

  chapter("Undo plans the way back from what the run found before it wrote");
  rewrite(folder, "zones/saas-dev.yaml", 'min_tls_version: "1.0"', 'min_tls_version: "1.1"');
  await run(["apply", "--auto-approve"], { expect: 0 });
  await advance(60);
  await run(["undo", "last", "--zone", "saas.dev", "--auto-approve"], { expect: 0 });
  rewrite(folder, "zones/saas-dev.yaml", 'min_tls_version: "1.1"', 'min_tls_version: "1.0"');
  await advance(60);
  await run(["plan", "--detailed-exitcode"], { expect: 0 });

  chapter("A plan that deletes too much is blocked, until somebody approves exactly that plan by its hash");
  rewrite(
    folder,
    "zones/saas-dev.yaml",
    "total_tls:",
    "deletion_limits: { custom_hostname: { percent: 10%, count: 1 } }\n\ntotal_tls:",
  );
  rewrite(folder, "data/customers.csv", /^(?:portal\.alpine|track\.meridian).*\n/gm, "");
  const refused = await run(["plan"], { expect: 4 });
  await run(["apply", "--approve", /--approve (\S+)$/m.exec(refused)[1]], { expect: 0 });

  chapter("A ruleset is imported by its id");
  await run(["state", "rm", 'saas.dev/ruleset["http_request_firewall_managed"]']);
  await run(["import", await entryPointId()], { expect: 0 });
  await run(["plan", "--detailed-exitcode"], { expect: 0 });

  chapter("Every hostname moves to another CA: one word of YAML, one line of plan");
  rewrite(folder, "profiles/tls.yaml", "certificate_authority: default", "certificate_authority: ssl_com");
  await run(["apply", "--zone", "saas.dev", "--auto-approve"], { expect: 0 });

  chapter("A zone takes the one-way migration to the new managed WAF rules, together with its entry point");
  await run(["waf", "preview", "--config", "waf/zoneform.yaml"], { expect: 0 });
  await run(["apply", "--config", "waf/zoneform.yaml", "--auto-approve"], { expect: 0 });
  await advance(120);
  await run(["waf", "status", "--config", "waf/zoneform.yaml"], { expect: 0 });
  await run(["plan", "--config", "waf/zoneform.yaml", "--detailed-exitcode"], { expect: 0 });

  console.log(
    `\nDone in ${Math.round((Date.now() - started) / 1000)} s. The same by hand: README.md; the YAML: examples/saas.`,
  );
}

function chapter(title) {
  console.log(`\n== ${title} ==`);
}

/**
 * Runs a command in the demo's folder as a user would, and gives what it printed; stops the demo where it exits with
 * another code than expected. `from` leaves out what comes before the first line that begins so, `until` what comes from the next
 * line on that it matches.
 */
async function run(words, { expect, from, until = /$^./ } = {}) {
  const child = start(words, from === undefined ? "inherit" : "ignore");
  let printed = "";
  child.stdout.on("data", (piece) => {
    printed += piece;
    if (from === undefined) process.stdout.write(piece);
  });
  const [code] = await once(child, "close");
  if (from !== undefined) {
    console.log(`${commandOf(words)}${code === 0 ? "" : `    # exit code ${code}`}`);
    const lines = printed.split("\n");
    const first = Math.max(
      0,
      lines.findIndex((line) => line.startsWith(from)),
    );
    const last = lines.findIndex((line, index) => index > first && until.test(line));
    console.log(
      lines
        .slice(first, last < 0 ? undefined : last)
        .join("\n")
        .trimEnd(),
    );
  }
  if (code !== 0 && from === undefined) console.log(`(exit code ${code})`);
  if (expect !== undefined && code !== expect)
    throw new Error(`zoneform ${words[0]} exited with ${code}, and ${expect} was expected`);
  return printed;
}

function commandOf(words) {
  return `$ zoneform ${words.map((word) => (/["[\] ]/.test(word) ? `'${word}'` : word)).join(" ")}`;
}

function start(words, stderr = "inherit") {
  if (stderr === "inherit") console.log(commandOf(words));
  return spawn(process.execPath, [zoneform, ...words], {
    cwd: folder,
    env: environment,
    stdio: ["ignore", "pipe", stderr],
  });
}

/** Starts a command, and kills it (kill -9) when Cloudflare has carried out a part of it: its second answer is slow. */
async function killedInTheMiddle(words) {
  const slow = { fault: { kind: "slow", milliseconds: 5_000 }, method: "POST", path: "/zones/*/custom_hostnames" };
  await dashboard("POST", "/faults", { ...slow, skip: 1, count: 1 });
  const before = (await liveHostnames()).length;
  const child = start(words);
  child.stdout.resume();
  while ((await liveHostnames()).length < before + 2) await setTimeout(20);
  child.kill("SIGKILL");
  await once(child, "close");
  await dashboard("DELETE", "/faults");
  const made = (await liveHostnames()).length - before;
  console.log(`(killed: ${made} of 3 hostnames are live, and of the last of them the run never saw an answer)`);
}

async function liveHostnames() {
  return (await dashboard("GET", "/api/zones/023e105f4ecef8ad9ca31a8372d0c353/custom_hostnames")).result;
}

async function startEmulator() {
  const child = spawn(
    process.execPath,
    [zoneform, "emulator", "--port", "0", "--seed", join(root, "examples/emulator.yaml")],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  let output = "";
  for await (const piece of child.stdout) {
    output += piece;
    if (output.includes("admin API on")) break;
  }
  const [, url] = /listening on (\S+)/.exec(output) ?? [];
  const [, admin] = /admin API on (\S+)/.exec(output) ?? [];
  return { url, admin, stop: () => child.kill() };
}

/** Moves the emulator's clock, so that validations and issuances of minutes are over at once. */
async function advance(seconds) {
  await dashboard("POST", "/clock", { advance_seconds: seconds });
}

/** What a colleague on call might do in the dashboard. */
async function editHostname(name, version) {
  const zone = "/api/zones/023e105f4ecef8ad9ca31a8372d0c353";
  const [{ id, ssl }] = (await dashboard("GET", `${zone}/custom_hostnames?hostname=${name}`)).result;
  const settings = { ...ssl.settings, min_tls_version: version };
  await dashboard("PATCH", `${zone}/custom_hostnames/${id}`, { ssl: { method: ssl.method, type: ssl.type, settings } });
  await advance(600);
}

/** What a colleague might do in the dashboard: the emulator's admin API plays it. */
async function editBehindTheBack() {
  const zone = "/api/zones/023e105f4ecef8ad9ca31a8372d0c353";
  const { result } = await dashboard("GET", `${zone}/custom_hostnames?hostname=shop.northwind-books.com`);
  const [{ id, ssl }] = result;
  const settings = { ...ssl.settings, min_tls_version: "1.0" };
  await dashboard("PATCH", `${zone}/custom_hostnames/${id}`, { ssl: { method: ssl.method, type: ssl.type, settings } });
  await advance(60);
  const ruleset = (await dashboard("GET", `${zone}/rulesets/phases/http_request_firewall_managed/entrypoint`)).result;
  const rule = ruleset.rules.find(({ ref }) => ref === "sec/managed");
  await dashboard("PATCH", `${zone}/rulesets/${ruleset.id}/rules/${rule.id}`, { ...rule, enabled: false });
  await dashboard("POST", `${zone}/acm/total_tls`, { enabled: true, certificate_authority: "lets_encrypt" });
}

async function entryPointId() {
  const zone = "023e105f4ecef8ad9ca31a8372d0c353";
  const { result } = await dashboard(
    "GET",
    `/api/zones/${zone}/rulesets/phases/http_request_firewall_managed/entrypoint`,
  );
  return `zone/${zone}/${result.id}`;
}

async function dashboard(method, path, body) {
  const response = await fetch(`${emulator.admin}${path}`, {
    method,
    ...(body ? { headers: { "content-type": "application/json" }, body: JSON.stringify(body) } : {}),
  });
  const answer = await response.json();
  if (!response.ok)
    throw new Error(`the emulator answered ${response.status} to ${method} ${path}: ${JSON.stringify(answer.errors)}`);
  return answer;
}
