import { type Diagnostic, error, formatPosition, problem, topOf } from "../core/diagnostic.ts";

/**
 * Records an error or a warning while a project is loaded. Returns undefined, so that a step without a result can end
 * with it.
 */
export type Report = (diagnostic: Diagnostic) => undefined;

/** A report, and what it has received so far. */
export interface KeptReport {
  readonly report: Report;
  readonly said: readonly Diagnostic[];
}

/** Passes everything on and keeps it, for a step that must know whether anything was wrong. */
export function keptReport(report: Report = () => undefined): KeptReport {
  const said: Diagnostic[] = [];
  return {
    report: (diagnostic) => {
      said.push(diagnostic);
      return report(diagnostic);
    },
    said,
  };
}

/** Passes each one on once: a layer that several zones share is read, and reported, for each of them. */
export function onceReport(report: Report): Report {
  const said = new Set<string>();
  return (diagnostic) => {
    const { code, at, message, address = "" } = diagnostic;
    const key = [code, at === undefined ? "" : formatPosition(at), message, address].join("\0");
    if (said.has(key)) return undefined;
    said.add(key);
    return report(diagnostic);
  };
}

/** How many errors of one code in one file to report before counting the rest. */
const MOST_OF_A_CODE = 20;

/** Passes on the first errors of each code and counts the rest, so that one wrong column does not fill the screen. */
export function limitedReport(report: Report): { report: Report; finish(file: string | undefined): void } {
  const counts = new Map<string, number>();
  return {
    report: (diagnostic) => {
      const count = (counts.get(diagnostic.code) ?? 0) + 1;
      counts.set(diagnostic.code, count);
      return count <= MOST_OF_A_CODE ? report(diagnostic) : undefined;
    },
    finish: (file) => {
      for (const [code, count] of counts) {
        if (count <= MOST_OF_A_CODE) continue;
        const at = file === undefined ? {} : { at: topOf(file) };
        report(error(problem("more-errors", { count: count - MOST_OF_A_CODE, where: "this source", code }, at)));
      }
    },
  };
}
