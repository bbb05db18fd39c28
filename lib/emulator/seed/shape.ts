import type { JsonObject } from "../json.ts";
import type { Plan } from "../store.ts";
import type { ActionMode, MigrationState, Sensitivity } from "../waf/record.ts";
import type { DnsAnswer, Traffic } from "../world.ts";

/** An account. */
export interface SeedAccount {
  readonly id?: string;
  readonly name?: string;
  /** Certificates per minute; 15 when absent. */
  readonly issuance_per_minute?: number;
  /** Requests in one window, per user; 1200 when absent. */
  readonly api_requests?: number;
  /** Length of the window; 300 when absent. */
  readonly api_window_seconds?: number;
}

/** A credential: an API token, or a global key when it has an e-mail address. */
export interface SeedToken {
  readonly value: string;
  /** `all` when absent; `read` can only read; a list names permission groups, such as `DNS Write`. */
  readonly permissions?: "all" | "read" | readonly string[];
  readonly status?: "active" | "disabled" | "expired";
  readonly email?: string;
  /** Credentials of one user share one request limit; each is its own user when absent. */
  readonly user?: string;
  /** An account's id; the first when absent. */
  readonly account?: string;
  /** Ids of the zones that it reaches; all when absent. */
  readonly zones?: readonly string[];
}

/** A DNS record of a zone; `proxied` is false and `ttl` 1 (automatic) when absent. */
export interface SeedRecord {
  readonly type: string;
  readonly name: string;
  readonly content: string;
  readonly proxied?: boolean;
  readonly ttl?: number;
}

/** What a single hostname and a generator of hostnames have in common. */
export interface SeedHostnameTraits {
  /** `active` when absent. An active one has an active certificate, if it has `ssl`. */
  readonly status?: "active" | "pending" | "moved";
  /** As in the API's body; `{method: http, type: dv}` when absent, no certificate when null. */
  readonly ssl?: JsonObject | null;
  readonly custom_origin_server?: string;
  readonly custom_metadata?: JsonObject;
  /** The CA that issued the certificate, where that is not the chosen one. */
  readonly issued_by?: string;
  /** When it was issued, ISO 8601; now when absent. */
  readonly issued_at?: string;
}

/** An advanced certificate pack that is active. */
export interface SeedPack {
  /** The zone's name and one level below when absent. */
  readonly hosts?: readonly string[];
  /** `google` when absent. */
  readonly certificate_authority?: string;
  /** 90 when absent. */
  readonly validity_days?: number;
  /** ISO 8601; now when absent. */
  readonly issued_at?: string;
}

/** A certificate that the owner uploaded, without its bytes. */
export interface SeedCustomCertificate {
  readonly hosts: readonly string[];
  /** Who issued it; `lets_encrypt` when absent. */
  readonly certificate_authority?: string;
  /** `ubiquitous` (compatible) when absent, `optimal` (modern), or `force` (user-defined). */
  readonly bundle_method?: "ubiquitous" | "optimal" | "force";
  /** The chain that came with it; `own` when absent. */
  readonly chain?: "cross-signed" | "self-signed" | "own";
  /** `legacy_custom` when absent. */
  readonly type?: "legacy_custom" | "sni_custom";
  /** ISO 8601; now when absent. */
  readonly uploaded_at?: string;
  /** ISO 8601; 90 days after the upload when absent. */
  readonly expires_at?: string;
}

/** A custom hostname. */
export interface SeedHostname extends SeedHostnameTraits {
  readonly hostname: string;
  /** A UUID; the emulator makes one when it is absent. */
  readonly id?: string;
}

/** Many custom hostnames at once: `{n}` in the pattern becomes 1, 2, … `count`. */
export interface SeedGenerator extends SeedHostnameTraits {
  readonly count: number;
  /** Such as `app{n}.customers.net`. */
  readonly pattern: string;
}

/** A ruleset. */
export interface SeedRuleset {
  readonly phase: string;
  readonly kind?: "zone" | "custom";
  readonly name?: string;
  readonly description?: string;
  readonly rules: readonly JsonObject[];
}

