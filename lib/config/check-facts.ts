import { problem } from "../core/problem.ts";
import { error, type Position, warning } from "../core/diagnostic.ts";
import { formatPath, leaves } from "../core/json.ts";
import { didYouMean } from "../core/suggest.ts";
import type { HostnameFacts, Match, Policy } from "./desired.ts";
import type { EntrySection, HostnamesSection } from "./document-types.ts";
import { find, lostOf, membersOf, placeOf } from "./document.ts";
import { checkExceptions, checkWeakExceptions } from "./exceptions.ts";
import { normaliseHostname } from "./match.ts";
import type { DeclaredHostnames } from "./hostnames.ts";
import { matchingPolicies } from "./policies.ts";
import type { Report } from "./report.ts";
import type { DecodedRules } from "./rules.ts";
import type { LoadedSource } from "./source.ts";

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
