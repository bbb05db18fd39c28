import { type Diagnostic, error } from "../core/diagnostic.ts";

/**
 * Takes note of what is wrong: the one way in which loading a project says so. Gives undefined, so that a step without an
 * outcome can end with it.
 */
export type Report = (diagnostic: Diagnostic) => undefined;

/** A report, and what was said to it so far. */
export interface KeptReport {
  readonly report: Report;
  readonly said: readonly Diagnostic[];
}

/** Passes everything on and keeps it, for a step that has to know whether anything was wrong. */
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

/** After this many errors of one code in one file, the rest is counted. */
const MOST_OF_A_CODE = 20;

/** Passes on the first errors of each code and counts the rest, so that one wrong column does not print a novel. */
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
        const message = `${count - MOST_OF_A_CODE} more errors ${code} in this source`;
        const at = file === undefined ? {} : { at: { file, line: 1, column: 1 } };
        report(error({ code: "more-errors", message, remedy: "mend the ones above first", ...at }));
      }
    },
  };
}
