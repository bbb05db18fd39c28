import type { Core } from "../core.ts";
import { readRecord } from "../dns-records.ts";
import { ServiceError } from "../messages.ts";
import { derive } from "../ids.ts";
import { InputError, type InputFault } from "../input.ts";
import type { JsonObject } from "../json.ts";
import { readRules } from "../rulesets/rule-input.ts";
import { zoneOwner } from "../rulesets/owner.ts";
import { settleRules } from "../rulesets/ruleset.ts";
import { emptyAccount, emptyZone, type Account, type Zone } from "../store.ts";
import { refuseEarlyRules } from "../waf/migration.ts";
import { usualWaf } from "../waf/previous-waf.ts";
import { plantCertificates, plantHostname } from "./plant-certificates.ts";
import { plantWaf } from "./plant-waf.ts";
import type { Seed, SeedAccount, SeedRuleset, SeedToken, SeedZone } from "./shape.ts";

/** Puts the seed into an empty store and world. Throws an InputError with every contradiction in it. */
export function plant(core: Core, seed: Seed): void {
  const faults: InputFault[] = [];
  const accounts = seed.accounts === undefined || seed.accounts.length === 0 ? [{}] : seed.accounts;
  const planted = accounts.map((account, index) => plantAccount(core, account, index));
  const first = planted[0];
  if (first === undefined) return;
  for (const [index, token] of (seed.tokens ?? []).entries())
    attempt(faults, `tokens[${index}]`, () => plantToken(core, token, first));
  for (const [name, answer] of Object.entries(seed.world?.dns ?? {})) core.world.dns.set(name.toLowerCase(), answer);
  for (const [url, body] of Object.entries(seed.world?.http ?? {})) core.world.http.set(url, body);
  for (const [name, traffic] of Object.entries(seed.world?.traffic ?? {}))
    core.world.traffic.set(name.toLowerCase(), { impacted_clients: false, ...traffic });
  for (const [index, zone] of (seed.zones ?? []).entries())
    attempt(faults, `zones[${index}]`, () => plantZone(core, zone, first, `zones[${index}]`, faults));
  if (faults.length > 0) throw new InputError(...faults);
}

/** Collects the faults of one part, so that the others are checked too. What the API would refuse is a fault. */
function attempt(faults: InputFault[], at: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    if (error instanceof ServiceError) faults.push({ at, problem: `would be refused by Cloudflare: ${error.message}` });
    else if (error instanceof InputError)
      faults.push(...error.faults.map((fault) => ({ ...fault, at: below(at, fault.at) })));
    else throw error;
  }
}

function below(at: string, inner: string): string {
  return inner === "" ? at : `${at}.${inner}`;
}

/** Puts an account into the store. */
export function plantAccount(core: Core, seed: SeedAccount, index: number, creator?: string): Account {
  const account = emptyAccount({
    id: seed.id ?? derive(`account ${index}`).slice(0, 32),
    name: seed.name ?? `account ${index + 1}`,
    ...(creator === undefined ? {} : { creator }),
    issuancePerMinute: seed.issuance_per_minute ?? 15,
    apiLimit: { requests: seed.api_requests ?? 1200, windowSeconds: seed.api_window_seconds ?? 300 },
  });
  core.store.accounts.set(account.id, account);
  return account;
}

function plantToken(core: Core, seed: SeedToken, first: Account): void {
  core.store.tokens.set(seed.value, {
    id: derive(`token ${seed.value}`).slice(0, 32),
    value: seed.value,
    kind: seed.email === undefined ? "token" : "key",
    email: seed.email?.toLowerCase() ?? null,
    user: seed.user ?? seed.value,
    accountId: knownAccount(core, seed.account, first),
    permissions: seed.permissions ?? "all",
    status: seed.status ?? "active",
    zones: seed.zones ?? null,
  });
}

