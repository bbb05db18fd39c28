import { type Diagnostic, error, type Position, problem, warning } from "../core/diagnostic.ts";
import {
  defined,
  formatPath,
  type Json,
  type JsonObject,
  leaves,
  type Path,
  valueAt,
  withValueAt,
} from "../core/json.ts";
import { didYouMean } from "../core/suggest.ts";
import type { HostnameFacts, HostnameRules, Match, Policy } from "./desired.ts";
import type { EntrySection, HostnamesSection } from "./document-types.ts";
import { find, lostOf, membersOf, placeOf } from "./document.ts";
import { isHostnamePattern, type Matcher, matcherOf, normaliseHostname } from "./match.ts";
import type { DeclaredHostnames } from "./hostnames.ts";
import { floorFor, matchingPolicies } from "./policies.ts";
import type { Report } from "./report.ts";
import type { DecodedRules } from "./rules.ts";
import type { LoadedSource } from "./source.ts";
import { HOSTNAMES } from "../kinds/registry.ts";

/**
 * Reports facts in policies and exceptions that no hostname has, and exceptions that weaken TLS without a reason.
 * `file` is the zone's file.
 */
export function checkFacts(
  section: HostnamesSection,
  decoded: DecodedRules,
  declared: DeclaredHostnames,
  sources: ReadonlyMap<string, LoadedSource>,
  { file, report }: { readonly file: string; readonly report: Report },
): void {
  const facts = function* (): Iterable<HostnameFacts> {
    for (const declaration of declared.byName.values()) yield declaration.facts;
  };
  const labels = knownLabels(declared, sources);
  checkLabels(section, labels, report);
  checkWeakExceptions(decoded, (hostname) => declared.byName.get(hostname)?.facts, report);
  const { lifecycle, foreign } = decoded.rules;
  if (lifecycle === "app" || foreign === "adopt") {
    checkFeedback(decoded, report);
    // There, live hostnames count too, and only the planner knows them.
    return;
  }
  const placeOfName = (exception: Policy, hostname: string): Position => {
    const match = decoded.written.get(exception)?.match;
    const names = match?.hostname;
    if (!match || names === undefined) return exception.at;
    const index = typeof names === "string" ? -1 : names.findIndex((name) => normaliseHostname(name) === hostname);
    return typeof names === "string" || index < 0 ? placeOf(match, "hostname") : placeOf(names, index);
  };
  checkExceptions(decoded.rules, facts(), report, placeOfName);
  checkPolicies(decoded, facts(), { labels, file, report });
}

/**
 * Warns about policies that match no hostname. A layer is written for several zones, so a policy of a layer is reported
 * only if it uses a misspelt fact.
 */
function checkPolicies(
  { rules, written }: DecodedRules,
  hostnames: Iterable<HostnameFacts>,
  { labels, file, report }: { readonly labels: readonly string[]; readonly file: string; readonly report: Report },
): void {
  const hit = new Set<Policy>();
  const known = new Set<string>();
  for (const facts of hostnames) {
    for (const policy of matchingPolicies(rules, facts)) hit.add(policy);
    for (const key of Object.keys(facts.metadata)) known.add(`metadata.${key}`);
  }
  for (const policy of rules.policies) {
    const match = written.get(policy)?.match;
    if (policy.isException || hit.has(policy) || match === undefined) continue;
    // An unknown label is reported as an error of its own.
    if (membersOf(match).some(([key]) => isUnknownLabel(key, labels))) continue;
    const [fact, place] = membersOf(match).find(([key]) => key.startsWith("metadata.") && !known.has(key)) ?? [];
    const remedy = fact === undefined ? "" : didYouMean(fact, [...known]);
    if (policy.at.file !== file && remedy === "") continue;
    const values = { name: JSON.stringify(policy.name), fact: fact ?? "these facts" };
    report(warning(problem("policy-without-hit", values, { remedy, at: place?.keyAt ?? placeOf(match) })));
  }
}

function knownLabels(declared: DeclaredHostnames, sources: ReadonlyMap<string, LoadedSource>): readonly string[] {
  const ofSources = [...sources.values()].flatMap(({ labels }) => labels);
  const ofEntries = [...declared.byName.values()].flatMap(({ facts, written }) =>
    written.kind === "entry" ? [...Object.keys(facts.labels), ...lostLabels(written.entry)] : [],
  );
  return [...new Set([...ofSources, ...ofEntries])];
}

/** Labels that exist, but were removed because their value is wrong. */
function lostLabels({ labels }: EntrySection): readonly string[] {
  return labels ? lostOf(labels) : [];
}

function isUnknownLabel(key: string, known: readonly string[]): boolean {
  return key.startsWith("label.") && !known.includes(key.slice("label.".length));
}

function checkLabels(section: HostnamesSection, known: readonly string[], report: Report): void {
  const { policies = [], exceptions = [], from = [] } = section;
  const matches = [...[...policies, ...exceptions].map(({ match }) => match), ...from.map(({ where }) => where)];
  for (const [key, { keyAt }] of matches.flatMap(membersOf)) {
    if (!isUnknownLabel(key, known)) continue;
    const name = key.slice("label.".length);
    const remedy = didYouMean(name, known);
    report(error(problem("unknown-label", { name: JSON.stringify(name) }, { remedy, at: keyAt })));
  }
}

/**
 * Reports policies and exceptions that set a value which another one matches. With live facts, a value that is set
 * today would be matched tomorrow: each plan would differ from the last, perhaps without end.
 */
function checkFeedback({ rules, written }: DecodedRules, report: Report): void {
  const readers = new Map<string, string>();
  for (const { name, match } of rules.policies) {
    for (const leaf of leavesBehind(match)) if (!readers.has(leaf)) readers.set(leaf, name);
  }
  for (const policy of rules.policies) {
    for (const { path } of leaves(policy.set)) {
      const reader = readers.get(formatPath(path));
      if (reader === undefined) continue;
      const at = find(written.get(policy)?.set, path)?.at ?? policy.at;
      const itself = reader === policy.name;
      const values = {
        name: JSON.stringify(policy.name),
        field: formatPath(path),
        reader: itself ? "which its own match reads" : `which the match of ${JSON.stringify(reader)} reads`,
      };
      report(error(problem("policy-sets-fact", values, { at })));
    }
  }
}

/** The fields that the facts of a match are read from. */
function leavesBehind({ wildcard, customOriginServer, metadata }: Match): readonly string[] {
  return [
    ...(wildcard === undefined ? [] : ["ssl.wildcard"]),
    ...(customOriginServer === undefined ? [] : ["custom_origin_server"]),
    ...Object.keys(metadata).map((key) => formatPath(["custom_metadata", key])),
  ];
}

/** With more misses than this, no similar name is suggested: each search compares all hostnames. */
const MOST_SUGGESTIONS = 20;

/** Finds the position of a hostname in an exception's match, if the YAML is available. */
type PlaceOfName = (exception: Policy, hostname: string) => Position;

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
function checkWeakExceptions(
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
    const below = floors.find((floor) => HOSTNAMES.weakens?.(tlsOf(floor), tlsOf(found.value), ""));
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
