import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readSeed } from "../../../../lib/emulator/seed/seed.ts";
import type {
  Seed,
  SeedCustomCertificate,
  SeedGenerator,
  SeedHostname,
  SeedPageRule,
  SeedRecord,
  SeedRuleset,
  SeedToken,
  SeedWaf,
  SeedZone,
} from "../../../../lib/emulator/seed/shape.ts";
import type { DnsAnswer } from "../../../../lib/emulator/world.ts";

/** A value with every key that its type has. */
type Full<T> = T extends string | number | boolean | null
  ? T
  : T extends readonly (infer E)[]
    ? readonly Full<E>[]
    : string extends keyof T
      ? { readonly [K in keyof T]: Full<T[K]> }
      : { readonly [K in keyof T]-?: Full<T[K]> };

/** The keys that a type requires, or the texts of a union: an object with too many or too few does not compile. */
type Required<T> = Record<{ [K in keyof T]-?: T extends Record<K, T[K]> ? K : never }[keyof T], true>;
type Choices<T> = Record<Extract<T, string>, true>;

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: Schema | false;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const schema: Schema = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../../lib/emulator/seed/seed.schema.json"), "utf8"),
);

const TRAITS = {
  status: "active",
  ssl: { method: "txt" },
  custom_origin_server: "pool.saas.dev",
  custom_metadata: { tier: "gold" },
  issued_by: "google",
  issued_at: "2026-11-21",
} as const;

const FULL: Full<Seed> = {
  random_seed: 1,
  accounts: [{ id: "a", name: "a", issuance_per_minute: 1, api_requests: 1, api_window_seconds: 1 }],
  tokens: [{ value: "t", permissions: "all", status: "active", email: "a@b.dev", user: "u", account: "a", zones: [] }],
  zones: [
    {
      id: "023e105f4ecef8ad9ca31a8372d0c353",
      name: "saas.dev",
      plan: "enterprise",
      hides_plan: false,
      account: "a",
      validation: "world",
      quota: { allocated: 1, hard_cap: 1 },
      grants: { custom_metadata: true, custom_origin: true, certificate_manager: true, certificate_packs: 1 },
      dns_records: [{ type: "A", name: "pool.saas.dev", content: "192.0.2.1", proxied: true, ttl: 1 }],
      fallback_origin: "pool.saas.dev",
      apex_addresses: ["192.0.2.1"],
      universal: { enabled: true, issued_by: "google" },
      certificate_packs: [{ hosts: [], certificate_authority: "google", validity_days: 90, issued_at: "2026-11-21" }],
      custom_certificates: [
        {
          hosts: [],
          certificate_authority: "google",
          bundle_method: "force",
          chain: "own",
          type: "sni_custom",
          uploaded_at: "2026-11-21T08:00Z",
          expires_at: "2026-11-21T08:00:00.5+01:00",
        },
      ],
      total_tls: { enabled: true, certificate_authority: "google" },
      hold: "zone",
      custom_hostnames: [{ hostname: "a.dev", id: "0d89c70d-ad9f-4843-b99f-6cc0252067e9", ...TRAITS }],
      generate: [{ count: 1, pattern: "a{n}.dev", ...TRAITS }],
      rulesets: [{ phase: "http_ratelimit", kind: "zone", name: "n", description: "d", rules: [{}] }],
      waf: {
        migration: "start",
        enabled: true,
        owasp: { sensitivity: "high", action_mode: "block" },
        groups: { php: "on" },
        rules: { "100000": "block" },
        uri_overrides: [{}],
        firewall_rules: [{}],
        page_rules: [
          { url: "a.dev/*", id: "p", priority: 1, status: "active", waf: "on", disable_security: true, actions: [{}] },
        ],
      },
    },
  ],
  world: {
    dns: {
      "a.dev": {
        cname: "saas.dev",
        a: [],
        txt: [],
        caa: [],
        caa_servfail: true,
        on_service: true,
        held: "zone",
        zone: true,
        elsewhere: true,
      },
    },
    http: { "http://a.dev/": "text" },
    traffic: { "a.dev": { impacted_clients: true } },
  },
};

const REQUIRED: Readonly<Record<string, Readonly<Record<string, true>>>> = {
  token: { value: true } satisfies Required<SeedToken>,
  zone: { id: true, name: true } satisfies Required<SeedZone>,
  dnsRecord: { type: true, name: true, content: true } satisfies Required<SeedRecord>,
  customHostname: { hostname: true } satisfies Required<SeedHostname>,
  generator: { pattern: true } satisfies Required<SeedGenerator>,
  ruleset: { phase: true } satisfies Required<SeedRuleset>,
  pageRule: { url: true } satisfies Required<SeedPageRule>,
};

