import { turns } from "../../../core/lists.ts";
import { type Entry, noting, type ZoneKey } from "../../engine.ts";
import { StoreConflict } from "../../lock.ts";
import { conditionsIgnored } from "./failure.ts";
import { type Head, type Keys, keysOf, type LineObjects, removable, tagOf, withoutKeys } from "./head.ts";
import { type Change, LockedHead, type TakenHead } from "./locked-head.ts";
import { chunksOf, objectWith } from "./lines.ts";
import { findIfAny, refusalCounter, type Place, serverNow, sweep, withStateErrors } from "./place.ts";

/** How many bytes of its own journal a holder remembers. Earlier lines are read from the bucket. */
const MOST_REMEMBERED_BYTES = 4 * 1024 * 1024;

/** What a holder knows of the journal that it appends to. The journal has no objects beyond this count. */
export interface OwnJournal extends LineObjects {
  /** The lines of some of its objects, by number. */
  readonly known: ReadonlyMap<number, readonly string[]>;
}

/**
 * The holder of a lock, and what it may write. It renews the lock; no other process writes meanwhile. Throws as
 * `LockedHead` does.
 */
export class Session {
  readonly key: ZoneKey;
  readonly epoch: number;
  readonly #place: Place;
  readonly #keys: Keys;
  readonly #locked: LockedHead;
  readonly #inJournalTurn = turns();
  /** The journal with an append that may have arrived, or may still arrive. */
  #unknown: string | undefined;
  /**
   * What this holder appended to a journal, so that the end of that journal is known. It says nothing about other
   * journals.
   */
  #added: { readonly name: string; readonly lines: Map<number, readonly string[]>; readonly bytes: number } | undefined;

  constructor(place: Place, key: ZoneKey, taken: TakenHead) {
    this.key = key;
    this.epoch = taken.head.epoch;
    this.#place = place;
    this.#keys = keysOf(key);
    this.#locked = new LockedHead(place, this.#keys, key.zone, taken);
  }

  /** The head that this holder wrote last. */
  head(): Head {
    return this.#locked.head();
  }

  /** Throws `StoreConflict` unless the bucket says that the lock is still held. */
  checkLease(): Promise<void> {
    return this.#locked.checkLease();
  }

  /** Changes the head if it is still this holder's. */
  async change(change: Change): Promise<void> {
    await this.#locked.checkTrusted();
    await this.#locked.publish(change);
    await this.#removeLoose();
  }

  /** Stores the lines of an entry, to which nothing refers yet. */
  async stage(name: string, lines: AsyncIterable<string>): Promise<Entry> {
    await this.#locked.checkTrusted();
    const passing = noting(lines);
    // A few short lines are stored in the head itself.
    const body = await this.#store("bodies", passing.lines, () => passing.noted().isWhole);
    return { name, tag: tagOf(body), ...passing.noted() };
  }

  /** Stores the lines of a journal, to which nothing refers yet. */
  stageJournal(lines: AsyncIterable<string>): Promise<LineObjects> {
    return this.#store("journal", lines);
  }

  /** Appends lines to the journal. If that fails, none of them is there, or only the first ones. */
  append(lines: readonly string[]): Promise<void> {
    return this.#inJournalTurn(async () => {
      for await (const chunk of chunksOf(lines)) {
        if (!this.#isKnown()) await this.#endJournal();
        const bytes = objectWith(chunk, this.#place.random);
        // If an earlier version of the head was put back, its journal has objects that this version does not know.
        for (let isMade = false; !isMade; this.#noteObject()) {
          this.#unknown = this.head().journal.name;
          isMade = await this.#locked.create(this.#nextKey(), bytes);
        }
        this.#remember(chunk, bytes.length);
      }
    });
  }

  /** Fences off earlier holders: nothing that they sent can still arrive. */
  async fenceOff(): Promise<void> {
    if (!this.head().isUnfenced) return;
    await this.#inJournalTurn(() => this.#endJournal());
    await this.change((head) => ({ ...head, isUnfenced: undefined }));
  }

