import { problem } from "../core/diagnostic.ts";
import { type Codec, named, struct } from "../core/codec.ts";
import { DecodeError, optionalText, text, wholeNumber } from "../core/decode.ts";
import { checksum } from "../core/digest.ts";
import { defined, type JsonObject, parseObject } from "../core/json.ts";
import { refuseNewer, StateError } from "./error.ts";
import { APPROVED, type JournalRecord, optionalTexts, JOURNAL_RECORD, type RunApproval } from "./journal-record.ts";
import type { ZoneView } from "./zone/view.ts";
import { parseAddress } from "../core/address.ts";
import { editState, type State, type StateEditor, type StateObject } from "./state.ts";

const FORMAT = "zoneform-journal";
const VERSION = 1;

/** The state that a journal belongs to; it is the journal's first line. */
export interface Binding {
  readonly zone: string;
  readonly lineage: string;
  /** The serial of the snapshot that the journal continues. A snapshot with a higher serial already contains the journal. */
  readonly baseSerial: number;
  /** What the run that started the journal does, and from which plan; for the run's record. */
  readonly operation?: string | undefined;
  readonly planHash?: string | undefined;
  readonly approved?: RunApproval | undefined;
  /** The ids of all zones that the run writes to, if there are several. */
  readonly zones?: readonly string[] | undefined;
}

/**
 * A line with the checksum that the next line is chained to, so that no record can be changed, moved or removed
 * unnoticed.
 */
interface ChainedLine {
  readonly line: string;
  readonly crc: string;
}

const BINDING: Codec<Binding> = struct<Binding>(
  {
    zone: text,
    lineage: text,
    baseSerial: named("base_serial", wholeNumber),
    operation: optionalText,
    planHash: named("plan_hash", optionalText),
    approved: APPROVED,
    zones: optionalTexts,
  },
  { format: FORMAT, version: VERSION },
);

/** The first line of a journal. */
export function encodeBinding(binding: Binding): ChainedLine {
  return chain("", BINDING.encode(binding));
}

/** The line of a record, chained to the previous line. */
export function encodeRecord(previousCrc: string, record: JournalRecord): ChainedLine {
  return chain(previousCrc, JOURNAL_RECORD.encode(record));
}

function chain(previousCrc: string, fields: JsonObject): ChainedLine {
  const body = JSON.stringify(fields).slice(1);
  const crc = checksum(previousCrc + body);
  return { line: `{"crc":"${crc}",${body}`, crc };
}

/** A journal, read to its end. */
export interface DecodedJournal {
  readonly binding: Binding;
  /** The end of the chain: the next record is chained to it. */
  readonly crc: string;
  /** The number of the last record, 0 if there is none. */
  readonly seq: number;
  /** What the journal says about each object. */
  readonly traces: Traces;
}

/**
 * Reads the lines of a journal as a stream and passes each record to `visit`; returns undefined if there is no journal.
 * Throws `StateError` for any line that is not as it was written, even the last one. The store leaves out a line that a
 * crash cut off, because it has no line end. So every line here was once complete, and a run may have relied on it.
 */
export async function decodeJournal(
  lines: AsyncIterable<string>,
  where: string,
  visit?: (record: JournalRecord) => void,
): Promise<DecodedJournal | undefined> {
  const traces: Traces = new Map();
  const reader = journalReader(where);
  for await (const record of reader.records(lines)) {
    note(traces, record);
    visit?.(record);
  }
  const end = reader.end();
  return end && { ...end, traces };
}

/** The same for the journal of a zone. It is not read if it is known to be empty. */
export async function readJournal(
  view: ZoneView,
  visit?: (record: JournalRecord) => void,
): Promise<DecodedJournal | undefined> {
  return view.isJournalEmpty ? undefined : decodeJournal(view.journal(), view.describe("journal"), visit);
}

/** The records of a journal as a stream, for callers that need not keep them all. Throws as `decodeJournal` does. */
export function journalRecords(lines: AsyncIterable<string>, where: string): AsyncIterable<JournalRecord> {
  return journalReader(where).records(lines);
}

interface JournalReader {
  records(lines: AsyncIterable<string>): AsyncIterable<JournalRecord>;
  /** The result after the last line; undefined if the journal had no lines. */
  end(): Omit<DecodedJournal, "traces"> | undefined;
}

function journalReader(where: string): JournalReader {
  let binding: Binding | undefined;
  let crc = "";
  let seq = 0;

  async function* records(lines: AsyncIterable<string>): AsyncIterable<JournalRecord> {
    for await (const line of lines) {
      const value = parseObject(line);
      if (!value) throw damage("it is incomplete");
      const record = take(line, value);
      if (record) yield record;
    }
  }

  function take(line: string, value: JsonObject): JournalRecord | undefined {
    const next = verifiedCrc(line, crc);
    if (next === undefined) throw damage("its checksum does not match");
    crc = next;
    try {
      return takeVerified(value);
    } catch (cause) {
      if (cause instanceof DecodeError) throw damage(cause.message, { cause });
      throw cause;
    }
  }

  function takeVerified(value: JsonObject): JournalRecord | undefined {
    if (!binding) {
      refuseNewer(value, VERSION, "the journal", where);
      binding = decodeBinding(value);
      return undefined;
    }
    const record = JOURNAL_RECORD.decode(value);
    if (record.seq !== seq + 1) throw damage(`it is record ${record.seq}, expected record ${seq + 1}`);
    seq = record.seq;
    return record;
  }

  /** Makes the error about the next line. */
  function damage(what: string, options?: ErrorOptions): StateError {
    return damaged(where, binding ? seq + 2 : 1, what, options);
  }

  return { records, end: () => (binding ? { binding, crc, seq } : undefined) };
}

