/** Codes that only the migration of the managed WAF rules raises. */
export const CODES = {
  "waf-target-below-live": {
    cause: "the zone is already past waf_migration.target, and the migration cannot go back",
    remedy: "set waf_migration.target to where the zone is",
  },
  "waf-uri-overrides": {
    cause: "the zone has URI-based WAF overrides, which cannot be migrated",
    remedy: "set waf_migration.delete_uri_overrides: true to delete them",
  },
  "waf-firewall-rules": {
    cause: "the zone has more than 200 firewall rules to migrate",
    remedy: "contact support, or delete some",
  },
  "waf-expression-length": {
    cause: "a firewall rule to migrate has an expression over 4 KB",
    remedy: "contact support, or shorten it",
  },
  "waf-ineligible": { cause: "Cloudflare says that the zone cannot be migrated", remedy: "contact support" },
  "waf-lost-groups": {
    cause: "what was set for groups of the previous managed rules is not migrated",
    remedy: "declare rules that do the same, and list the groups in waf_migration.accept_lost.groups",
  },
  "waf-lost-rules": {
    cause: "what was set for rules of the previous managed rules is not migrated",
    remedy: "declare rules that do the same, and list them in waf_migration.accept_lost.rules",
  },
  "waf-unconfirmed": {
    cause: "the migration cannot be undone, and is not confirmed",
    remedy: "set waf_migration.confirm_irreversible to the zone's id",
  },
} as const;
