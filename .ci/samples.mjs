// Runs the built command on the emulator, for the output that the docs show. Uses a temporary folder.
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseSeed, startEmulator } from "../dist/lib/emulator.js";
import { editProject } from "../examples/pull-request.mjs";
import { ROOT } from "./schemas.mjs";

const ZONE = "/zones/023e105f4ecef8ad9ca31a8372d0c353";
const SETTLED_MILLISECONDS = 600_000;

/** Returns the drift report of the README, and the plan of its picture in the colours of a terminal. */
export async function takeSamples() {
  const folder = mkdtempSync(join(tmpdir(), "zoneform-samples-"));
  const seed = parseSeed(readFileSync(join(ROOT, "examples/emulator.yaml"), "utf8"));
  const emulator = await startEmulator({ clock: "manual", seed });
  const zoneform = (args, env = {}) => run(folder, { CLOUDFLARE_BASE_URL: emulator.url, ...env }, args);
  try {
    cpSync(join(ROOT, "examples/saas"), folder, { recursive: true });
    await zoneform(["apply", "--auto-approve", "--parallelism", "1"]);
    emulator.advance(SETTLED_MILLISECONDS);
    await editBehindTheBack(emulator);
    const drift = await zoneform(["drift"]);
    await zoneform(["apply", "--auto-approve", "--parallelism", "1"]);
    emulator.advance(SETTLED_MILLISECONDS);
    editProject(folder);
    const plan = await zoneform(["plan", "--zone", "saas.dev"], { FORCE_COLOR: "1", COLUMNS: "80" });
    return { drift: settled(drift), plan: settled(plan) };
  } finally {
    await emulator.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(cwd, env, args) {
  const given = { PATH: process.env.PATH, HOME: cwd, CLOUDFLARE_API_TOKEN: "demo-token", ...env };
  return new Promise((resolve, reject) => {
    const command = [join(ROOT, "dist/zoneform.js"), ...args];
    execFile(process.execPath, command, { cwd, env: given }, (error, stdout, stderr) => {
      // A drift report ends with an exit code too. Only a command without output has failed.
      if (stdout === "") reject(error ?? new Error(stderr));
      else resolve(stdout);
    });
  });
}

/** What a colleague might do in the dashboard. */
async function editBehindTheBack(emulator) {
  const ask = (method, path, body) => JSON.parse(emulator.admin.dashboard(method, `${ZONE}${path}`, body).body).result;
  const [{ id, ssl }] = ask("GET", "/custom_hostnames?hostname=shop.northwind-books.com");
  const settings = { ...ssl.settings, min_tls_version: "1.0" };
  ask("PATCH", `/custom_hostnames/${id}`, { ssl: { method: ssl.method, type: ssl.type, settings } });
  emulator.advance(SETTLED_MILLISECONDS);
  const ruleset = ask("GET", "/rulesets/phases/http_request_firewall_managed/entrypoint");
  const rule = ruleset.rules.find(({ ref }) => ref === "sec/managed");
  ask("PATCH", `/rulesets/${ruleset.id}/rules/${rule.id}`, { ...rule, enabled: false });
  ask("POST", "/acm/total_tls", { enabled: true, certificate_authority: "lets_encrypt" });
}

/** Replaces ids of runs, hashes and times, which differ in each run, by fixed ones. */
function settled(text) {
  return text
    .replaceAll(/zf1:[0-9a-f]{64}/g, "zf1:8d7f796bfe093c11374bebb7c6ae2943f7e68172a54b40d2fdfa5bcb8fb82c7e")
    .replaceAll(
      /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g,
      "7afb14ca-3f5e-4c62-9d0b-5a1e8c7d2f90",
    )
    .replaceAll(/\brun [0-9a-f]{8}\b/g, "run 7afb14ca")
    .replaceAll(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: UTC|Z)/g, "2026-11-20 14:02 UTC");
}
