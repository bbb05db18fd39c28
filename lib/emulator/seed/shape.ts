import type { JsonObject } from "../json.ts";
import type { Plan } from "../store.ts";
import type { ActionMode, MigrationState, Sensitivity } from "../waf/previous-waf.ts";
import type { DnsAnswer, Traffic } from "../world.ts";

// The types of seed.schema.json, which says what each key means, and its default. tests/unit/emulator/seed/shape.test.ts checks that
// they are equal.

/** What a service starts with. A seed in YAML or JSON has the same keys. */
export interface Seed {
  readonly random_seed?: number;
  readonly accounts?: readonly SeedAccount[];
  readonly tokens?: readonly SeedToken[];
  readonly zones?: readonly SeedZone[];
  readonly world?: {
    readonly dns?: Readonly<Record<string, DnsAnswer>>;
    readonly http?: Readonly<Record<string, string>>;
    readonly traffic?: Readonly<Record<string, SeedTraffic>>;
  };
}

/** An account. */
export interface SeedAccount {
  readonly id?: string;
  readonly name?: string;
  readonly issuance_per_minute?: number;
  readonly api_requests?: number;
  readonly api_window_seconds?: number;
}

/** A credential: an API token, or a global key when it has an e-mail address. */
export interface SeedToken {
  readonly value: string;
  readonly permissions?: "all" | "read" | readonly string[];
  readonly status?: "active" | "disabled" | "expired";
  readonly email?: string;
  readonly user?: string;
  readonly account?: string;
  readonly zones?: readonly string[];
}

/** A zone. */
export interface SeedZone {
  readonly id: string;
  readonly name: string;
  readonly plan?: Plan;
  readonly hides_plan?: boolean;
  readonly account?: string;
  readonly validation?: "automatic" | "world";
  readonly quota?: { readonly allocated?: number; readonly hard_cap?: number };
  readonly grants?: {
    readonly custom_metadata?: boolean;
    readonly custom_origin?: boolean;
    readonly certificate_manager?: boolean;
    readonly certificate_packs?: number;
  };
  readonly dns_records?: readonly SeedRecord[];
  readonly fallback_origin?: string;
  readonly apex_addresses?: readonly string[];
  readonly universal?: { readonly enabled?: boolean; readonly issued_by?: string };
  readonly certificate_packs?: readonly SeedPack[];
  readonly custom_certificates?: readonly SeedCustomCertificate[];
  readonly total_tls?: { readonly enabled?: boolean; readonly certificate_authority?: string };
  readonly hold?: "zone" | "subdomains";
  readonly custom_hostnames?: readonly SeedHostname[];
  readonly generate?: readonly SeedGenerator[];
  readonly rulesets?: readonly SeedRuleset[];
  readonly waf?: SeedWaf;
}

/** A DNS record of a zone. */
export interface SeedRecord {
  readonly type: string;
  readonly name: string;
  readonly content: string;
  readonly proxied?: boolean;
  readonly ttl?: number;
}

/** An advanced certificate pack that is active. */
export interface SeedPack {
  readonly hosts?: readonly string[];
  readonly certificate_authority?: string;
  readonly validity_days?: number;
  readonly issued_at?: string;
}

/** A certificate that the owner uploaded, without its bytes. */
export interface SeedCustomCertificate {
  readonly hosts?: readonly string[];
  readonly certificate_authority?: string;
  readonly bundle_method?: "ubiquitous" | "optimal" | "force";
  readonly chain?: "cross-signed" | "self-signed" | "own";
  readonly type?: "legacy_custom" | "sni_custom";
  readonly uploaded_at?: string;
  readonly expires_at?: string;
}

/** What a single hostname and a generator of hostnames have in common. */
interface SeedHostnameTraits {
  readonly status?: "active" | "pending" | "moved";
  readonly ssl?: JsonObject | null;
  readonly custom_origin_server?: string;
  readonly custom_metadata?: JsonObject;
  readonly issued_by?: string;
  readonly issued_at?: string;
}

/** A custom hostname. */
export interface SeedHostname extends SeedHostnameTraits {
  readonly hostname: string;
  readonly id?: string;
}

/** Many custom hostnames at once: `{n}` in the pattern becomes 1, 2, … `count`. */
export interface SeedGenerator extends SeedHostnameTraits {
  readonly count?: number;
  readonly pattern: string;
}

/** A ruleset. */
export interface SeedRuleset {
  readonly phase: string;
  readonly kind?: "zone" | "custom";
  readonly name?: string;
  readonly description?: string;
  readonly rules?: readonly JsonObject[];
}

/** A zone's previous managed rules, and how far it has migrated. The new rules are rulesets. */
export interface SeedWaf {
  readonly migration?: MigrationState;
  readonly enabled?: boolean;
  readonly owasp?: { readonly sensitivity?: Sensitivity | "default"; readonly action_mode?: ActionMode };
  readonly groups?: Readonly<Record<string, "on" | "off">>;
  readonly rules?: Readonly<Record<string, string>>;
  readonly uri_overrides?: readonly JsonObject[];
  readonly firewall_rules?: readonly JsonObject[];
  readonly page_rules?: readonly SeedPageRule[];
}

/** A page rule. If the page rules have no priorities, the first has the highest. */
export interface SeedPageRule {
  readonly url: string;
  readonly id?: string;
  readonly priority?: number;
  readonly status?: "active" | "disabled";
  readonly waf?: "on" | "off";
  readonly disable_security?: boolean;
  readonly actions?: readonly JsonObject[];
}

/** Who visits a hostname. */
export type SeedTraffic = Partial<Traffic>;
