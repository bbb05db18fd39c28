import fc from "fast-check";
import { isObject, type JsonObject } from "../../lib/core/json.ts";
import type { SeedHostname, SeedZone } from "../../lib/emulator.ts";
import { dnsRecords, FALLBACK, type FileContent, NO_LIMITS, ZONE } from "../support/engine.ts";
import { type EntryPoint, entryPoint, liveRules, PHASES, type Phase } from "./entry-point-values.ts";
import { baseline, entryValues, metadata, overlay, overlayOfOne } from "./hostname-values.ts";
import { type NamedHostname, namesOf, type Setting, setting } from "./setting.ts";

/** A policy or an exception as the YAML has it. */
export interface Rule extends JsonObject {
  readonly set: JsonObject;
}

/** An entry of `custom_hostnames`. */
export interface Entry extends JsonObject {
  readonly hostname: string;
}

/** One configuration, before it is text. */
export interface Configuration {
  readonly lifecycle: "zoneform" | "app";
  readonly fallback: string | undefined;
  readonly entries: readonly Entry[];
  readonly rows: readonly Row[];
  readonly policies: readonly Rule[];
  readonly exceptions: readonly Rule[];
  readonly more: JsonObject;
  readonly entryPoints: Readonly<Partial<Record<Phase, EntryPoint>>>;
  readonly totalTls: JsonObject | undefined;
  readonly checks: readonly JsonObject[];
}

/** A row of the source. Empty cells are unset. */
export interface Row {
  readonly domain: string;
  readonly pool: string;
  readonly tier: string;
  readonly region: string;
}

/** A zone of the service with its live objects, and configurations for it. */
export interface Scenario {
  readonly setting: Setting;
  readonly live: Partial<SeedZone>;
  readonly first: Configuration;
  readonly second: Configuration;
}

/** Zones with two configurations, one after the other. */
export const scenario: fc.Arbitrary<Scenario> = setting.chain((drawn) =>
  liveZone(drawn).chain((live) => {
    const ours = configuration(drawn, live);
    return fc.record({ setting: fc.constant(drawn), live: fc.constant(live), first: ours, second: ours });
  }),
);

/** The files of a configuration. */
export function filesOf(configuration: Configuration): Readonly<Record<string, FileContent>> {
  const { rows } = configuration;
  const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = rows.map(({ domain, pool, tier, region }) => [domain, pool, tier, region].map(cell).join(","));
  const source = {
    csv: "data/customers.csv",
    fields: { hostname: "domain", custom_origin_server: "pool", "custom_metadata.tier": "tier" },
    labels: { region: "region" },
    // As many rows as there are: that confirms that the file is complete.
    complete: { min_rows: rows.length },
  };
  return {
    "zoneform.yaml": {
      version: 1,
      project: "rig",
      zones: ["zones/*.yaml"],
      budget: { api: "100%", issuance: { per_minute: 100_000, reserve: 0 } },
      deletion_limits: NO_LIMITS,
      ...(rows.length === 0 ? {} : { sources: { customers: source } }),
    },
    "zones/a.yaml": zoneFile(configuration),
    "data/customers.csv": ["domain,pool,tier,region", ...lines, ""].join("\n"),
  };
}

function zoneFile(configuration: Configuration): object {
  const { lifecycle, fallback, entries, rows, policies, exceptions, more, entryPoints, totalTls, checks } =
    configuration;
  const hostnames =
    lifecycle === "app" ? {} : { entries, ...(rows.length === 0 ? {} : { from: [{ source: "customers" }] }) };
  return {
    version: 1,
    zone: ZONE,
    ...(fallback === undefined ? {} : { fallback_origin: { origin: fallback } }),
    custom_hostnames: { lifecycle, ...more, ...hostnames, policies, exceptions },
    entry_points: entryPoints,
    ...(totalTls === undefined ? {} : { total_tls: totalTls }),
    checks,
  };
}

/** What is live before the first run. */
function liveZone(drawn: Setting): fc.Arbitrary<Partial<SeedZone>> {
  const names = [...namesOf(drawn).filter(({ isUploaded }) => !isUploaded), { hostname: "foreign.kappa.net" }];
  const hostnames = fc
    .shuffledSubarray(names, { maxLength: 5 })
    .chain((some) => fc.tuple(...some.map((name) => liveHostname(drawn, name))));
  const rulesets = fc.tuple(...PHASES.map((phase) => fc.option(liveRules(drawn, phase), { nil: undefined })));
  return fc
    .record({ hostnames, rulesets, fallback_origin: fc.option(fc.constant(FALLBACK), { nil: undefined }) })
    .map(({ hostnames, rulesets, fallback_origin }) => ({
      plan: drawn.plan,
      grants: { certificate_manager: true },
      waf: { migration: drawn.plan === "free" ? "default" : "complete" },
      dns_records: dnsRecords(),
      custom_hostnames: hostnames,
      rulesets: PHASES.flatMap((phase, index) => {
        const rules = rulesets[index];
        return rules === undefined ? [] : [{ phase, rules: rules.map(withIds) }];
      }),
      ...(fallback_origin === undefined ? {} : { fallback_origin }),
    }));
}

