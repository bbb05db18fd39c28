import { problem } from "../core/diagnostic.ts";
import { defined, type JsonObject, parseObject } from "../core/json.ts";
import {
  APPROVED,
  type JournalRecord,
  optionalTexts,
  PRE_IMAGE,
  type PreImage,
  type RunApproval,
  type WriteAction,
} from "./journal-record.ts";
import type { StateObject } from "./state.ts";
import { type Codec, flag, named, oneOf, optionalStruct, struct } from "../core/codec.ts";
import { decodeOr, optionalNumber, optionalText, text, wholeNumber } from "../core/decode.ts";
import { runningDigest } from "../core/digest.ts";
import { refuseNewer, StateError } from "./error.ts";
import { OBJECT } from "./codec.ts";

/** The header of a run's record. */
export interface RunHeader {
  readonly run: string;
  readonly zone: string;
  readonly lineage: string;
  /** The serial of the state that the run started from: it distinguishes runs of the same moment. */
  readonly serial: number;
  /** RFC 3339; the times of the first and the last record in the run's journal. */
  readonly began: string;
  readonly ended: string;
  /** How many objects it changed, or may have changed. */
  readonly changes: number;
  readonly operation?: string;
  readonly planHash?: string;
  /** Who approved it, and how; absent if the caller of `applyPlan` did not say. */
  readonly approved?: RunApproval;
  /** The ids of all zones that the run was to write to, if there were several; each has a record of its own. */
  readonly zones?: readonly string[];
}

/** The net effect of a run on one object. */
export interface RunChange {
  /** Without the zone's name. */
  readonly address: string;
  readonly action: "create" | "update" | "replace" | "delete";
  /** RFC 3339. */
  readonly at: string;
  /** The live object before the run; absent for a create, and if it was not recorded. */
  readonly before?: PreImage;
  /** What the state knew about it before the run. */
  readonly prior?: StateObject;
  /** What the state kept of it after the run, or what was sent; absent for a delete. */
  readonly after?: StateObject;
  /** It is unknown whether the request took effect. */
  readonly isUnfinished?: true;
  /** The intent was only announced: it is unknown whether the request was even sent. */
  readonly isAhead?: true;
}

/** The change in a record, from the first intent and the run's effect; undefined if the run reverted it itself. */
export function runChange(intent: JournalRecord, effect: Effect): RunChange | undefined {
  const { address, at, before, prior } = intent;
  const isGone = effect.left === "removed" && !effect.unfinished;
  if (isGone && intent.action === "create") return undefined;
  const after = effect.unfinished?.object ?? (effect.left === "removed" ? undefined : effect.left);
  return {
    address,
    action: isGone ? "delete" : netAction(intent.action, effect),
    at,
    ...defined({ before, prior, after }),
    ...(effect.unfinished ? { isUnfinished: true } : {}),
    ...(effect.unfinished && effect.isAhead ? { isAhead: true } : {}),
  };
}

/** The action for an object that exists: one that was deleted and created again in the same run was replaced. */
function netAction(first: WriteAction, { left }: Effect): RunChange["action"] {
  if (first === "create" || first === "update") return first;
  return first === "delete" && left === undefined ? "delete" : "replace";
}

/** What a run did to one object, over all its records. */
export interface Effect {
  /** The number of the first intent that was not only announced; it holds the object as it was before. */
  readonly seq: number;
  readonly action: WriteAction;
  /** What the run left; undefined if no change by the run is known yet. */
  readonly left?: StateObject | "removed";
  /** An unfinished intent, with what was sent. */
  readonly unfinished?: { readonly object?: StateObject };
  /** The intent is only announced. */
  readonly isAhead?: true;
}

/** The effects of one run on each object. */
export interface RunTally {
  readonly run: string;
  readonly began: string;
  readonly ended: string;
  /** By address; only objects that a request was to be sent for. */
  readonly effects: ReadonlyMap<string, Effect>;
}

/** Counts what each run of a journal did to each object. */
export interface Tallies {
  add(record: JournalRecord): void;
  /** The runs that may have changed something live, in the order in which they began. */
  close(): readonly RunTally[];
}

/** Starts counting. It keeps an entry for each object; the pre-images stay in the journal. */
export function tallies(): Tallies {
  const runs = new Map<string, RunTally & { effects: Map<string, Effect> }>();
  return {
    add: (record) => {
      const { run, at } = record;
      const { began, effects } = runs.get(run) ?? { began: at, effects: new Map<string, Effect>() };
      runs.set(run, { run, began, ended: at, effects });
      const effect = after(effects.get(record.address), record);
      if (effect) effects.set(record.address, effect);
      else effects.delete(record.address);
    },
    close: () => [...runs.values()].filter(({ effects }) => effects.size > 0),
  };
}

