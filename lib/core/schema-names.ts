// Generated from lib/kinds/registered.ts by .ci/bundle-schemas.mjs; do not edit.

/** The documents that have a schema, in the order in which a reader meets them. */
export const SCHEMA_NAMES = [
  "project",
  "zone",
  "custom-hostname",
  "fallback-origin",
  "certificate-pack",
  "ruleset",
  "waf-migration",
  "total-tls",
  "zone-setting",
  "zone-hold",
  "emulator-seed",
] as const;

/** The name of a schema, as `zoneform schema NAME` takes it. */
export type SchemaName = (typeof SCHEMA_NAMES)[number];
