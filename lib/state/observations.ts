import { type Diagnostic, problem, warning } from "../core/diagnostic.ts";
import { canonical, defined, type JsonObject, parseObject } from "../core/json.ts";
import type { ZoneId } from "../core/brand.ts";
import { StateError } from "./error.ts";
import type { Seen, State, StateObject } from "./state.ts";
import type { ProjectStore } from "./zone/store.ts";
import { decodeOr, text, texts, wholeNumber } from "../core/decode.ts";
import { checksum } from "../core/digest.ts";

/** How many unneeded lines the record may hold, plus as many as there are needed ones. */
const SPARE_LINES = 1000;

/** The service's dates are whole seconds, and the clocks of its machines may differ. */
const TOLERANCE_MILLISECONDS = 5 * 60_000;

/** What read-only runs observed in a zone. */
export interface Observations {
  /** By the hostname's id, ordered by time. */
  readonly byId: ReadonlyMap<string, readonly Observation[]>;
  /** When the whole zone was checked for drift, ordered by time. */
  readonly checks: readonly (DriftCheck | FailedCheck)[];
  readonly lines: number;
  /** Lines that are neither: damaged, or sealed with another passphrase. */
  readonly unreadable: number;
  /** Findings about the record itself; none of them stops a run. */
  readonly findings: readonly Diagnostic[];
}

/** Reads the record. It skips what cannot be read and reports it, because a run can do without it. */
export async function readObservations(
  store: Pick<ProjectStore, "observations" | "describe">,
  zone: ZoneId,
): Promise<Observations> {
  try {
    const collected = await collect(store.observations(zone));
    const { unreadable } = collected;
    return { ...collected, findings: unreadable === 0 ? [] : [damaged(unreadable, store.describe(zone))] };
  } catch (thrown) {
    if (!(thrown instanceof StateError)) throw thrown;
    return { byId: new Map(), checks: [], lines: 0, unreadable: 0, findings: [unread(thrown)] };
  }
}

async function collect(lines: AsyncIterable<string>): Promise<Omit<Observations, "findings">> {
  const byId = new Map<string, Observation[]>();
  const checks: (DriftCheck | FailedCheck)[] = [];
  let [count, unreadable] = [0, 0];
  for await (const line of lines) {
    count += 1;
    const found = decodeObservation(line);
    const check = found ? undefined : decodeCheck(line);
    const others = found && byId.get(found.id);
    if (check) checks.push(check);
    else if (!found) unreadable += 1;
    else if (others) others.push(found);
    else byId.set(found.id, [found]);
  }
  for (const each of byId.values()) each.sort(byTime);
  return { byId, checks: checks.sort(byTime), lines: count, unreadable };
}

function byTime(left: { readonly at: string }, right: { readonly at: string }): number {
  return Date.parse(left.at) - Date.parse(right.at);
}

function damaged(count: number, where: string): Diagnostic {
  const lines = count === 1 ? "1 line" : `${count} lines`;
  return warning(problem("observations-damaged", { lines, where, are: count === 1 ? "is" : "are" }));
}

function unread({ diagnostic }: StateError): Diagnostic {
  return warning(problem("observations-unread", { reason: diagnostic.message }, defined({ at: diagnostic.at })));
}

/** The observations that count at a time of the service (RFC 3339): one from the future cannot be true. */
export function believed({ byId }: Observations, now: string): ReadonlyMap<string, readonly Observation[]> {
  const isPast = pastAt(now);
  return new Map([...byId].map(([id, seen]) => [id, seen.every(isPast) ? seen : seen.filter(isPast)]));
}

/** The drift checks that count at a time of the service (RFC 3339). */
export function believedChecks({ checks }: Observations, now: string): Observations["checks"] {
  return checks.filter(pastAt(now));
}

function pastAt(now: string): (each: { readonly at: string }) => boolean {
  const latest = Date.parse(now) + TOLERANCE_MILLISECONDS;
  return ({ at }) => Date.parse(at) <= latest;
}

/** Adds the observations of exactly the objects in the state. */
export function withObserved(state: State, observed: ReadonlyMap<string, readonly Seen[]>): State {
  if (observed.size === 0) return state;
  const objects = [...state.objects].map(([address, object]): [string, StateObject] => {
    const seen = object.kind === "custom_hostname" && object.id !== "" ? observed.get(object.id) : undefined;
    return [address, seen === undefined || seen.length === 0 ? object : { ...object, observed: seen }];
  });
  return { ...state, objects: new Map(objects) };
}

/** The same, with the observations in the record now (ms since the epoch). */
export async function observedState(
  store: Pick<ProjectStore, "observations" | "describe">,
  state: State,
  now: number,
): Promise<State> {
  return withObserved(state, believed(await readObservations(store, state.zone.id), new Date(now).toISOString()));
}

