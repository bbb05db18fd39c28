import { type ZoneId, zoneId } from "../../../lib/core/brand.ts";
import type { DesiredObject, DesiredZone, HostnameRules, Policy } from "../../../lib/config/desired.ts";
import type { JsonObject } from "../../../lib/core/json.ts";
import type { Change, ZonePlan } from "../../../lib/plan/change.ts";
import { type DriftJudgement, judgeDrift } from "../../../lib/plan/drift.ts";
import { EVERYTHING, type PlanInput } from "../../../lib/plan/inputs.ts";
import { planZone } from "../../../lib/plan/plan.ts";
import { localAddress } from "../../../lib/plan/targets.ts";
import type { KindName } from "../../../lib/kinds/kind.ts";
import type { Live } from "../../../lib/kinds/live.ts";
import type { State, StateObject } from "../../../lib/state/state.ts";

export const ZONE: ZoneId = zoneId("023e105f4ecef8ad9ca31a8372d0c353");
/** When every plan of these tests is made. */
export const NOW = "2026-11-21T06:00:00.000Z";
const AT = { file: "zones/a.yaml", line: 4, column: 5 };

/** What a test says of a zone; everything else is empty. */
export interface Given {
  readonly objects?: readonly DesiredObject[];
  readonly hostnames?: Partial<HostnameRules>;
  readonly checks?: DesiredZone["checks"];
  /** Absent: there is no state. */
  readonly known?: readonly StateObject[];
  readonly live?: readonly (readonly [KindName, Live])[];
  readonly input?: Partial<PlanInput>;
}

/** Plans what is given. */
export function planned(given: Given): ZonePlan {
  return planZone(inputOf(given));
}

/** Judges the drift of what is given; no run is under way. */
export function judged(given: Given): DriftJudgement {
  return judgeDrift(inputOf(given), new Map());
}

/** The only change of a plan. Fails the test where there are more or none. */
export function onlyChange(given: Given): Change {
  const { changes } = planned(given);
  const [change] = changes;
  if (!change || changes.length > 1) throw new Error(`there are ${changes.length} changes`);
  return change;
}

/** The input that a plan is made of. */
export function inputOf({ objects = [], hostnames = {}, checks = [], known, live = [], input = {} }: Given): PlanInput {
  return {
    desired: {
      id: ZONE,
      name: "saas.net",
      at: AT,
      objects,
      hostnames: rulesOf(hostnames),
      checks,
      deletionLimits: new Map(),
      moves: [],
      forgets: new Map(),
    },
    state: known && stateOf(known),
    live: { id: ZONE, name: "saas.net", objects: liveOf(live) },
    isOneOfMany: false,
    fingerprintOf: () => undefined,
    now: NOW,
    selection: EVERYTHING,
    sources: {},
    leaving: new Map(),
    isDestroy: false,
    ...input,
  };
}

function rulesOf(rules: Partial<HostnameRules>): HostnameRules {
  return {
    isDeclared: true,
    lifecycle: "zoneform",
    foreign: "report",
    whenExpired: "report",
    policies: [],
    options: { ssl_updates: "when_active", denied_certificate_authorities: [] },
    ...rules,
  };
}

function stateOf(objects: readonly StateObject[]): State {
  return {
    zone: { id: ZONE, name: "saas.net" },
    lineage: "5a3c1f9e-0000-4000-8000-000000000000",
    serial: 7,
    secretKey: "00".repeat(32),
    objects: new Map(objects.map((object) => [localAddress(object.kind, object.key), object])),
  };
}

function liveOf(objects: readonly (readonly [KindName, Live])[]): ReadonlyMap<KindName, ReadonlyMap<string, Live>> {
  const found = new Map<KindName, Map<string, Live>>();
  for (const [kind, live] of objects) found.set(kind, (found.get(kind) ?? new Map<string, Live>()).set(live.key, live));
  return found;
}

/** A policy for all hostnames. */
export function policy(set: JsonObject): Policy {
  return { name: "all", isException: false, match: { metadata: {}, label: {} }, set, at: AT };
}

/** A declared object. */
export function wanted(
  kind: KindName,
  key: string,
  values: JsonObject,
  more: Partial<DesiredObject> = {},
): DesiredObject {
  return { kind, key, values, options: {}, at: AT, ...more };
}

/** An object as the state knows it. */
export function known(kind: KindName, key: string, applied: JsonObject, more: Partial<StateObject> = {}): StateObject {
  return { kind, key, id: `id-${key}`, applied, ...more };
}

/** An object as the service has it. */
export function live(
  kind: KindName,
  key: string,
  values: JsonObject,
  status: JsonObject = {},
): readonly [KindName, Live] {
  return [kind, { id: `id-${key}`, key, values, status }];
}

/** An active hostname as the service has it. */
export function liveHostname(key: string, values: JsonObject, status: JsonObject = {}): readonly [KindName, Live] {
  const certificate = values["ssl"] === undefined ? {} : { ssl_status: "active" };
  return live("custom_hostname", key, values, { status: "active", ...certificate, ...status });
}

/** Leaves in a line each: path, cause. */
export function causes({ leaves }: Pick<Change, "leaves">): readonly string[] {
  return leaves.map(({ path, cause }) => `${path.join(".")} ${cause}`);
}