function damaged(where: string, line: number, what: string, options?: ErrorOptions): StateError {
  const message = `the journal is damaged at line ${line}: ${what}`;
  return new StateError(problem("journal-damaged", { message }, { at: { file: where, line, column: 1 } }), options);
}

/** The checksum of a line that continues the chain; undefined if it does not. */
export function verifiedCrc(line: string, previousCrc: string): string | undefined {
  const [, crc, body] = /^\{"crc":"([0-9a-f]{16})",(.+)$/s.exec(line) ?? [];
  return body !== undefined && crc === checksum(previousCrc + body) ? crc : undefined;
}

/** Reads the first line of a journal. Throws `DecodeError`. */
export function decodeBinding(from: JsonObject): Binding {
  return BINDING.decode(from);
}

/** What a journal says about one object: the settled result, and an unfinished intent, if any. */
interface Trace {
  readonly settled?: StateObject | { readonly removedBy: string | undefined };
  readonly unfinished?: JournalRecord;
}

/** By address; as large as the number of objects, however long the journal is. */
export type Traces = Map<string, Trace>;

/** Adds a record to what is known about its object. */
export function note(traces: Traces, record: JournalRecord): void {
  if (record.kind === "done" && record.from !== undefined)
    traces.set(record.from, { settled: { removedBy: undefined } });
  const { settled } = traces.get(record.address) ?? {};
  const next = record.kind === "intent" ? settled : settle(record, settled);
  traces.set(record.address, {
    ...defined({ settled: next }),
    ...(record.kind === "intent" ? { unfinished: record } : {}),
  });
}

function settle(record: JournalRecord, settled: Trace["settled"]): Trace["settled"] {
  if (record.kind === "gone") return { removedBy: record.action === "update" ? undefined : record.run };
  if (record.kind !== "done") return settled;
  if (record.action === "delete" || record.action === "forget") return { removedBy: record.run };
  return record.object ?? settled;
}

/**
 * The state after a journal. An unfinished create becomes a pending object: its response was lost, so an object under
 * its key is ours, and absence from a list proves nothing. After an unfinished update or delete the state still has the
 * object's id, with what was sent beside what was applied; live decides. Two things count as applied at once: a step
 * that cannot be undone, and protection.
 */
export function applyTraces(state: State, traces: Traces): State {
  const editor = editState(state);
  for (const [address, trace] of traces) {
    if (trace.settled && "removedBy" in trace.settled) editor.delete(address, trace.settled.removedBy);
    else if (trace.settled) editor.set(address, trace.settled);
    if (trace.unfinished) keepUnfinished(editor, trace.unfinished);
  }
  return editor.toState();
}

function keepUnfinished(editor: StateEditor, intent: JournalRecord): void {
  if (intent.action === "update" && intent.object?.asked !== undefined) editor.set(intent.address, intent.object);
  if (intent.action === "update" && intent.object?.protect) keepProtected(editor, intent.address);
  if (intent.action === "update" || intent.action === "delete") keepUnanswered(editor, intent);
  if (intent.action !== "create" && intent.action !== "replace") return;
  const known = editor.get(intent.address);
  // If the responses of several creates were lost, the last create says what was sent.
  const isUncreated = known?.pending === "create" && known.id === "";
  const kept = isUncreated || !known ? (intended(intent) ?? known) : known;
  if (kept) editor.set(intent.address, { ...kept, pending: "create", since: intent.at });
}

/** Live does not show protection, and too much of it does no harm. */
function keepProtected(editor: StateEditor, address: string): void {
  const known = editor.get(address);
  if (known) editor.set(address, { ...known, protect: true });
}

/** An untracked object stays untracked: it was never ours. */
function keepUnanswered(editor: StateEditor, { address, action, run, object }: JournalRecord): void {
  const known = editor.get(address);
  if (!known) return;
  if (action === "delete") editor.set(address, { ...known, unanswered: { run, action } });
  else if (action === "update" && object) {
    const { applied: sent, by } = object;
    editor.set(address, { ...known, unanswered: { run, action, sent, ...defined({ by }) } });
  }
}

function intended(intent: JournalRecord): StateObject | undefined {
  if (intent.object) return { ...intent.object, id: "" };
  const parts = parseAddress(intent.address);
  return parts && { kind: parts.kind, key: parts.key ?? "", id: "", applied: {} };
}
