import { defined } from "../core/defined.ts";
import type { ZoneId } from "../core/brand.ts";
import type { Clock } from "../core/clock.ts";
import { streamed } from "../core/streams.ts";
import { type Announcements, openAnnouncements } from "./announcements.ts";
import { type Binding, encodeBinding, encodeRecord } from "./journal.ts";
import type { JournalEntry, JournalRecord, RecordKind, RunApproval } from "./record.ts";
import { applyTraces, note, type Traces } from "./replay.ts";
import type { State, StateObject } from "./state.ts";
import type { Lease } from "./lock.ts";
import type { ProjectStore } from "./zone/store.ts";

/** The journal of a run. */
export interface Journal {
  /**
   * Takes the intents that will probably follow, in order. A store that is written as a whole stores many of them in
   * one write, and the results with a later one; other stores ignore them.
   */
  foresee(entries: Iterable<JournalEntry>): void;
  /** Records that the foreseen changes that never began changed nothing. Call it when no more of them will begin. */
  withdraw(): void;
  /**
   * Returns once the intent would survive a power cut; only then may its request be sent. Concurrent intents share one
   * append. After a failed append every later intent fails the same way, because the content of the disk is unknown.
   */
  intend(entry: JournalEntry): Promise<void>;
  /**
   * Returns once the lock is known to have been ours at some moment after the call. Throws `StoreConflict` if it was
   * not, so that nothing more is sent. Concurrent callers share one check.
   */
  checkHeld(): Promise<void>;
  /**
   * The change worked. The record is durable with the next append; if the run dies before, the next one looks the
   * object up by its id or key.
   */
  done(entry: JournalEntry): void;
  /** The change is known to have had no effect. A lost response is not a failure: leave the intent unfinished. */
  failed(entry: JournalEntry): void;
  /** The object is known to be gone: a read by its id did not find it. */
  gone(entry: JournalEntry): void;
  /** Returns once every record would survive a power cut. */
  flush(): Promise<void>;
  /**
   * How many results are not known to be stored. The intents of these requests are stored. Read it after `flush` has
   * failed.
   */
  unstored(): number;
  /** Whether anything was recorded. */
  hasRecords(): boolean;
  /** The state that the next run would start from: save it at the end of this one. */
  folded(): State;
  /** Every recorded line, if few enough to keep in memory; then they need not be read back. */
  lines(): (() => AsyncIterable<string>) | undefined;
}

/** Options of `openJournal`. */
export interface JournalOptions {
  readonly clock: Clock;
  /** The run's id, for the records. */
  readonly run: string;
  /** The stored state (from `beginState`); a journal is never opened for a state that was never written. */
  readonly state: State;
  /** What the run does, and from which plan; for the record that allows undoing it. */
  readonly operation?: string | undefined;
  readonly planHash?: string | undefined;
  readonly approved?: RunApproval | undefined;
  /**
   * The ids of all zones that the run writes to, if there are several; they show which zones a record does not cover.
   */
  readonly zones?: readonly string[] | undefined;
}

/** Opens the zone's journal for a run. It has to be empty, as `beginState` leaves it. */
export function openJournal(
  store: ProjectStore,
  zone: ZoneId,
  lease: Lease,
  { clock, run, state, operation, planHash, approved, zones }: JournalOptions,
): Journal {
  const { lineage, serial: baseSerial } = state;
  const binding: Binding = { zone, lineage, baseSerial, operation, planHash, approved, zones };
  const traces: Traces = new Map();
  const announced = store.batch && openAnnouncements(store.batch.changes);
  const writer = lineWriter((lines) => store.append(zone, lease, lines), announced);
  const checkHeld = shared(() => store.checkHeld(zone, lease));
  const arriving = new Map<string, Promise<void>>();
  const first = encodeBinding(binding);
  writer.add(first.line);
  let [crc, seq] = [first.crc, 0];

  function record(kind: RecordKind, entry: JournalEntry & { prior?: StateObject }): JournalRecord {
    seq += 1;
    const added = { ...entry, seq, run, kind, at: new Date(clock.now()).toISOString() };
    const chained = encodeRecord(crc, added);
    crc = chained.crc;
    // Only a durable intent was sent. The next run repeats what is recorded without one, and needs no request for it.
    const isResult = kind !== "intent" && traces.get(entry.address)?.open?.run === run;
    writer.add(chained.line, added, isResult);
    announced?.added(added);
    return added;
  }

  function intent(entry: JournalEntry): JournalRecord {
    return record("intent", { ...entry, ...defined({ prior: known(state, traces, entry.address) }) });
  }

  async function intend(entry: JournalEntry): Promise<void> {
    if (announced) return intendTogether(announced, entry);
    const added = intent(entry);
    await writer.commit();
    // Only now: an intent that was never durable was never sent, so it must leave no trace.
    note(traces, added);
  }

  /** Stores the intent together with announced ones, unless it is stored already. */
  async function intendTogether(announcements: Announcements, entry: JournalEntry): Promise<void> {
    const { address, action } = entry;
    // Another change is storing this intent at the moment.
    await arriving.get(address);
    announcements.use(address);
    for (let last = announcements.inTheWay(address); last; last = announcements.inTheWay(address)) {
      const stored = arriving.get(last.address);
      if (stored) await stored;
      else putBack(announcements, last);
    }
    if (announcements.isStored(address, action)) {
      // The next write stores the object as it was just before the change.
      if (entry.before !== undefined || !traces.get(address)?.open) note(traces, intent(entry));
      saveLater();
      return checkHeld();
    }
    const added = [intent(entry), ...announcements.next().map((each) => intent({ ...each, ahead: true }))];
    const stored = writer.commit();
    for (const each of added) arriving.set(each.address, stored);
    await stored;
    for (const each of added) {
      arriving.delete(each.address);
      note(traces, each);
    }
  }

  /** Withdraws an announcement to make room for an intent that was not announced. */
  function putBack(announcements: Announcements, entry: JournalEntry): void {
    announcements.putBack(entry);
    note(traces, record("failed", { address: entry.address, action: entry.action }));
  }

  /** Lets results wait for the next write, but not for long. */
  function saveLater(): void {
    const { batch } = store;
    if (batch) writer.commitAfter((signal) => clock.sleep(batch.milliseconds, signal));
  }

  function result(kind: RecordKind, entry: JournalEntry): void {
    note(traces, record(kind, entry));
    saveLater();
  }

  function withdraw(): void {
    for (const { address, action } of announced?.unused() ?? []) {
      announced?.use(address);
      if (traces.get(address)?.open?.run === run) note(traces, record("failed", { address, action }));
    }
  }

  return {
    intend,
    foresee: (entries) => announced?.foresee(entries),
    withdraw,
    checkHeld,
    done: (entry) => result("done", entry),
    failed: (entry) => result("failed", entry),
    gone: (entry) => result("gone", entry),
    flush: () => writer.commit(),
    unstored: () => writer.unstored(),
    hasRecords: () => seq > 0,
    folded: () => applyTraces(state, traces),
    lines: () => writer.lines(),
  };
}

