import { collected } from "../../../core/streams.ts";
import { turns } from "../../../core/several.ts";
import type { Entry, ZoneKey } from "../../engine.ts";
import { StoreConflict } from "../../store.ts";
import { stageBody } from "./bodies.ts";
import {
  authorOf,
  bodyOf,
  type Head,
  type Keys,
  keysOf,
  type Loose,
  removable,
  uncleanOf,
  withoutKeys,
} from "./head.ts";
import { type Change, HeldHead, type TakenHead } from "./held-head.ts";
import { findCreated, mismatches, type Place, serverNow, sweep, told } from "./place.ts";
import { authorIn, chunksOf, type OwnJournal, segment, segmentsOf, sizeOf } from "./segments.ts";

/** So much of its own journal a holder remembers. What came before that is read from the bucket. */
const MOST_REMEMBERED_BYTES = 4 * 1024 * 1024;

/** The holder of a lock, and what it may write. It renews the lock, and nobody else writes. Throws `StateError`. */
export class Session {
  readonly key: ZoneKey;
  readonly epoch: number;
  readonly #place: Place;
  readonly #keys: Keys;
  readonly #held: HeldHead;
  readonly #author: string;
  readonly #inJournalTurn = turns();
  /** How many parts were stored of each body that the head does not name yet. */
  readonly #staged = new Map<string, number>();
  /** The journal to which something was sent that may have arrived, or may still arrive. */
  #unknown: string | undefined;
  /** What this holder added to a journal, so that its end is known; of another journal it is of no use. */
  #added: { readonly name: string; readonly lines: Map<number, readonly string[]>; bytes: number } | undefined;

  constructor(place: Place, key: ZoneKey, taken: TakenHead) {
    this.key = key;
    this.epoch = taken.head.epoch;
    this.#place = place;
    this.#keys = keysOf(key);
    this.#held = new HeldHead(place, this.#keys, key.zone, taken);
    this.#author = authorOf(taken.head);
  }

  /** The head as this holder wrote it last. */
  head(): Head {
    return this.#held.head();
  }

  /** A name that was never used. */
  newName(): string {
    return this.#held.newName();
  }

  /** Throws `StoreConflict` unless the lock is still held, as the bucket says now. */
  checkHeld(): Promise<void> {
    return told(this.#place, "read", () => this.#held.checkHeld());
  }

  /** Changes the head, if it is still this holder's. Throws `StoreConflict`. */
  change(change: Change): Promise<void> {
    return told(this.#place, "written", async () => {
      await this.#held.checkTrusted();
      await this.#held.publish(change);
      // What the head names is no longer this one's matter.
      for (const entry of this.head().entries) this.#staged.delete(bodyOf(entry).name);
      await this.#removeLoose();
    });
  }

