// Generated from schemas/ by .ci/generate-types.mjs; do not edit.

/**
 * The certificate of the hostname and how connections are made. A change of it is not harmless: see ssl_updates.
 */
export type Ssl = {
  /**
   * How the certificate authority checks that the customer agrees. A wildcard cannot use http.
   */
  method?: "http" | "txt" | "email" | null;
  /**
   * The kind of certificate; the service has one.
   */
  type?: "dv" | null;
  /**
   * Who issues the certificate. Absent or null: no opinion. `default` (or "", as the API spells it): the service chooses; compared with what was sent last, never with what live answers. A name: compared with live. `digicert` is no longer issued, and is here for hostnames that still have it.
   */
  certificate_authority?: "default" | "" | "google" | "lets_encrypt" | "ssl_com" | "digicert" | null;
  /**
   * How the chain of an uploaded certificate is completed.
   */
  bundle_method?: "ubiquitous" | "optimal" | "force" | null;
  /**
   * Whether the certificate also covers every name one level below the hostname.
   */
  wildcard?: boolean | null;
  /**
   * Whether the certificate's common name is the service's own, so that the hostname may be longer than 64 characters. Decided at creation: a change replaces the hostname.
   */
  cloudflare_branding?: boolean | null;
  custom_certificate?: SecretReference;
  custom_key?: SecretReference;
  /**
   * The id of a certificate signing request that the service keeps; its key belongs to custom_certificate.
   */
  custom_csr_id?: string | null;
  /**
   * Uploaded certificates with their keys: at most one RSA and one ECDSA pair.
   *
   * @minItems 1
   * @maxItems 2
   */
  custom_cert_bundle?:
    | {
        custom_certificate: SecretReference;
        custom_key: SecretReference;
      }[]
    | null;
  /**
   * How connections to the hostname are made. Leaves that are not set keep what live has.
   */
  settings?: {
    /**
     * The oldest version of TLS that is accepted. In quotes: YAML reads 1.0 as a number.
     */
    min_tls_version?: "1.0" | "1.1" | "1.2" | "1.3" | null;
    /**
     * Whether TLS 1.3 is offered.
     */
    tls_1_3?: "on" | "off" | null;
    /**
     * Whether HTTP/2 is offered.
     */
    http2?: "on" | "off" | null;
    /**
     * Whether early hints are sent.
     */
    early_hints?: "on" | "off" | null;
    /**
     * The ciphers that are accepted, by their BoringSSL names; the order matters. Not together with min_tls_version 1.3.
     *
     * @minItems 1
     * @maxItems 64
     */
    ciphers?: string[] | null;
  } | null;
} | null;
/**
 * Values that the service hands to the zone's rules and workers; texts only, 4 KB in all. Not on wildcards.
 */
export type CustomMetadata = {
  [k: string]: string | null;
} | null;

/**
 * The documents that people write.
 */
export interface Documents {
  project: ProjectFile;
  zone: ZoneFile;
}
/**
 * The file zoneform.yaml: which zones a project has, and how much of the service's limits it may use.
 */
export interface ProjectFile {
  /**
   * The version of this file's format.
   */
  version: 1;
  /**
   * The name of the project.
   */
  project: string;
  /**
   * The zone files: paths or patterns (* within a folder, ** across folders), relative to this file. Each has to find something.
   *
   * @minItems 1
   * @maxItems 1000
   */
  zones: string[];
  /**
   * How many objects of a kind a plan may take away from one zone, for every zone; a zone file may say otherwise.
   */
  deletion_limits?: {
    custom_hostname?: DeletionLimit;
    certificate_pack?: DeletionLimit;
  };
  /**
   * How much of the service's limits a run may use.
   */
  budget?: {
    /**
     * The share of the service's calls (1,200 in 5 minutes, unless its answers say otherwise) that a run may use; the rest is left to the application and the dashboard. `unlimited` sets no limit of ours: only what the service says holds a run up. Default: 50%.
     */
    api?: string;
    /**
     * The limit on ordering certificates, or `unlimited`: no limit of ours, so that the service may block new certificates for 30 seconds again and again, for the application too.
     */
    issuance?:
      | {
          /**
           * How many certificates a minute the account may order. Default: 15, the service's own.
           */
          per_minute?: number;
          /**
           * How many of them are left to others. Default: 5.
           */
          reserve?: number;
          /**
           * Whether a change that orders a new certificate counts as well. Default: true.
           */
          count_patches?: boolean;
        }
      | string;
  };
  /**
   * Files of hostnames, by name.
   */
  sources?: {
    [k: string]: Source;
  };
}
/**
 * How many tracked objects of one kind a plan may delete or replace in one zone. Whichever limit is met first counts; a plan that takes away more has those changes refused (exit code 4) until it is approved by its hash: apply --approve HASH, or undo RUN --approve HASH. destroy is not limited.
 */
