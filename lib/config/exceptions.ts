import { problem } from "../core/problem.ts";
import { defined } from "../core/defined.ts";
import { type Diagnostic, error, type Position, warning } from "../core/diagnostic.ts";
import { type Json, type JsonObject, type Path, valueAt, withValueAt } from "../core/json.ts";
import { didYouMean } from "../core/suggest.ts";
import { weakens, HOSTNAMES } from "../kinds/registry.ts";
import type { HostnameFacts, HostnameRules, Match, Policy } from "./desired.ts";
import { find } from "./document.ts";
import { isHostnamePattern, type Matcher, matcherOf } from "./match.ts";
import { floorFor } from "./policies.ts";
import type { Report } from "./report.ts";
import type { DecodedRules } from "./rules.ts";

/** With more misses than this, no similar name is suggested: each search compares all hostnames. */
const MOST_SUGGESTIONS = 20;

/** Finds the position of a hostname in an exception's match, if the YAML is available. */
export type PlaceOfName = (exception: Policy, hostname: string) => Position;

/**
 * Reports exceptions that match no hostname (docs/semantics.md#layers-and-exceptions: each must match something), and
 * in exceptions with several hostnames, each name that matches nothing. With `lifecycle: zoneform` the configuration
 * has all hostnames; with `lifecycle: app`, or if foreign ones are adopted, only the planner knows them.
 */
export function checkExceptions(
  rules: HostnameRules,
  hostnames: Iterable<HostnameFacts>,
  report: Report,
  placeOfName: PlaceOfName = (exception) => exception.at,
): void {
  const probes = rules.policies.filter((policy) => policy.isException).flatMap(probesOf);
  if (probes.length === 0) return;
  const names: string[] = [];
  const open = new Set(probes);
  const general = probes.filter(({ name }) => name === undefined || isHostnamePattern(name));
  const byName = new Map<string, Probe[]>();
  for (const probe of probes) {
    if (probe.name !== undefined) byName.set(probe.name, [...(byName.get(probe.name) ?? []), probe]);
  }
  for (const facts of hostnames) {
    names.push(facts.hostname);
    for (const probe of general) if (open.has(probe) && probe.matches(facts)) open.delete(probe);
    for (const probe of byName.get(facts.hostname) ?? []) if (probe.matches(facts)) open.delete(probe);
  }
  for (const [index, probe] of [...open].entries())
    report(withoutHit(probe, index < MOST_SUGGESTIONS ? names : [], placeOfName));
}

const MIN_TLS: Path = ["ssl", "settings", "min_tls_version"];

/**
 * Warns about exceptions that lower `min_tls_version` below the policies' value without a reason or an end. The
 * policies' value is looked up for the names of the exception, or for a hostname with exactly the facts that it
 * matches.
 */
export function checkWeakExceptions(
  { rules, written }: DecodedRules,
  declared: (hostname: string) => HostnameFacts | undefined,
  report: Report,
): void {
  for (const policy of rules.policies) {
    const found = find(written.get(policy)?.set, MIN_TLS);
    const missing = missingWords(written.get(policy));
    if (!policy.isException || found === undefined || missing === "") continue;
    const { hostname: names = [""] } = policy.match;
    const floors = names.map((name) => valueAt(floorFor(rules, declared(name) ?? factsMatched(policy, name)), MIN_TLS));
    const below = floors.find((floor) => weakens(HOSTNAMES.name, tlsOf(floor), tlsOf(found.value), ""));
    if (below === undefined) continue;
    const versions = { from: formatJson(below), to: formatJson(found.value) };
    const values = { name: JSON.stringify(policy.name), ...versions, missing };
    report(warning(problem("exception-unexplained", values, { at: found.at })));
  }
}

function missingWords(section: object | undefined): string {
  const has = (key: string): boolean => (find(section, [key])?.value ?? null) !== null;
  return ["reason", "until"].flatMap((key) => (has(key) ? [] : `no ${key}`)).join(" and ");
}

function tlsOf(version: Json | undefined): JsonObject {
  return version === undefined || version === null ? {} : withValueAt({}, MIN_TLS, version);
}

function formatJson(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The facts of a hostname that an exception would match, if no such hostname is known: the first allowed value of each. */
function factsMatched({ match }: Policy, hostname: string): HostnameFacts {
  const firsts = (facts: Match["metadata"]): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(facts).flatMap(([key, [first]]) => (first === undefined ? [] : [[key, first]])));
  return {
    hostname,
    metadata: firsts(match.metadata),
    labels: firsts(match.label),
    ...defined({ wildcard: match.wildcard, customOriginServer: match.customOriginServer?.[0] }),
  };
}

interface Probe {
  readonly exception: Policy;
  readonly name: string | undefined;
  readonly matches: Matcher;
}

function probesOf(exception: Policy): readonly Probe[] {
  const { hostname } = exception.match;
  if (!hostname) return [{ exception, name: undefined, matches: matcherOf(exception.match) }];
  return hostname.map((name) => ({
    exception,
    name,
    matches: matcherOf({ ...exception.match, hostname: [name] }),
  }));
}

function withoutHit({ exception, name }: Probe, names: readonly string[], placeOfName: PlaceOfName): Diagnostic {
  const isSingle = name !== undefined && !isHostnamePattern(name);
  const why = isSingle ? reasonFor(name, names) : "no hostname has these facts";
  const remedy = isSingle && !names.includes(name) ? didYouMean(name, names) : "";
  const at = name === undefined ? exception.at : placeOfName(exception, name);
  return error(problem("exception-without-hit", { name: JSON.stringify(exception.name), why }, { remedy, at }));
}

function reasonFor(name: string, names: readonly string[]): string {
  const quoted = JSON.stringify(name);
  if (names.includes(name)) return `${quoted} exists, but does not meet the rest of the match`;
  return `there is no hostname ${quoted}`;
}
