import { thousands } from "../../core/words.ts";
import { issuancesOf } from "../../core/rate-limits.ts";
import type { ZoneStatus } from "../../engine/hostnames/status.ts";
import { totalCost } from "../../plan/cost.ts";
import type { Plan } from "../../plan/change.ts";
import type { Plot } from "./report.ts";

/** How many bars a plot has; the rest is one more. */
const MOST_BARS = 8;

/** How many points the line of a schedule has at most. */
const MOST_STEPS = 30;

/** When a plan's certificates are ordered at its budget; nothing if all are ordered within a minute. */
export function planPlots(plan: Pick<Plan, "zones" | "budget">): readonly Plot[] {
  const { issuances } = totalCost(plan);
  const each = issuancesOf(plan.budget);
  if (issuances <= each) return [];
  const minutes = Math.ceil(issuances / each);
  const step = Math.ceil(minutes / MOST_STEPS);
  const ends = Array.from({ length: Math.ceil(minutes / step) }, (_step, index) =>
    Math.min(minutes, (index + 1) * step),
  );
  return [
    {
      title: `Certificates ordered, ${thousands(each)} a minute`,
      sort: "line",
      points: ends.map((minute) => ({
        label: `minute ${thousands(minute)}`,
        amount: Math.min(issuances, minute * each),
      })),
    },
  ];
}

/** What zones are made of: hostnames by status, certificates by CA and by expiry, and what the last drift checks found. */
export function statusPlots(zones: readonly ZoneStatus[]): readonly Plot[] {
  const bars = (title: string, counts: readonly Readonly<Record<string, number>>[]): Plot[] => {
    const points = summed(counts);
    const largest = points.toSorted((left, right) => right.amount - left.amount);
    return points.length === 0 ? [] : [{ title, sort: "bars", points: together(largest, "others") }];
  };
  const months = summed(zones.map(({ certificates }) => certificates.byExpiry));
  return [
    ...bars(
      "Hostnames by status",
      zones.map(({ byStatus }) => byStatus),
    ),
    ...bars(
      "Certificates by CA",
      zones.map(({ certificates }) => certificates.byAuthority),
    ),
    ...(months.length === 0
      ? []
      : [{ title: "Certificates by month of expiry", sort: "bars", points: together(months, "later") } as const]),
    ...zones.flatMap(({ zone, recentChecks }): Plot[] => {
      if (recentChecks === undefined) return [];
      const points = recentChecks.map(({ at, counts }) => ({ label: at, amount: counts.drifted + counts.foreign }));
      return [{ title: `Drift in ${zone.name}, by its last checks`, sort: "line", points }];
    }),
  ];
}

type Point = Plot["points"][number];

/** The counts of all zones together, by name. */
function summed(counts: readonly Readonly<Record<string, number>>[]): readonly Point[] {
  const sums = new Map<string, number>();
  for (const [name, count] of counts.flatMap((each) => Object.entries(each)))
    sums.set(name, (sums.get(name) ?? 0) + count);
  return [...sums].sort(([left], [right]) => (left < right ? -1 : 1)).map(([label, amount]) => ({ label, amount }));
}

/** The first points, the rest as one. */
function together(points: readonly Point[], rest: string): readonly Point[] {
  const others = points.slice(MOST_BARS).reduce((sum, { amount }) => sum + amount, 0);
  return [...points.slice(0, MOST_BARS), ...(others === 0 ? [] : [{ label: rest, amount: others }])];
}