/** A zone's managed rules of both versions, without the rulesets. */
export interface SeedWaf {
  /** `start` when absent, `default` (it never had the previous ones) with a free subscription. `validation` is for Enterprise only. */
  readonly migration?: MigrationState;
  /** The zone setting `waf`, the global switch of the previous managed rules; true when absent. */
  readonly enabled?: boolean;
  /** The OWASP package; no sensitivity is the row "Default" of the table (docs/service.md#what-migrates). */
  readonly owasp?: { readonly sensitivity?: Sensitivity; readonly action_mode?: ActionMode };
  /** `on` or `off` by the id or name of a group. */
  readonly groups?: Readonly<Record<string, "on" | "off">>;
  /** Modes by the id of a rule. */
  readonly rules?: Readonly<Record<string, string>>;
  /** As in the body of the API. */
  readonly uri_overrides?: readonly JsonObject[];
  /** As in the body of the API; `expression` may replace `filter`. */
  readonly firewall_rules?: readonly JsonObject[];
  readonly page_rules?: readonly SeedPageRule[];
}

/** A page rule. Without priorities, the first one has the highest. */
export interface SeedPageRule {
  /** With `*` for any text. */
  readonly url: string;
  readonly id?: string;
  readonly priority?: number;
  /** `active` when absent. */
  readonly status?: "active" | "disabled";
  readonly waf?: "on" | "off";
  readonly disable_security?: boolean;
  /** Other actions, as in the body of the API. */
  readonly actions?: readonly JsonObject[];
}

/** A zone. */
export interface SeedZone {
  /** 32 hexadecimal digits. */
  readonly id: string;
  readonly name: string;
  /** `enterprise` when absent. */
  readonly plan?: Plan;
  /** The zone's record leaves the plan out, which is deprecated there: only `/subscription` shows it. */
  readonly hides_plan?: boolean;
  readonly account?: string;
  /** `automatic` (when absent): names without an entry in the world's DNS point here; `world`: only the world decides. */
  readonly validation?: "automatic" | "world";
  /** 100 and 50,000 when absent; 50,000 and a million for Enterprise. */
  readonly quota?: { readonly allocated?: number; readonly hard_cap?: number };
  /** Each is true when absent. */
  readonly grants?: {
    readonly custom_metadata?: boolean;
    readonly custom_origin?: boolean;
    readonly certificate_manager?: boolean;
    /** How many advanced certificate packs there may be; 100 when absent. */
    readonly certificate_packs?: number;
  };
  readonly dns_records?: readonly SeedRecord[];
  /** The name of a record; it is active from the start. */
  readonly fallback_origin?: string;
  /** Addresses that an apex may point at instead of a CNAME; none when absent. */
  readonly apex_addresses?: readonly string[];
  /** Enabled when absent; issued by the CA that the service chooses, unless `issued_by` names one. */
  readonly universal?: { readonly enabled?: boolean; readonly issued_by?: string };
  readonly certificate_packs?: readonly SeedPack[];
  readonly custom_certificates?: readonly SeedCustomCertificate[];
  readonly total_tls?: { readonly enabled: boolean; readonly certificate_authority?: string };
  /** `zone`: held; `subdomains`: held, and subdomains blocked too. */
  readonly hold?: "zone" | "subdomains";
  readonly custom_hostnames?: readonly SeedHostname[];
  readonly generate?: readonly SeedGenerator[];
  readonly rulesets?: readonly SeedRuleset[];
  readonly waf?: SeedWaf;
}

/** Everything a service starts with. All of it can be written as YAML or JSON under the same names. */
export interface Seed {
  /** Decides every id that the service makes; 1 when absent. */
  readonly random_seed?: number;
  /** One with the defaults when absent. */
  readonly accounts?: readonly SeedAccount[];
  readonly tokens?: readonly SeedToken[];
  readonly zones?: readonly SeedZone[];
  /** The outside DNS by name, the outside HTTP bodies by URL, and the visitors. */
  readonly world?: {
    readonly dns?: Record<string, DnsAnswer>;
    readonly http?: Record<string, string>;
    /** Who sends requests, by name. */
    readonly traffic?: Record<string, Traffic>;
  };
}

/** The object without members that are undefined: in a seed absent and undefined mean the same. */
export function present<T extends object>(value: { [K in keyof T]: T[K] | undefined }): T;
export function present(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}
