import type { Route } from "../call.ts";
import { certificatePackRoutes } from "./certificate-packs.ts";
import { customCertificateRoutes } from "./custom-certificates.ts";
import { customCsrRoutes } from "./custom-csrs.ts";
import { customHostnameRoutes } from "./custom-hostnames.ts";
import { dnsRecordRoutes } from "./dns-records.ts";
import { entryPointRoutes } from "./entry-points.ts";
import { fallbackOriginRoutes } from "./fallback-origin.ts";
import { firewallRuleRoutes } from "./firewall-rules.ts";
import { holdRoutes } from "./hold.ts";
import { pageRuleRoutes } from "./page-rules.ts";
import { purgeRoutes } from "./purge.ts";
import { ruleRoutes } from "./rules.ts";
import { rememberingRulesets, rulesetRoutes } from "./rulesets.ts";
import { sslSettingRoutes } from "./ssl-settings.ts";
import { tokenRoutes } from "./tokens.ts";
import { totalTlsRoutes } from "./total-tls.ts";
import { wafMigrationRoutes } from "./waf-migration.ts";
import { wafOverrideRoutes } from "./waf-overrides.ts";
import { wafPackageRoutes } from "./waf-packages.ts";
import { wafSettingRoutes } from "./waf-setting.ts";
import { zoneSettingRoutes } from "./zone-settings.ts";
import { zoneRoutes } from "./zones.ts";

/** Every route of the service's API. */
export function apiRoutes(): Route[] {
  return [
    ...tokenRoutes(),
    ...zoneRoutes(),
    ...holdRoutes(),
    ...dnsRecordRoutes(),
    ...customHostnameRoutes(),
    ...customCsrRoutes(),
    ...certificatePackRoutes(),
    ...sslSettingRoutes(),
    ...customCertificateRoutes(),
    ...purgeRoutes(),
    ...fallbackOriginRoutes(),
    ...[...rulesetRoutes(), ...entryPointRoutes(), ...ruleRoutes()].map(rememberingRulesets),
    ...totalTlsRoutes(),
    ...wafPackageRoutes(),
    ...wafOverrideRoutes(),
    ...wafSettingRoutes(),
    ...zoneSettingRoutes(),
    ...wafMigrationRoutes(),
    ...firewallRuleRoutes(),
    ...pageRuleRoutes(),
  ];
}