  /** Runs `act` while no append runs, because `act` may begin another journal. */
  withJournal<T>(act: () => Promise<T>): Promise<T> {
    return this.#inJournalTurn(act);
  }

  /** The journal of the head, if this holder added to it. */
  ownJournal(): OwnJournal | undefined {
    const { journal } = this.head();
    const isWhole = this.#added?.name === journal.name && this.#isKnown() && !this.#locked.isOver();
    return isWhole && this.#added ? { ...journal, known: this.#added.lines } : undefined;
  }

  /** Releases the lock; does nothing the second time. */
  release(): Promise<void> {
    return this.#inJournalTurn(() => withStateErrors(this.#place, "unlocked", () => this.#release()));
  }

  /** Leaves the lock as a dying run does. */
  abandon(): void {
    this.#locked.end();
  }

  /** Whether the outcome of every append is known. */
  #isKnown(): boolean {
    return this.#unknown !== this.head().journal.name;
  }

  #nextKey(): string {
    const { name, count } = this.head().journal;
    return this.#keys.object(name, count);
  }

  #noteObject(): void {
    this.#locked.addToJournal();
    this.#unknown = undefined;
  }

  async #store(
    folder: "bodies" | "journal",
    lines: AsyncIterable<string>,
    isKeptInHead: () => boolean = () => false,
  ): Promise<LineObjects> {
    const name = `${folder}/${this.#place.random.uuid()}`;
    let count = 0;
    for await (const chunk of chunksOf(lines)) {
      if (isKeptInHead()) break;
      if (!(await this.#locked.create(this.#keys.object(name, count), objectWith(chunk, this.#place.random))))
        throw conditionsIgnored(this.#place.where, "it finds an object that nobody created");
      count += 1;
    }
    return { name, count };
  }

  #remember(chunk: readonly string[], bytes: number): void {
    const { name, count } = this.head().journal;
    const before = this.#added?.name === name ? this.#added : { lines: [], bytes: 0 };
    const isTooMuch = before.bytes + bytes > MOST_REMEMBERED_BYTES;
    const lines = new Map(isTooMuch ? [] : before.lines).set(count - 1, chunk);
    this.#added = { name, lines, bytes: isTooMuch ? bytes : before.bytes + bytes };
  }

  /**
   * Ends the journal at its present length with an empty object. An append of this or an earlier holder without a
   * response has either happened by now, or never will.
   */
  async #endJournal(): Promise<void> {
    const countRefusal = refusalCounter(this.#place, "it finds an object where there is none");
    for (;;) {
      while (await findIfAny(this.#place, this.#nextKey())) this.#noteObject();
      const key = this.#nextKey();
      if (await this.#locked.create(key, objectWith([], this.#place.random))) return this.#noteObject();
      await countRefusal(key);
    }
  }

  /**
   * Removes objects that were replaced long ago, and those over the limit; only some each time, because the caller
   * waits.
   */
  async #removeLoose(): Promise<void> {
    const place = this.#place;
    const gone = new Set(await sweep(place, removable(this.#keys, this.head().loose, serverNow(place))));
    if (gone.size === 0) return;
    const forget: Change = (before) => ({ ...before, loose: withoutKeys(this.#keys, before.loose, gone) });
    // The write itself is done; the next change tries to remove them again.
    await this.#locked.publish(forget, place.steady.now()).catch(() => undefined);
  }

  async #release(): Promise<void> {
    if (this.#locked.isOver()) return;
    try {
      const isUnfenced = this.#isKnown() ? {} : ({ isUnfenced: true } as const);
      await this.#locked.publish((before) => ({ ...before, isLocked: undefined, ...isUnfenced }));
    } catch (error) {
      // Another run has the lock, so there is nothing to give back.
      if (!(error instanceof StoreConflict)) throw error;
    } finally {
      this.#locked.end();
    }
  }
}
