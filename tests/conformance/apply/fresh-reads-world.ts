import type { ApplyReport, Ended } from "../../../lib/apply/outcome.ts";
import type { SeedZone } from "../../../lib/emulator.ts";
import { dnsRecords, endingsOf, failuresOf, NO_LIMITS, openRig, type Rig, ZONE } from "../../support/engine.ts";
import { at, type Json, text } from "../../support/emulator.ts";
import {
  dashboard,
  editHostname,
  editSettings,
  hostnameOf,
  MANAGED,
  members,
  type Rule,
  THEIRS,
} from "./foreign-edits.ts";
import type { PlanOptions } from "../../../lib/engine/plan-input.ts";

/** The zone, below the API. */
export const PATH: string = `/zones/${ZONE.id}`;
const HOSTNAMES = `${PATH}/custom_hostnames`;
const FALLBACK_ORIGIN = `${HOSTNAMES}/fallback_origin`;
const TOTAL_TLS = `${PATH}/acm/total_tls`;
const PACKS = `${PATH}/ssl/certificate_packs`;
const OVERRIDES = `${PATH}/firewall/waf/overrides`;
const ENTRY_POINT = `${PATH}/rulesets/phases/http_request_firewall_managed/entrypoint`;
const CIPHERS = ["ECDHE-ECDSA-AES128-GCM-SHA256"];
const ONE = "edited.net";
const HOUR_MILLISECONDS = 3_600_000;
/** A run that takes longer than this on its own clock hangs. */
const LONGEST_RUN_MILLISECONDS = 4 * HOUR_MILLISECONDS;

/** What somebody does in the dashboard while a run waits. */
export interface Edit {
  readonly what: string;
  /** Does it; false if there is nothing left to edit. */
  readonly act: (rig: Rig) => boolean;
  readonly isLive: (rig: Rig) => boolean;
  /** How the change may end if the edit comes before its write. Unmanaged fields may be kept. */
  readonly ends: readonly Ended["outcome"]["status"][];
}

/** A change of one object, and what somebody may do to that object meanwhile. */
export interface Case {
  readonly what: string;
  readonly address: string;
  readonly zone?: Partial<SeedZone>;
  /** The zone file that is applied first; if it is absent, nothing is. */
  readonly before?: object;
  readonly after: object;
  readonly planOptions?: Partial<PlanOptions>;
  /** The share of the calls, if an attempt needs more than 12 of them. */
  readonly budget?: string;
  readonly edits: readonly Edit[];
  /** What the run sends, in order, as `METHOD /path` with ids as `*`. */
  readonly writes: readonly string[];
}

/** A rig in which the first file is applied and settled; then a new process works with a small budget. */
export async function rigOf({ zone, before, after, budget = "1%" }: Case): Promise<Rig> {
  const file = (content: object): object => ({ version: 1, zone: ZONE, ...content });
  const rig = openRig({
    // As documented, so that the service's limits and the budget mean the same.
    hasUsualLimits: true,
    zone: { plan: "enterprise", dns_records: dnsRecords(), ...zone },
    files: { "zones/a.yaml": file(before ?? {}) },
  });
  if (before) {
    const failures = failuresOf(await rig.run());
    if (failures.length > 0) throw new Error(failures.join("\n"));
    await rig.wait(HOUR_MILLISECONDS);
  }
  await withBudget(rig, budget);
  rig.write("zones/a.yaml", file(after));
  return rig;
}

/** The calls in five minutes of the case's budget: at its first write a run may have any number of them left. */
export function callsOf({ budget = "1%" }: Case): number {
  return (Number.parseFloat(budget) / 100) * 1200;
}

/** Starts a new process with this share of the calls. */
export async function withBudget(rig: Rig, api: string): Promise<void> {
  await rig.restart();
  rig.write("zoneform.yaml", {
    version: 1,
    project: "rig",
    zones: ["zones/*.yaml"],
    budget: { api, issuance: { per_minute: 15, reserve: 0 } },
    deletion_limits: NO_LIMITS,
  });
}

