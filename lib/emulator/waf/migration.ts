import { type Call, type Route, zoneRoute } from "../call.ts";
import type { Core } from "../core.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import { type Reply, success } from "../messages.ts";
import { MANAGED_PHASE } from "../rulesets/catalogue.ts";
import { rulesetError } from "../rulesets/rule-input.ts";
import type { Zone } from "../store.ts";
import { deriveConfig } from "./derive.ts";
import { reasonsAgainst, supportReasons } from "./eligibility.ts";
import { badInput } from "./old-api.ts";
import { hasPrevious } from "./record.ts";
import { deploysManaged, runsNew, statusView } from "./status.ts";

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

/** URI-based overrides do not prevent the derivation; reasons that only support can resolve do, and so do the conditions of phase 1 (inferred). */
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

/** How soon the new managed rules of a migration call are in force. Inferred: up to one hour is published. */
const DEPLOY_MILLISECONDS = 5_000;

/** How soon the previous managed rules are turned off after the final call. Inferred: up to one hour is published. */
const FINISH_MILLISECONDS = 15_000;

/** What a migration call asks for: both versions at once, or the end of the previous one. */
export type MigrationMode = "validation" | "pending";

/** The spellings of the query parameter (docs/service.md#waf-migration). */
const MODES: Readonly<Record<string, MigrationMode>> = {
  validation: "validation",
  "2": "validation",
  pending: "pending",
  "1": "pending",
};

/** A migration call as it came: its body, and the rules that would be in force after it. */
interface MigrationCall {
  readonly phase: string;
  readonly mode: MigrationMode;
  readonly body: JsonObject;
  readonly rules: readonly JsonObject[];
}

/** What `waf_migration` asks for; undefined without it. Throws a 400 for an unknown value, and without `phase_two=1`. */
export function migrationMode(query: URLSearchParams): MigrationMode | undefined {
  const value = query.get("waf_migration");
  if (value === null) return undefined;
  const mode = Object.hasOwn(MODES, value) ? MODES[value] : undefined;
  if (mode === undefined) throw rulesetError(`'${value}' is not a valid value for waf_migration`);
  if (query.get("phase_two") !== "1") throw rulesetError("phase_two=1 is required with waf_migration");
  return mode;
}

/** Throws a 400 for a migration call that the zone may not make (docs/service.md#waf-migration). Nothing has changed then. */
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

/** Validation is for Enterprise (docs/service.md#waf-migration), never after the final call, and its rules have no empty members. */
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
 * Runs an accepted migration call whose rules are saved; `wasRunning` says whether new managed rules were in force before.
 * The final call can be repeated until it has taken effect.
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

/** Schedules the previous managed rules to be turned off. */
export function finishSoon(core: Core, zone: Zone, now: number): void {
  if (zone.waf.migration.dueAt === null) setDue(core, zone, now + FINISH_MILLISECONDS);
}

/** Turns the previous managed rules off, unless the zone would then have none: one of the two versions always protects it. */
export function stepMigration(core: Core, zone: Zone, now: number): void {
  const { migration } = zone.waf;
  if (!runsNew(zone, now)) return setDue(core, zone, now + FINISH_MILLISECONDS);
  Object.assign(migration, { state: "complete", createdAt: now, newFrom: null, dueAt: null, isReady: false });
}

/**
 * Before the migration, every rule that a Pro or Business zone saves is disabled; only Enterprise may have enabled ones without
 * migrating (docs/service.md#waf-migration). Throws a 400; `pointerOf` says where the nth rule is in the body.
 */
export function refuseEarlyRules(
  zone: Zone,
  { kind, phase }: { readonly kind: string; readonly phase: string },
  rules: readonly JsonObject[],
  pointerOf: (index: number) => string = (index) => `/rules/${index}`,
): void {
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
