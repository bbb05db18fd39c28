import { error, Refusal } from "../lib/core/diagnostic.ts";
import type { Plan } from "../lib/plan/change.ts";
import { jsonText } from "../lib/render/escape/json.ts";
import { planDocument } from "../lib/render/json.ts";
import type { Printing } from "../lib/render/lines.ts";
import { planText } from "../lib/render/text.ts";

/** A form in which a plan can be written. */
export type PlanFormat = "text" | "json";

/** Reads the values of `--report FORMAT=FILE`. Throws `Refusal` for one of another form. */
export function reportsOf(values: readonly string[]): readonly { format: PlanFormat; file: string }[] {
  return values.map((value) => {
    const [, format, file] = /^(text|json)=(.+)$/.exec(value) ?? [];
    if ((format === "text" || format === "json") && file !== undefined) return { format, file };
    throw new Refusal([
      error({
        code: "not-a-report",
        message: `${JSON.stringify(value)} is no report`,
        remedy: "write text=FILE or json=FILE",
      }),
    ]);
  });
}

/** The plan in one of its forms. */
export function planAs(
  format: PlanFormat,
  plan: Plan,
  exitCodes: ReadonlyMap<string, number>,
  printing: Printing,
): string {
  switch (format) {
    case "text":
      return planText(plan, printing);
    case "json":
      return jsonText(planDocument(plan, exitCodes));
    default:
      return format satisfies never;
  }
}