/** The effect on an object after one more record; undefined if nothing was changed. */
function after(effect: Effect | undefined, record: JournalRecord): Effect | undefined {
  const { kind, seq, action, object, ahead } = record;
  if (kind === "intent") {
    const first: Effect = effect && !effect.isAhead ? effect : { seq, action, ...(ahead ? { isAhead: true } : {}) };
    return { ...first, unfinished: object ? { object } : {} };
  }
  // A result without an intent changes only the state: nothing was sent.
  if (!effect) return undefined;
  const { unfinished: _unfinished, isAhead: _isAhead, ...settled } = effect;
  if (kind === "failed") return settled.left === undefined ? undefined : settled;
  if (kind === "gone" || action === "delete") return { ...settled, left: "removed" };
  return object ? { ...settled, left: object } : settled;
}

const FORMAT = "zoneform-run";
const VERSION = 1;

const HEADER: Codec<RunHeader> = struct<RunHeader>(
  {
    run: text,
    zone: text,
    lineage: text,
    serial: wholeNumber,
    began: text,
    ended: text,
    changes: wholeNumber,
    operation: optionalText,
    approved: APPROVED,
    zones: optionalTexts,
    planHash: named("plan_hash", optionalText),
  },
  { format: FORMAT, version: VERSION },
);

const CHANGE: Codec<RunChange> = struct<RunChange>({
  address: text,
  action: oneOf(["create", "update", "replace", "delete"]),
  at: text,
  before: optionalStruct(PRE_IMAGE),
  prior: optionalStruct(OBJECT),
  after: optionalStruct(OBJECT),
  isUnfinished: named("open", flag),
  isAhead: named("ahead", flag),
});

/**
 * Encodes a run's record as lines: a header, one change per line, and a footer with the count and the SHA-256 of every
 * byte before it.
 */
export async function* encodeRun(header: RunHeader, changes: AsyncIterable<RunChange>): AsyncIterable<string> {
  const hash = runningDigest();
  let count = 0;
  const first = JSON.stringify(HEADER.encode(header));
  hash.add(`${first}\n`);
  yield first;
  for await (const change of changes) {
    const line = JSON.stringify(CHANGE.encode(change));
    hash.add(`${line}\n`);
    count += 1;
    yield line;
  }
  yield JSON.stringify({ count, sha256: hash.hex() });
}

/** A run's record, read to its end and undamaged. */
export interface RunRecord {
  readonly header: RunHeader;
  readonly changes: readonly RunChange[];
}

/** Reads what `encodeRun` wrote. Throws `StateError` for everything else: half a record cannot undo a run. */
export async function decodeRun(lines: AsyncIterable<string>, where: string): Promise<RunRecord> {
  const hash = runningDigest();
  const changes: RunChange[] = [];
  let header: RunHeader | undefined;
  let footer: JsonObject | undefined;
  let number = 0;
  for await (const line of lines) {
    number += 1;
    const value = parseObject(line);
    if (!value || footer) throw damaged(where, number, footer ? "there are lines after its footer" : "it is not JSON");
    if (!header) header = decoded(where, number, () => headerIn(value, where));
    else if (Object.hasOwn(value, "address")) changes.push(decoded(where, number, () => CHANGE.decode(value)));
    else footer = value;
    if (!footer) hash.add(`${line}\n`);
  }
  if (!header || !footer) throw damaged(where, number, "it ends before its footer");
  const isWhole = optionalNumber(footer, "count") === changes.length && footer["sha256"] === hash.hex();
  if (!isWhole) throw damaged(where, number, "its content does not match the checksum of its footer");
  return { header, changes };
}

/** Reads only the first line, for lists of runs. Throws `StateError`. */
export async function decodeRunHeader(lines: AsyncIterable<string>, where: string): Promise<RunHeader> {
  for await (const line of lines) {
    const value = parseObject(line);
    if (value) return decoded(where, 1, () => headerIn(value, where));
    break;
  }
  throw damaged(where, 1, "it has no header");
}

function headerIn(value: JsonObject, where: string): RunHeader {
  refuseNewer(value, VERSION, "the record of the run", where);
  return HEADER.decode(value);
}

function decoded<T>(where: string, line: number, read: () => T): T {
  return decodeOr(read, (cause) => {
    throw damaged(where, line, cause.message, { cause });
  });
}

function damaged(where: string, line: number, what: string, options?: ErrorOptions): StateError {
  const message = `the record of the run is damaged at line ${line}: ${what}`;
  const at = { file: where, line: Math.max(line, 1), column: 1 };
  return new StateError(problem("run-damaged", { message }, { at }), options);
}