function liveHostname(drawn: Setting, name: NamedHostname): fc.Arbitrary<SeedHostname> {
  const hasMetadata = drawn.hasFeatures && name.isWildcard !== true;
  return fc
    .record({
      values: entryValues({ ...drawn, hasSsl: true }, { ...name }),
      hasSsl: fc.boolean(),
      status: fc.constantFrom("active" as const, "active" as const, "pending" as const, "moved" as const),
      custom_metadata: fc.option(metadata(), { nil: undefined }),
    })
    .map(({ values, hasSsl, status, custom_metadata }) => ({
      hostname: name.hostname,
      status,
      ssl: hasSsl || name.isLong ? liveSsl(values, name) : null,
      ...(typeof values["custom_origin_server"] === "string"
        ? { custom_origin_server: values["custom_origin_server"].toLowerCase() }
        : {}),
      ...(hasMetadata && custom_metadata ? { custom_metadata: { ...custom_metadata } } : {}),
    }));
}

function liveSsl({ ssl }: JsonObject, { isWildcard }: NamedHostname): { [key: string]: never } {
  const drawn = isObject(ssl) ? ssl : {};
  const written = JSON.stringify({ method: isWildcard ? "txt" : "http", type: "dv", ...drawn });
  return JSON.parse(written.replace('"default"', '""'));
}

/** The service knows managed rulesets only by id. */
function withIds(rule: JsonObject): { [key: string]: never } {
  const ids: readonly (readonly [string, string])[] = [
    ["cloudflare_managed", "efb7b8c949ac4650a09736fc376e9aee"],
    ["cloudflare_owasp_core", "4814384a9e5d4991b9815dcfc25d2f1f"],
    ["cloudflare_free_managed", "77454fe2d30c4220b5701f6fdfb893ba"],
  ];
  return JSON.parse(ids.reduce((text, [name, id]) => text.replaceAll(`"${name}"`, `"${id}"`), JSON.stringify(rule)));
}

function configuration(drawn: Setting, live: Partial<SeedZone>): fc.Arbitrary<Configuration> {
  return fc
    .shuffledSubarray([...namesOf(drawn)], { maxLength: 7 })
    .chain((names) => {
      const entries = fc.tuple(...names.map((name) => declaredHostname(drawn, name)));
      const isUsed = fc.option(fc.constant(true), { nil: false });
      return fc.record({
        isApp: fc.integer({ min: 0, max: 4 }).map((number) => number === 0),
        entries,
        fallback: fc.constantFrom(undefined, FALLBACK, "Fallback2.saas.net"),
        base: baseline(drawn),
        policies: fc.array(policy(drawn), { maxLength: 3 }),
        exceptions: fc.array(fc.tuple(fc.nat(), overlay(drawn)), { maxLength: 2 }),
        more: hostnameOptions(),
        managed: fc.option(entryPoint(drawn, "http_request_firewall_managed"), { nil: undefined }),
        custom: fc.option(entryPoint(drawn, "http_request_firewall_custom"), { nil: undefined }),
        totalTls: fc.option(totalTls(), { nil: undefined }),
        isChecked: isUsed,
      });
    })
    .map(({ isApp, entries, fallback, base, policies, exceptions, more, managed, custom, totalTls, isChecked }) => {
      const named = isApp
        ? (live.custom_hostnames ?? []).map(({ hostname }) => hostname)
        : entries.map(({ hostname }) => hostname);
      const rows = isApp ? [] : entries.flatMap(({ row }) => (row ? [row] : []));
      // Policies made the facts of live hostnames, so no policy may match what one sets.
      const isFedBack =
        (isApp || more["foreign"] === "adopt") &&
        setsFacts([{ set: base }, ...policies, ...exceptions.map(([, set]) => ({ set }))]);
      const hasRegions = rows.length > 0 || entries.some(({ entry }) => entry?.["labels"] !== undefined && !isApp);
      return {
        lifecycle: isApp ? "app" : "zoneform",
        fallback,
        entries: isApp ? [] : entries.flatMap(({ entry }) => (entry ? [entry] : [])),
        rows,
        policies: withNames(
          drawn,
          base,
          policies.filter((each) => (hasRegions || !looksAt(each, "label.")) && !(isFedBack && looksAtValues(each))),
        ),
        exceptions: exceptions.flatMap(([index, set]) => {
          const hostname = named[index % Math.max(1, named.length)];
          return hostname === undefined ? [] : [{ match: { hostname }, set, reason: "EDGE-1" }];
        }),
        more,
        entryPoints: {
          ...(managed ? { http_request_firewall_managed: managed } : {}),
          ...(custom ? { http_request_firewall_custom: custom } : {}),
        },
        totalTls,
        checks: isChecked
          ? [{ name: "no-lets-encrypt", deny: { certificate_authority: "lets_encrypt" }, in: ["live"] }]
          : [],
      };
    });
}

