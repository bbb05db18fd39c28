import type { Entry } from "../../engine.ts";
import type { Head } from "./head.ts";

/** What a change of the head starts from, and what it makes of it. */
export type Change = (head: Head) => Head;

/** The holder of a lock, and what it may write. */
export interface Session {
  readonly epoch: number;
  /** The head as this holder wrote it last. */
  head(): Head;
  /** Throws `StoreConflict` or `StateError` unless the lock is still held, as the bucket says now. */
  checkHeld(): Promise<void>;
  /** Changes the head, if it is still this holder's. Throws `StoreConflict`, `StateError`. */
  change(change: Change): Promise<void>;
  /** Stores the lines of an entry, which nothing names yet. */
  stage(name: string, lines: AsyncIterable<string>): Promise<Entry>;
  /** Adds lines to the journal. If that fails, none of them is there, or only the first ones. */
  append(lines: readonly string[]): Promise<void>;
  /** Ends the journal where it is: nobody who held the lock before can append any more. */
  fence(): Promise<void>;
  /** Runs `act` while nothing is appended: a change in it may begin another journal. */
  withJournal<T>(act: () => Promise<T>): Promise<T>;
  /** A name that was never used. */
  newName(): string;
  /** Creates an object of a journal that nobody reads yet. */
  putSegment(key: string, lines: readonly string[]): Promise<void>;
  /** Gives the lock back; does nothing the second time. */
  release(): Promise<void>;
  /** Leaves the lock as a run that dies does. */
  abandon(): void;
}
