import type { JsonObject } from "../core/json.ts";
import type { KindName } from "../kinds/kind.ts";

// What the files contain once they match their schemas; `tests/unit/config/document-types.test.ts` compares each type
// with its schema. Any top-level key may be missing: that is reported, but leaves nothing to remove.

/** `zoneform.yaml`. */
export type ProjectFile = {
  readonly version?: 1;
  readonly project?: string;
  readonly zones?: readonly string[];
  readonly deletion_limits?: DeletionLimitSections;
  readonly budget?: BudgetSection;
  readonly state?: StateSection;
  readonly sources?: Readonly<Record<string, SourceSection>>;
  readonly rules?: RulesSection;
};

/** How strictly expressions of rules are checked. */
export type RulesSection = {
  readonly unknown_fields?: "allow";
};

/** Where the states are, as far as a file of the repository may say it. */
export type StateSection = {
  readonly engine?: "local" | "postgres" | "s3" | "http";
  readonly schema?: string;
  readonly bucket?: string;
  readonly key?: string;
  readonly host?: string;
};

/** How much of the service's limits a run may use. */
export type BudgetSection = {
  readonly api?: string;
  readonly issuance?: string | IssuanceSection;
  readonly runners?: number;
};

/** How many certificates a run may order. */
export type IssuanceSection = {
  readonly per_minute?: number;
  readonly reserve?: number;
  readonly count_patches?: boolean;
};

/** A file of hostnames, and how to read it. */
export type SourceSection = {
  readonly csv?: string;
  readonly ndjson?: string;
  readonly delimiter?: "," | ";" | "\t";
  readonly fields: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly complete?: CompleteSection;
};

/** When a source counts as complete. */
export type CompleteSection = {
  readonly min_rows?: number;
  readonly max_shrink?: string;
};

/** A zone file or a layer. Kinds read their own sections (`Kind.section`), which are not listed here. */
export type ZoneFile = {
  readonly version?: 1;
  readonly zone?: { readonly id: string; readonly name: string };
  readonly use?: readonly string[];
  readonly custom_hostnames?: HostnamesSection;
  readonly deletion_limits?: DeletionLimitSections;
  readonly moved?: readonly MoveSection[];
  readonly forget?: readonly string[];
  readonly checks?: readonly CheckSection[];
};

/** How many objects a plan may delete, by kind. */
export type DeletionLimitSections = {
  readonly [kind in KindName]?: DeletionLimitSection;
};

/** How many objects of one kind a plan may delete. */
export type DeletionLimitSection = {
  readonly percent?: string;
  readonly count?: number;
};

/** How the custom hostnames of a zone are managed. */
export type HostnamesSection = {
  readonly lifecycle?: "zoneform" | "app" | null;
  readonly entries?: readonly EntrySection[];
  readonly from?: readonly FromSection[];
  readonly foreign?: "ignore" | "report" | "adopt" | null;
  readonly when_expired?: "report" | "create" | null;
  readonly ssl_updates?: "when_active" | "always" | null;
  readonly policies?: readonly PolicySection[];
  readonly exceptions?: readonly ExceptionSection[];
};

/** A hostname. */
export type EntrySection = {
  readonly hostname: string;
  readonly protect?: boolean | null;
  readonly labels?: Readonly<Record<string, string | null>> | null;
  readonly ssl?: JsonObject | null;
  readonly custom_origin_server?: string | null;
  readonly custom_origin_sni?: string | null;
  readonly custom_metadata?: JsonObject | null;
};

/** The rows of a source that are hostnames of the zone. */
export type FromSection = {
  readonly source: string;
  readonly where?: MatchSection;
};

/** Values for all hostnames that match. */
export type PolicySection = {
  readonly name: string;
  readonly match?: MatchSection;
  readonly set: JsonObject;
};

/** Values for single hostnames. */
export type ExceptionSection = {
  readonly match: MatchSection;
  readonly set: JsonObject;
  readonly reason?: string | null;
  readonly until?: string | null;
};

/** One text, or a list in which any item counts. */
export type Texts = string | readonly string[];

/** The facts that a hostname must have. */
export type MatchSection = {
  readonly hostname?: Texts;
  readonly wildcard?: boolean;
  readonly custom_origin_server?: Texts;
  readonly [fact: `metadata.${string}` | `label.${string}`]: Texts;
};

/** A hostname that another entry replaces. */
export type MoveSection = {
  readonly from: string;
  readonly to?: string;
};

/** Values that may not be declared, or may not be live. */
export type CheckSection = {
  readonly name: string;
  readonly deny: {
    readonly certificate_authority?: Texts;
    readonly method?: Texts;
    readonly min_tls_version?: Texts;
  };
  readonly in?: readonly ("desired" | "live")[];
};
