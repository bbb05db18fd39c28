import { type Diagnostic, error, type Position } from "../core/diagnostic.ts";
import { didYouMean } from "../core/suggest.ts";
import type { HostnameFacts, HostnameRules, Policy } from "./desired.ts";
import { isHostnamePattern, type Matcher, matcherOf } from "./match.ts";
import type { Report } from "./report.ts";

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
  const near = isSingle && !names.includes(name) ? didYouMean(name, names) : "";
  return error({
    code: "exception-without-hit",
    message: `the exception ${JSON.stringify(exception.name)} matches no hostname: ${why}`,
    remedy: near || "correct its match, or remove the exception",
    at: name === undefined ? exception.at : placeOfName(exception, name),
  });
}

function reasonFor(name: string, names: readonly string[]): string {
  const quoted = JSON.stringify(name);
  if (names.includes(name)) return `${quoted} exists, but does not meet the rest of the match`;
  return `there is no hostname ${quoted}`;
}
