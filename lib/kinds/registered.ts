// Every kind of resource, a line each. The names of the kinds, the look-ups in registry.ts, the schemas, the reference of
// the configuration and the reports follow from these lines.
export { certificatePack } from "./certificate-pack/kind.ts";
export { customHostname } from "./custom-hostname/kind.ts";
export { fallbackOrigin } from "./fallback-origin/kind.ts";
export { ruleset } from "./ruleset/kind.ts";
export { totalTls } from "./total-tls/kind.ts";
export { wafMigration } from "./waf-migration/kind.ts";
export { zoneHold } from "./zone-hold/kind.ts";
export { zoneSetting } from "./zone-setting/kind.ts";
