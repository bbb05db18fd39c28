import { CODES, type Diagnostic, error, formatPosition, type Position, problem } from "../core/diagnostic.ts";
import { isHostname } from "../kinds/registry.ts";
import type { ValueProblem } from "../kinds/traits/declared.ts";
import type { Report } from "./report.ts";
import type { DesiredZone } from "./desired.ts";

/** How many errors of one code in one file to report before counting the rest. */
const MOST_OF_A_CODE = 20;

/** Collects errors of single hostnames. */
export interface HostnameProblems {
  add(hostname: string, problem: ValueProblem, at: Position): void;
}

interface Problem {
  readonly problem: ValueProblem;
  readonly at: Position;
  readonly hostname: string;
  more: number;
}

/**
 * Collects errors of hostnames over all zones. One wrong policy breaks ten thousand hostnames, in every zone that uses
 * its layer. So there is one error for each place, and at most twenty of a code in a file.
 */
export function hostnameProblems(report: Report): HostnameProblems & { finish(): void } {
  const byPlace = new Map<string, Problem>();
  return {
    add: (hostname, problem, at) => {
      const key = `${problem.code} ${at.file}:${at.line}:${at.column}`;
      const known = byPlace.get(key);
      if (known) known.more += 1;
      else byPlace.set(key, { problem, at, hostname, more: 0 });
    },
    finish: () => reportAll([...byPlace.values()], report),
  };
}

function reportAll(problems: readonly Problem[], report: Report): void {
  const counts = new Map<string, { readonly of: Problem; count: number }>();
  for (const each of problems) {
    const key = `${each.problem.code} ${each.at.file}`;
    const counted = counts.get(key) ?? { of: each, count: 0 };
    counts.set(key, counted);
    counted.count += 1;
    if (counted.count <= MOST_OF_A_CODE) report(errorOf(each));
  }
  for (const { of, count } of counts.values()) {
    if (count <= MOST_OF_A_CODE) continue;
    const { at, problem: shown } = of;
    report(error(problem("more-errors", { count: count - MOST_OF_A_CODE, where: at.file, code: shown.code })));
  }
}

function errorOf({ problem: { code, message, remedy }, at, hostname, more }: Problem): ReturnType<typeof error> {
  const others = more === 0 ? "" : `, and ${more} more ${more === 1 ? "hostname" : "hostnames"} too`;
  const address = `custom_hostname[${JSON.stringify(hostname)}]`;
  return error({ code, message: `${message}${others}`, remedy, at, address });
}

/** Reports hostnames that one zone declares twice. */
export function duplicateReport(report: Report): {
  add(hostname: string, first: Position, at: Position): void;
  finish(at: () => Position): void;
} {
  const { add, finish } = counting(report);
  return { add: (hostname, first, at) => add(duplicateHostname(hostname, first, at)), finish };
}

/** Reports the first ones and counts the rest. */
function counting(report: Report): {
  readonly add: (found: Diagnostic) => void;
  readonly finish: (at: () => Position) => void;
} {
  let count = 0;
  return {
    add: (found) => {
      count += 1;
      if (count <= MOST_OF_A_CODE) report(found);
    },
    finish: (at) => {
      if (count > MOST_OF_A_CODE) report(moreDuplicates(count - MOST_OF_A_CODE, at()));
    },
  };
}

/**
 * Checks that a hostname belongs to one zone. One that moves is only declared in its new zone; otherwise `moves.ts`
 * reports it.
 */
export function checkHostnames(zones: readonly DesiredZone[], report: Report): void {
  const [firstZone, ...others] = zones;
  if (!firstZone || others.length === 0) return;
  const moving = new Set(zones.flatMap(({ moves }) => moves.map(({ from }) => from.key)));
  const first = new Map<string, { readonly zone: DesiredZone; readonly at: Position }>();
  const duplicates = counting(report);
  // A zone that occurs twice is one error, not one for each hostname.
  const ids = new Set<string>();
  for (const zone of zones) {
    if (ids.has(zone.id)) continue;
    ids.add(zone.id);
    for (const { kind, key, at } of zone.objects) {
      if (!isHostname(kind) || moving.has(key)) continue;
      const before = first.get(key);
      if (before) duplicates.add(inTwoZones(key, before, { zone, at }));
      else first.set(key, { zone, at });
    }
  }
  duplicates.finish(() => firstZone.at);
}

interface InZone {
  readonly zone: DesiredZone;
  readonly at: Position;
}

/** Names both places; if the zones share a layer or a source, there is only one place, so it names both zones. */
function inTwoZones(hostname: string, first: InZone, second: InZone): Diagnostic {
  const [one, two] = [formatPosition(first.at), formatPosition(second.at)];
  const message =
    one === two
      ? `${hostname} is declared here for two zones, ${first.zone.name} and ${second.zone.name}`
      : `${hostname} is declared in two zones, ${second.zone.name} here and ${first.zone.name} at ${one}`;
  const remedy = one === two ? "choose the rows of each zone with where:, or declare it in one zone only" : "";
  return error(problem("duplicate-hostname", { message }, { remedy, at: second.at }));
}

function duplicateHostname(hostname: string, first: Position, at: Position): Diagnostic {
  const message = `${hostname} is declared twice, first at ${formatPosition(first)}`;
  return error(problem("duplicate-hostname", { message }, { at }));
}

function moreDuplicates(count: number, at: Position): Diagnostic {
  const { remedy } = CODES["more-errors"];
  return error({ code: "duplicate-hostname", message: `${count} more hostnames are declared twice`, remedy, at });
}
