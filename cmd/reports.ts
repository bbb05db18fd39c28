import { problem, refusal } from "../lib/core/diagnostic.ts";
import type { Plan } from "../lib/plan/change.ts";
import { jsonText } from "../lib/report/escape/json.ts";
import { planDocument } from "../lib/report/plan/json.ts";
import type { Printing } from "../lib/report/printers/text.ts";
import { planMarkdown, planText } from "../lib/report/plan.ts";
import type { MarkdownOptions } from "../lib/report/printers/markdown.ts";
import type { PlanWords } from "../lib/report/sections/plan.ts";

/** A format of a plan. */
export type PlanFormat = "text" | "json" | "markdown";

/** Reads the values of `--report FORMAT=FILE`. Throws `Refusal` for any other form. */
export function reportsOf(values: readonly string[]): readonly { format: PlanFormat; file: string }[] {
  return values.map((value) => {
    const [, format, file] = /^([^=]+)=(.+)$/.exec(value) ?? [];
    if (isFormat(format) && file !== undefined) return { format, file };
    throw refusal(problem("not-a-report", { value: JSON.stringify(value) }));
  });
}

function isFormat(word: string | undefined): word is PlanFormat {
  return word === "text" || word === "json" || word === "markdown";
}

/** The plan in one of its formats. */
export function planAs(
  format: PlanFormat,
  plan: Plan,
  exitCodes: ReadonlyMap<string, number>,
  printing: Printing & PlanWords,
  comment: MarkdownOptions = {},
): string {
  switch (format) {
    case "text":
      return planText(plan, printing);
    case "json":
      return jsonText(planDocument(plan, exitCodes));
    case "markdown":
      return planMarkdown(plan, comment);
    default:
      return format satisfies never;
  }
}