function looksAt({ match }: Rule, fact: string): boolean {
  return JSON.stringify(match ?? {}).includes(fact);
}

function setsFacts(rules: readonly Rule[]): boolean {
  return rules.some(({ set }) => set["custom_metadata"] !== undefined || set["custom_origin_server"] !== undefined);
}

function looksAtValues(rule: Rule): boolean {
  return looksAt(rule, "metadata.") || looksAt(rule, "custom_origin_server");
}

interface Declared {
  readonly hostname: string;
  readonly entry?: Entry;
  readonly row?: Row;
}

/** A hostname as an entry, or as a row of the source if its name needs nothing special. */
function declaredHostname(drawn: Setting, name: NamedHostname): fc.Arbitrary<Declared> {
  const { hostname } = name;
  const isPlain = !name.isLong && !name.isWildcard && !name.isUploaded;
  const region = fc.constantFrom("eu", "us", "");
  const entry = fc
    .tuple(
      entryValues(drawn, name),
      fc.option(
        region.map((text) => ({ labels: { region: text } })),
        { nil: {} },
      ),
    )
    .map(([values, labels]) => ({ hostname, entry: { hostname: hostname.toUpperCase(), ...labels, ...values } }));
  const row = fc
    .record({
      pool: fc.constantFrom("", "origin1.saas.net", "ORIGIN2.saas.net"),
      tier: drawn.hasFeatures ? fc.constantFrom("", "gold", "silver", "two, three") : fc.constant(""),
      region,
    })
    .map((cells) => ({ hostname, row: { domain: hostname, ...cells } }));
  return isPlain ? fc.oneof(entry, row) : entry;
}

function policy(drawn: Setting): fc.Arbitrary<Rule> {
  const match = fc.constantFrom<JsonObject>(
    {},
    { hostname: "*.net" },
    { hostname: ["app.*", "shop.beta.org"] },
    { wildcard: false },
    { "metadata.tier": "gold" },
    { "metadata.tier": ["gold", "silver"], hostname: "*a*" },
    { "label.region": "eu" },
    { custom_origin_server: "origin1.saas.net" },
  );
  const plain = fc.tuple(match, overlay(drawn)).map(([match, set]) => ({ match, set }));
  const ofOne = fc
    .tuple(match, overlayOfOne(drawn))
    .map(([match, set]) => ({ match: { ...match, wildcard: false }, set }));
  return fc.oneof(plain, ofOne);
}

/** The base first, and last the rule that wildcards are validated by txt. */
function withNames(drawn: Setting, base: JsonObject, policies: readonly Rule[]): readonly Rule[] {
  const last = drawn.hasSsl ? [{ name: "wildcards", match: { wildcard: true }, set: { ssl: { method: "txt" } } }] : [];
  return [{ name: "base", set: base }, ...policies.map((each, index) => ({ name: `p${index}`, ...each })), ...last];
}

function hostnameOptions(): fc.Arbitrary<JsonObject> {
  return fc.record(
    {
      foreign: fc.constantFrom("ignore", "report", "adopt"),
      when_expired: fc.constantFrom("report", "create"),
      ssl_updates: fc.constantFrom("when_active", "always"),
    },
    { requiredKeys: [] },
  );
}

function totalTls(): fc.Arbitrary<JsonObject> {
  const authority = fc.constantFrom("google", "lets_encrypt", "ssl_com");
  return fc.tuple(fc.boolean(), fc.option(authority, { nil: undefined })).map(([enabled, certificate_authority]) => ({
    enabled,
    ...(certificate_authority === undefined ? {} : { certificate_authority }),
  }));
}
