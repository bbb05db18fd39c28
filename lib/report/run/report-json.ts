import type { ApplyReport, Ended, Outcome, ZoneReport } from "../../apply/outcome.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ApprovedAs, LeafConflict } from "../../plan/change.ts";
import { diagnosticDocument } from "../lines/diagnostics.ts";
import { FORMAT_VERSION } from "../escape/json.ts";
import { isSensitive } from "../../core/value-words.ts";
import { present, refusedDocument } from "../plan/json.ts";
import type { RunHeader } from "../../state/run-record.ts";

/**
 * The result of an apply as one document for programs: every change and how it ended, uncut. `exitCodes` has the code
 * of each zone by name (docs/semantics.md#exit-codes).
 */
export function reportDocument(report: ApplyReport, exitCodes: ReadonlyMap<string, number> = new Map()): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    run: report.run,
    interrupted: report.interrupted === true,
    out_of_time: report.outOfTime === true,
    ...(report.approval ? { approval: approvalDocument(report.approval) } : {}),
    zones: report.zones.map((zone) => zoneDocument(zone, exitCodes.get(zone.zone.name))),
  };
}

function approvalDocument({ hash, dropped, leftOut, takenOver }: ApprovedAs): JsonObject {
  return { hash, dropped: dropped.map((each) => ({ ...each })), left_out: leftOut, taken_over: takenOver };
}

/** The same document without a run: nothing had to be done in these zones, or `stopped` says why no run began. */
export function noRunDocument(
  zones: readonly ZoneReport["zone"][],
  exitCodes: ReadonlyMap<string, number>,
  stopped?: Stopped,
): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    interrupted: stopped?.isInterrupted === true,
    out_of_time: false,
    ...(stopped === undefined ? {} : { stopped: { diagnostics: stopped.diagnostics.map(diagnosticDocument) } }),
    zones: zones.map((zone) => zoneDocument({ zone, ended: [] }, exitCodes.get(zone.name))),
  };
}

/** Why a command ended before it began a run: its errors, or an interruption. */
interface Stopped {
  readonly diagnostics: readonly Diagnostic[];
  readonly isInterrupted: boolean;
}

function zoneDocument(report: ZoneReport, exitCode: number | undefined): JsonObject {
  const { zone, ended, locked, lockedBy, stopped, unsaved, lost, canBeUndone } = report;
  const { "not-started": notStarted, ...counts } = outcomeCounts(ended);
  return {
    zone: { id: zone.id, name: zone.name },
    ...present({ exit_code: exitCode, locked: locked?.message, lost_results: lost }),
    ...(lockedBy === undefined ? {} : { locked_by: lockDocument(lockedBy) }),
    ...(stopped === undefined ? {} : { stopped: { diagnostics: stopped.diagnostics.map(diagnosticDocument) } }),
    ...(unsaved === undefined ? {} : { unsaved: diagnosticDocument(unsaved) }),
    can_be_undone: canBeUndone === true,
    counts: { ...counts, not_started: notStarted, held_in_part: ended.filter(({ rest }) => rest !== undefined).length },
    changes: ended.map(endedDocument),
  };
}

function lockDocument({
  id,
  who,
  processId,
  operation,
  since,
  runUrl,
}: NonNullable<ZoneReport["lockedBy"]>): JsonObject {
  return { id, who, process_id: processId, operation, since, ...present({ run_url: runUrl }) };
}

function endedDocument({ address, action, updates, id, letGo, rest, outcome }: Ended): JsonObject {
  return {
    address,
    action,
    ...present({ updates, id, let_go: letGo, held_in_part: rest }),
    status: outcome.status,
    ...outcomeDocument(outcome),
  };
}

function outcomeDocument(outcome: Outcome): JsonObject {
  switch (outcome.status) {
    case "done":
      return present({ note: outcome.note });
    case "held":
      return { reason: outcome.reason };
    case "refused":
      return { refused: refusedDocument(outcome.refused) };
    case "not-started":
      return { reason: outcome.because };
    case "conflict":
      return { ...diagnosed(outcome), ...present({ written: outcome.hasWritten }) };
    case "unconfirmed":
      return diagnosed(outcome);
    case "failed":
      return { diagnostic: diagnosticDocument(outcome.diagnostic), ...(outcome.hasWritten ? { written: "part" } : {}) };
    case "unknown":
      return { diagnostic: diagnosticDocument(outcome.diagnostic) };
    default:
      return outcome satisfies never;
  }
}

function diagnosed({ diagnostic, fields }: Outcome & { status: "conflict" | "unconfirmed" }): JsonObject {
  return { diagnostic: diagnosticDocument(diagnostic), fields: fields.map(conflictDocument) };
}

function conflictDocument({ path, planned, live, wanted, wantedNow, sensitive }: LeafConflict): JsonObject {
  if (sensitive || [planned, live, wanted, wantedNow].some(isSensitive)) return { path, sensitive: true };
  return { path, ...present({ planned, live, wanted, wanted_now: wantedNow }) };
}

/** How a change may end. */
export type OutcomeStatus = Outcome["status"];

/** The statuses in the order in which they are reported: those that need a person first. */
export const OUTCOME_STATUSES: readonly OutcomeStatus[] = [
  "failed",
  "unknown",
  "unconfirmed",
  "conflict",
  "refused",
  "held",
  "not-started",
  "done",
];

/** How many changes ended with each status. */
export function outcomeCounts(ended: readonly Ended[]): Record<OutcomeStatus, number> {
  const counts = { done: 0, failed: 0, unknown: 0, unconfirmed: 0, conflict: 0, refused: 0, held: 0, "not-started": 0 };
  for (const { outcome } of ended) counts[outcome.status] += 1;
  return counts;
}

/** How much of a change was written although it did not end as done; undefined for nothing. */
export function writtenOf({ outcome }: Ended): "all" | "part" | undefined {
  if (outcome.status === "conflict") return outcome.hasWritten;
  return outcome.status === "failed" && outcome.hasWritten ? "part" : undefined;
}

/** A run of a zone that can be undone. */
interface ListedRun {
  readonly zone: { readonly id: string; readonly name: string };
  readonly header: RunHeader;
}

/** How many characters of a hash to show, enough to identify it in a list. */
const SHORT_HASH = 16;

/** Who approved a run, how, and which hash: `saved plan by ops@runner-7, zf1:1f0c33aa9b01…`; empty without a record. */
export function approvalText({ approved, planHash }: Pick<RunHeader, "approved" | "planHash">): string {
  const who = approved ? [`${approved.how} by ${approved.by}`] : [];
  return [...who, ...(planHash === undefined ? [] : [`${planHash.slice(0, SHORT_HASH)}…`])].join(", ");
}

/** The runs that can be undone, as one document for programs. */
export function runsDocument(runs: readonly ListedRun[]): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    runs: runs.map(({ zone, header }) => {
      const { run, began, ended, operation, changes, planHash, approved } = header;
      return {
        run,
        zone: { id: zone.id, name: zone.name },
        began,
        ended,
        changes,
        ...present({ operation, hash: planHash }),
        ...(approved ? { approved: { by: approved.by, how: approved.how } } : {}),
      };
    }),
  };
}