const CHOICES: Readonly<Record<string, Readonly<Record<string, true>>>> = {
  "token.permissions": { all: true, read: true } satisfies Choices<SeedToken["permissions"]>,
  "token.status": { active: true, disabled: true, expired: true } satisfies Choices<SeedToken["status"]>,
  "zone.plan": { free: true, pro: true, business: true, enterprise: true } satisfies Choices<SeedZone["plan"]>,
  "zone.validation": { automatic: true, world: true } satisfies Choices<SeedZone["validation"]>,
  "zone.hold": { zone: true, subdomains: true } satisfies Choices<SeedZone["hold"]>,
  "customHostname.status": { active: true, pending: true, moved: true } satisfies Choices<SeedHostname["status"]>,
  "customCertificate.bundle_method": { ubiquitous: true, optimal: true, force: true } satisfies Choices<
    SeedCustomCertificate["bundle_method"]
  >,
  "customCertificate.chain": { "cross-signed": true, "self-signed": true, own: true } satisfies Choices<
    SeedCustomCertificate["chain"]
  >,
  "customCertificate.type": { legacy_custom: true, sni_custom: true } satisfies Choices<SeedCustomCertificate["type"]>,
  "ruleset.kind": { zone: true, custom: true } satisfies Choices<SeedRuleset["kind"]>,
  "waf.migration": { default: true, start: true, validation: true, complete: true } satisfies Choices<
    SeedWaf["migration"]
  >,
  "waf.owasp.sensitivity": { default: true, high: true, medium: true, low: true, off: true } satisfies Choices<
    NonNullable<SeedWaf["owasp"]>["sensitivity"]
  >,
  "waf.owasp.action_mode": { simulate: true, block: true, challenge: true } satisfies Choices<
    NonNullable<SeedWaf["owasp"]>["action_mode"]
  >,
  "pageRule.status": { active: true, disabled: true } satisfies Choices<SeedPageRule["status"]>,
  "pageRule.waf": { on: true, off: true } satisfies Choices<SeedPageRule["waf"]>,
  "dnsAnswer.held": { zone: true, subdomains: true } satisfies Choices<DnsAnswer["held"]>,
};

describe("the type of a seed and its schema", () => {
  test("have the same keys", () => {
    expect(keysOf(FULL)).toEqual(keysIn(schema));
    expect(readSeed(FULL)).toEqual(FULL);
  });

  test("require the same keys", () => {
    const required = Object.entries(schema.$defs ?? {}).filter(([, part]) => part.required !== undefined);
    expect(Object.fromEntries(required.map(([name, part]) => [name, part.required?.toSorted()]))).toEqual(
      Object.fromEntries(Object.entries(REQUIRED).map(([name, keys]) => [name, Object.keys(keys).toSorted()])),
    );
  });

  test.each(Object.entries(CHOICES))("have the same choices for %s", (path, choices) => {
    const [part = "", ...keys] = path.split(".");
    let found = schema.$defs?.[part] ?? {};
    for (const key of keys) found = resolved(found.properties?.[key] ?? {});
    expect((found.enum ?? found.anyOf?.[0]?.enum)?.toSorted()).toEqual(Object.keys(choices).toSorted());
  });
});

/** The paths of all keys, where `[]` stands for an item and `{}` for a key that is free. */
function keysIn(from: Schema, path = ""): readonly string[] {
  const { properties, items, additionalProperties } = resolved(from);
  const below = Object.entries(properties ?? {}).flatMap(([key, each]) => keysIn(each, `${path}.${key}`));
  const inside = items === undefined ? [] : keysIn(items, `${path}[]`);
  const free = typeof additionalProperties === "object" ? keysIn(additionalProperties, `${path}{}`) : [];
  const all = [...below, ...inside, ...free];
  return (all.length === 0 ? [path] : all).toSorted();
}

function keysOf(value: unknown): readonly string[] {
  const known = new Set(keysIn(schema));
  const found = new Set<string>();
  const walk = (from: unknown, path: string): void => {
    if (known.has(path)) found.add(path);
    else if (Array.isArray(from) && from.length === 0) found.add(`${path}[]`);
    else if (Array.isArray(from)) for (const item of from) walk(item, `${path}[]`);
    else if (typeof from !== "object" || from === null) found.add(path);
    else
      for (const [key, each] of Object.entries(from))
        walk(each, known.has(`${path}.${key}`) ? `${path}.${key}` : pathOf(key, path));
  };
  const pathOf = (key: string, path: string): string =>
    [...known].some((each) => each.startsWith(`${path}{}`)) ? `${path}{}` : `${path}.${key}`;
  walk(value, "");
  return [...found].toSorted();
}

function resolved(from: Schema): Schema {
  return from.$ref === undefined ? from : resolved(schema.$defs?.[from.$ref.replace("#/$defs/", "")] ?? {});
}
