import { expect } from "vitest";
import { equal, type Json, type JsonObject } from "../../lib/core/json.ts";
import type { Rig } from "../support/engine.ts";
import type { Configuration } from "./configurations.ts";
import { PHASES, type Phase } from "./entry-point-values.ts";
import { declaredOf, expectedOf, factsOf } from "./expected.ts";
import { flat, storedHostname, storedRules, zoneOf } from "./live.ts";

/** What is in the zone, as the service itself knows it. */
export interface Snapshot {
  readonly hostnames: ReadonlyMap<string, { readonly id: string; readonly stored: JsonObject }>;
  readonly rules: ReadonlyMap<Phase, readonly JsonObject[]>;
}

/** Reads everything that is live. */
export function snapshotOf(rig: Rig): Snapshot {
  const records = zoneOf(rig).hostnames.all();
  return {
    hostnames: new Map(
      records.map(({ hostname, id }) => [hostname, { id, stored: storedHostname(rig, hostname) ?? {} }]),
    ),
    rules: new Map(
      PHASES.flatMap((phase) => {
        const rules = storedRules(rig, phase);
        return rules ? [[phase, rules]] : [];
      }),
    ),
  };
}

/** The live hostnames that a change of the configuration deletes: they were declared and no longer are. */
function deletedBy(before: Configuration, after: Configuration): ReadonlySet<string> {
  if (after.lifecycle === "app") return new Set();
  const kept = declaredOf(after);
  return new Set([...declaredOf(before).keys()].filter((name) => !kept.has(name)));
}

/**
 * Nothing happened that nobody asked for: no hostname appeared or disappeared except as declared, and unmanaged fields
 * and foreign rules are as they were.
 */
export function expectUntouched(was: Snapshot, is: Snapshot, before: Configuration, after: Configuration): void {
  const gone = deletedBy(before, after);
  const expected = new Set([
    ...[...was.hostnames.keys()].filter((name) => !gone.has(name)),
    ...declaredOf(after).keys(),
  ]);
  expect([...is.hostnames.keys()].sort()).toEqual([...expected].sort());
  for (const [hostname, { id, stored }] of was.hostnames) {
    const now = is.hostnames.get(hostname);
    if (now?.id === id) expectLeaves(hostname, stored, now.stored, ownedBy(after, hostname, stored));
  }
  for (const [phase, rules] of was.rules) expectRulesOfOthers(phase, rules, is.rules.get(phase) ?? [], before, after);
}

/** What the configuration manages of a hostname: of a declared one by its declaration, of others by matching policies. */
function ownedBy(configuration: Configuration, hostname: string, stored: JsonObject): JsonObject {
  const declared = declaredOf(configuration).get(hostname);
  if (declared) return declared;
  if (configuration.lifecycle !== "app" && configuration.more["foreign"] !== "adopt") return {};
  return expectedOf(configuration, { ...factsOf(hostname, stored), region: "" }, {});
}

function expectLeaves(hostname: string, was: JsonObject, is: JsonObject, owned: JsonObject): void {
  const ours = flat(owned);
  const [left, right] = [flat(was), flat(is)];
  for (const path of new Set([...Object.keys(left), ...Object.keys(right)])) {
    if (ours[path] !== undefined || isConsequence(path, left, ours)) continue;
    expect(right[path], `${hostname} ${path}`).toEqual(left[path]);
  }
}

/** An uploaded certificate has no CA, and the next change of `ssl` deletes it unless it is sent along. */
function isConsequence(
  path: string,
  was: Readonly<Record<string, Json>>,
  owned: Readonly<Record<string, Json>>,
): boolean {
  // A first certificate comes with defaults for everything that was not declared.
  if (path.startsWith("ssl.") && was["ssl.method"] === undefined) return true;
  if (path !== "ssl.uploaded" && path !== "ssl.certificate_authority") return false;
  return was["ssl.uploaded"] === true || Object.keys(owned).some((name) => name.startsWith("ssl.custom_"));
}

function expectRulesOfOthers(
  phase: Phase,
  was: readonly JsonObject[],
  is: readonly JsonObject[],
  before: Configuration,
  after: Configuration,
): void {
  const entryPoint = after.entryPoints[phase];
  if (!entryPoint) return expect(is).toEqual(was);
  const wanted = new Map(entryPoint.rules.map((rule) => [rule["ref"], rule]));
  const previous = new Set((before.entryPoints[phase]?.rules ?? []).map((rule) => rule["ref"]));
  const isForeign = ({ ref }: JsonObject): boolean =>
    entryPoint["own"] !== undefined &&
    !wanted.has(ref ?? "") &&
    !previous.has(ref ?? "") &&
    !refOf(ref).startsWith("sec/");
  expect(is.filter((rule) => !wanted.has(rule["ref"] ?? ""))).toEqual(was.filter(isForeign));
  for (const rule of is) {
    const old = was.find(({ ref }) => ref === rule["ref"]);
    const ours = wanted.get(rule["ref"] ?? "");
    if (old && ours) expectRule(old, rule, ours);
  }
}

function expectRule(was: JsonObject, is: JsonObject, wanted: JsonObject): void {
  expect(is["id"]).toBe(was["id"]);
  const [left, right, ours] = [flat(was), flat(is), flat(wanted)];
  const isOfAction = (path: string): boolean =>
    /^(action_parameters|logging)\b/.test(path) && was["action"] !== is["action"];
  // The service takes one of the two, so a declared one replaces the other.
  const pair = ["action_parameters.ruleset", "action_parameters.rulesets"];
  const isExcluded = (path: string): boolean => pair.includes(path) && pair.some((name) => ours[name] !== undefined);
  for (const path of Object.keys(left)) {
    if (["version", "last_updated", "enabled"].includes(path) || ours[path] !== undefined) continue;
    if (isOfAction(path) || isExcluded(path)) continue;
    expect(right[path], `${refOf(was["ref"])} ${path}`).toEqual(left[path]);
  }
  // A declared rule without `enabled` is meant to run.
  if (wanted["enabled"] === undefined) expect(is["enabled"]).toBe(true);
  expect(equal(is, was)).toBe(is["version"] === was["version"]);
}

function refOf(ref: Json | undefined): string {
  return typeof ref === "string" ? ref : "";
}