export interface DeletionLimit {
  /**
   * Of the objects that are tracked, however few they are: of 9 hostnames, 10% lets none go. Default: 50%.
   */
  percent?: string;
  /**
   * At once. Default: 100.
   */
  count?: number;
}
/**
 * A file of hostnames: csv or ndjson. A row is an entry.
 */
export interface Source {
  /**
   * The path of a CSV file with a header line, relative to the project file's folder and inside of it. UTF-8; the last line has to end, too.
   */
  csv?: string;
  /**
   * The path of a file with one JSON object a line, instead of csv.
   */
  ndjson?: string;
  /**
   * What separates the cells of the CSV. Default: a comma.
   */
  delimiter?: "," | ";" | "\t";
  /**
   * Where the values of a hostname stand: a map from the leaf to the column (CSV) or the key (NDJSON; dots lead inside). An empty cell, or null, is unset. `hostname` has to be there.
   */
  fields: {
    /**
     * The column of the hostname.
     */
    hostname: string;
    [k: string]: string;
  };
  /**
   * Labels for match and where: a map from the label to the column. Never sent.
   */
  labels?: {
    [k: string]: string;
  };
  /**
   * When the file counts as complete. A source that was cut short must never delete hostnames.
   */
  complete?: {
    /**
     * With fewer rows than this the file counts as cut short: an error before any plan. Where it is set to exactly the number of rows, the file counts as whole, and max_shrink is not asked.
     */
    min_rows?: number;
    /**
     * How many of the rows that were there at the last apply may be gone. More is an error before any plan; one row may always go, unless this is 0%. Default: 10%. Whatever it is: where two or more rows are gone and they are exactly the last ones of the file as it was, their deletions are refused (exit code 4, source-tail-gone) until the plan is approved by its hash (apply --approve HASH), because that is what a file looks like that was cut short. The same holds for the last ten or more rows, also where others are gone with them. It is the whole file that counts, also where several zones share it or the source was renamed, and the rows stay refused until they are back or their hostnames are gone.
     */
    max_shrink?: string;
    /**
     * The path of a JSON file that the exporter writes beside the source: { "rows": 38000, "sha256": "…" }, the number of rows (without a header) and the SHA-256 of the whole file, in hex. A file that is another one is an error before any plan; one that is exactly that file is whole, and source-tail-gone is not asked. With --source NAME=FILE it is read from that file's folder, under the same name.
     */
    manifest?: string;
  };
}
/**
 * One zone, or a layer that zones use. A layer has the same shape without `zone`.
 */
