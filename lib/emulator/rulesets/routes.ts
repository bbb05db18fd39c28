import { accountRoute, type Call, jsonBody, param, type Route } from "../call.ts";
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
import { CUSTOM_RULESETS, PHASES } from "./catalogue.ts";
import { entryPoint, foundEntryPoint, foundRuleset, foundVersion, isDryRun, phaseOf, writableRuleset } from "./find.ts";
import { type Owner, ownerOf, ownerRoutes, visibleRulesets } from "./owner.ts";
import { currentVersion, type Ruleset, rulesetSummary, rulesetView, saveVersion, settleRules } from "./ruleset.ts";
import { readRules } from "./rule-input.ts";
import { invalidValue, rulesetError } from "./shape.ts";

const ONE = "/rulesets/:ruleset";

/** /rulesets below a zone or an account, and their versions (docs/service.md#rulesets). */
export function rulesetRoutes(): Route[] {
  return [
    ...ownerRoutes("GET", "/rulesets", list),
    ...ownerRoutes("POST", "/rulesets", create),
    ...ownerRoutes("GET", ONE, (call, owner) => success(rulesetView(foundRuleset(call, owner)))),
    ...ownerRoutes("PUT", ONE, (call, owner) => replace(call, owner, writableRuleset(call, owner))),
    ...ownerRoutes("DELETE", ONE, remove),
    ...ownerRoutes("GET", `${ONE}/versions`, (call, owner) => versions(foundRuleset(call, owner))),
    ...ownerRoutes("GET", `${ONE}/versions/:version`, showVersion),
    ...ownerRoutes("DELETE", `${ONE}/versions/:version`, removeVersion),
    // The reference has this call for managed rulesets of an account only.
    accountRoute("GET", `${ONE}/versions/:version/by_tag/:tag`, (call) => byTag(call, ownerOf(call))),
  ];
}

/** Wraps a route that writes: remembers how the list showed the rulesets before. It looks at all of them, because an owner has few. */
export function rememberingRulesets(route: Route): Route {
  if (route.method === "GET") return route;
  const handler = (call: Call): Reply => {
    const owner = ownerOf(call);
    const before = new Map(looksOf(owner));
    const reply = route.handler(call);
    for (const [id, look] of looksOf(owner))
      if (before.get(id)?.["version"] !== look["version"]) owner.history.remember(id, before.get(id));
    for (const [id, look] of before) if (!owner.rulesets.has(id)) owner.history.remember(id, look);
    return reply;
  };
  return { ...route, handler };
}

function looksOf(owner: Owner): [string, JsonObject][] {
  return [...owner.rulesets.values()].map((ruleset) => [ruleset.id, rulesetSummary(ruleset)]);
}

/** How a PUT replaces a ruleset: whether it refuses another name, and whether it is a call of the WAF migration. */
interface Replacing {
  readonly keepsName: boolean;
  readonly migrates: boolean;
}

const USUAL: Replacing = { keepsName: true, migrates: false };

/** Replaces the description and the rules, each only if it was sent. Name, kind and phase never change. */
export function replace(call: Call, owner: Owner, ruleset: Ruleset, how: Replacing = USUAL): Reply {
  const body = jsonBody(call);
  refuseRename(ruleset, body, how.keepsName);
  const sent = body["rules"] === undefined ? undefined : readRules(body["rules"], owner, ruleset.phase);
  if (!how.migrates) refuseEarlyRules(owner.zone, ruleset, sent ?? []);
  const present = currentVersion(ruleset);
  const description = descriptionOf(body) ?? present.description;
  if (isDryRun(call)) return success(null);
  const saving = { ids: call.core.ids, now: call.now };
  const rules = sent === undefined ? present.rules : settleRules(present.rules, sent, saving);
  saveVersion(ruleset, { description, rules }, call.now);
  return success(rulesetView(ruleset));
}

/** Creates a ruleset with the description and rules of the body. The caller has checked name, kind and phase. */
function makeRuleset(
  call: Call,
  owner: Owner,
  identity: Pick<Ruleset, "name" | "kind" | "phase">,
  body: JsonObject,
  migrates = false,
): Reply {
  const sent = readRules(body["rules"] ?? [], owner, identity.phase);
  if (!migrates) refuseEarlyRules(owner.zone, identity, sent);
  const description = descriptionOf(body) ?? "";
  if (isDryRun(call)) return success(null);
  const saving = { ids: call.core.ids, now: call.now };
  const id = call.core.ids.hex(32);
  const rules = settleRules([], sent, saving);
  const first = { version: 1, description, rules, updatedAt: call.now };
  const ruleset: Ruleset = { id, ...identity, versions: [first] };
  owner.rulesets.set(id, ruleset);
  return success(rulesetView(ruleset));
}

/**
 * The list uses a cursor, and refuses one that it never gave (inferred). Here it is the number of rulesets on the pages before. The answer has the next cursor twice: the
 * reference documents `cursors.after`, and the official client reads `cursor` (docs/service.md#pages).
 */
function list(call: Call, owner: Owner): Reply {
  const { perPage } = readPage(call.query, { least: 1, most: 50, usual: 50 });
  const all = visibleRulesets(owner);
  const from = Number(call.query.get("cursor") ?? 0);
  if (!Number.isSafeInteger(from) || from < 0) throw rulesetError("the cursor is not valid");
  const view = (ruleset: Ruleset): JsonObject => rulesetSummary(ruleset);
  const listed = { items: all, idOf: (ruleset: Ruleset) => ruleset.id, view, history: owner.history };
  const { items: result, total } = cutList(call, listed, from, perPage);
  const next = String(from + perPage);
  const after = from + perPage < total ? { cursor: next, cursors: { after: next } } : {};
  return {
    status: 200,
    body: { success: true, errors: [], messages: [], result, result_info: { count: result.length, ...after } },
  };
}

