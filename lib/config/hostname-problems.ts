import { error, type Position } from "../core/diagnostic.ts";
import type { SpecProblem } from "../kinds/traits/declared.ts";
import type { Report } from "./report.ts";

/** After this many errors of one code in one file, the rest is only counted. */
const MOST_OF_A_CODE = 20;

/** Collects errors of single hostnames. */
export interface HostnameProblems {
  add(hostname: string, problem: SpecProblem, at: Position): void;
}

interface Problem {
  readonly problem: SpecProblem;
  readonly at: Position;
  readonly hostname: string;
  more: number;
}

/**
 * Collects errors of hostnames over all zones. One wrong policy breaks ten thousand hostnames, in every zone that uses
 * its layer, so there is one error for each place, and at most twenty of a code in a file.
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
    const message = `${count - MOST_OF_A_CODE} more errors of this kind in ${of.at.file}: ${of.problem.code}`;
    report(error({ code: "more-errors", message, remedy: "fix the ones above, then validate again" }));
  }
}

function errorOf({ problem: { code, message, remedy }, at, hostname, more }: Problem): ReturnType<typeof error> {
  const others = more === 0 ? "" : `, and ${more} more ${more === 1 ? "hostname" : "hostnames"} too`;
  const address = `custom_hostname[${JSON.stringify(hostname)}]`;
  return error({ code, message: `${message}${others}`, remedy, at, address });
}