export interface ZoneFile {
  /**
   * The version of this file's format.
   */
  version: 1;
  /**
   * Which zone the file is about. A zone file has it, a layer has not.
   */
  zone?: {
    /**
     * The zone's id: 32 hex digits. In quotes: YAML may read hex digits as a number.
     */
    id: string;
    /**
     * The zone's name, as it stands in addresses.
     */
    name: string;
  };
  /**
   * Layers below this file: files of the same shape, first the lowest. Maps merge and the upper file wins; lists of entries, from, policies, exceptions and checks are put behind those of the layers; other lists replace. Paths are relative to this file, and stay inside the project.
   *
   * @maxItems 32
   */
  use?: string[];
  fallback_origin?: FallbackOrigin;
  /**
   * The custom hostnames of the zone. Absent: they are not even listed.
   */
  custom_hostnames?: {
    /**
     * Who creates and deletes hostnames. `zoneform`: entries and source rows are created, and deleted when they are removed. `app`: the application does; Zoneform creates and deletes none, and sets what policies and exceptions say. Has to be said, here or in a layer.
     */
    lifecycle?: "zoneform" | "app" | null;
    /**
     * Hostnames, one by one. Only with lifecycle zoneform. Those of layers come first.
     *
     * @maxItems 200000
     */
    entries?: Entry[];
    /**
     * Hostnames from sources. Only with lifecycle zoneform. Those of layers come first.
     *
     * @maxItems 64
     */
    from?: From[];
    /**
     * What to do about hostnames that are neither declared nor known: leave them out, report them, or take them over so that policies apply to them. Default: report.
     */
    foreign?: "ignore" | "report" | "adopt" | null;
    /**
     * What to do about a hostname that the service deleted by itself (moved for 7 days, or never validated). Default: report.
     */
    when_expired?: "report" | "create" | null;
    /**
     * When ssl is changed: a change restarts a validation that is under way, so by default it waits for the end of that. Active and final states, such as a timeout, take the change at once (docs/hazards.md).
     */
    ssl_updates?: "when_active" | "always" | null;
    /**
     * Values for all hostnames that match, in order; later ones win. Those of layers come first.
     *
     * @maxItems 1000
     */
    policies?: Policy[];
    /**
     * Values for single hostnames, above everything else. Those of layers come first.
     *
     * @maxItems 10000
     */
    exceptions?: Exception[];
  };
  /**
   * Advanced certificate packs: certificates for names of the zone itself. A pack is known by its hosts; one that is removed here is deleted.
   *
   * @maxItems 1000
   */
  certificate_packs?: CertificatePack[];
  /**
   * The entry points of the zone: a map by phase, because the service has one for each.
   */
  entry_points?: {
    ddos_l4?: EntryPoint;
    ddos_l7?: EntryPoint;
    http_config_settings?: EntryPoint;
    http_custom_errors?: EntryPoint;
    http_log_custom_fields?: EntryPoint;
    http_ratelimit?: EntryPoint;
    http_request_cache_settings?: EntryPoint;
    http_request_dynamic_redirect?: EntryPoint;
    http_request_firewall_custom?: EntryPoint;
    http_request_firewall_managed?: EntryPoint;
    http_request_late_transform?: EntryPoint;
    http_request_origin?: EntryPoint;
    http_request_redirect?: EntryPoint;
    http_request_sanitize?: EntryPoint;
    http_request_sbfm?: EntryPoint;
    http_request_transform?: EntryPoint;
    http_response_cache_settings?: EntryPoint;
    http_response_compression?: EntryPoint;
    http_response_firewall_managed?: EntryPoint;
    http_response_headers_transform?: EntryPoint;
  };
  waf_migration?: WAFMigration;
  total_tls?: TotalTLS;
  /**
   * Settings of the zone by their names at the service. One that is removed here stays as it is.
   */
  zone_settings?: {
    always_use_https?: Switch;
    automatic_https_rewrites?: Switch;
    min_tls_version?: TLSVersion;
    opportunistic_encryption?: Switch;
    security_level?: SecurityLevel;
    ssl?: SSLMode;
    tls_1_3?: TLS13;
  };
  zone_hold?: ZoneHold;
  /**
   * How many objects of a kind a plan may take away from this zone. What is absent here is as the project file says.
   */
  deletion_limits?: {
    custom_hostname?: DeletionLimit1;
    certificate_pack?: DeletionLimit1;
  };
  /**
   * Hostnames that come to this zone from another zone of the project, or change their name in it. The new one is created; the old one is kept until the new one is active (the customer's DNS points to it), and deleted then. The line can go when the old one is gone.
   *
   * @maxItems 100000
   */
  moved?: {
    /**
     * The address of the old one, with the zone's name where that is another zone.
     */
    from: string;
    /**
     * The address of the new one, in this zone. Absent: the same hostname.
     */
    to?: string;
  }[];
  /**
   * Addresses of objects that are dropped from the state and stay live: nobody's business from then on. They must not be declared any more; where policies reach live hostnames, the line stays for as long as they are to be left alone.
   *
   * @maxItems 100000
   */
  forget?: string[];
  /**
   * Values that may not be wanted, or may not be live. Those of layers come first.
   *
   * @maxItems 100
   */
  checks?: Check[];
}
/**
 * Where the traffic of every custom hostname goes that names no origin of its own.
 */
