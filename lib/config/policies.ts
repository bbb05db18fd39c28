import { EMPTY, isObject, type Json, type JsonObject } from "../core/json.ts";
import type { HostnameFacts, HostnameRules, Policy } from "./desired.ts";
import { isHostnamePattern, type Matcher, matcherOf } from "./match.ts";

/**
 * The desired values of one hostname: all matching policies in order, then its own values (`base`), then the matching
 * exceptions. Maps merge, lists replace, later values win, and `null` means unmanaged (docs/semantics.md#ownership).
 * Hostnames with the same matching policies and the same `base` object share one result. `EMPTY` means that nothing is
 * desired.
 */
export function desiredFor(rules: HostnameRules, facts: HostnameFacts, base: JsonObject): JsonObject {
  const { match, results } = compiledRules(rules);
  const matched = match(facts);
  const ofBase = results.get(base) ?? new Map<string, JsonObject>();
  results.set(base, ofBase);
  const key = matched.join();
  const known = ofBase.get(key);
  if (known) return known;
  const desired = merged(
    matched.flatMap((index) => rules.policies[index] ?? []),
    base,
  );
  ofBase.set(key, desired);
  return desired;
}

/** The values that the policies alone set for a hostname, without its own values and exceptions. */
export function floorFor(rules: HostnameRules, facts: HostnameFacts): JsonObject {
  const known = floors.get(rules) ?? { ...rules, policies: rules.policies.filter(({ isException }) => !isException) };
  floors.set(rules, known);
  return desiredFor(known, facts, EMPTY);
}

const floors = new WeakMap<HostnameRules, HostnameRules>();

/** The policies and exceptions that match a hostname, in order. */
export function matchingPolicies(rules: HostnameRules, facts: HostnameFacts): readonly Policy[] {
  return compiledRules(rules)
    .match(facts)
    .flatMap((index) => rules.policies[index] ?? []);
}

function merged(policies: readonly Policy[], base: JsonObject): JsonObject {
  const below = policies.filter((policy) => !policy.isException).map((policy) => policy.set);
  const above = policies.filter((policy) => policy.isException).map((policy) => policy.set);
  return [...below, base, ...above].filter(isSomething).reduce(mergeValues, EMPTY);
}

function isSomething(values: JsonObject): boolean {
  return Object.keys(values).length > 0;
}

/** References to secrets are replaced as a whole: `{ env }` over `{ file }` replaces it. */
const WHOLE = ["custom_certificate", "custom_key"];

/** Lays one object over another: maps merge, everything else is replaced, and `null` keeps the value below. */
export function mergeValues(below: JsonObject, above: JsonObject): JsonObject {
  if (below === EMPTY && !Object.values(above).includes(null)) return above;
  const result: Record<string, Json> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    if (value === null) continue;
    const under = result[key];
    result[key] = isObject(value) && isObject(under) && !WHOLE.includes(key) ? mergeValues(under, value) : value;
  }
  return result;
}

interface CompiledRules {
  /** The indexes of the matching policies, in order. */
  readonly match: (facts: HostnameFacts) => readonly number[];
  readonly results: WeakMap<JsonObject, Map<string, JsonObject>>;
}

const compiled = new WeakMap<HostnameRules, CompiledRules>();

function compiledRules(rules: HostnameRules): CompiledRules {
  const known = compiled.get(rules) ?? compile(rules);
  compiled.set(rules, known);
  return known;
}

/** Policies for single names are found by name, so even with a thousand exceptions each hostname needs one lookup. */
function compile(rules: HostnameRules): CompiledRules {
  const general: { index: number; matches: Matcher }[] = [];
  const byName = new Map<string, { index: number; matches: Matcher }[]>();
  rules.policies.forEach(({ match }, index) => {
    const entry = { index, matches: matcherOf(match) };
    if (!match.hostname || match.hostname.some(isHostnamePattern)) {
      general.push(entry);
      return;
    }
    for (const name of new Set(match.hostname)) byName.set(name, [...(byName.get(name) ?? []), entry]);
  });
  const match = (facts: HostnameFacts): readonly number[] => {
    const found: number[] = [];
    for (const { index, matches } of general) if (matches(facts)) found.push(index);
    const named = byName.get(facts.hostname);
    if (!named) return found;
    for (const { index, matches } of named) if (matches(facts)) found.push(index);
    return found.sort((left, right) => left - right);
  };
  return { match, results: new WeakMap() };
}
