import { expect } from "vitest";
import { objects, optionalObject } from "../../lib/core/decode.ts";
import type { JsonObject } from "../../lib/core/json.ts";
import { listRuns } from "../../lib/state/runs.ts";
import { makeUndo, type PlannedUndo } from "../../lib/engine/undo.ts";
import { failuresOf, type FileContent, openRig, type Rig, ZONE } from "./engine.ts";

/** How long to wait for everything that the service does by itself. */
export const HOUR_MILLISECONDS = 3_600_000;
/** The phase of the entry point whose rules are undone. */
export const PHASE = "http_request_firewall_custom";

/** The parts of a zone that the undo tests set, as values of its YAML. */
export interface Configuration {
  readonly fallback: string;
  readonly hostnames: readonly JsonObject[];
  readonly rules: readonly JsonObject[];
  readonly totalTls: boolean;
}

/** The YAML of a configuration. */
export function filesOf({ fallback, hostnames, rules, totalTls }: Configuration): FileContent {
  return {
    version: 1,
    zone: ZONE,
    fallback_origin: { origin: fallback },
    custom_hostnames: { lifecycle: "zoneform", ssl_updates: "always", foreign: "ignore", entries: hostnames },
    entry_points: { [PHASE]: { own: ["sec/"], adopt: true, rules } },
    total_tls: { enabled: totalTls },
  };
}

const FOREIGN = { ref: "theirs", action: "block", expression: 'http.request.uri.path eq "/x"' };

/** A rig with this configuration, in which the entry point also has a foreign rule. */
export function rigWith(configuration: Configuration): Rig {
  const rulesets = [{ phase: PHASE, rules: [FOREIGN] }];
  return openRig({ zone: { plan: "enterprise", rulesets }, files: { "zones/a.yaml": filesOf(configuration) } });
}

/** The same, after a run has applied the configuration and the service has finished its part. */
export async function appliedRig(configuration: Configuration): Promise<Rig> {
  const rig = rigWith(configuration);
  expect(failuresOf(await rig.run())).toEqual([]);
  await settle(rig);
  return rig;
}

/** Everything in the zone that a user can set, as the service returns it. */
export function liveValues(rig: Rig): unknown {
  const answer = (path: string): { readonly result: JsonObject } =>
    JSON.parse(rig.admin.dashboard("GET", `/zones/${ZONE.id}/${path}`).body);
  const hostnames = objects({ ...answer("custom_hostnames?per_page=50") }, "result");
  const entryPoint = answer(`rulesets/phases/${PHASE}/entrypoint`).result;
  return {
    fallback: pick(answer("custom_hostnames/fallback_origin").result, ["origin"]),
    hostnames: Object.fromEntries(
      hostnames.map((record) => [
        record["hostname"],
        [
          pick(record, ["custom_origin_server", "custom_metadata"]),
          pick(optionalObject(record, "ssl") ?? {}, ["method", "type", "settings"]),
        ],
      ]),
    ),
    rules: objects(entryPoint, "rules").map((rule) => pick(rule, ["ref", "action", "expression", "enabled"])),
    totalTls: pick(answer("acm/total_tls").result, ["enabled"]),
  };
}

function pick(from: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(fields.map((field) => [field, from[field] ?? null]));
}

/** Lets the service finish what it does by itself. */
export async function settle(rig: Rig): Promise<void> {
  await rig.wait(HOUR_MILLISECONDS);
}

/** Applies the configuration. Fails the test if a change fails. */
export async function apply(rig: Rig, configuration: Configuration): Promise<void> {
  rig.write("zones/a.yaml", filesOf(configuration));
  expect(failuresOf(await rig.run())).toEqual([]);
  await settle(rig);
}

/** The ids of the recorded runs, newest first. */
export async function runsOf(rig: Rig): Promise<readonly string[]> {
  return (await listRuns(await rig.world().store.view(ZONE.id))).map(({ run }) => run);
}

/** Changes the live hostname a.net in the dashboard. */
export async function editLive(rig: Rig, values: Parameters<Rig["admin"]["dashboard"]>[2]): Promise<void> {
  const id = (await rig.state())?.objects.get('custom_hostname["a.net"]')?.id ?? "";
  const answer = rig.admin.dashboard("PATCH", `/zones/${ZONE.id}/custom_hostnames/${id}`, values);
  expect(answer.status).toBe(200);
}

/** The plan that undoes a run. */
export function undo(rig: Rig, run = "last"): Promise<PlannedUndo> {
  return makeUndo(rig.world(), { file: rig.file, run });
}

/** One hostname, one rule. */
export const BASE: Configuration = {
  fallback: "fallback.saas.net",
  hostnames: [{ hostname: "a.net", custom_origin_server: "origin1.saas.net", ssl: { method: "http", type: "dv" } }],
  rules: [{ ref: "sec/1", action: "block", expression: "true", enabled: true }],
  totalTls: false,
};

/** `BASE` with another origin server. */
export function withOrigin(origin: string): Configuration {
  return {
    ...BASE,
    hostnames: [{ hostname: "a.net", custom_origin_server: origin, ssl: { method: "http", type: "dv" } }],
  };
}
