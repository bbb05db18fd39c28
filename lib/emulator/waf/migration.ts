import { type Call, type Route, zoneRoute } from "../call.ts";
import type { Core } from "../core.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import { type Reply, success } from "../messages.ts";
import { MANAGED_PHASE } from "../rulesets/managed.ts";
import { rulesetError } from "../rulesets/shape.ts";
import type { Zone } from "../store.ts";
import { deriveConfig } from "./derive.ts";
import { reasonsAgainst, supportReasons } from "./eligibility.ts";
import { badInput } from "./old-api.ts";
import { hasPrevious } from "./previous-waf.ts";
import { deploysManaged, runsNew, statusView } from "./status.ts";

/** /zones/{id}/waf_migration, which only reads. The PUT of the entry point carries out the migration (docs/service.md#waf-migration). */
export function wafMigrationRoutes(): Route[] {
  return [
    zoneRoute("GET", "/waf_migration/check", check),
    zoneRoute("GET", "/waf_migration/config", config),
    zoneRoute("GET", "/waf_migration/status", (call, zone) => success(statusView(zone, call.now))),
  ];
}

/** Whether the zone can migrate, and if not, why (docs/service.md#waf-migration). `reasons` is inferred: only `compatible` is documented. */
function check(call: Call, zone: Zone): Reply {
  const reasons = reasonsAgainst(zone.waf, phaseOf(call));
  return success({
    compatible: reasons.length === 0,
    migration_state: zone.waf.migration.state,
    ...(reasons.length === 0 ? {} : { reasons: reasons.map((reason): Json => ({ ...reason })) }),
  });
}

/** The derived configuration. Phase 1 refuses it for any reason, phase 2 only for reasons that only support can resolve (inferred). */
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

/** How long new managed rules take to come into force after a migration call. Inferred: up to an hour is published. */
const DEPLOY_MILLISECONDS = 5_000;

/** How long the service takes to turn off the previous managed rules after the final call. Inferred: up to an hour is published. */
const FINISH_MILLISECONDS = 15_000;

/** What a migration call asks for: `validation` runs both versions, and `pending` ends the previous one. */
export type MigrationMode = "validation" | "pending";

/** The spellings of the query parameter (docs/service.md#waf-migration). */
const MODES: Readonly<Record<string, MigrationMode>> = {
  validation: "validation",
  "2": "validation",
  pending: "pending",
  "1": "pending",
};

/** A migration call, and the rules that the entry point would have after it. */
interface MigrationCall {
  readonly phase: string;
  readonly mode: MigrationMode;
  readonly body: JsonObject;
  readonly rules: readonly JsonObject[];
}

/** What `waf_migration` asks for; undefined without it. Throws a 400 for an unknown value, and if `phase_two=1` is missing. */
export function migrationMode(query: URLSearchParams): MigrationMode | undefined {
  const value = query.get("waf_migration");
  if (value === null) return undefined;
  const mode = Object.hasOwn(MODES, value) ? MODES[value] : undefined;
  if (mode === undefined) throw rulesetError(`'${value}' is not a valid value for waf_migration`);
  if (query.get("phase_two") !== "1") throw rulesetError("phase_two=1 is required with waf_migration");
  return mode;
}

/** Throws a 400 for a migration call that the zone may not make (docs/service.md#waf-migration). */
export function refuseMigration(zone: Zone, { phase, mode, body, rules }: MigrationCall): void {
  if (phase !== MANAGED_PHASE) throw rulesetError(`waf_migration is only known in the phase ${MANAGED_PHASE}`);
  const [reason] = reasonsAgainst(zone.waf, 2);
  if (reason !== undefined) throw rulesetError(`the zone is not eligible for migration: ${reason.message}`);
  if (mode === "validation") refuseValidation(zone, body);
  else if (!deploysManaged(rules))
    throw rulesetError(
      "the migration can only finish with a configuration whose new managed rules are enabled",
      "/rules",
    );
}

/** Throws a 400 for validation without Enterprise, after the final call, or with an empty id, version or ref (docs/service.md#waf-migration). */
function refuseValidation(zone: Zone, body: JsonObject): void {
  if (zone.plan !== "enterprise")
    throw rulesetError("not entitled to waf_migration=validation: it is for Enterprise zones only", undefined, 50002);
  if (zone.waf.migration.dueAt !== null) throw rulesetError("the migration is being finished, which is irreversible");
  const rules: Json[] = Array.isArray(body["rules"]) ? body["rules"] : [];
  for (const [index, rule] of rules.entries())
    for (const name of ["id", "version", "ref"])
      if (isObject(rule) && rule[name] === "")
        throw rulesetError(`${name} must be omitted in validation, not empty`, `/rules/${index}/${name}`);
}

/**
 * Begins the step of an accepted migration call, after its rules are saved. `wasRunning`: new managed rules were in force before the
 * call. The final call may be repeated until it has taken effect.
 */
export function beginMigration(core: Core, zone: Zone, mode: MigrationMode, wasRunning: boolean): void {
  const { migration } = zone.waf;
  const now = core.clock.now();
  if (!wasRunning) migration.newFrom ??= now + DEPLOY_MILLISECONDS;
  if (mode === "pending") return finishSoon(core, zone, now);
  if (migration.state === "validation") return;
  migration.state = "validation";
  migration.createdAt = now;
}

/** Schedules the end of the previous managed rules. */
export function finishSoon(core: Core, zone: Zone, now: number): void {
  if (zone.waf.migration.dueAt === null) setDue(core, zone, now + FINISH_MILLISECONDS);
}

/** Turns off the previous managed rules once the new ones run, so that one of the two versions always protects the zone. */
export function stepMigration(core: Core, zone: Zone, now: number): void {
  const { migration } = zone.waf;
  if (!runsNew(zone, now)) return setDue(core, zone, now + FINISH_MILLISECONDS);
  Object.assign(migration, { state: "complete", createdAt: now, newFrom: null, dueAt: null, isReady: false });
}

/**
 * Throws a 400 for an enabled rule in the managed phase of a Pro or Business zone that has not migrated
 * (docs/service.md#waf-migration). `pointerOf` says where the nth rule is in the body.
 */
export function refuseEarlyRules(
  zone: Zone | undefined,
  { kind, phase }: { readonly kind: string; readonly phase: string },
  rules: readonly JsonObject[],
  pointerOf: (index: number) => string = (index) => `/rules/${index}`,
): void {
  if (zone === undefined) return;
  const { state, dueAt } = zone.waf.migration;
  if (zone.plan === "enterprise" || state !== "start" || dueAt !== null) return;
  if (kind !== "zone" || phase !== MANAGED_PHASE) return;
  const index = rules.findIndex(({ enabled }) => enabled !== false);
  if (index === -1) return;
  const message =
    "before the migration all rules must be disabled, or the request must finish it with waf_migration=pending";
  throw rulesetError(message, `${pointerOf(index)}/enabled`);
}

function setDue(core: Core, zone: Zone, at: number): void {
  zone.waf.migration.dueAt = at;
  core.timers.set({ at, kind: "waf", zoneId: zone.id, id: zone.id });
}
