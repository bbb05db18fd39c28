import { streamed } from "../core/streams.ts";
import type { Announcements } from "./announcements.ts";
import type { JournalRecord } from "./record.ts";

/** The pre-images of a large run may not fit into memory. */
const MOST_REMEMBERED_CHARACTERS = 4 * 1024 * 1024;

interface Queued {
  readonly line: string;
  readonly record: JournalRecord | undefined;
  readonly isResult: boolean;
}

/** Group commit: one append runs at a time, and the next one takes all lines that arrived meanwhile. */
export class LineWriter {
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
