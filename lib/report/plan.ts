import type { Plan } from "../plan/change.ts";
import { line } from "./lines/lines.ts";
import { type MarkdownOptions, reportMarkdown } from "./printers/markdown.ts";
import { type Printing, reportText } from "./printers/text.ts";
import { planReport, type PlanWords } from "./sections/plan.ts";
import { plainSection } from "./sections/report.ts";

/** The plan for a terminal: the verdict, the hazards, the counts, the changes zone by zone, the cost, what to do next. */
export function planText(plan: Plan, printing: Printing & PlanWords): string {
  return reportText(planReport(plan, printing), printing);
}

/**
 * The plan as a comment of a pull request, never longer than the budget (`reportMarkdown`). A hidden marker names the
 * project, so that a job finds its comment again.
 */
export function planMarkdown(plan: Plan, options: MarkdownOptions & PlanWords = {}): string {
  const report = planReport(plan, options);
  const hash = plan.zones.every(({ changes }) => changes.length === 0)
    ? []
    : [line(0, `Hash of this plan: ${plan.hash}`)];
  return reportMarkdown(
    { ...report, sections: [...report.sections, ...plainSection(hash, "verdict")] },
    { marker: `zoneform plan ${plan.project}`, ...options },
  );
}