export interface FallbackOrigin {
  /**
   * The name of the origin: a proxied DNS record of the zone. Has to be said, here or in a layer.
   */
  origin?: string;
  /**
   * Whether deleting or replacing this object is refused. Kept in the state, so that it also holds after the entry is gone from the YAML. Absent: what the state says.
   */
  protect?: boolean | null;
}
/**
 * One custom hostname. What it sets itself wins over policies; exceptions win over it.
 */
export interface Entry {
  /**
   * The customer's hostname. Letters outside ASCII are written in punycode (xn--…), so that everybody sees what it is; upper case and a dot at the end mean nothing.
   */
  hostname: string;
  /**
   * Whether deleting or replacing this object is refused. Kept in the state, so that it also holds after the entry is gone from the YAML. Absent: what the state says.
   */
  protect?: boolean | null;
  /**
   * Values for match and where, never sent.
   */
  labels?: {
    [k: string]: string | null;
  } | null;
  ssl?: Ssl;
  /**
   * Where the traffic goes instead of the fallback origin: a DNS record of the zone.
   */
  custom_origin_server?: string | null;
  /**
   * The name that is sent to the custom origin in the TLS handshake, or `:request_host_header:`.
   */
  custom_origin_sni?: string | null;
  custom_metadata?: CustomMetadata;
}
/**
 * A reference to a secret value: { env: NAME } or { file: PATH }, one of the two. The value itself never stands in YAML, and is never printed.
 */
export interface SecretReference {
  /**
   * The name of an environment variable that holds the value.
   */
  env?: string;
  /**
   * The path of a file that holds the value, relative to the project file's folder and inside of it. Keep it out of version control.
   */
  file?: string;
}
/**
 * Hostnames from the rows of a source.
 */
export interface From {
  /**
   * The name of a source of the project file.
   */
  source: string;
  where?: Match;
}
/**
 * Facts of a hostname, all of which must hold; a list means any of them. Only facts that do not move by themselves: a status would make the same YAML mean something else every day. Facts are those of the entry, the source row or the live hostname, before any policy.
 */
export interface Match {
  /**
   * The hostname, or a pattern in which * stands for any characters (dots included). In quotes where it begins with *.
   */
  hostname?: string | string[];
  /**
   * Whether the hostname is a wildcard: its name begins with *. or its entry sets ssl.wildcard.
   */
  wildcard?: boolean;
  /**
   * The origin that the hostname names itself.
   */
  custom_origin_server?: string | string[];
  /**
   * A value of custom_metadata.
   *
   * This interface was referenced by `Match`'s JSON-Schema definition
   * via the `patternProperty` "^metadata\.[^.].*$".
   *
   * A label of the entry or source row. Labels are never sent.
   *
   * This interface was referenced by `Match`'s JSON-Schema definition
   * via the `patternProperty` "^label\.[^.].*$".
   */
  [k: string]: string | string[] | boolean | undefined;
}
/**
 * Values for every hostname that matches. Policies are worked in by their order: maps merge, lists replace, a later one wins. What an entry or a source row sets itself wins over policies.
 */
