import { type Call, jsonBody, type Route, zoneRoute } from "../call.ts";
import { isObject, type JsonObject } from "../json.ts";
import { cutList, readPage } from "../lists.ts";
import { type Reply, success } from "../messages.ts";
import type { Zone } from "../store.ts";
import {
  beginMigration,
  migrationMode,
  type MigrationMode,
  refuseEarlyRules,
  refuseMigration,
} from "../waf/migration.ts";
import { runsNew } from "../waf/status.ts";
import { CUSTOM_RULESETS, managedRulesets, PHASES } from "./catalogue.ts";
import { entryPoint, foundEntryPoint, foundRuleset, foundVersion, isDryRun, phaseOf, writableRuleset } from "./find.ts";
import { currentVersion, type Ruleset, rulesetSummary, rulesetView, saveVersion, settleRules } from "./ruleset.ts";
import { readRules, rulesetError, textOf } from "./rule-input.ts";

const ONE = "/rulesets/:ruleset";

/** /zones/{id}/rulesets and its versions (docs/service.md#rulesets). */
export function rulesetRoutes(): Route[] {
  return [
    zoneRoute("GET", "/rulesets", list),
    zoneRoute("POST", "/rulesets", create),
    zoneRoute("GET", ONE, (call, zone) => success(rulesetView(foundRuleset(call, zone)))),
    zoneRoute("PUT", ONE, (call, zone) => replace(call, zone, writableRuleset(call, zone))),
    zoneRoute("DELETE", ONE, remove),
    zoneRoute("GET", `${ONE}/versions`, (call, zone) => versions(foundRuleset(call, zone))),
    zoneRoute("GET", `${ONE}/versions/:version`, showVersion),
    zoneRoute("DELETE", `${ONE}/versions/:version`, removeVersion),
  ];
}

/** Wraps a route that writes: remembers how the list showed the rulesets before. It looks at all of them, because a zone has few. */
export function rememberingRulesets(route: Route): Route {
  if (route.method === "GET") return route;
  const handler = (call: Call): Reply => {
    const zone = call.core.store.zones.get(call.params["zone"] ?? "");
    const before = new Map(zone === undefined ? [] : looksOf(zone));
    const reply = route.handler(call);
    for (const [id, look] of zone === undefined ? [] : looksOf(zone))
      if (before.get(id)?.["version"] !== look["version"]) zone?.histories.rulesets.remember(id, before.get(id));
    for (const [id, look] of before) if (zone?.rulesets.has(id) === false) zone.histories.rulesets.remember(id, look);
    return reply;
  };
  return { ...route, handler };
}

function looksOf(zone: Zone): [string, JsonObject][] {
  return [...zone.rulesets.values()].map((ruleset) => [ruleset.id, rulesetSummary(ruleset)]);
}

/** How a PUT replaces a ruleset: whether it refuses another name, and whether it is a call of the WAF migration. */
interface Replacing {
  readonly keepsName: boolean;
  readonly migrates: boolean;
}

const USUAL: Replacing = { keepsName: true, migrates: false };

/** Replaces the description and the rules, each only if it was sent. Name, kind and phase never change. */
export function replace(call: Call, zone: Zone, ruleset: Ruleset, how: Replacing = USUAL): Reply {
  const body = jsonBody(call);
  refuseRename(ruleset, body, how.keepsName);
  const sent = body["rules"] === undefined ? undefined : readRules(body["rules"], zone, ruleset.phase);
  if (!how.migrates) refuseEarlyRules(zone, ruleset, sent ?? []);
  if (isDryRun(call)) return success(null);
  const present = currentVersion(ruleset);
  const saving = { ids: call.core.ids, now: call.now };
  const rules = sent === undefined ? present.rules : settleRules(present.rules, sent, saving);
  saveVersion(ruleset, { description: descriptionOf(body) ?? present.description, rules }, call.now);
  return success(rulesetView(ruleset));
}

/** Creates a ruleset with the description and rules of the body. The caller has checked name, kind and phase. */
function makeRuleset(
  call: Call,
  zone: Zone,
  identity: Pick<Ruleset, "name" | "kind" | "phase">,
  body: JsonObject,
  migrates = false,
): Reply {
  const sent = readRules(body["rules"] ?? [], zone, identity.phase);
  if (!migrates) refuseEarlyRules(zone, identity, sent);
  if (isDryRun(call)) return success(null);
  const saving = { ids: call.core.ids, now: call.now };
  const id = call.core.ids.hex(32);
  const rules = settleRules([], sent, saving);
  const first = { version: 1, description: descriptionOf(body) ?? "", rules, updatedAt: call.now };
  const ruleset: Ruleset = { id, ...identity, versions: [first] };
  zone.rulesets.set(id, ruleset);
  return success(rulesetView(ruleset));
}

/**
 * The list uses a cursor, which here is the number of rulesets on the pages before. The answer has the next cursor twice: the
 * reference documents `cursors.after`, and the official client reads `cursor` (docs/service.md#pages).
 */
