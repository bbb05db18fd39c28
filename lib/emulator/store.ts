import type { CertificatePack, CustomCertificate, CustomCsr, Notice } from "./certificates/record.ts";
import { createHostnames, type Hostnames } from "./custom-hostnames/record.ts";
import { createHistory, type History } from "./history.ts";
import type { RequestLimit } from "./limits.ts";
import type { Ruleset } from "./rulesets/record.ts";
import type { Waf } from "./waf/record.ts";

/** A zone's plan, cheapest first. */
export const PLANS = ["free", "pro", "business", "enterprise"] as const;

/** A zone's plan. */
export type Plan = (typeof PLANS)[number];

/** An account: the owner of zones, and of the issuance limit (docs/service.md#issuance-limit). */
export interface Account {
  readonly id: string;
  readonly name: string;
  /** Certificates per minute; 15 unless the account team raised it. */
  issuancePerMinute: number;
  apiLimit: RequestLimit;
}

/** A credential: an API token, or a global key with its e-mail address. */
export interface Token {
  readonly id: string;
  readonly value: string;
  readonly kind: "token" | "key";
  readonly email: string | null;
  /** Credentials of one user share one request limit (docs/service.md#rate-limits). */
  readonly user: string;
  readonly accountId: string;
  /** `read` can only read; a list names permission groups, such as "DNS Write" (docs/service.md#permissions). */
  permissions: "all" | "read" | readonly string[];
  status: "active" | "disabled" | "expired";
  /** Zone ids it reaches; null for all. */
  readonly zones: readonly string[] | null;
}

/** A DNS record of a zone. Times are milliseconds since the epoch. */
export interface DnsRecord {
  readonly id: string;
  type: string;
  name: string;
  content: string;
  proxied: boolean;
  /** Seconds; 1 is automatic. */
  ttl: number;
  comment: string | null;
  tags: string[];
  readonly createdAt: number;
  modifiedAt: number;
}

/** Whether the record carries traffic for the name. */
export function serves(record: DnsRecord, name: string): boolean {
  return record.name === name && ORIGIN_TYPES.has(record.type);
}

const ORIGIN_TYPES: ReadonlySet<string> = new Set(["A", "AAAA", "CNAME"]);

/** A zone's fallback origin (docs/service.md#fallback-origin). Times are milliseconds since the epoch. */
export interface FallbackOrigin {
  origin: string;
  status: "pending_deployment" | "pending_deletion" | "active";
  errors: string[];
  readonly createdAt: number;
  updatedAt: number;
  dueAt: number | null;
}

/** What the service grants to a zone beyond its subscription. */
interface Grants {
  customMetadata: boolean;
  customOrigin: boolean;
  certificateManager: boolean;
  /** How many advanced certificate packs there may be. */
  certificatePacks: number;
}

/** A hold on a zone (docs/service.md#zone-holds). */
interface Hold {
  held: boolean;
  /** It also blocks subdomains, and so custom hostnames (docs/service.md#hostname-lifecycle). */
  includeSubdomains: boolean;
  /** When a suspended hold starts again, in milliseconds since the epoch. */
  after: number | null;
}

/** One purge that was accepted; `at` in milliseconds since the epoch. */
export interface Purge {
  readonly at: number;
  readonly by: "files" | "tags" | "hosts" | "prefixes" | "purge_everything";
  readonly items: readonly string[];
}

/** A zone and everything in it. */
export interface Zone {
  readonly id: string;
  readonly name: string;
  plan: Plan;
  /** The zone's record leaves out the plan, which is deprecated there: only the subscription shows it. */
  readonly hidesPlan?: boolean;
  readonly accountId: string;
  readonly createdAt: number;
  /** `automatic`: names without an entry in the world point at this zone; `world`: only the world decides. */
  validation: "automatic" | "world";
  quota: { allocated: number; hardCap: number };
  grants: Grants;
  fallbackOrigin: FallbackOrigin | null;
  /** Addresses that an apex may point at instead of a CNAME. */
  apexAddresses: readonly string[];
  universal: { enabled: boolean };
  /** `jobEndsAt`: until then (ms since the epoch) the service is working on the last change. */
  totalTls: { enabled: boolean; authority: string; jobEndsAt: number };
  hold: Hold;
  /** Settings that were changed, by name; times in milliseconds since the epoch. */
  settings?: Readonly<Record<string, { readonly value: string; readonly modifiedAt: number }>>;
  purges: Purge[];
  readonly waf: Waf;
  readonly hostnames: Hostnames;
  readonly records: Map<string, DnsRecord>;
  readonly rulesets: Map<string, Ruleset>;
  readonly packs: Map<string, CertificatePack>;
  /** The owner's own certificates. */
  readonly uploads: Map<string, CustomCertificate>;
  /** How the lists looked before their last writes. */
  readonly pasts: { readonly [list in "records" | "rulesets" | "packs" | "uploads" | "csrs"]: History };
}

/** Everything the service remembers. */
export interface Store {
  readonly accounts: Map<string, Account>;
  /** By token value. */
  readonly tokens: Map<string, Token>;
  readonly zones: Map<string, Zone>;
  readonly csrs: Map<string, CustomCsr>;
  /** The e-mail that the service sent. */
  readonly notices: Map<string, Notice>;
}

/** A store with nothing in it. */
export function createStore(): Store {
  return { accounts: new Map(), tokens: new Map(), zones: new Map(), csrs: new Map(), notices: new Map() };
}

/** The members of a zone that are collections. */
export type ZoneCollection = "hostnames" | "records" | "rulesets" | "packs" | "uploads" | "pasts";

/** A zone with nothing in it. */
export function emptyZone(zone: Omit<Zone, ZoneCollection>): Zone {
  return {
    ...zone,
    hostnames: createHostnames(),
    records: new Map(),
    rulesets: new Map(),
    packs: new Map(),
    uploads: new Map(),
    pasts: {
      records: createHistory(),
      rulesets: createHistory(),
      packs: createHistory(),
      uploads: createHistory(),
      csrs: createHistory(),
    },
  };
}