/** What the state would know about an object now. */
function known(state: State, traces: Traces, address: string): StateObject | undefined {
  const settled = traces.get(address)?.settled ?? state.objects.get(address);
  return settled && "removedBy" in settled ? undefined : settled;
}

/** Runs one call at a time; all callers that arrive meanwhile share the next one. */
function shared(act: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  const begin = (): Promise<void> => {
    next = undefined;
    return act();
  };

  return () => {
    next ??= last.then(begin, begin);
    last = next;
    return next;
  };
}

/** The pre-images of a large run may not fit into memory. */
const MOST_REMEMBERED_CHARACTERS = 4 * 1024 * 1024;

interface LineWriter {
  /** `isResult`: the line records the result of a request. The first line has no record. */
  add(line: string, record?: JournalRecord, isResult?: boolean): void;
  /** Returns once every line added so far is durable. */
  commit(): Promise<void>;
  /** Commits after a pause, unless another commit comes first. */
  commitAfter(pause: (signal: AbortSignal) => Promise<void>): void;
  /** How many results are not known to be durable. */
  unstored(): number;
  /** All lines so far; undefined if there are too many. */
  lines(): (() => AsyncIterable<string>) | undefined;
}

interface Queued {
  readonly line: string;
  readonly record: JournalRecord | undefined;
  readonly isResult: boolean;
}

/** Group commit: one append runs at a time, and the next one takes all lines that arrived meanwhile. */
function lineWriter(
  append: (lines: readonly string[]) => Promise<void>,
  announced: Announcements | undefined,
): LineWriter {
  let all: string[] | undefined = [];
  let characters = 0;
  let queued: Queued[] = [];
  let sending: readonly Queued[] = [];
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  let pausing: AbortController | undefined;
  let hasFailed = false;

  function stopPause(): void {
    pausing?.abort();
    pausing = undefined;
  }

  function fail(): void {
    hasFailed = true;
    stopPause();
  }

  async function send(): Promise<void> {
    next = undefined;
    stopPause();
    const records = queued.flatMap(({ record }) => record ?? []);
    announced?.sending(records);
    sending = queued;
    queued = [];
    if (sending.length > 0) await append(sending.map(({ line }) => line));
    announced?.stored(records);
    sending = [];
  }

  function commit(): Promise<void> {
    if (next) return next;
    // Chained to the last append: once one has failed, every later one fails with it.
    next = last.then(send);
    last = next;
    next.catch(fail);
    return next;
  }

  async function commitLater(pause: (signal: AbortSignal) => Promise<void>, own: AbortController): Promise<void> {
    try {
      await pause(own.signal);
    } catch {
      // Another commit came first.
      return;
    }
    // If it fails, the next commit fails too, and its caller hears of it.
    if (pausing === own) await commit().catch(() => undefined);
  }

  return {
    add: (line, record, isResult = false) => {
      queued.push({ line, record, isResult });
      characters += line.length;
      if (characters > MOST_REMEMBERED_CHARACTERS) all = undefined;
      all?.push(line);
    },
    lines: () => {
      const known = all;
      return known && (() => streamed(known));
    },
    unstored: () => [...sending, ...queued].filter(({ isResult }) => isResult).length,
    commit,
    commitAfter: (pause) => {
      if (pausing || hasFailed) return;
      pausing = new AbortController();
      void commitLater(pause, pausing);
    },
  };
}
