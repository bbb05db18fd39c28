import type { CertificatePack, CustomCertificate, CustomCsr, Notice } from "./certificates/certificate.ts";
import { createHostnames, type Hostnames } from "./custom-hostnames/custom-hostname.ts";
import { createHistory, type History } from "./history.ts";
import type { Json, JsonObject } from "./json.ts";
import type { RequestLimit } from "./limits.ts";
import type { Ruleset } from "./rulesets/ruleset.ts";
import type { Waf } from "./waf/previous-waf.ts";

/** The plans of zones, cheapest first. */
export const PLANS = ["free", "pro", "business", "enterprise"] as const;

/** A zone's plan. */
export type Plan = (typeof PLANS)[number];

/** An account. It owns zones, and has limits. */
export interface Account {
  readonly id: string;
  name: string;
  /** The user who created it by API; absent in a seed. */
  readonly creator?: string;
  settings?: JsonObject;
  /** How many certificates it may order in a minute; usually 15 (docs/service.md#issuance-limit). */
  issuancePerMinute: number;
  apiLimit: RequestLimit;
  readonly rulesets: Map<string, Ruleset>;
  readonly lists: Map<string, RulesList>;
  readonly operations: Map<string, ListOperation>;
  /** How the list of its rulesets looked before the last writes. */
  readonly history: History;
}

/** An item of a list. Times are milliseconds since the epoch. */
export interface ListItem {
  readonly id: string;
  /** What identifies it, under the name of the list's kind. */
  readonly value: Json;
  readonly comment: string | undefined;
  readonly createdAt: number;
  readonly modifiedAt: number;
}

/** A list of an account, which expressions name as `$name` (docs/service.md#lists). */
export interface RulesList {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  description: string;
  items: readonly ListItem[];
  readonly createdAt: number;
  modifiedAt: number;
}

/** A change of items, which takes effect at a time. */
export interface ListOperation {
  readonly id: string;
  readonly listId: string;
  readonly at: number;
  readonly items: readonly ListItem[];
  isDone: boolean;
}

/** Creates an account without any objects. */
export function emptyAccount(account: Omit<Account, AccountCollection>): Account {
  return { ...account, rulesets: new Map(), lists: new Map(), operations: new Map(), history: createHistory() };
}

/** The members of an account that are collections. */
export type AccountCollection = "rulesets" | "lists" | "operations" | "history";

/** A credential: an API token, or a global key with its e-mail address. */
export interface Token {
  readonly id: string;
  readonly value: string;
  readonly kind: "token" | "key";
  readonly email: string | null;
  /** Credentials of one user share one request limit (docs/service.md#rate-limits). */
  readonly user: string;
  readonly accountId: string;
  /** `read` may only read; a list names permission groups, such as "DNS Write" (docs/service.md#permissions). */
  permissions: "all" | "read" | readonly string[];
  status: "active" | "disabled" | "expired";
  /** The ids of the zones that it may access; null for all. */
  readonly zones: readonly string[] | null;
  /** What was said of a token that was created by API; absent in a seed. Times are milliseconds since the epoch. */
  readonly created?: {
    readonly name: string;
    readonly policies: JsonObject[];
    readonly condition?: Json | undefined;
    readonly notBefore?: string | undefined;
    readonly expiresOn?: string | undefined;
    readonly issuedAt: number;
    readonly modifiedAt: number;
  };
}

/** A DNS record of a zone. Times are milliseconds since the epoch. */
export interface DnsRecord {
  readonly id: string;
  type: string;
  name: string;
  content: string;
  /** The members of the content, for a type that has any. */
  data?: JsonObject | undefined;
  /** For the types that have one beside the content, such as MX. */
  priority?: number | undefined;
  settings?: JsonObject | undefined;
  proxied: boolean;
  /** In seconds; 1 lets the service choose. */
  ttl: number;
  comment: string | null;
  tags: string[];
  /** When the comment and the tags were last changed; absent without any. */
  commentModifiedAt?: number | undefined;
  tagsModifiedAt?: number | undefined;
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
  /** Whether it also blocks custom hostnames below the zone (docs/service.md#hostname-lifecycle). */
  includeSubdomains: boolean;
  /** When a suspended hold resumes, in milliseconds since the epoch; null if it is not suspended. */
  after: number | null;
}

