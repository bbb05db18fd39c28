import type { ApplyReport } from "../../lib/apply/outcome.ts";
import type { ZoneStatus } from "../../lib/engine/hostnames/status.ts";
import type { FailedZone } from "../../lib/plan/change.ts";
import { type ComparisonView, comparisonReport } from "../../lib/report/commands/against-config.ts";
import { auditReport, type ZoneAudit } from "../../lib/report/commands/ca-audit.ts";
import type { FoundView, LookedAt } from "../../lib/report/commands/drift-view.ts";
import { driftReport } from "../../lib/report/commands/drift.ts";
import { statusReport } from "../../lib/report/commands/status.ts";
import { type Printing, reportText } from "../../lib/report/printers/text.ts";
import { type RunWords, runReport } from "../../lib/report/run/report.ts";

/** A drift report as a terminal shows it. */
export function driftText(found: FoundView, printing: Printing, now: number, lookedAt?: LookedAt): string {
  return reportText(driftReport(found, now, lookedAt), printing);
}

/** A comparison with the YAML alone. */
export function comparisonText(
  project: string,
  zones: readonly ComparisonView[],
  failed: readonly FailedZone[],
  printing: Printing,
): string {
  return reportText(comparisonReport(project, zones, failed), printing);
}

/** The status of zones. */
export function statusText(zones: readonly ZoneStatus[], printing: Printing, failed?: readonly FailedZone[]): string {
  return reportText(statusReport(zones, failed), printing);
}

/** The report of a run. */
export function runText(report: ApplyReport, words: Printing & RunWords): string {
  return reportText(runReport(report, words), words);
}

/** The audit of certificate authorities. */
export function auditText(zones: readonly ZoneAudit[], at: string, printing: Printing): string {
  return reportText(auditReport(zones, at), printing);
}