/** Whether the record is worth condensing, given the number of needed lines. */
export function isOvergrown({ lines }: Observations, needed: number): boolean {
  return lines > 2 * needed + SPARE_LINES;
}

/** Enough to tell who deleted a hostname: its absence, its deletion under way, its status before that, and one more. */
const NEEDED_STATUSES = 4;

/**
 * The observations of one hostname to keep: the first and the last one of each of its last statuses. They are enough to
 * place what the state remembers, whatever its time.
 */
export function essence(seen: readonly Observation[]): readonly Observation[] {
  const isFirst = (index: number): boolean => seen[index]?.status !== seen[index - 1]?.status;
  const firsts = seen.flatMap((_each, index) => (isFirst(index) ? [index] : []));
  const start = firsts.at(-NEEDED_STATUSES) ?? 0;
  return seen.filter((_each, index) => index >= start && (isFirst(index) || isFirst(index + 1)));
}

/** Condenses the record to what is needed for the given hostnames and the drift checks. Throws `StateError`. */
export async function condenseObservations(
  store: Pick<ProjectStore, "condense">,
  zone: ZoneId,
  isNeeded: (newest: Observation) => boolean = () => true,
): Promise<void> {
  await store.condense(zone, async function* (lines) {
    const { byId, checks } = await collect(lines);
    for (const seen of byId.values()) {
      const newest = seen.at(-1);
      if (newest && isNeeded(newest)) yield* essence(seen).map(encodeObservation);
    }
    yield* neededChecks(checks).map(encodeCheck);
  });
}

/** A run saw a custom hostname with a status. */
export interface Observation {
  /** The hostname's id: an observation of one object says nothing about another object with the same name. */
  readonly id: string;
  /** For people who read the record; no lookup uses it. */
  readonly hostname: string;
  readonly status: string;
  /** RFC 3339, by the service's clock. */
  readonly at: string;
}

/** Encodes an observation as a line that reveals damage. */
export function encodeObservation({ id, hostname, status, at }: Observation): string {
  const fields = { id, hostname, status, at };
  return JSON.stringify({ sum: sumOf(fields), ...fields });
}

/** Decodes a line of `encodeObservation`; undefined for any other line. */
export function decodeObservation(line: string): Observation | undefined {
  const from = parseObject(line);
  if (!from) return undefined;
  const found = decodeOr(
    () => fieldsOf(from),
    () => undefined,
  );
  return found && from["sum"] === sumOf(found) && !Number.isNaN(Date.parse(found.at)) ? found : undefined;
}

function fieldsOf(from: JsonObject): Observation {
  return { id: text(from, "id"), hostname: text(from, "hostname"), status: text(from, "status"), at: text(from, "at") };
}

function sumOf({ id, hostname, status, at }: Observation): string {
  return checksum(JSON.stringify([id, hostname, status, at]));
}

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
  const fields = { checked: "drift", ...fieldsOfCheck(check) };
  return JSON.stringify({ sum: sumOfCheck(fields), ...fields });
}

/** Decodes a line of `encodeCheck`; undefined for any other line. */
export function decodeCheck(line: string): DriftCheck | FailedCheck | undefined {
  const from = parseObject(line);
  if (!from || from["checked"] !== "drift") return undefined;
  const { sum, ...fields } = from;
  if (sum !== sumOfCheck(fields)) return undefined;
  const found = decodeOr(
    () => checkIn(fields),
    () => undefined,
  );
  return found && !Number.isNaN(Date.parse(found.at)) ? found : undefined;
}

/** Whether nothing of the zone could be checked. */
export function isFailed(check: DriftCheck | FailedCheck): check is FailedCheck {
  return "errors" in check;
}

function fieldsOfCheck(check: DriftCheck | FailedCheck): JsonObject {
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

function sumOfCheck(fields: JsonObject): string {
  return checksum(canonical(fields));
}

/**
 * How many of the last checks of each sort to keep. One would do if all clocks were right; a machine whose clock is
 * wrong may have dated some.
 */
const KEPT_CHECKS = 10;

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
  const last = checksOf(checks, lineage).at(-1);
  const failed = checks.findLast(isFailed);
  const isNewer = failed !== undefined && (!last || Date.parse(failed.at) > Date.parse(last.at));
  return { ...(last ? { last } : {}), ...(isNewer ? { failed } : {}) };
}

/** The checks of a state that succeeded, in the given order. */
export function checksOf(
  checks: readonly (DriftCheck | FailedCheck)[],
  lineage: string | undefined,
): readonly DriftCheck[] {
  return checks.filter((check): check is DriftCheck => !isFailed(check) && check.lineage === lineage);
}
