import type { ApplyReport } from "../../lib/apply/outcome.ts";
import { Refusal } from "../../lib/core/diagnostic.ts";
import { applyExit, exitOf, planExit } from "../../lib/engine/exit.ts";
import type { Plan } from "../../lib/plan/change.ts";
import { jsonText } from "../../lib/report/escape/json.ts";
import { formatDiagnostics, errorText } from "../../lib/report/lines/diagnostics.ts";
import { planDocument } from "../../lib/report/plan/json.ts";
import { planMarkdown } from "../../lib/report/plan.ts";
import { planText } from "../../lib/report/plan.ts";
import { reportDocument } from "../../lib/report/run/report-json.ts";
import { CANARIES } from "./canary.ts";
import type { Ledger } from "./ledger.ts";
import { TOKEN } from "./sim-service.ts";
import { PASSPHRASES } from "./vault.ts";
import { runText } from "../support/texts.ts";

/**
 * Listens to everything that is written or printed anywhere. The command's output filter is not part of a seed: what is
 * heard here must contain no secret in the first place.
 */
export interface Ears {
  /** Whether runs report every request, as with `--debug`, and print what a person would see. */
  readonly isLoud: boolean;
  hear(where: string, text: string): void;
  plan(plan: Plan): void;
  report(report: ApplyReport): void;
  thrown(thrown: unknown): void;
  /** How many texts were searched. */
  texts(): number;
}

const PRINTING = { colour: false };

/** Ears that blame whoever reveals a secret (invariant 10). */
export function openEars(ledger: Ledger, isLoud: boolean): Ears {
  const secrets = [TOKEN, ...PASSPHRASES, ...CANARIES];
  let texts = 0;

  function hear(where: string, text: string): void {
    texts += 1;
    if (secrets.some((secret) => text.includes(secret))) ledger.blame("I10", `a secret stands in ${where}`);
  }

  return {
    isLoud,
    hear,
    texts: () => texts,
    plan: (plan) => {
      hear("the plan", JSON.stringify(plan));
      if (!isLoud) return;
      hear("the printed plan", planText(plan, PRINTING));
      const { byZone } = exitOf(plan, (section) => planExit(section, true));
      hear("the plan for programs", jsonText(planDocument(plan, byZone)));
      hear("the plan as a comment", planMarkdown(plan));
    },
    report: (report) => {
      hear("the report", JSON.stringify(report));
      if (!isLoud) return;
      hear("the printed report", runText(report, PRINTING));
      hear("the report for programs", jsonText(reportDocument(report, applyExit(report).byZone)));
    },
    thrown: (thrown) => {
      hear("an error", thrown instanceof Error ? `${thrown.stack} ${JSON.stringify(thrown)}` : String(thrown));
      if (!isLoud) return;
      hear("an error with its causes", errorText(thrown));
      if (!(thrown instanceof Refusal)) return;
      for (const format of ["text", "json", "github"] as const)
        hear(`diagnostics as ${format}`, formatDiagnostics(thrown.diagnostics, { format, colour: false }));
    },
  };
}
