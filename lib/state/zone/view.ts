import type { ZoneId } from "../../core/brand.ts";
import { problem } from "../../core/problem.ts";
import { type Engine, type Entry, entryOf, JOURNAL, STATE, type View, type ZoneKey } from "../engine.ts";
import { StateError } from "../error.ts";
import type { Taken } from "../lock.ts";
import { backupName, backupSerials, isCopyName, recordName, recordNames } from "./entries.ts";

/** A stored snapshot. */
export interface StoredState {
  /** The lines as written, header first, footer last. */
  readonly lines: AsyncIterable<string>;
  /** Pass it to `write` to replace exactly this snapshot. */
  readonly version: string;
}

/** A view, as known to a process that may have appended to the journal since. */
export interface Known {
  readonly view: View;
  readonly hasAppended: boolean;
}

/** A snapshot of what is stored for a zone. Only the lines are read on demand. */
export class ZoneView {
  readonly zone: ZoneId;
  /** The names of the records beside the state, in order. */
  readonly names: readonly string[];
  /**
   * The serials of the earlier snapshots, newest first. Only a replaced snapshot is kept: if there are some and no
   * snapshot, the snapshot was lost.
   */
  readonly backups: readonly number[];
  /** Who took the zone's lock last, and for which state; undefined if nothing says it. */
  readonly taken: Taken | undefined;
  /** Whether the journal is known to be empty, so that it need not be read. */
  readonly isJournalEmpty: boolean;
  private readonly engine: Engine;
  private readonly key: ZoneKey;
  private readonly known: Known;

  constructor(engine: Engine, key: ZoneKey, known: Known) {
    const { entries, taken, isJournalEmpty = false } = known.view;
    this.engine = engine;
    this.key = key;
    this.known = known;
    this.zone = key.zone;
    this.names = recordNames(entries);
    this.backups = backupSerials(entries);
    this.taken = taken;
    this.isJournalEmpty = isJournalEmpty && !known.hasAppended;
  }

  /** The snapshot, or undefined if there never was one. An empty file is a snapshot without lines. */
  get state(): StoredState | undefined {
    const found = this.entry(STATE);
    return found && { version: found.tag, lines: this.engine.body(this.key, found) };
  }

  /** The journal's lines, without a last line that a crash cut off. */
  async *journal(): AsyncIterable<string> {
    const { view, hasAppended } = this.known;
    yield* this.engine.journal(this.key, hasAppended ? await this.engine.view(this.key) : view);
  }

  /** The lines of a kept record; undefined if there is none with this name. */
  kept(name: string): AsyncIterable<string> | undefined {
    return this.lines(recordName(name));
  }

  /** The lines of an earlier snapshot. Throws `StateError` if there is none of that serial. */
  backup(serial: number): AsyncIterable<string> {
    const found = this.lines(backupName(serial));
    if (found) return found;
    throw new StateError(problem("backup-missing", { serial, where: this.describe() }));
  }

  /** The lines of a copy that was set aside, as stored; undefined if there is none with this name. */
  copy(name: string): AsyncIterable<string> | undefined {
    return isCopyName(name) ? this.lines(name) : undefined;
  }

  /** Where the zone's state or journal is, for messages. */
  describe(part: typeof STATE | typeof JOURNAL = STATE): string {
    return this.engine.describe(this.key, part);
  }

  private entry(name: string): Entry | undefined {
    return entryOf(this.known.view.entries, name);
  }

  private lines(name: string): AsyncIterable<string> | undefined {
    const found = this.entry(name);
    return found && this.engine.body(this.key, found);
  }
}