/** Uses up calls of the budget, like a run that has read much before. */
export async function useUp(rig: Rig, plan: Awaited<ReturnType<Rig["plan"]>>, calls: number): Promise<void> {
  const client = rig.world().connect(plan.budget);
  for (let each = 0; each < calls; each += 1) await client.send({ method: "GET", path: PATH, family: "zones" });
}

/** Runs to the end, or throws if far more time has passed on the clock than any run takes. */
export async function inTime<T>(rig: Rig, run: Promise<T>, longest: number = LONGEST_RUN_MILLISECONDS): Promise<T> {
  const stop = new AbortController();
  const late = rig.clock.sleep(longest, stop.signal).then((): never => {
    throw new Error(`the run has not ended after ${longest / 1000} s`);
  });
  try {
    return await Promise.race([run, late]);
  } finally {
    stop.abort();
  }
}

/** The outcome of the change of that address. */
export function statusOf(report: ApplyReport, address: string): string | undefined {
  return endingsOf(report).find((each) => each.address === address)?.outcome.status;
}

/** A request as the cases write it: `DELETE /custom_hostnames/*`. */
export function inShort({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method} ${path.replace(PATH, "").replaceAll(/[0-9a-f]{32}|[0-9a-f-]{36}/g, "*")}`;
}

const tier = (value: string): object => ({ custom_metadata: { tier: value } });
const ssl = (version: string, more: object = {}): object => ({
  ssl: { type: "dv", method: "http", settings: { min_tls_version: version }, ...more },
});
const entries = (...values: readonly object[]): object => ({
  custom_hostnames: { lifecycle: "zoneform", entries: values },
});

/** Edits of the hostname; `isGuarded` is whether the change needs the whole object as it was planned. */
function hostnameEdits(isGuarded: boolean): readonly Edit[] {
  const unowned: Edit["ends"] = isGuarded ? ["conflict"] : ["done"];
  return [
    {
      what: "ciphers, which nobody declares, are set",
      act: (rig) => editSettings(rig, ONE, { ciphers: CIPHERS }) !== undefined,
      isLive: (rig) => JSON.stringify(at(hostnameOf(rig, ONE), "ssl.settings.ciphers")) === JSON.stringify(CIPHERS),
      ends: isGuarded ? ["conflict"] : ["conflict", "done"],
    },
    {
      what: "metadata that nobody declares is added",
      act: (rig) => {
        const custom_metadata = { ...members(at(hostnameOf(rig, ONE), "custom_metadata")), by: "them" };
        return editHostname(rig, ONE, { custom_metadata }) !== undefined;
      },
      isLive: (rig) => at(hostnameOf(rig, ONE), "custom_metadata.by") === "them",
      ends: unowned,
    },
    {
      what: "a managed field is edited",
      act: (rig) => {
        const custom_metadata = { ...members(at(hostnameOf(rig, ONE), "custom_metadata")), tier: "theirs" };
        return editHostname(rig, ONE, { custom_metadata }) !== undefined;
      },
      isLive: (rig) => at(hostnameOf(rig, ONE), "custom_metadata.tier") === "theirs",
      ends: ["conflict"],
    },
    {
      what: "a managed setting is edited",
      act: (rig) => editSettings(rig, ONE, { min_tls_version: "1.1" }) !== undefined,
      isLive: (rig) => at(hostnameOf(rig, ONE), "ssl.settings.min_tls_version") === "1.1",
      ends: ["conflict"],
    },
  ];
}

/** The fallback origin; null if there is none, or no longer one. */
function originOf(rig: Rig): Json {
  const answer = rig.admin.dashboard("GET", FALLBACK_ORIGIN);
  const record: Json = answer.status === 200 ? (at(JSON.parse(answer.body), "result") ?? null) : null;
  return at(record, "status") === "pending_deletion" ? null : (at(record, "origin") ?? null);
}

const SET_ORIGIN: Edit = {
  what: "the origin is set to another one",
  act: (rig) => {
    dashboard(rig, "PUT", FALLBACK_ORIGIN, { origin: "origin1.saas.net" });
    return true;
  },
  isLive: (rig) => originOf(rig) === "origin1.saas.net",
  ends: ["conflict"],
};

const rule = (ref: string, expression = "true"): Rule => ({ ...MANAGED, ref, expression });
const entryPoint = (...rules: readonly Rule[]): object => ({
  entry_points: { http_request_firewall_managed: { own: ["ours/"], adopt: true, rules } },
});
const withTheirs: Partial<SeedZone> = { rulesets: [{ phase: "http_request_firewall_managed", rules: [THEIRS] }] };

/** The rules of the entry point as a PUT takes them; undefined if there is none. */
function rulesOf(rig: Rig): readonly Rule[] | undefined {
  const answer = rig.admin.dashboard("GET", ENTRY_POINT);
  if (answer.status === 404) return undefined;
  const rules = at(JSON.parse(answer.body), "result.rules");
  return (Array.isArray(rules) ? rules : []).map((each) => {
    const { id: _id, version: _version, last_updated: _updated, ...rest } = members(each);
    return rest;
  });
}

function putRules(rig: Rig, edit: (rules: readonly Rule[]) => readonly Rule[]): boolean {
  const rules = rulesOf(rig);
  if (rules) dashboard(rig, "PUT", ENTRY_POINT, { rules: edit(rules).map((each) => ({ ...each })) });
  return rules !== undefined;
}

const hasRule = (rig: Rig, ref: string, parts: Rule = {}): boolean =>
  (rulesOf(rig) ?? []).some((each) => Object.entries({ ref, ...parts }).every(([name, value]) => each[name] === value));

const ADD_RULE: Edit = {
  what: "somebody adds a rule",
  act: (rig) => putRules(rig, (rules) => [...rules, { ...THEIRS, ref: "theirs-too" }]),
  isLive: (rig) => hasRule(rig, "theirs-too"),
  ends: ["conflict", "done"],
};
const EDIT_OUR_RULE: Edit = {
  what: "a rule of ours is switched off",
  act: (rig) =>
    hasRule(rig, "ours/a") &&
    putRules(rig, (rules) => rules.map((each) => (each["ref"] === "ours/a" ? { ...each, enabled: false } : each))),
  isLive: (rig) => hasRule(rig, "ours/a", { enabled: false }),
  ends: ["conflict"],
};

const pack = (authority: string): object => ({
  certificate_packs: [
    {
      hosts: ["saas.net", "*.saas.net"],
      validation_method: "txt",
      validity_days: 90,
      certificate_authority: authority,
    },
  ],
});

function packsOf(rig: Rig): readonly Rule[] {
  const packs = dashboard(rig, "GET", `${PACKS}?status=all&per_page=50`);
  return (Array.isArray(packs) ? packs.map(members) : []).filter(
    ({ type, status }) => type === "advanced" && status !== "pending_deletion",
  );
}

/** Brands the pack of google, so that the one that was planned to go is another one. */
const BRAND_PACK: Edit = {
  what: "the old pack is edited",
  act: (rig) => {
    const old = packsOf(rig).find((each) => each["certificate_authority"] === "google");
    if (old) dashboard(rig, "PATCH", `${PACKS}/${text(old, "id")}`, { cloudflare_branding: true });
    return old !== undefined;
  },
  isLive: (rig) =>
    packsOf(rig).some((each) => each["certificate_authority"] === "google" && each["cloudflare_branding"] === true),
  // The new one may exist by then; the old one stays beside it.
  ends: ["conflict", "done"],
};

const PLANNED_OVERRIDE: Json = {
  urls: ["saas.net/api/*"],
  rules: { "100015": "disable" },
  groups: {},
  priority: 1,
};
const migrationState = (rig: Rig): Json | undefined =>
  at(dashboard(rig, "GET", `${PATH}/waf_migration/status`), "migration_state");
const MIGRATION = { target: "new", confirm_irreversible: ZONE.id, delete_uri_overrides: true };
const overridesOf = (rig: Rig): readonly Json[] => {
  const found = dashboard(rig, "GET", OVERRIDES);
  return Array.isArray(found) ? found : [];
};
const hasOverride = (rig: Rig, url: string): boolean =>
  overridesOf(rig).some((each) => JSON.stringify(at(each, "urls")) === JSON.stringify([url]));

const WAF_EDITS: readonly Edit[] = [
  {
    what: "another override is added",
    act: (rig) => {
      if (migrationState(rig) !== "start") return false;
      dashboard(rig, "POST", OVERRIDES, { ...members(PLANNED_OVERRIDE), urls: ["saas.net/theirs/*"] });
      return true;
    },
    isLive: (rig) => migrationState(rig) === "start" && hasOverride(rig, "saas.net/theirs/*"),
    ends: ["conflict"],
  },
  {
    what: "the override to be deleted is edited",
    act: (rig) => {
      const [override] = migrationState(rig) === "start" ? overridesOf(rig) : [];
      if (override === undefined) return false;
      const path = `${OVERRIDES}/${text(override, "id")}`;
      dashboard(rig, "PUT", path, { ...members(PLANNED_OVERRIDE), urls: ["saas.net/edited/*"] });
      return true;
    },
    isLive: (rig) => migrationState(rig) === "start" && hasOverride(rig, "saas.net/edited/*"),
    ends: ["conflict"],
  },
];

/** Every kind, with each sort of write that it sends. */
export const CASES: readonly Case[] = [
  {
    what: "update a hostname",
    address: `custom_hostname["${ONE}"]`,
    before: entries({ hostname: ONE, ...tier("silver"), ...ssl("1.0") }),
    after: entries({ hostname: ONE, ...tier("gold"), ...ssl("1.2") }),
    edits: hostnameEdits(false),
    writes: ["PATCH /custom_hostnames/*"],
  },
  {
    what: "delete a hostname",
    address: `custom_hostname["${ONE}"]`,
    before: entries({ hostname: ONE, ...tier("silver"), ...ssl("1.0") }),
    after: entries(),
    edits: hostnameEdits(true),
    writes: ["DELETE /custom_hostnames/*"],
  },
  {
    what: "replace a hostname",
    address: `custom_hostname["${ONE}"]`,
    before: entries({ hostname: ONE, ...tier("silver"), ...ssl("1.0", { cloudflare_branding: false }) }),
    after: entries({ hostname: ONE, ...tier("silver"), ...ssl("1.0", { cloudflare_branding: true }) }),
    edits: hostnameEdits(true),
    writes: ["DELETE /custom_hostnames/*", "POST /custom_hostnames"],
  },
  {
    what: "edit one rule of an entry point",
    address: 'ruleset["http_request_firewall_managed"]',
    zone: withTheirs,
    before: entryPoint(rule("ours/a"), rule("ours/b")),
    after: entryPoint(rule("ours/a", "false"), rule("ours/b")),
    edits: [ADD_RULE, EDIT_OUR_RULE],
    writes: ["PATCH /rulesets/*/rules/*"],
  },
  {
    what: "update an entry point",
    address: 'ruleset["http_request_firewall_managed"]',
    zone: withTheirs,
    before: entryPoint(rule("ours/a"), rule("ours/b")),
    after: entryPoint(rule("ours/a", "false"), rule("ours/b", "false")),
    edits: [ADD_RULE, EDIT_OUR_RULE],
    writes: ["PUT /rulesets/phases/http_request_firewall_managed/entrypoint"],
  },
  {
    what: "delete our rules from an entry point",
    address: 'ruleset["http_request_firewall_managed"]',
    zone: withTheirs,
    before: entryPoint(rule("ours/a"), rule("ours/b")),
    after: entryPoint(rule("ours/a"), rule("ours/b")),
    planOptions: { isDestroy: true },
    edits: [ADD_RULE, EDIT_OUR_RULE],
    writes: ["PUT /rulesets/phases/http_request_firewall_managed/entrypoint"],
  },
  {
    what: "delete an entry point",
    address: 'ruleset["http_request_firewall_managed"]',
    before: entryPoint(rule("ours/a")),
    after: entryPoint(rule("ours/a")),
    planOptions: { isDestroy: true },
    edits: [ADD_RULE, EDIT_OUR_RULE],
    writes: ["DELETE /rulesets/*"],
  },
  {
    what: "create an entry point",
    address: 'ruleset["http_request_firewall_managed"]',
    after: entryPoint(rule("ours/a")),
    edits: [
      {
        what: "somebody else makes it",
        act: (rig) => {
          const rules = rulesOf(rig) ?? [];
          dashboard(rig, "PUT", ENTRY_POINT, { rules: [...rules, { ...THEIRS }].map((each) => ({ ...each })) });
          return true;
        },
        isLive: (rig) => hasRule(rig, "theirs"),
        ends: ["conflict"],
      },
    ],
    writes: ["PUT /rulesets/phases/http_request_firewall_managed/entrypoint"],
  },
  {
    what: "update the fallback origin",
    address: "fallback_origin",
    before: { fallback_origin: { origin: "fallback.saas.net" } },
    after: { fallback_origin: { origin: "fallback2.saas.net" } },
    edits: [SET_ORIGIN],
    writes: ["PUT /custom_hostnames/fallback_origin"],
  },
  {
    what: "create the fallback origin",
    address: "fallback_origin",
    after: { fallback_origin: { origin: "fallback2.saas.net" } },
    edits: [SET_ORIGIN],
    writes: ["PUT /custom_hostnames/fallback_origin"],
  },
  {
    what: "delete the fallback origin",
    address: "fallback_origin",
    before: { fallback_origin: { origin: "fallback.saas.net" } },
    after: { fallback_origin: { origin: "fallback.saas.net" } },
    planOptions: { isDestroy: true },
    edits: [{ ...SET_ORIGIN, act: (rig) => originOf(rig) !== null && SET_ORIGIN.act(rig) }],
    writes: ["DELETE /custom_hostnames/fallback_origin"],
  },
  {
    what: "change Total TLS",
    address: "total_tls",
    zone: { total_tls: { enabled: false, certificate_authority: "google" } },
    before: { total_tls: { enabled: false } },
    after: { total_tls: { enabled: true } },
    edits: [
      {
        what: "the CA, which nobody declares, is changed",
        act: (rig) => {
          const enabled = at(dashboard(rig, "GET", TOTAL_TLS), "enabled") ?? null;
          const body = { enabled, certificate_authority: "lets_encrypt" };
          return rig.admin.dashboard("POST", TOTAL_TLS, body).status === 200;
        },
        isLive: (rig) => at(dashboard(rig, "GET", TOTAL_TLS), "certificate_authority") === "lets_encrypt",
        // The service refuses another change while it carries out the last one.
        ends: ["conflict", "done", "failed"],
      },
    ],
    writes: ["POST /acm/total_tls"],
  },
  {
    what: "replace a certificate pack",
    address: 'certificate_pack["*.saas.net,saas.net"]',
    before: pack("google"),
    after: pack("ssl_com"),
    edits: [BRAND_PACK],
    writes: ["POST /ssl/certificate_packs/order", "DELETE /ssl/certificate_packs/*"],
  },
  {
    what: "delete a certificate pack",
    address: 'certificate_pack["*.saas.net,saas.net"]',
    before: pack("google"),
    after: { certificate_packs: [] },
    edits: [{ ...BRAND_PACK, ends: ["conflict"] }],
    writes: ["DELETE /ssl/certificate_packs/*"],
  },
  {
    what: "migrate the WAF with its entry point, overrides first",
    address: "waf_migration",
    zone: { plan: "business", waf: { migration: "start", uri_overrides: [members(PLANNED_OVERRIDE)] } },
    after: { entry_points: { http_request_firewall_managed: { rules: [rule("managed")] } }, waf_migration: MIGRATION },
    budget: "3%",
    edits: WAF_EDITS,
    writes: ["DELETE /firewall/waf/overrides/*", "PUT /rulesets/phases/http_request_firewall_managed/entrypoint"],
  },
  {
    what: "migrate the WAF to what the service derives, overrides first",
    address: "waf_migration",
    zone: { plan: "business", waf: { migration: "start", uri_overrides: [members(PLANNED_OVERRIDE)] } },
    after: { waf_migration: MIGRATION },
    budget: "3%",
    edits: WAF_EDITS,
    writes: ["DELETE /firewall/waf/overrides/*", "PUT /rulesets/phases/http_request_firewall_managed/entrypoint"],
  },
];