export interface Policy {
  /**
   * The name of the policy, unique in the zone with its layers; `why` and errors call it by it.
   */
  name: string;
  match?: Match;
  set: WhatIsSetOnACustomHostname;
}
/**
 * The leaves of a custom hostname that the YAML may own. Each leaf that is set is owned; a leaf that is absent or null is nobody's business: never compared, never sent. Entries may set them, and so may policies and exceptions; a policy's values lie below those of the entry or source row, an exception's above.
 */
export interface WhatIsSetOnACustomHostname {
  ssl?: Ssl;
  /**
   * Where the traffic goes instead of the fallback origin: a DNS record of the zone.
   */
  custom_origin_server?: string | null;
  /**
   * The name that is sent to the custom origin in the TLS handshake, or `:request_host_header:`.
   */
  custom_origin_sni?: string | null;
  custom_metadata?: CustomMetadata;
}
/**
 * Values for single hostnames, above everything else. An exception has to hit something.
 */
export interface Exception {
  match: Match;
  set: WhatIsSetOnACustomHostname;
  /**
   * Why, for the reader of a plan: a ticket, a name.
   */
  reason?: string | null;
  /**
   * The last day on which the exception holds (UTC). Afterwards it is not applied, and there is a warning.
   */
  until?: string | null;
}
/**
 * An advanced certificate pack: a certificate for names of the zone itself. Any difference orders another pack, and deletes the old one once the new one serves.
 */
export interface CertificatePack {
  /**
   * The names that the certificate is for; the zone's own name has to be among them. Their order means nothing: the pack is known by them.
   *
   * @minItems 1
   * @maxItems 50
   */
  hosts: string[];
  /**
   * How the CA sees that the names are yours. Wildcards cannot be validated by http.
   */
  validation_method: "txt" | "http" | "email";
  /**
   * How long a certificate lasts. lets_encrypt only issues for 90 days, and only ssl_com for 365.
   */
  validity_days: 14 | 30 | 90 | 365;
  /**
   * Who issues it.
   */
  certificate_authority: "google" | "lets_encrypt" | "ssl_com";
  /**
   * Whether the service's own name stands first in the certificate; needed where no host has 64 characters or fewer.
   */
  cloudflare_branding?: boolean | null;
  /**
   * Whether deleting or replacing this object is refused. Kept in the state, so that it also holds after the entry is gone from the YAML. Absent: what the state says.
   */
  protect?: boolean | null;
}
/**
 * The rules of one phase of the zone. Entry points are shared: rules are owned by their ref, and rules that others own are kept in live order and reported.
 */
export interface EntryPoint {
  /**
   * Prefixes of the refs that are ours. Absent: every rule is ours, and a rule that is not listed is removed.
   *
   * @minItems 1
   * @maxItems 64
   */
  own?: string[] | null;
  /**
   * Whether an entry point that exists and is not known to the state may be taken over. Without it, such an entry point is shown with the rules that would be lost, and refused.
   */
  adopt?: boolean | null;
  /**
   * Where our rules stand among those of others.
   */
  place?: "first" | "last" | null;
  /**
   * The name of the ruleset; fixed at creation.
   */
  name?: string | null;
  /**
   * What the ruleset is for, for people.
   */
  description?: string | null;
  /**
   * Our rules, in order. Has to be said, here or in a layer; an upper list replaces that of a layer.
   *
   * @maxItems 1000
   */
  rules?: Rule[];
  /**
   * Whether deleting or replacing this object is refused. Kept in the state, so that it also holds after the entry is gone from the YAML. Absent: what the state says.
   */
  protect?: boolean | null;
}
/**
 * One rule.
 */
