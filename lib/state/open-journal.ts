import { defined } from "../core/json.ts";
import type { ZoneId } from "../core/brand.ts";
import type { Clock } from "../core/clock.ts";
import { Announcements } from "./announcements.ts";
import { applyTraces, encodeBinding, encodeRecord, note, type Traces } from "./journal.ts";
import type { JournalEntry, JournalRecord, RecordKind, RunApproval } from "./journal-record.ts";
import type { State, StateObject } from "./state.ts";
import type { Lease } from "./lock.ts";
import type { ProjectStore } from "./zone/store.ts";
import { streamed } from "../core/lists.ts";

/** What a journal says about its run. */
interface JournalOptions {
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

/** The journal of a run. Nothing is stored before its first intent. */
export class Journal {
  private readonly options: JournalOptions;
  private readonly batch: ProjectStore["batch"];
  private readonly traces: Traces = new Map();
  private readonly announced: Announcements | undefined;
  private readonly writer: LineWriter;
  private readonly arriving = new Map<string, Promise<void>>();
  private crc: string;
  private seq = 0;
  /**
   * Returns once the lock is known to have been ours at some moment after the call. Throws `StoreConflict` if it was
   * not, so that nothing more is sent. Concurrent callers share one check.
   */
  readonly checkLease: () => Promise<void>;

  /** Begins the zone's journal. It has to be empty, as `beginState` leaves it. */
  constructor(store: ProjectStore, zone: ZoneId, lease: Lease, options: JournalOptions) {
    const { state, operation, planHash, approved, zones } = options;
    this.options = options;
    this.batch = store.batch;
    this.announced = store.batch && new Announcements(store.batch.changes);
    this.writer = new LineWriter((lines) => store.append(zone, lease, lines), this.announced);
    this.checkLease = shared(() => store.checkLease(zone, lease));
    const { lineage, serial: baseSerial } = state;
    const { line, crc } = encodeBinding({ zone, lineage, baseSerial, operation, planHash, approved, zones });
    this.writer.add(line);
    this.crc = crc;
  }

  /**
   * Takes the intents that will probably follow, in order. A store that is written as a whole stores many of them in
   * one write, and the results with a later one; other stores ignore them.
   */
  foresee(entries: Iterable<JournalEntry>): void {
    this.announced?.foresee(entries);
  }

  /** Records that the foreseen changes that never began changed nothing. Call it when no more of them will begin. */
  withdraw(): void {
    for (const { address, action } of this.announced?.unused() ?? []) {
      this.announced?.use(address);
      if (this.isUnfinished(address)) note(this.traces, this.record("failed", { address, action }));
    }
  }

  /**
   * Returns once the intent would survive a power cut; only then may its request be sent. Concurrent intents share one
   * append. After a failed append every later intent fails the same way, because the content of the disk is unknown.
   */
  async intend(entry: JournalEntry): Promise<void> {
    if (this.announced) return this.intendTogether(this.announced, entry);
    const added = this.intent(entry);
    await this.writer.commit();
    // Only now: an intent that was never durable was never sent, so it must leave no trace.
    note(this.traces, added);
  }

  /** Stores the intent together with announced ones, unless it is stored already. */
  private async intendTogether(announced: Announcements, entry: JournalEntry): Promise<void> {
    const { address, action } = entry;
    // Another change is storing this intent at the moment.
    await this.arriving.get(address);
    announced.use(address);
    for (let last = announced.inTheWay(address); last; last = announced.inTheWay(address)) {
      const stored = this.arriving.get(last.address);
      if (stored) await stored;
      else this.putBack(announced, last);
    }
    if (announced.isStored(address, action)) {
      // The next write stores the object as it was just before the change.
      if (entry.before !== undefined || !this.traces.get(address)?.unfinished) note(this.traces, this.intent(entry));
      this.saveLater();
      return this.checkLease();
    }
    const added = [this.intent(entry), ...announced.next().map((each) => this.intent({ ...each, ahead: true }))];
    const stored = this.writer.commit();
    for (const each of added) this.arriving.set(each.address, stored);
    await stored;
    for (const each of added) {
      this.arriving.delete(each.address);
      note(this.traces, each);
    }
  }

  /** Withdraws an announcement to make room for an intent that was not announced. */
  private putBack(announced: Announcements, entry: JournalEntry): void {
    announced.putBack(entry);
    note(this.traces, this.record("failed", { address: entry.address, action: entry.action }));
  }

  /**
   * The change worked. The record is durable with the next append; if the run dies before, the next one looks the
   * object up by its id or key.
   */
  done(entry: JournalEntry): void {
    this.result("done", entry);
  }

  /** The change is known to have had no effect. A lost response is not a failure: leave the intent unfinished. */
  failed(entry: JournalEntry): void {
    this.result("failed", entry);
  }

  /** The object is known to be gone: a read by its id did not find it. */
  gone(entry: JournalEntry): void {
    this.result("gone", entry);
  }