/** An accepted purge; `at` in milliseconds since the epoch. */
export interface Purge {
  readonly at: number;
  readonly by: "files" | "tags" | "hosts" | "prefixes" | "purge_everything";
  readonly items: readonly string[];
}

/** A TLS setting of one name. Times are milliseconds since the epoch. */
export interface HostnameSetting {
  readonly value: Json;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A CA certificate that the owner uploaded, so that the service trusts origins with certificates of it. */
export interface TrustedAuthority {
  readonly certificate: string;
  readonly uploadedAt: number;
}

/** A zone and everything in it. */
export interface Zone {
  readonly id: string;
  readonly name: string;
  plan: Plan;
  /** Whether the zone's own view leaves out its plan, which is deprecated there. The subscription still shows it. */
  readonly hidesPlan?: boolean;
  readonly accountId: string;
  readonly createdAt: number;
  /** A zone that was created by API is pending until its name servers are checked; absent in a seed, which is active. */
  status?: "pending" | "active";
  paused?: boolean;
  type?: "full" | "partial" | "secondary" | "internal";
  /** `automatic`: a name that the world's DNS does not have points at this zone. `world`: only the world's DNS decides. */
  validation: "automatic" | "world";
  quota: { allocated: number; hardCap: number };
  grants: Grants;
  fallbackOrigin: FallbackOrigin | null;
  /** Addresses that an apex may point at instead of a CNAME. */
  apexAddresses: readonly string[];
  universal: { enabled: boolean };
  /** `jobEndsAt`: when the service finishes the last change, in milliseconds since the epoch. */
  totalTls: { enabled: boolean; authority: string; jobEndsAt: number };
  hold: Hold;
  /** The settings that were changed, by name. Times are milliseconds since the epoch. */
  settings?: Readonly<Record<string, { readonly value: Json; readonly modifiedAt: number }>>;
  /** TLS settings of single names of the zone, by setting and name. */
  hostnameSettings?: Readonly<Record<string, Readonly<Record<string, HostnameSetting>>>>;
  /** The CAs that the zone trusts for its origins, by id. */
  trustStore?: Readonly<Record<string, TrustedAuthority>>;
  purges: Purge[];
  readonly waf: Waf;
  readonly hostnames: Hostnames;
  readonly records: Map<string, DnsRecord>;
  readonly rulesets: Map<string, Ruleset>;
  readonly packs: Map<string, CertificatePack>;
  /** The certificates that the owner uploaded for the zone. */
  readonly uploads: Map<string, CustomCertificate>;
  /** How the lists looked before their last writes. */
  readonly histories: { readonly [list in "records" | "rulesets" | "packs" | "uploads" | "csrs"]: History };
}

/** Everything the service remembers. */
export interface Store {
  readonly accounts: Map<string, Account>;
  /** By token value. */
  readonly tokens: Map<string, Token>;
  readonly zones: Map<string, Zone>;
  readonly csrs: Map<string, CustomCsr>;
  /** The e-mails that the service sent. */
  readonly notices: Map<string, Notice>;
}

/** Creates an empty store. */
export function createStore(): Store {
  return { accounts: new Map(), tokens: new Map(), zones: new Map(), csrs: new Map(), notices: new Map() };
}

/** The members of a zone that are collections. */
export type ZoneCollection = "hostnames" | "records" | "rulesets" | "packs" | "uploads" | "histories";

/** Creates a zone without any objects. */
export function emptyZone(zone: Omit<Zone, ZoneCollection>): Zone {
  return {
    ...zone,
    hostnames: createHostnames(),
    records: new Map(),
    rulesets: new Map(),
    packs: new Map(),
    uploads: new Map(),
    histories: {
      records: createHistory(),
      rulesets: createHistory(),
      packs: createHistory(),
      uploads: createHistory(),
      csrs: createHistory(),
    },
  };
}
