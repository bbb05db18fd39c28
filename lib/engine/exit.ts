import { type ApplyReport, type Ended, isHeld, type ZoneReport } from "../apply/outcome.ts";
import { EXIT, type ExitCode, worst } from "../core/exit-code.ts";
import { NOT_AMONG_APPROVED } from "../approval/approval.ts";
import type { ConfigJudgement } from "../plan/against-config.ts";
import type { FailedZone, Plan, ZonePlan } from "../plan/change.ts";
import type { Hazard } from "../kinds/hazards.ts";
import type { DriftJudgement } from "../plan/drift.ts";

/**
 * The exit code for one zone's section of a plan: a conflict, something blocked, changes (only with `isDetailed`), or
 * none.
 */
export function planExit(section: ZonePlan, isDetailed: boolean): ExitCode {
  if (section.changes.some(({ refused }) => refused?.contested)) return EXIT.conflict;
  const isRefused =
    section.changes.some(({ refused }) => refused) || section.findings.some(({ severity }) => severity === "error");
  if (isRefused) return EXIT.refused;
  return isDetailed && section.changes.some(({ action }) => action !== "held") ? EXIT.changes : EXIT.done;
}

/**
 * The exit code for one zone of a drift check. Objects that a run is changing or left unfinished were not checked, nor
 * was a zone with rules that the token may not read. With `failOn`, only drift with one of these hazards counts.
 */
export function driftExit(
  { drifted, foreign, underWay, unread }: Pick<DriftJudgement, "drifted" | "foreign" | "underWay" | "unread">,
  failOn: readonly Hazard[] = [],
): ExitCode {
  if (isAlarming([...drifted, ...foreign], failOn)) return EXIT.drift;
  return underWay.length + unread.length > 0 ? EXIT.error : EXIT.done;
}

function isAlarming(found: readonly { readonly hazards: readonly Hazard[] }[], failOn: readonly Hazard[]): boolean {
  return found.some(({ hazards }) => failOn.length === 0 || hazards.some((hazard) => failOn.includes(hazard)));
}

/**
 * The exit code for one zone that was compared with the YAML alone. Fields that cannot be judged are counted, but are
 * no difference. A zone with rules that the token may not read was not checked.
 */
export function comparisonExit(
  { unlike, foreign, unread }: Pick<ConfigJudgement, "unlike" | "foreign" | "unread">,
  failOn: readonly Hazard[] = [],
): ExitCode {
  if (isAlarming([...unlike, ...foreign], failOn)) return EXIT.drift;
  return unread.length > 0 ? EXIT.error : EXIT.done;
}

/**
 * The exit code for one zone of a status: that of a drift check, or of the comparison with the YAML if there is no
 * state. An origin that leads nowhere is an outage, whatever its cause.
 */
export function statusExit(
  judgement: DriftJudgement | ConfigJudgement,
  failOn: readonly Hazard[],
  leadsNowhere = false,
): ExitCode {
  if (leadsNowhere && isAlarming([{ hazards: ["outage"] }], failOn)) return EXIT.drift;
  return "unlike" in judgement ? comparisonExit(judgement, failOn) : driftExit(judgement, failOn);
}

/**
 * The exit codes of a drift check, by zone and for all: drift comes before zones that could not be checked
 * (docs/semantics.md#exit-codes).
 */
export function driftExits(
  zones: readonly { readonly name: string; readonly code: ExitCode }[],
  failed: readonly FailedZone[],
): { byZone: ReadonlyMap<string, ExitCode>; code: ExitCode } {
  const byZone = codesOf(zones, failed);
  const codes = new Set(byZone.values());
  return { byZone, code: codes.has(EXIT.drift) ? EXIT.drift : worst(codes) };
}

/** The exit codes by zone name, and the one for all of them, including zones that could not be planned. */
export function exitOf(
  plan: Plan,
  codeOf: (section: ZonePlan) => ExitCode,
): { byZone: ReadonlyMap<string, ExitCode>; code: ExitCode } {
  const zones = plan.zones.map((section) => ({ name: section.zone.name, code: codeOf(section) }));
  const byZone = codesOf(zones, plan.failed ?? []);
  return { byZone, code: worst(byZone.values()) };
}