  private result(kind: RecordKind, entry: JournalEntry): void {
    note(this.traces, this.record(kind, entry));
    this.saveLater();
  }

  /** Lets results wait for the next write, but not for long. */
  private saveLater(): void {
    const { batch } = this;
    if (batch) this.writer.commitAfter((signal) => this.options.clock.sleep(batch.milliseconds, signal));
  }

  private intent(entry: JournalEntry): JournalRecord {
    const prior = known(this.options.state, this.traces, entry.address);
    return this.record("intent", { ...entry, ...defined({ prior }) });
  }

  private record(kind: RecordKind, entry: JournalEntry & { prior?: StateObject }): JournalRecord {
    const { clock, run } = this.options;
    this.seq += 1;
    const added = { ...entry, seq: this.seq, run, kind, at: new Date(clock.now()).toISOString() };
    const { line, crc } = encodeRecord(this.crc, added);
    this.crc = crc;
    // Only a durable intent was sent. The next run repeats what is recorded without one, and needs no request for it.
    this.writer.add(line, added, kind !== "intent" && this.isUnfinished(entry.address));
    this.announced?.added(added);
    return added;
  }

  /** Whether the last durable intent of this run for the address has no result. */
  private isUnfinished(address: string): boolean {
    return this.traces.get(address)?.unfinished?.run === this.options.run;
  }

  /** Returns once every record would survive a power cut. */
  flush(): Promise<void> {
    return this.writer.commit();
  }

  /**
   * How many results are not known to be stored. The intents of these requests are stored. Read it after `flush` has
   * failed.
   */
  unstored(): number {
    return this.writer.unstored();
  }

  /** Whether anything was recorded. */
  hasRecords(): boolean {
    return this.seq > 0;
  }

  /** The state that the next run would start from: save it at the end of this one. */
  folded(): State {
    return applyTraces(this.options.state, this.traces);
  }

  /** Every recorded line, if few enough to keep in memory; then they need not be read back. */
  lines(): (() => AsyncIterable<string>) | undefined {
    return this.writer.lines();
  }
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

interface Queued {
  readonly line: string;
  readonly record: JournalRecord | undefined;
  readonly isResult: boolean;
}

/** Group commit: one append runs at a time, and the next one takes all lines that arrived meanwhile. */
class LineWriter {
  private readonly append: (lines: readonly string[]) => Promise<void>;
  private readonly announced: Announcements | undefined;
  private all: string[] | undefined = [];
  private characters = 0;
  private queued: Queued[] = [];
  private sending: readonly Queued[] = [];
  private last: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;
  private pausing: AbortController | undefined;
  private hasFailed = false;

  /** `append` makes lines durable. `announced` is called for each record that is written. */
  constructor(append: (lines: readonly string[]) => Promise<void>, announced: Announcements | undefined) {
    this.append = append;
    this.announced = announced;
  }

  /** Adds a line to the next append. `isResult`: it records the result of a request. The first line has no record. */
  add(line: string, record?: JournalRecord, isResult = false): void {
    this.queued.push({ line, record, isResult });
    this.characters += line.length;
    if (this.characters > MOST_REMEMBERED_CHARACTERS) this.all = undefined;
    this.all?.push(line);
  }

  /** Returns once every line added so far is durable. */
  commit(): Promise<void> {
    if (this.next) return this.next;
    // Chained to the last append: once one has failed, every later one fails with it.
    this.next = this.last.then(() => this.send());
    this.last = this.next;
    this.next.catch(() => this.fail());
    return this.next;
  }

  private async send(): Promise<void> {
    this.next = undefined;
    this.stopPause();
    const records = this.queued.flatMap(({ record }) => record ?? []);
    this.announced?.sending(records);
    this.sending = this.queued;
    this.queued = [];
    if (this.sending.length > 0) await this.append(this.sending.map(({ line }) => line));
    this.announced?.stored(records);
    this.sending = [];
  }

  private fail(): void {
    this.hasFailed = true;
    this.stopPause();
  }

  /** Commits after a pause, unless another commit comes first. */
  commitAfter(pause: (signal: AbortSignal) => Promise<void>): void {
    if (this.pausing || this.hasFailed) return;
    this.pausing = new AbortController();
    void this.commitLater(pause, this.pausing);
  }

  private async commitLater(pause: (signal: AbortSignal) => Promise<void>, own: AbortController): Promise<void> {
    try {
      await pause(own.signal);
    } catch {
      // Another commit came first.
      return;
    }
    // If it fails, the next commit fails too, and its caller hears of it.
    if (this.pausing === own) await this.commit().catch(() => undefined);
  }

  private stopPause(): void {
    this.pausing?.abort();
    this.pausing = undefined;
  }

  /** How many results are not known to be durable. */
  unstored(): number {
    return [...this.sending, ...this.queued].filter(({ isResult }) => isResult).length;
  }

  /** All lines so far; undefined if there are too many. */
  lines(): (() => AsyncIterable<string>) | undefined {
    const known = this.all;
    return known && (() => streamed(known));
  }
}
