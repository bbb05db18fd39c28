import { DecodeError, text, texts, wholeNumber } from "../core/decode.ts";
import { checksum } from "../core/digest.ts";
import { canonical, type JsonObject } from "../core/json.ts";
import { parse } from "./journal.ts";

/** The record of a run that checked a whole zone for drift. */
export interface DriftCheck {
  /** RFC 3339, by the service's clock. */
  readonly at: string;
  /** The lineage of the state that live was compared with. */
  readonly lineage: string;
  readonly serial: number;
  readonly counts: CheckCounts;
}

/** How much a run checked, and what it found. */
export interface CheckCounts {
  /** Managed objects, and the managed fields that were compared. */
  readonly objects: number;
  readonly fields: number;
  /** Managed fields that cannot be compared with what was applied. */
  readonly fieldsNotJudged: number;
  /** Objects that a run was changing or left unfinished. */
  readonly beingChanged: number;
  /** Hostnames whose uploaded certificate the service does not show. */
  readonly notJudged: number;
  readonly drifted: number;
  /** Deleted hostnames; it is unknown whether the service or a person deleted them. */
  readonly vanished: number;
  /** Foreign rules that newly let traffic past ours. */
  readonly foreign: number;
  /** Entry points that the token may not read; a list of entry points that it may not read counts as one. */
  readonly unread: number;
}

/** The record of a run that could check nothing of a zone. */
export interface FailedCheck {
  /** RFC 3339, by the service's clock if it answered, else by the local one. */
  readonly at: string;
  /** The codes of the errors. */
  readonly errors: readonly string[];
}

/** Encodes a check as a line that reveals damage. */
export function encodeCheck(check: DriftCheck | FailedCheck): string {
  const fields = { checked: "drift", ...fieldsOf(check) };
  return JSON.stringify({ sum: sumOf(fields), ...fields });
}

/** Decodes a line of `encodeCheck`; undefined for any other line. */
export function decodeCheck(line: string): DriftCheck | FailedCheck | undefined {
  const from = parse(line);
  if (!from || from["checked"] !== "drift") return undefined;
  const { sum, ...fields } = from;
  if (sum !== sumOf(fields)) return undefined;
  try {
    const found = checkIn(fields);
    return Number.isNaN(Date.parse(found.at)) ? undefined : found;
  } catch (thrown) {
    if (thrown instanceof DecodeError) return undefined;
    throw thrown;
  }
}

/** Whether nothing of the zone could be checked. */
export function isFailed(check: DriftCheck | FailedCheck): check is FailedCheck {
  return "errors" in check;
}

function fieldsOf(check: DriftCheck | FailedCheck): JsonObject {
  if (isFailed(check)) return { at: check.at, errors: check.errors };
  const { at, lineage, serial, counts } = check;
  return {
    at,
    lineage,
    serial,
    objects: counts.objects,
    fields: counts.fields,
    fields_not_judged: counts.fieldsNotJudged,
    being_changed: counts.beingChanged,
    not_judged: counts.notJudged,
    drifted: counts.drifted,
    vanished: counts.vanished,
    foreign_rules: counts.foreign,
    entry_points_unread: counts.unread,
  };
}

function checkIn(from: JsonObject): DriftCheck | FailedCheck {
  const at = text(from, "at");
  if (from["errors"] !== undefined) return { at, errors: texts(from, "errors") };
  return {
    at,
    lineage: text(from, "lineage"),
    serial: wholeNumber(from, "serial"),
    counts: {
      objects: wholeNumber(from, "objects"),
      fields: wholeNumber(from, "fields"),
      fieldsNotJudged: wholeNumber(from, "fields_not_judged"),
      beingChanged: wholeNumber(from, "being_changed"),
      notJudged: wholeNumber(from, "not_judged"),
      drifted: wholeNumber(from, "drifted"),
      vanished: wholeNumber(from, "vanished"),
      foreign: wholeNumber(from, "foreign_rules"),
      unread: wholeNumber(from, "entry_points_unread"),
    },
  };
}

function sumOf(fields: JsonObject): string {
  return checksum(canonical(fields));
}

/**
 * How many of the last checks of each sort to keep. One would do if all clocks were right; a machine whose clock is
 * wrong may have dated some.
 */
export const KEPT_CHECKS = 10;

/** When a zone was last checked for drift, as far as runs recorded it. */
export interface LastChecks {
  readonly last?: DriftCheck;
  /** The last failed check, if none succeeded since. */
  readonly failed?: FailedCheck;
}

/** The checks to keep, given in order of time. */
export function neededChecks(checks: readonly (DriftCheck | FailedCheck)[]): readonly (DriftCheck | FailedCheck)[] {
  const kept = new Set([
    ...checks.filter(isFailed).slice(-KEPT_CHECKS),
    ...checks.filter((check) => !isFailed(check)).slice(-KEPT_CHECKS),
  ]);
  return checks.filter((check) => kept.has(check));
}

/** The last checks, given in order of time. Only those of the state with this lineage count. */
export function lastChecks(checks: readonly (DriftCheck | FailedCheck)[], lineage: string | undefined): LastChecks {
  const last = checks.findLast((check): check is DriftCheck => !isFailed(check) && check.lineage === lineage);
  const failed = checks.findLast(isFailed);
  const isNewer = failed !== undefined && (!last || Date.parse(failed.at) > Date.parse(last.at));
  return { ...(last ? { last } : {}), ...(isNewer ? { failed } : {}) };
}
