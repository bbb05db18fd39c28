// Every kind of resource, one line each. The names of the kinds, the lookups in registry.ts, the schemas, the
// configuration reference and the reports are all derived from these lines.
export { certificatePack } from "./certificate-pack/kind.ts";
export { customHostname } from "./custom-hostname/kind.ts";
export { fallbackOrigin } from "./fallback-origin/kind.ts";
export { ruleset } from "./ruleset/kind.ts";
export { totalTls } from "./total-tls/kind.ts";
export { wafMigration } from "./waf-migration/kind.ts";
export { zoneHold } from "./zone-hold/kind.ts";
export { zoneSetting } from "./zone-setting/kind.ts";