export interface Rule {
  /**
   * The name by which this rule is recognised, here and live: the rule keeps its id while the ref stays. Unique in the entry point.
   */
  ref: string;
  /**
   * What the rule does.
   */
  action:
    | "block"
    | "challenge"
    | "compress_response"
    | "ddos_dynamic"
    | "execute"
    | "force_connection_close"
    | "js_challenge"
    | "log"
    | "log_custom_field"
    | "managed_challenge"
    | "redirect"
    | "rewrite"
    | "route"
    | "score"
    | "serve_error"
    | "set_cache_control"
    | "set_cache_settings"
    | "set_cache_tags"
    | "set_config"
    | "skip"
    | "transform_response_html";
  /**
   * Which requests the rule is for, in the service's rule language.
   */
  expression: string;
  /**
   * What the rule is for, for people.
   */
  description?: string | null;
  /**
   * Whether the rule is on. Absent means true and is owned, so that a rule that somebody switches off shows as drift; null leaves the switch to others.
   */
  enabled?: boolean | null;
  /**
   * What the action needs. The fields of execute and skip are known and checked; those of other actions are sent as they are.
   */
  action_parameters?: {
    /**
     * execute: the managed ruleset that is run, by id or by name.
     */
    id?: string;
    /**
     * execute: the version of the managed ruleset.
     */
    version?: string | null;
    /**
     * What is changed of the managed ruleset that is run. A rule wins over its category, and a category over the ruleset.
     */
    overrides?: {
      /**
       * The action that the overridden rules take.
       */
      action?: string | null;
      /**
       * Whether the rules are on.
       */
      enabled?: boolean | null;
      /**
       * The sensitivity (DDoS rulesets only).
       */
      sensitivity_level?: "default" | "medium" | "low" | "eoff" | null;
      /**
       * Overrides by category (tag); a later one wins.
       *
       * @minItems 1
       * @maxItems 1000
       */
      categories?:
        | {
            /**
             * The category.
             */
            category: string;
            /**
             * The action that the overridden rules take.
             */
            action?: string | null;
            /**
             * Whether rules of the category are on.
             */
            enabled?: boolean | null;
            /**
             * The sensitivity (DDoS rulesets only).
             */
            sensitivity_level?: "default" | "medium" | "low" | "eoff" | null;
          }[]
        | null;
      /**
       * Overrides by rule; they win over categories and over the whole ruleset.
       *
       * @minItems 1
       * @maxItems 1000
       */
      rules?:
        | {
            /**
             * The id of the rule. In quotes: YAML may read hex digits as a number.
             */
            id: string;
            /**
             * The action that the overridden rules take.
             */
            action?: string | null;
            /**
             * Whether the rule is on.
             */
            enabled?: boolean | null;
            /**
             * The score at which the rule acts (OWASP: 60 low, 40 medium, 25 high).
             */
            score_threshold?: number | null;
            /**
             * The sensitivity (DDoS rulesets only).
             */
            sensitivity_level?: "default" | "medium" | "low" | "eoff" | null;
          }[]
        | null;
    } | null;
    /**
     * execute: the public key with which matched payloads are encrypted.
     */
    matched_data?: {
      /**
       * The public key.
       */
      public_key?: string | null;
    } | null;
    /**
     * skip: the rest of this entry point.
     */
    ruleset?: "current" | null;
    /**
     * skip: managed rulesets that are not run, by id or by name. Only those that a later rule would run.
     *
     * @minItems 1
     * @maxItems 100
     */
    rulesets?: string[] | null;
    /**
     * skip: rules of managed rulesets that are not run: a map from the ruleset's id or name to the ids of its rules.
     */
    rules?: {
      /**
       * @minItems 1
       * @maxItems 1000
       *
       * Items: A rule.
       */
      [k: string]: string[];
    } | null;
    /**
     * skip: phases that are not run.
     *
     * @minItems 1
     * @maxItems 30
     */
    phases?: string[] | null;
    /**
     * skip: the rest of this phase, together with products.
     */
    phase?: "current" | null;
    /**
     * skip: products that are not run.
     *
     * @minItems 1
     * @maxItems 7
     */
    products?: ("bic" | "hot" | "rateLimit" | "securityLevel" | "uaBlock" | "waf" | "zoneLockdown")[] | null;
    /**
     * block: what is answered.
     */
    response?: {
      /**
       * The HTTP status.
       */
      status_code?: number | null;
      /**
       * The body.
       */
      content?: string | null;
      /**
       * Its content type.
       */
      content_type?: string | null;
    } | null;
  } | null;
  /**
   * Whether matches are logged (skip only).
   */
  logging?: {
    /**
     * Whether they are.
     */
    enabled?: boolean | null;
  } | null;
  /**
   * How requests are counted (phase http_ratelimit).
   */
  ratelimit?: {
    /**
     * What requests are counted by.
     *
     * @minItems 1
     * @maxItems 16
     */
    characteristics?: string[] | null;
    /**
     * Over how many seconds.
     */
    period?: number | null;
    /**
     * How many requests are allowed in a period.
     */
    requests_per_period?: number | null;
    /**
     * How much score is allowed in a period.
     */
    score_per_period?: number | null;
    /**
     * The response header that holds the score.
     */
    score_response_header_name?: string | null;
    /**
     * For how many seconds the action then lasts.
     */
    mitigation_timeout?: number | null;
    /**
     * Which requests are counted, where these are others than those that are limited.
     */
    counting_expression?: string | null;
    /**
     * Whether only requests to the origin are counted.
     */
    requests_to_origin?: boolean | null;
  } | null;
  /**
   * Where credentials stand in a request.
   */
  exposed_credential_check?: {
    /**
     * Where the user name stands.
     */
    username_expression?: string | null;
    /**
     * Where the password stands.
     */
    password_expression?: string | null;
  } | null;
}
/**
 * How far the zone is to go on the one-way migration from the previous managed WAF rules to the new ones. What is saved with it is the entry point http_request_firewall_managed where it is declared, else what the service derives from the present protection.
 */
