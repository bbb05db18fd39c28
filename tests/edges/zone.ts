import { mkdir, mkdtemp, rm, writeFile, copyFile, cp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { type Emulator, type Seed, startEmulator } from "../../lib/emulator.ts";
import { type Ended, run } from "../support/command.ts";
import { at, type Json, text } from "../support/emulator.ts";
import type { Members } from "../support/dashboard.ts";

const ZONE = { id: "023e105f4ecef8ad9ca31a8372d0c353", name: "saas.net" };

/** The phases in which the zone has rules of ours and of others. */
export const CUSTOM = "http_request_firewall_custom";
/** The phase of the managed rules. */
export const MANAGED = "http_request_firewall_managed";
/** The phase of the rate limits. */
export const RATE = "http_ratelimit";

/** The managed ruleset that our rule executes, and one of its rules. */
export const CLOUDFLARE_MANAGED = "efb7b8c949ac4650a09736fc376e9aee";
/** One of its rules. */
export const SQLI_RULE = "23ee7cebe6e8443e99ecf932ab579455";

const ADMIN = 'starts_with(http.request.uri.path, "/admin")';
const MINUTES_10 = 600_000;

const ours: readonly Members[] = [
  { ref: "sec/block-admin", description: "nobody outside", action: "block", expression: ADMIN },
  { ref: "sec/block-env", action: "block", expression: 'ends_with(http.request.uri.path, "/.env")' },
  { ref: "sec/challenge", action: "managed_challenge", expression: 'http.user_agent contains "BadBot"' },
  {
    ref: "sec/skip-office",
    action: "skip",
    expression: "ip.src in {192.0.2.1 192.0.2.2}",
    action_parameters: { phases: [RATE] },
  },
];

/** What the project declares. The entry points have foreign rules behind ours. */
const PROJECT: Readonly<Record<string, Json>> = {
  "zoneform.yaml": { version: 1, project: "edges", zones: ["zone.yaml"] },
  "zone.yaml": {
    version: 1,
    zone: ZONE,
    fallback_origin: { origin: "fallback.saas.net" },
    custom_hostnames: {
      lifecycle: "zoneform",
      policies: [
        { name: "floor", set: { ssl: { method: "http", type: "dv", settings: { min_tls_version: "1.2" } } } },
        {
          name: "gold",
          match: { "label.tier": "gold" },
          set: {
            ssl: {
              settings: {
                min_tls_version: "1.3",
                tls_1_3: "on",
              },
            },
          },
        },
      ],
      entries: [
        { hostname: "shop.acme.net" },
        { hostname: "www.acme.net" },
        { hostname: "pay.birch.net", labels: { tier: "gold" } },
        {
          hostname: "pos.cedar.net",
          custom_origin_server: "origin1.saas.net",
          ssl: { settings: { ciphers: ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-SHA"] } },
        },
      ],
    },
    entry_points: {
      [CUSTOM]: { own: ["sec/"], adopt: true, place: "first", rules: [...ours] },
      [MANAGED]: {
        own: ["sec/"],
        adopt: true,
        place: "first",
        rules: [
          {
            ref: "sec/managed",
            action: "execute",
            expression: "true",
            action_parameters: {
              id: CLOUDFLARE_MANAGED,
              overrides: { rules: [{ id: SQLI_RULE, action: "block" }] },
            },
          },
        ],
      },
      [RATE]: {
        own: ["sec/"],
        rules: [
          {
            ref: "sec/limit-login",
            action: "block",
            expression: 'http.request.uri.path eq "/login"',
            ratelimit: {
              characteristics: ["cf.colo.id", "ip.src"],
              period: 60,
              requests_per_period: 20,
              mitigation_timeout: 600,
            },
          },
        ],
      },
    },
    certificate_packs: [
      {
        hosts: ["saas.net", "*.saas.net"],
        validation_method: "txt",
        validity_days: 90,
        certificate_authority: "google",
      },
    ],
    total_tls: { enabled: true, certificate_authority: "google" },
    zone_settings: {
      min_tls_version: { value: "1.2" },
      always_use_https: { value: "on" },
      security_level: { value: "medium" },
      ssl: { value: "strict" },
      tls_1_3: { value: "on" },
    },
    zone_hold: { hold: true, include_subdomains: true },
  },
};

const SEED: Seed = {
  accounts: [{ issuance_per_minute: 300 }],
  tokens: [{ value: "edge-token" }],
  zones: [
    {
      ...ZONE,
      plan: "enterprise",
      dns_records: [
        { type: "A", name: "fallback.saas.net", content: "192.0.2.10", proxied: true },
        { type: "A", name: "origin1.saas.net", content: "192.0.2.20", proxied: true },
        { type: "A", name: "origin2.saas.net", content: "192.0.2.21", proxied: true },
        { type: "A", name: "unproxied.saas.net", content: "192.0.2.22", proxied: false },
      ],
      rulesets: [
        {
          phase: CUSTOM,
          rules: [
            { ref: "theirs-block", action: "block", expression: "ip.src eq 203.0.113.7", description: "an attacker" },
            {
              ref: "theirs-skip",
              action: "skip",
              expression: "ip.src eq 198.51.100.1",
              description: "the monitoring",
              action_parameters: { ruleset: "current" },
            },
            { ref: "theirs-log", action: "log", expression: "cf.threat_score gt 10" },
          ],
        },
        {
          phase: MANAGED,
          rules: [
            {
              ref: "theirs-leaked",
              action: "execute",
              expression: "true",
              action_parameters: { id: "c2e184081120413c86c3ab7e14069605" },
            },
          ],
        },
      ],
    },
  ],
};

/** What somebody does in the dashboard of the zone, and what the service does by itself. */
export interface Dashboard {
  /** A call of the API below the zone; returns its result. */
  send(method: string, path: string, body?: Json): Json;
  /** Edits a hostname by its name. */
  hostname(name: string, body: Members): void;
  /** Edits the TLS settings of a hostname, and keeps the others. */
  tls(name: string, settings: Members): void;
  /** Deletes a hostname by its name. */
  deleteHostname(name: string): void;
  /** Saves an entry point with other rules. */
  rules(phase: string, edit: (rules: Members[]) => Members[]): void;
  /** Edits one rule of an entry point by its ref. */
  rule(phase: string, ref: string, more: Members): void;
  /** The service gives a hostname another status. */
  status(name: string, status: "blocked" | "moved" | "active_redeploying"): void;
  /** Time passes, in milliseconds. */
  wait(milliseconds: number): void;
}

/** The zone after an apply, with a project in a folder of its own. */
export interface Edge extends Dashboard {
  zoneform(...args: readonly string[]): Promise<Ended>;
  /** Loses the state. */
  forget(): Promise<void>;
}

let template: Promise<string> | undefined;

/** An edge for the running test: applied, and settled. */
export async function openEdge(): Promise<Edge> {
  template ??= applyOnce();
  const from = await template;
  const folder = await mkdtemp(join(tmpdir(), "zoneform-edge-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(join(from, "project"), folder, { recursive: true });
  await copyFile(join(from, "service.json"), join(folder, "service.json"));
  const emulator = await startEmulator({ clock: "manual", persistFile: join(folder, "service.json") });
  onTestFinished(() => emulator.close());
  return {
    ...dashboardOf(emulator),
    zoneform: (...args) => run(args, surroundings(folder, emulator)),
    forget: () => rm(join(folder, ".zoneform"), { recursive: true, force: true }),
  };
}

async function applyOnce(): Promise<string> {
  const folder = await mkdtemp(join(inject("sharedFolder"), "edge-"));
  const project = join(folder, "project");
  await mkdir(project);
  for (const [name, content] of Object.entries(PROJECT)) await writeFile(join(project, name), JSON.stringify(content));
  const emulator = await startEmulator({ clock: "manual", seed: SEED, persistFile: join(folder, "service.json") });
  const { code, stderr } = await run(["apply", "--auto-approve"], surroundings(project, emulator));
  if (code !== 0) throw new Error(`the project cannot be applied:\n${stderr}`);
  emulator.advance(MINUTES_10);
  await emulator.close();
  return folder;
}

function surroundings(cwd: string, { url }: Emulator): { cwd: string; env: Record<string, string> } {
  return { cwd, env: { CLOUDFLARE_BASE_URL: url, CLOUDFLARE_API_TOKEN: "edge-token" } };
}

function dashboardOf(emulator: Emulator): Dashboard {
  const send: Dashboard["send"] = (method, path, body) => {
    const answer = emulator.admin.dashboard(method, `/zones/${ZONE.id}/${path}`, body);
    if (answer.status >= 300) throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.body}`);
    return answer.body === "" ? null : (at(JSON.parse(answer.body), "result") ?? null);
  };
  const pathOf = (name: string): string =>
    `custom_hostnames/${text(send("GET", `custom_hostnames?hostname=${name}`), "0.id")}`;
  const rules: Dashboard["rules"] = (phase, edit) => {
    const path = `rulesets/phases/${phase}/entrypoint`;
    const live = list(at(send("GET", path), "rules")).map((rule) => without(rule, ["id", "version", "last_updated"]));
    send("PUT", path, { rules: edit(live) });
  };
  return {
    send,
    hostname: (name, body) => void send("PATCH", pathOf(name), body),
    tls: (name, settings) => {
      const live = members(at(send("GET", pathOf(name)), "ssl.settings"));
      send("PATCH", pathOf(name), { ssl: { method: "http", type: "dv", settings: { ...live, ...settings } } });
    },
    deleteHostname: (name) => void send("DELETE", pathOf(name)),
    rules,
    rule: (phase, ref, more) =>
      rules(phase, (live) => live.map((rule) => (rule["ref"] === ref ? { ...rule, ...more } : rule))),
    status: (name, status) => emulator.admin.forceHostname(ZONE.id, name, { status }),
    wait: (milliseconds) => emulator.advance(milliseconds),
  };
}

function without(rule: Members, names: readonly string[]): Members {
  return Object.fromEntries(Object.entries(rule).filter(([name]) => !names.includes(name)));
}

function members(value: Json | undefined): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function list(value: Json | undefined): Members[] {
  return Array.isArray(value) ? value.map(members) : [];
}
