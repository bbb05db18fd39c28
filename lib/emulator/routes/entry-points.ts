import { jsonBody, zoneRoute, type Call, type Route } from "../call.ts";
import { success, type Reply } from "../envelope.ts";
import { entryPoint, foundEntryPoint, foundVersion, isDryRun, phaseOf } from "../rulesets/find.ts";
import { currentVersion } from "../rulesets/record.ts";
import { readRules } from "../rulesets/rule-input.ts";
import { rulesetView } from "../rulesets/view.ts";
import type { Zone } from "../store.ts";
import { beginMigration, migrationMode, refuseMigration, type MigrationMode } from "../waf/migration.ts";
import { runsNew } from "../waf/status.ts";
import { makeRuleset, replace, versions } from "./rulesets.ts";

const PATH = "/rulesets/phases/:phase/entrypoint";

/** The entry point of a phase (docs/service.md#rulesets). */
export function entryPointRoutes(): Route[] {
  return [
    zoneRoute("GET", PATH, (call, zone) => success(rulesetView(foundEntryPoint(call, zone)))),
    zoneRoute("PUT", PATH, put),
    zoneRoute("GET", `${PATH}/versions`, history),
    zoneRoute("GET", `${PATH}/versions/:version`, (call, zone) => {
      const ruleset = foundEntryPoint(call, zone);
      return success(rulesetView(ruleset, foundVersion(call, ruleset)));
    }),
  ];
}

/** The PUT, which with `waf_migration` also takes the zone one step of the migration to the new managed rules (docs/service.md#waf-migration). */
function put(call: Call, zone: Zone): Reply {
  const phase = phaseOf(call);
  const mode = migrationMode(call.query);
  if (mode === undefined) return save(call, zone, phase, false);
  checkMigration(call, zone, phase, mode);
  const wasRunning = runsNew(zone, call.now);
  const reply = save(call, zone, phase, true);
  if (!isDryRun(call)) beginMigration(call.core, zone, mode, wasRunning);
  return reply;
}

/** Creates the entry point if there is none: entry points are created by this call and not by POST. */
function save(call: Call, zone: Zone, phase: string, migrates: boolean): Reply {
  const present = entryPoint(zone, phase);
  if (present !== undefined) return replace(call, zone, present, { keepsName: false, migrates });
  const body = jsonBody(call);
  const name = typeof body["name"] === "string" && body["name"] !== "" ? body["name"] : "default";
  return makeRuleset(call, zone, { name, kind: "zone", phase }, body, migrates);
}

/** Refuses before anything is saved. A body without rules keeps the present ones. */
function checkMigration(call: Call, zone: Zone, phase: string, mode: MigrationMode): void {
  const body = jsonBody(call);
  const present = entryPoint(zone, phase);
  const kept = present === undefined ? [] : currentVersion(present).rules;
  const rules = body["rules"] === undefined ? kept : readRules(body["rules"], zone, phase);
  refuseMigration(zone, { phase, mode, body, rules });
}

/** A phase without an entry point has an empty history; that is not an error. */
function history(call: Call, zone: Zone): Reply {
  const present = entryPoint(zone, phaseOf(call));
  return present === undefined ? success([]) : versions(present);
}