export interface WAFMigration {
  /**
   * Where the zone is to stand. `validation` (Enterprise only): both versions are enabled, the new one runs first. `new`: only the new rules; it cannot be undone. A target below live is refused. Has to be said, here or in a layer.
   */
  target?: "previous" | "validation" | "new" | null;
  /**
   * Whether URI-based overrides, with which a zone cannot be migrated, are deleted first; each is named in the plan. Default: false.
   */
  delete_uri_overrides?: boolean | null;
  /**
   * Overrides of groups and rules of the previous managed rules, by id or name, that may be lost: they are not migrated. One that is not listed is refused.
   */
  accept_lost?: {
    /**
     * Groups that were switched off.
     *
     * @maxItems 1000
     */
    groups?: string[];
    /**
     * Rules whose mode was set.
     *
     * @maxItems 10000
     */
    rules?: string[];
  } | null;
  /**
   * The id of the zone: without it the step to `new` is refused.
   */
  confirm_irreversible?: string | null;
}
/**
 * Certificates for every proxied name of the zone.
 */
export interface TotalTLS {
  /**
   * Whether the service orders a certificate for every proxied name. Has to be said, here or in a layer.
   */
  enabled?: boolean | null;
  /**
   * Who issues them. Never changed by the service itself.
   */
  certificate_authority?: "google" | "lets_encrypt" | "ssl_com" | null;
  /**
   * Whether deleting or replacing this object is refused. Kept in the state, so that it also holds after the entry is gone from the YAML. Absent: what the state says.
   */
  protect?: boolean | null;
}
/**
 * A setting that is on or off.
 */
export interface Switch {
  /**
   * Whether it is on. Has to be said, here or in a layer.
   */
  value?: "off" | "on" | null;
  /**
   * Whether deleting or replacing this object is refused. Kept in the state, so that it also holds after the entry is gone from the YAML. Absent: what the state says.
   */
  protect?: boolean | null;
}
/**
 * A version of TLS.
 */
export interface TLSVersion {
  /**
   * The version, in quotes. Has to be said, here or in a layer.
   */
  value?: "1.0" | "1.1" | "1.2" | "1.3" | null;
  /**
   * Whether deleting or replacing this object is refused. Kept in the state, so that it also holds after the entry is gone from the YAML. Absent: what the state says.
   */
  protect?: boolean | null;
}
/**
 * How much it takes for a visitor to be challenged.
 */
