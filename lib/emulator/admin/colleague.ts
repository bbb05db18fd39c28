import { DASHBOARD, run } from "../answer.ts";
import type { Call, Route } from "../call.ts";
import type { Core } from "../core.ts";
import type { CustomHostname } from "../custom-hostnames/custom-hostname.ts";
import { asText, type JsonObject } from "../json.ts";
import { type Reply, ServiceError, success } from "../messages.ts";
import type { Router } from "../router.ts";
import { currentVersion, type Ruleset } from "../rulesets/ruleset.ts";
import type { Zone } from "../store.ts";

/** An edit that somebody could make in the dashboard, and would regret. */
interface Edit {
  /** What was done, in a sentence. */
  readonly says: string;
  readonly method: Route["method"];
  /** Below `/zones/:zone`. */
  readonly path: string;
  readonly body?: JsonObject;
}

/** The sorts of edits, so that a zone with a thousand hostnames still has its rules edited. */
const SORTS: readonly ((zone: Zone) => readonly Edit[])[] = [
  lowerTls,
  deleteHostname,
  disableRule,
  weakenRule,
  skipAll,
];

/**
 * Plays a colleague: makes one dangerous edit as the dashboard does, chosen by the emulator's own chance, so that the same seed
 * and the same calls give the same edit. It chooses among the zones that clients asked for, if there are any: these are the ones
 * that somebody manages. Answers with what it did, and with the number of requests so far.
 */
export function actAsColleague(call: Call, api: Router): Reply {
  const { core } = call;
  const edits = managedZones(core).flatMap((zone) =>
    SORTS.map((sort) => sort(zone).map((edit) => ({ ...edit, zone }))).filter(({ length }) => length > 0),
  );
  while (edits.length > 0) {
    const sort = choose(core, edits);
    const edit = choose(core, sort);
    const path = `/zones/${edit.zone.id}${edit.path}`;
    const { route, params } = api.find(edit.method, path);
    const reply = run(route, {
      ...call,
      params,
      headers: { "content-type": "application/json" },
      body: edit.body === undefined ? undefined : JSON.stringify(edit.body),
      token: DASHBOARD,
      isDashboard: true,
    });
    const { number = 0 } = core.log.recent().at(-1) ?? {};
    if (reply.status < 300)
      return success({ did: edit.says, zone_id: edit.zone.id, zone_name: edit.zone.name, after_request: number });
    // The zone's subscription does not allow it, or something is in its way: another one will do.
    sort.splice(sort.indexOf(edit), 1);
    if (sort.length === 0) edits.splice(edits.indexOf(sort), 1);
  }
  const message = "there is nothing to edit: no zone has a custom hostname or a rule";
  throw new ServiceError(409, { message });
}

function managedZones(core: Core): readonly Zone[] {
  const zones = [...core.store.zones.values()];
  const asked = new Set(core.log.entries().map(({ path }) => path.split("/")[2]));
  const managed = zones.filter(({ id }) => asked.has(id));
  return managed.length > 0 ? managed : zones;
}

function choose<T>(core: Core, among: readonly T[]): T {
  const chosen = among[Math.floor(core.ids.fraction() * among.length)];
  if (chosen === undefined) throw new Error("there is nothing to choose from");
  return chosen;
}

function lowerTls(zone: Zone): readonly Edit[] {
  return zone.hostnames.all().flatMap(({ id, hostname, ssl }) => {
    const least = asText(ssl?.settings["min_tls_version"]);
    if (ssl === null || ssl.uploaded || !["1.1", "1.2", "1.3"].includes(least)) return [];
    const settings = { ...ssl.settings, min_tls_version: "1.0" };
    return {
      says: `lowered the minimum TLS version of ${hostname} from ${least} to 1.0`,
      method: "PATCH",
      path: `/custom_hostnames/${id}`,
      body: { ssl: { type: "dv", method: ssl.method, settings } },
    };
  });
}

function deleteHostname(zone: Zone): readonly Edit[] {
  const isServed = ({ status }: CustomHostname): boolean => status === "active";
  return zone.hostnames
    .all()
    .filter(isServed)
    .map(({ id, hostname }) => ({
      says: `deleted the hostname ${hostname}`,
      method: "DELETE",
      path: `/custom_hostnames/${id}`,
    }));
}

function disableRule(zone: Zone): readonly Edit[] {
  return rulesOf(zone)
    .filter(({ rule }) => rule["enabled"] !== false && rule["action"] !== "skip" && rule["action"] !== "log")
    .map(({ rule, path }) => ({
      says: `disabled ${nameOf(rule)}`,
      method: "PATCH",
      path,
      body: { ...sendable(rule), enabled: false },
    }));
}

function weakenRule(zone: Zone): readonly Edit[] {
  return rulesOf(zone)
    .filter(({ rule }) => rule["enabled"] !== false && rule["action"] === "block")
    .map(({ rule, path }) => {
      const { action_parameters: _ofBlock, ...rest } = sendable(rule);
      return {
        says: `let ${nameOf(rule)} only log what it blocked`,
        method: "PATCH",
        path,
        body: { ...rest, action: "log" },
      };
    });
}

function skipAll(zone: Zone): readonly Edit[] {
  return entryPoints(zone)
    .filter((ruleset) => {
      const [first] = currentVersion(ruleset).rules;
      return ruleset.phase === "http_request_firewall_custom" && first !== undefined && first["action"] !== "skip";
    })
    .map(({ id }) => ({
      says: `put a rule "quick fix" ahead of the others, which skips them for every request`,
      method: "POST",
      path: `/rulesets/${id}/rules`,
      body: {
        description: "quick fix",
        expression: "true",
        action: "skip",
        action_parameters: { ruleset: "current" },
        position: { index: 1 },
      },
    }));
}

function rulesOf(zone: Zone): readonly { readonly rule: JsonObject; readonly path: string }[] {
  return entryPoints(zone).flatMap((ruleset) =>
    currentVersion(ruleset).rules.map((rule) => ({
      rule,
      path: `/rulesets/${ruleset.id}/rules/${asText(rule["id"])}`,
    })),
  );
}

function entryPoints(zone: Zone): readonly Ruleset[] {
  return [...zone.rulesets.values()].filter(({ kind }) => kind === "zone");
}

/** The rule as a client sends it back. */
function sendable({ version: _version, last_updated: _lastUpdated, id: _id, ...rule }: JsonObject): JsonObject {
  return rule;
}

function nameOf(rule: JsonObject): string {
  return `the rule ${JSON.stringify(asText(rule["description"]) || asText(rule["ref"]))}`;
}