/** Puts a zone into the store. A part of it that is wrong becomes a fault. */
export function plantZone(core: Core, seed: SeedZone, first: Account, at: string, faults: InputFault[]): void {
  const zone = zoneOf(core, seed, first);
  if (core.store.zones.has(zone.id))
    throw new InputError({
      at: "id",
      problem: "is also the id of another zone",
      remedy: "give each zone an id of its own",
    });
  core.store.zones.set(zone.id, zone);
  const each = <T>(name: string, parts: readonly T[] | undefined, act: (part: T) => void): void => {
    for (const [index, part] of (parts ?? []).entries()) attempt(faults, `${at}.${name}[${index}]`, () => act(part));
  };
  each("dns_records", seed.dns_records, (record) => plantRecord(core, zone, { ...record }));
  plantCertificates(core, zone, seed);
  each("custom_hostnames", seed.custom_hostnames, (hostname) => plantHostname(core, zone, hostname));
  each("generate", seed.generate, ({ count = 1, pattern, ...traits }) => {
    for (let n = 1; n <= count; n++)
      plantHostname(core, zone, { ...traits, hostname: pattern.replaceAll("{n}", String(n)) });
  });
  attempt(faults, `${at}.waf`, () => plantWaf(core, zone, seed.waf ?? {}));
  each("rulesets", seed.rulesets, (ruleset) => plantRuleset(core, zone, ruleset));
}

function zoneOf(core: Core, seed: SeedZone, first: Account): Zone {
  const now = core.clock.now();
  const isEnterprise = (seed.plan ?? "enterprise") === "enterprise";
  return emptyZone({
    id: seed.id,
    name: seed.name.toLowerCase(),
    plan: seed.plan ?? "enterprise",
    ...(seed.hides_plan === true ? { hidesPlan: true } : {}),
    accountId: knownAccount(core, seed.account, first),
    createdAt: now,
    validation: seed.validation ?? "automatic",
    quota: {
      allocated: seed.quota?.allocated ?? (isEnterprise ? 50_000 : 100),
      hardCap: seed.quota?.hard_cap ?? (isEnterprise ? 1_000_000 : 50_000),
    },
    grants: {
      customMetadata: seed.grants?.custom_metadata ?? true,
      customOrigin: seed.grants?.custom_origin ?? true,
      certificateManager: seed.grants?.certificate_manager ?? isEnterprise,
      certificatePacks: seed.grants?.certificate_packs ?? 100,
    },
    fallbackOrigin:
      seed.fallback_origin === undefined
        ? null
        : { origin: seed.fallback_origin, status: "active", errors: [], createdAt: now, updatedAt: now, dueAt: null },
    apexAddresses: seed.apex_addresses ?? [],
    universal: { enabled: seed.universal?.enabled ?? true },
    totalTls: {
      enabled: seed.total_tls?.enabled ?? false,
      authority: seed.total_tls?.certificate_authority ?? "google",
      jobEndsAt: 0,
    },
    hold: { held: seed.hold !== undefined, includeSubdomains: seed.hold === "subdomains", after: null },
    purges: [],
    waf: usualWaf("start", now),
  });
}

function plantRecord(core: Core, zone: Zone, seed: JsonObject): void {
  const now = core.clock.now();
  const id = core.ids.hex(32);
  zone.records.set(id, { id, ...readRecord(zone, { priority: 10, ...seed }, now), createdAt: now, modifiedAt: now });
}

function plantRuleset(core: Core, zone: Zone, seed: SeedRuleset): void {
  const now = core.clock.now();
  const id = core.ids.hex(32);
  const owner = zoneOwner(zone, core.store.accounts.get(zone.accountId));
  const sent = readRules([...(seed.rules ?? [])], owner, seed.phase);
  const rules = settleRules([], sent, { ids: core.ids, now });
  const kind = seed.kind ?? "zone";
  refuseEarlyRules(zone, { kind, phase: seed.phase }, sent);
  const first = { version: 1, description: seed.description ?? "", rules, updatedAt: now };
  zone.rulesets.set(id, { id, name: seed.name ?? "default", kind, phase: seed.phase, versions: [first] });
}

function knownAccount(core: Core, id: string | undefined, first: Account): string {
  if (id === undefined) return first.id;
  if (!core.store.accounts.has(id)) throw noAccount(id);
  return id;
}

function noAccount(id: string): InputError {
  const problem = `is ${JSON.stringify(id)}, which is not the id of an account`;
  return new InputError({ at: "account", problem, remedy: "declare the account under accounts, or remove this key" });
}
