import type { Route } from "./call.ts";
import { accountRoutes } from "./accounts.ts";
import { hostnameSettingRoutes } from "./certificates/hostname-settings.ts";
import { trustStoreRoutes } from "./certificates/trust-store.ts";
import { customCsrRoutes } from "./certificates/csrs.ts";
import { customCertificateRoutes } from "./certificates/custom-certificates.ts";
import { certificatePackRoutes } from "./certificates/pack-routes.ts";
import { sslSettingRoutes } from "./certificates/ssl-settings.ts";
import { totalTlsRoutes } from "./certificates/total-tls.ts";
import { tokenRoutes } from "./credentials.ts";
import { customHostnameRoutes } from "./custom-hostnames/routes.ts";
import { dnsRecordRoutes } from "./dns-records.ts";
import { fallbackOriginRoutes } from "./fallback-origin.ts";
import { holdRoutes } from "./holds.ts";
import { ipRoutes } from "./ips.ts";
import { purgeRoutes } from "./purge.ts";
import { entryPointRoutes, rememberingRulesets, rulesetRoutes } from "./rulesets/routes.ts";
import { rulesListRoutes } from "./rules-lists.ts";
import { ruleRoutes } from "./rulesets/rule-routes.ts";
import { userTokenRoutes } from "./user-tokens.ts";
import { firewallRuleRoutes } from "./waf/firewall-rules.ts";
import { wafMigrationRoutes } from "./waf/migration.ts";
import { wafOverrideRoutes } from "./waf/overrides.ts";
import { wafPackageRoutes } from "./waf/packages.ts";
import { pageRuleRoutes } from "./waf/page-rules.ts";
import { wafSettingRoutes, zoneSettingRoutes } from "./zone-settings.ts";
import { zoneRoutes } from "./zones.ts";

/** Every route of the service's API. */
export function apiRoutes(): Route[] {
  return [
    ...ipRoutes(),
    ...tokenRoutes(),
    ...userTokenRoutes(),
    ...accountRoutes(),
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
    ...rulesListRoutes(),
    ...totalTlsRoutes(),
    ...hostnameSettingRoutes(),
    ...trustStoreRoutes(),
    ...wafPackageRoutes(),
    ...wafOverrideRoutes(),
    ...wafSettingRoutes(),
    ...zoneSettingRoutes(),
    ...wafMigrationRoutes(),
    ...firewallRuleRoutes(),
    ...pageRuleRoutes(),
  ];
}