export interface SecurityLevel {
  /**
   * The level, from the least to the most. Has to be said, here or in a layer.
   */
  value?: "off" | "essentially_off" | "low" | "medium" | "high" | "under_attack" | null;
  /**
   * Whether deleting or replacing this object is refused. Kept in the state, so that it also holds after the entry is gone from the YAML. Absent: what the state says.
   */
  protect?: boolean | null;
}
/**
 * How the origin is reached.
 */
export interface SSLMode {
  /**
   * `off`: nothing is encrypted; `flexible`: only up to the edge; `full`: to the origin as well, whatever its certificate; `strict`: only with a valid certificate; `origin_pull`: always by HTTPS, Enterprise only. Has to be said, here or in a layer.
   */
  value?: "off" | "flexible" | "full" | "strict" | "origin_pull" | null;
  /**
   * Whether deleting or replacing this object is refused. Kept in the state, so that it also holds after the entry is gone from the YAML. Absent: what the state says.
   */
  protect?: boolean | null;
}
/**
 * TLS 1.3, with 0-RTT or without.
 */
export interface TLS13 {
  /**
   * `zrt` allows 0-RTT as well. Has to be said, here or in a layer.
   */
  value?: "off" | "on" | "zrt" | null;
  /**
   * Whether deleting or replacing this object is refused. Kept in the state, so that it also holds after the entry is gone from the YAML. Absent: what the state says.
   */
  protect?: boolean | null;
}
/**
 * The hold of the zone, which keeps others from adding its name to an account of theirs. Enterprise only.
 */
export interface ZoneHold {
  /**
   * Whether the zone is held; also true while the hold is suspended. Has to be said, here or in a layer.
   */
  hold?: boolean | null;
  /**
   * Whether others are kept from adding names below it as well, custom hostnames included.
   */
  include_subdomains?: boolean | null;
  /**
   * Suspends the hold until this time, when it takes hold again by itself; the line can go after that. Empty: it is not suspended.
   */
  hold_after?: string | null;
  /**
   * Whether deleting or replacing this object is refused. Kept in the state, so that it also holds after the entry is gone from the YAML. Absent: what the state says.
   */
  protect?: boolean | null;
}
/**
 * How many tracked objects of one kind a plan may delete or replace in one zone. Whichever limit is met first counts; a plan that takes away more has those changes refused (exit code 4) until it is approved by its hash: apply --approve HASH, or undo RUN --approve HASH. destroy is not limited.
 */
export interface DeletionLimit1 {
  /**
   * Of the objects that are tracked, however few they are: of 9 hostnames, 10% lets none go. Default: 50%.
   */
  percent?: string;
  /**
   * At once. Default: 100.
   */
  count?: number;
}
/**
 * Values that may not be wanted, or may not be live. A check finds and refuses, and changes nothing: moving off a value is done with set.
 */
export interface Check {
  /**
   * The name of the check; a finding calls it by it.
   */
  name: string;
  /**
   * Values that are denied, by leaf; one or a list.
   */
  deny: {
    /**
     * Certificate authorities that may not be.
     */
    certificate_authority?:
      | ("google" | "lets_encrypt" | "ssl_com" | "digicert")
      | ("google" | "lets_encrypt" | "ssl_com" | "digicert")[];
    /**
     * Validation methods that may not be.
     */
    method?: ("http" | "txt" | "email") | ("http" | "txt" | "email")[];
    /**
     * Oldest TLS versions that may not be.
     */
    min_tls_version?: ("1.0" | "1.1" | "1.2" | "1.3") | ("1.0" | "1.1" | "1.2" | "1.3")[];
  };
  /**
   * Where they are looked for. Default: both.
   *
   * @minItems 1
   * @maxItems 2
   */
  in?: ("desired" | "live")[];
}