/** Throws 20217 for a second entry point of a phase (docs/service.md#rulesets). */
function create(call: Call, owner: Owner): Reply {
  const body = jsonBody(call);
  const { name, kind, phase } = body;
  if (typeof name !== "string" || name === "") throw rulesetError("a name is required", "/name");
  if (typeof phase !== "string" || !PHASES.has(phase)) throw rulesetError("the phase is not known", "/phase");
  const { entryKind } = owner;
  if (kind !== entryKind && kind !== "custom") throw invalidValue(kind, "/kind", `it is not ${entryKind} or custom`);
  if (kind === entryKind && entryPoint(owner, phase) !== undefined) throw tooMany(kind, `phase ${phase}`, 20217);
  const customs = [...owner.rulesets.values()].filter((ruleset) => ruleset.kind === "custom").length;
  if (kind === "custom" && customs >= CUSTOM_RULESETS[owner.plan]) throw tooMany("custom", "the plan");
  return makeRuleset(call, owner, { name, kind, phase }, body);
}

function tooMany(kind: string, place: string, code?: number): Error {
  const why = `exceeded maximum number of ${kind} rulesets for ${place}`;
  return rulesetError(`'${kind}' is not a valid value for kind because ${why}`, "/kind", code);
}

/** Deletes a ruleset, unless an execute rule refers to it (docs/service.md#rulesets). */
function remove(call: Call, owner: Owner): Reply {
  const ruleset = writableRuleset(call, owner);
  const ofZones = [...call.core.store.zones.values()].flatMap((zone) => [...zone.rulesets.values()]);
  for (const other of [...owner.rulesets.values(), ...ofZones]) {
    const isUser = currentVersion(other).rules.some(({ action_parameters: parameters }) => {
      return isObject(parameters) && parameters["id"] === ruleset.id;
    });
    if (isUser) throw rulesetError(`the ruleset is executed by a rule of ruleset ${other.id}`);
  }
  if (!isDryRun(call)) owner.rulesets.delete(ruleset.id);
  return { status: 204 };
}

/** The versions of a ruleset, without their rules. */
function versions(ruleset: Ruleset): Reply {
  return success(ruleset.versions.map((version) => rulesetSummary(ruleset, version)));
}

function showVersion(call: Call, owner: Owner): Reply {
  const ruleset = foundRuleset(call, owner);
  return success(rulesetView(ruleset, foundVersion(call, ruleset)));
}

/** A version with the rules of one category. */
function byTag(call: Call, owner: Owner): Reply {
  const ruleset = foundRuleset(call, owner);
  const version = foundVersion(call, ruleset);
  const rules = version.rules.filter(({ categories }) => {
    return Array.isArray(categories) && categories.includes(param(call, "tag"));
  });
  return success(rulesetView(ruleset, { ...version, rules }));
}

function removeVersion(call: Call, owner: Owner): Reply {
  const ruleset = writableRuleset(call, owner);
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
    ...ownerRoutes("GET", PATH, (call, owner) => success(rulesetView(foundEntryPoint(call, owner)))),
    ...ownerRoutes("PUT", PATH, put),
    ...ownerRoutes("GET", `${PATH}/versions`, history),
    ...ownerRoutes("GET", `${PATH}/versions/:version`, (call, owner) => {
      const ruleset = foundEntryPoint(call, owner);
      return success(rulesetView(ruleset, foundVersion(call, ruleset)));
    }),
  ];
}

/** Replaces an entry point. With `waf_migration` it also takes a step of the WAF migration (docs/service.md#waf-migration). */
function put(call: Call, owner: Owner): Reply {
  const phase = phaseOf(call);
  const mode = migrationMode(call.query);
  const { zone } = owner;
  if (mode === undefined || zone === undefined) return save(call, owner, phase, false);
  checkMigration(call, owner, zone, phase, mode);
  const wasRunning = runsNew(zone, call.now);
  const reply = save(call, owner, phase, true);
  if (!isDryRun(call)) beginMigration(call.core, zone, mode, wasRunning);
  return reply;
}

/** Replaces the entry point, or creates it if there is none. */
function save(call: Call, owner: Owner, phase: string, migrates: boolean): Reply {
  const present = entryPoint(owner, phase);
  if (present !== undefined) return replace(call, owner, present, { keepsName: false, migrates });
  const body = jsonBody(call);
  const name = typeof body["name"] === "string" && body["name"] !== "" ? body["name"] : "default";
  return makeRuleset(call, owner, { name, kind: owner.entryKind, phase }, body, migrates);
}

/** Refuses a migration call that the zone may not make, before anything is saved. A body without rules keeps the present ones. */
function checkMigration(call: Call, owner: Owner, zone: Zone, phase: string, mode: MigrationMode): void {
  const body = jsonBody(call);
  const present = entryPoint(owner, phase);
  const kept = present === undefined ? [] : currentVersion(present).rules;
  const rules = body["rules"] === undefined ? kept : readRules(body["rules"], owner, phase);
  refuseMigration(zone, { phase, mode, body, rules });
}

/** The versions of an entry point. A phase without an entry point has none, which is no error. */
function history(call: Call, owner: Owner): Reply {
  const present = entryPoint(owner, phaseOf(call));
  return present === undefined ? success([]) : versions(present);
}
