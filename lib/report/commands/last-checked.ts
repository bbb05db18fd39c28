import type { JsonObject } from "../../core/json.ts";
import { shellQuoted } from "../../core/quote.ts";
import type { ZoneStatus } from "../../engine/hostnames/status.ts";
import type { CheckCounts, DriftCheck, FailedCheck } from "../../state/observations.ts";
import { type Line, line } from "../lines/lines.ts";
import { ago, moment } from "../../core/moment.ts";
import { counted } from "../../core/words.ts";
import { foreignWords, named } from "../lines/words.ts";

/** When the zone was last checked for drift, and what that check left out; empty for a zone without a state. */
export function lastCheckedLines({ zone, driftChecks }: Pick<ZoneStatus, "zone" | "driftChecks">): Line[] {
  if (!driftChecks) return [];
  const { last, failed, now } = driftChecks;
  if (last && !failed) return [line(2, checkedSentence(last, now))];
  const command = line(4, `zoneform drift --zone ${shellQuoted(zone.name)}`);
  if (!failed) return [line(2, "no check for drift is recorded; to check:", "quiet"), command];
  return [
    line(2, failedSentence(failed, now), "warn"),
    ...(last ? [line(2, checkedSentence(last, now))] : []),
    line(2, "to check again:", "quiet"),
    command,
  ];
}

/** The same for programs. */
export function lastCheckedDocument({ driftChecks }: Pick<ZoneStatus, "driftChecks">): JsonObject {
  const { last, failed } = driftChecks ?? {};
  return {
    ...(last ? { drift_check: { at: last.at, serial: last.serial, ...countsDocument(last.counts) } } : {}),
    ...(failed ? { failed_drift_check: { at: failed.at, errors: failed.errors } } : {}),
  };
}

function countsDocument(counts: CheckCounts): JsonObject {
  const { objects, fields, fieldsNotJudged, beingChanged, notJudged, drifted, vanished, foreign, unread } = counts;
  return {
    objects,
    fields,
    fields_not_judged: fieldsNotJudged,
    being_changed: beingChanged,
    not_judged: notJudged,
    drifted,
    vanished,
    foreign_rules: foreign,
    entry_points_unread: unread,
  };
}

function checkedSentence({ at, counts }: DriftCheck, now: string): string {
  const { drifted, vanished, foreign, unread, fieldsNotJudged } = counts;
  const found = [
    ...(drifted === 0 ? [] : [`${counted(drifted, "object")} had drifted`]),
    ...(vanished === 0 ? [] : [`${counted(vanished, "hostname")} ${vanished === 1 ? "was" : "were"} gone`]),
    ...(foreign === 0 ? [] : [foreignWords(foreign)]),
  ];
  const unknown = [
    ...(fieldsNotJudged === 0 ? [] : [`${counted(fieldsNotJudged, "field")} could not be checked`]),
    ...(unread === 0 ? [] : ["the token could not read all rules"]),
  ];
  const none = unknown.length === 0 ? "no drift" : "no drift found";
  const said = [...(found.length === 0 ? [none] : found), ...unknown].join(", ");
  return `last checked for drift ${whenOf(at, now)}: ${said}`;
}

function failedSentence({ at, errors }: FailedCheck, now: string): string {
  return `the check for drift ${whenOf(at, now)} failed: ${named(errors)}`;
}

/** The service's clock and that of a record may differ by minutes. */
function whenOf(at: string, now: string): string {
  return `${ago(Date.parse(now) - Date.parse(at))} (${moment(at)})`;
}