  /** Stores the lines of an entry, which nothing names yet. Throws `StoreConflict`. */
  stage(name: string, lines: AsyncIterable<string>): Promise<Entry> {
    return told(this.#place, "written", async () => {
      await this.#held.checkTrusted();
      const body = this.newName();
      return stageBody(name, body, lines, async (number, bytes) => {
        this.#staged.set(body, number + 1);
        await this.#held.createNew(this.#keys.part(body, number), bytes);
      });
    });
  }

  /** Adds lines to the journal. If that fails, none of them is there, or only the first ones. Throws `StoreConflict`. */
  append(lines: readonly string[]): Promise<void> {
    return this.#inJournalTurn(() => told(this.#place, "written", () => this.#append(lines)));
  }

  /** Creates an object of a journal that nobody reads yet. Throws `StoreConflict`. */
  putSegment(key: string, lines: readonly string[]): Promise<void> {
    const bytes = segment(this.#place.random, this.#author, lines);
    return told(this.#place, "written", () => this.#held.createNew(key, bytes));
  }

  /** Ends the journal where it is: nobody who held the lock before can append any more. Throws `StoreConflict`. */
  fence(): Promise<void> {
    return this.#inJournalTurn(() => told(this.#place, "locked", () => this.#fence()));
  }

  /** Runs `act` while nothing is appended: a change in it may begin another journal. */
  withJournal<T>(act: () => Promise<T>): Promise<T> {
    return this.#inJournalTurn(act);
  }

  /** The journal of the head, if this holder added to it: then nothing is beyond what is said here. */
  ownJournal(): OwnJournal | undefined {
    const { journal } = this.head();
    const isWhole = this.#added?.name === journal.name && this.#isKnown() && !this.#held.isOver();
    return isWhole && this.#added ? { ...journal, lines: this.#added.lines } : undefined;
  }

  /** Gives the lock back; does nothing the second time. */
  release(): Promise<void> {
    return this.#inJournalTurn(() => told(this.#place, "unlocked", () => this.#release()));
  }

  /** Leaves the lock as a run that dies does. */
  abandon(): void {
    this.#held.end();
  }

  /** Whether each append is known to have happened, or not to have. */
  #isKnown(): boolean {
    return this.#unknown !== this.head().journal.name;
  }

  #nextKey(): string {
    const { name, segments } = this.head().journal;
    return this.#keys.segment(name, segments);
  }

  #mark(): Uint8Array {
    return segment(this.#place.random, this.#author, []);
  }

  #noteSegment(): void {
    this.#held.addSegment();
    this.#unknown = undefined;
  }

  async #append(lines: readonly string[]): Promise<void> {
    for await (const chunk of chunksOf(lines)) {
      if (!this.#isKnown()) await this.#settle();
      const bytes = segment(this.#place.random, this.#author, chunk);
      // If an earlier version of the head was put back, its journal goes on beyond what that version knows of.
      for (let isMade = false; !isMade; this.#noteSegment()) {
        this.#unknown = this.head().journal.name;
        isMade = await this.#held.create(this.#nextKey(), bytes);
      }
      this.#remember(chunk);
    }
  }

  #remember(chunk: readonly string[]): void {
    const { name, segments } = this.head().journal;
    if (this.#added?.name !== name) this.#added = { name, lines: new Map(), bytes: 0 };
    const { lines } = this.#added;
    this.#added.bytes += sizeOf(chunk);
    lines.set(segments - 1, chunk);
    for (const [number, oldest] of lines) {
      if (this.#added.bytes <= MOST_REMEMBERED_BYTES) break;
      this.#added.bytes -= sizeOf(oldest);
      lines.delete(number);
    }
  }

  /** An earlier append failed without an answer: it has happened, or it will never happen. */
  async #settle(): Promise<void> {
    for (let isOver = false; !isOver; this.#noteSegment()) {
      const key = this.#nextKey();
      isOver = await this.#held.create(key, this.#mark());
      if (isOver) continue;
      const found = await findCreated(this.#place, key, this.#held.deadline());
      isOver = authorIn(found?.bytes ?? this.#mark()) === this.#author;
    }
  }

  async #fence(): Promise<void> {
    const mismatch = mismatches(this.#place, "it finds an object where there is none");
    for (;;) {
      const { journal } = this.head();
      const beyond = await collected(segmentsOf(this.#place, this.#keys, journal, journal.segments));
      beyond.forEach(() => this.#noteSegment());
      const key = this.#nextKey();
      if (await this.#held.create(key, this.#mark())) return this.#noteSegment();
      await mismatch(key);
    }
  }

  /** What was replaced long ago, and what is too much; a part of it each time, because the caller waits. */
  async #removeLoose(): Promise<void> {
    const place = this.#place;
    const gone = new Set(await sweep(place, removable(this.#keys, this.head().loose, serverNow(place))));
    if (gone.size === 0) return;
    const forget: Change = (before) => ({ ...before, loose: withoutKeys(this.#keys, before.loose, gone) });
    // What was to be written is written: this is tried again by the next change.
    await this.#held.publish(forget, () => place.steady.now()).catch(() => undefined);
  }

  async #release(): Promise<void> {
    if (this.#held.isOver()) return;
    try {
      await this.#held.publish((before) => this.#givenBack(before));
    } catch (error) {
      // Somebody else has it, so there is nothing to give back.
      if (!(error instanceof StoreConflict)) throw error;
    } finally {
      this.#held.end();
    }
  }

  #givenBack(before: Head): Head {
    // Nothing ever named these, so nobody reads them.
    const unused = [...this.#staged].map(([name, parts]): Loose => ({ kind: "bodies", name, parts, since: 0 }));
    return {
      ...before,
      isHeld: undefined,
      unclean: this.#isKnown() ? before.unclean : [...before.unclean, uncleanOf(before)],
      loose: [...unused, ...before.loose],
    };
  }
}