function codesOf(
  zones: readonly { readonly name: string; readonly code: ExitCode }[],
  failed: readonly FailedZone[],
): ReadonlyMap<string, ExitCode> {
  return new Map([
    ...zones.map(({ name, code }): [string, ExitCode] => [name, code]),
    ...failed.map(({ zone, exitCode }): [string, ExitCode] => [zone.name, exitCode]),
  ]);
}

/** The exit codes of an apply, by zone and for all. */
export function applyExit(report: ApplyReport): { byZone: ReadonlyMap<string, ExitCode>; code: ExitCode } {
  const byZone = new Map(report.zones.map((zone) => [zone.zone.name, zoneExit(zone, report)]));
  const isPartial =
    report.zones.some(({ ended }) => ended.some(isWritten)) &&
    report.zones.some((zone) => zone.stopped !== undefined || hasLeftOver(zone));
  return { byZone, code: worst([...byZone.values(), ...(isPartial ? [EXIT.partial] : [])]) };
}

/** The exit code of calls that were made one after the other, outside a plan. */
export function callsExit(ended: readonly ("done" | "left" | "failed" | "not-started")[]): ExitCode {
  const outcomes = new Set(ended);
  if (outcomes.has("not-started")) return EXIT.interrupted;
  if (!outcomes.has("failed")) return EXIT.done;
  return outcomes.has("done") ? EXIT.partial : EXIT.error;
}

function zoneExit(zone: ZoneReport, { interrupted, outOfTime, isUndo }: ApplyReport): ExitCode {
  const outcomes = new Set(zone.ended.map(({ outcome }) => outcome.status));
  const codes: ExitCode[] = [];
  if (zone.locked !== undefined) codes.push(EXIT.locked);
  if (interrupted && outcomes.has("not-started")) codes.push(EXIT.interrupted);
  if (outOfTime && outcomes.has("not-started")) codes.push(EXIT.partial);
  const isUncertain = outcomes.has("unknown") || outcomes.has("unconfirmed");
  if (zone.unsaved || isUncertain || (zone.ended.some(isWritten) && hasLeftOver(zone))) codes.push(EXIT.partial);
  if (isUndo && zone.ended.some(isHeld)) codes.push(EXIT.partial);
  if (outcomes.has("conflict") || zone.stopped?.exitCode === EXIT.conflict) codes.push(EXIT.conflict);
  if (outcomes.has("refused") || zone.stopped?.exitCode === EXIT.refused) codes.push(EXIT.refused);
  if (outcomes.has("failed") || zone.stopped) codes.push(EXIT.error);
  // The run was not interrupted: the states could not be reached, or the lock was lost, before the change was sent.
  if (outcomes.has("not-started") && codes.length === 0) codes.push(EXIT.error);
  return worst(codes);
}

/** Whether an apply changed something live, even in part; adopting and releasing change only the state. */
export function hasChangedLive({ zones }: ApplyReport): boolean {
  return zones.some(({ ended }) =>
    ended.some((each) => isWritten(each) && (each.updates ?? (each.action !== "adopt" && each.action !== "forget"))),
  );
}

function isWritten({ outcome }: Pick<Ended, "outcome">): boolean {
  return outcome.status === "done" || ("hasWritten" in outcome && outcome.hasWritten !== undefined);
}

/**
 * Whether something that should have been done was not. Held changes wait, and unapproved ones were never to be done.
 */
function hasLeftOver({ ended }: ZoneReport): boolean {
  return ended.some(({ outcome }) => {
    if (outcome.status === "refused") return outcome.refused.code !== NOT_AMONG_APPROVED;
    if (outcome.status === "conflict") return outcome.hasWritten !== "all";
    return outcome.status !== "done" && outcome.status !== "held";
  });
}