function list(call: Call, zone: Zone): Reply {
  const { perPage } = readPage(call.query, { least: 1, most: 50, usual: 50 });
  const all = [...zone.rulesets.values(), ...managedRulesets()];
  const from = Number(call.query.get("cursor") ?? 0);
  const view = (ruleset: Ruleset): JsonObject => rulesetSummary(ruleset);
  const listed = { items: all, idOf: (ruleset: Ruleset) => ruleset.id, view, history: zone.histories.rulesets };
  const { items: result, total } = cutList(call, listed, from, perPage);
  const next = String(from + perPage);
  const after = from + perPage < total ? { cursor: next, cursors: { after: next } } : {};
  return {
    status: 200,
    body: { success: true, errors: [], messages: [], result, result_info: { count: result.length, ...after } },
  };
}

/** Throws 20217 for a second entry point of a phase (docs/service.md#rulesets). */
function create(call: Call, zone: Zone): Reply {
  const body = jsonBody(call);
  const { name, kind, phase } = body;
  if (typeof name !== "string" || name === "") throw rulesetError("a name is required", "/name");
  if (typeof phase !== "string" || !PHASES.has(phase)) throw rulesetError("the phase is not known", "/phase");
  if (kind !== "zone" && kind !== "custom")
    throw rulesetError(`'${textOf(kind)}' is not a valid value for kind`, "/kind");
  if (kind === "zone" && entryPoint(zone, phase) !== undefined) throw tooMany("zone", `phase ${phase}`, 20217);
  const customs = [...zone.rulesets.values()].filter((ruleset) => ruleset.kind === "custom").length;
  if (kind === "custom" && customs >= CUSTOM_RULESETS[zone.plan]) throw tooMany("custom", "the plan");
  return makeRuleset(call, zone, { name, kind, phase }, body);
}

function tooMany(kind: string, place: string, code?: number): Error {
  const why = `exceeded maximum number of ${kind} rulesets for ${place}`;
  return rulesetError(`'${kind}' is not a valid value for kind because ${why}`, "/kind", code);
}

/** Deletes a ruleset, unless an execute rule refers to it (docs/service.md#rulesets). */
function remove(call: Call, zone: Zone): Reply {
  const ruleset = writableRuleset(call, zone);
  for (const other of zone.rulesets.values()) {
    const isUser = currentVersion(other).rules.some(({ action_parameters: parameters }) => {
      return isObject(parameters) && parameters["id"] === ruleset.id;
    });
    if (isUser) throw rulesetError(`the ruleset is executed by a rule of ruleset ${other.id}`);
  }
  if (!isDryRun(call)) zone.rulesets.delete(ruleset.id);
  return { status: 204 };
}

/** The versions of a ruleset, without their rules. */
function versions(ruleset: Ruleset): Reply {
  return success(ruleset.versions.map((version) => rulesetSummary(ruleset, version)));
}

function showVersion(call: Call, zone: Zone): Reply {
  const ruleset = foundRuleset(call, zone);
  return success(rulesetView(ruleset, foundVersion(call, ruleset)));
}

function removeVersion(call: Call, zone: Zone): Reply {
  const ruleset = writableRuleset(call, zone);
  const version = foundVersion(call, ruleset);
  if (version === currentVersion(ruleset)) throw rulesetError("the latest version cannot be deleted");
  if (!isDryRun(call)) ruleset.versions = ruleset.versions.filter((other) => other !== version);
  return { status: 204 };
}

/** Refuses another name, kind or phase. The PUT of an entry point accepts another name, because a configuration for the migration has its own. */
function refuseRename(ruleset: Ruleset, body: JsonObject, keepsName: boolean): void {
  for (const name of ["name", "kind", "phase"] as const) {
    const isKept = name === "name" && !keepsName;
    if (!isKept && body[name] !== undefined && body[name] !== ruleset[name])
      throw rulesetError(`${name} cannot be changed`, `/${name}`);
  }
}

function descriptionOf(body: JsonObject): string | undefined {
  const description = body["description"];
  if (description === undefined || description === null) return undefined;
  if (typeof description !== "string") throw rulesetError("description must be a string", "/description");
  return description;
}

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

/** Replaces an entry point. With `waf_migration` it also takes a step of the WAF migration (docs/service.md#waf-migration). */
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

/** Replaces the entry point, or creates it if there is none. */
function save(call: Call, zone: Zone, phase: string, migrates: boolean): Reply {
  const present = entryPoint(zone, phase);
  if (present !== undefined) return replace(call, zone, present, { keepsName: false, migrates });
  const body = jsonBody(call);
  const name = typeof body["name"] === "string" && body["name"] !== "" ? body["name"] : "default";
  return makeRuleset(call, zone, { name, kind: "zone", phase }, body, migrates);
}

/** Refuses a migration call that the zone may not make, before anything is saved. A body without rules keeps the present ones. */
function checkMigration(call: Call, zone: Zone, phase: string, mode: MigrationMode): void {
  const body = jsonBody(call);
  const present = entryPoint(zone, phase);
  const kept = present === undefined ? [] : currentVersion(present).rules;
  const rules = body["rules"] === undefined ? kept : readRules(body["rules"], zone, phase);
  refuseMigration(zone, { phase, mode, body, rules });
}

/** The versions of an entry point. A phase without an entry point has none, which is no error. */
function history(call: Call, zone: Zone): Reply {
  const present = entryPoint(zone, phaseOf(call));
  return present === undefined ? success([]) : versions(present);
}
