import { zoneRoute, type Call, type Route } from "../call.ts";
import { success, type Reply } from "../envelope.ts";
import type { Json } from "../json.ts";
import type { Zone } from "../store.ts";
import { deriveConfig } from "../waf/derive.ts";
import { reasonsAgainst, supportReasons } from "../waf/eligibility.ts";
import { badInput } from "../waf/gone.ts";
import { hasPrevious } from "../waf/record.ts";
import { statusView } from "../waf/status.ts";

/** /zones/{id}/waf_migration: reads about the migration; the PUT of the entry point performs it (docs/service.md#waf-migration). */
export function wafMigrationRoutes(): Route[] {
  return [
    zoneRoute("GET", "/waf_migration/check", check),
    zoneRoute("GET", "/waf_migration/config", config),
    zoneRoute("GET", "/waf_migration/status", (call, zone) => success(statusView(zone, call.now))),
  ];
}

/** Without `phase_two=1` it answers for phase 1 (docs/service.md#waf-migration). `reasons` is inferred: only `compatible` is documented. */
function check(call: Call, zone: Zone): Reply {
  const reasons = reasonsAgainst(zone.waf, phaseOf(call));
  return success({
    compatible: reasons.length === 0,
    migration_state: zone.waf.migration.state,
    ...(reasons.length === 0 ? {} : { reasons: reasons.map((reason): Json => ({ ...reason })) }),
  });
}

/** URI-based overrides do not prevent the derivation; what only support can resolve does, and so do the conditions of phase 1 (inferred). */
function config(call: Call, zone: Zone): Reply {
  const { waf } = zone;
  const against = phaseOf(call) === 1 || !hasPrevious(waf) ? reasonsAgainst(waf, phaseOf(call)) : supportReasons(waf);
  const [reason] = against;
  if (reason !== undefined) throw badInput(reason.message);
  return success(deriveConfig(waf));
}

function phaseOf(call: Call): 1 | 2 {
  return call.query.get("phase_two") === "1" ? 2 : 1;
}
