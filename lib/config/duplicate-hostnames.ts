import { type Diagnostic, error, formatPosition, type Position } from "../core/diagnostic.ts";
import type { DesiredZone } from "./desired.ts";
import type { Report } from "./report.ts";

/** After this many, the rest is only counted. */
const MOST = 20;

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
      if (count <= MOST) report(found);
    },
    finish: (at) => {
      if (count > MOST) report(moreDuplicates(count - MOST, at()));
    },
  };
}

/**
 * A hostname belongs to one zone. One that moves is only declared in its new zone; `moves.ts` reports it if it is not.
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
      if (kind !== "custom_hostname" || moving.has(key)) continue;
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
  const remedy =
    one === two ? "choose the rows of each zone with where:, or declare it in one zone only" : "keep one of the two";
  return error({ code: "duplicate-hostname", message, remedy, at: second.at });
}

function duplicateHostname(hostname: string, first: Position, at: Position): Diagnostic {
  return error({
    code: "duplicate-hostname",
    message: `${hostname} is declared twice, first at ${formatPosition(first)}`,
    remedy: "remove one of the two",
    at,
  });
}

function moreDuplicates(count: number, at: Position): Diagnostic {
  return error({
    code: "duplicate-hostname",
    message: `${count} more hostnames are declared twice`,
    remedy: "fix the ones above, then validate again",
    at,
  });
}
