import { error } from "../core/diagnostic.ts";
import type { Report } from "./report.ts";

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
