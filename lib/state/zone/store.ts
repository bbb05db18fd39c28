import type { ZoneId } from "../../core/brand.ts";
import type { Clock } from "../../core/clock.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { streamed } from "../../core/lists.ts";
import {
  type Batch,
  type Changes,
  type Engine,
  entryOf,
  JOURNAL,
  type Seal,
  serialOf,
  STATE,
  type StateFile,
  type View,
  type ZoneKey,
} from "../engine.ts";
import { StateError } from "../error.ts";
import type { Holding, Lease, LockHolder } from "../lock.ts";
import {
  backupName,
  backupSerials,
  copyName,
  isCopyName,
  keptZones,
  type Known,
  looseLines,
  recordName,
  roleOf,
  zoneFiles,
  ZoneView,
} from "./view.ts";

/** How many earlier snapshots to keep: enough to find an undamaged one, few enough for a small disk. */
const KEPT_BACKUPS = 5;

/**
 * Records that change together with a snapshot. Their lines are read in this order: `before`, the snapshot's, `after`.
 */
export interface Beside {
  readonly before?: ReadonlyMap<string, AsyncIterable<string>>;
  readonly after?: ReadonlyMap<string, AsyncIterable<string>>;
  readonly discard?: readonly string[];
}

/**
 * The states of one project on an engine. It moves lines and keeps its promises about them; it does not know what they
 * mean. Methods that need a lease throw `StoreConflict` if it no longer allows writing.
 */
export class ProjectStore {
  /** Present if each write costs as much as the whole state. A run then writes rarely. */
  readonly batch: Batch | undefined;
  /** Whether observations of hostnames cannot be kept: `observe` throws, and `observations` is empty. */
  readonly keepsNoSightings: boolean;
  /** Whether the states are files, which a person can move. */
  readonly isInFiles: boolean;
  private readonly engine: Engine;
  private readonly project: string;
  private readonly clock: Pick<Clock, "now">;
  /** What each holder of a lease knows about its zone: no other process changes it. */
  private readonly byLease = new Map<string, Known>();

  constructor(engine: Engine, project: string, clock: Pick<Clock, "now">) {
    this.engine = engine;
    this.project = project;
    this.clock = clock;
    this.batch = engine.batch;
    this.keepsNoSightings = engine.sightings === undefined;
    this.isInFiles = engine.files !== undefined;
  }

  /** The same states behind an engine that wraps this one. */
  over(wrap: (engine: Engine) => Engine): ProjectStore {
    return new ProjectStore(wrap(this.engine), this.project, this.clock);
  }

  /**
   * A snapshot of everything that is stored for the zone. The holder of its lock gets what it knows already, because no
   * other process changes it.
   */
  async view(zone: ZoneId, lease?: Lease): Promise<ZoneView> {
    const known = this.byLease.get(lease?.id ?? "");
    const now = known ?? { view: await this.engine.view(this.key(zone)), hasAppended: false };
    return new ZoneView(this.engine, this.key(zone), now);
  }

  /** Where the zone's state or journal is, for messages. */
  describe(zone: ZoneId, part: typeof STATE | typeof JOURNAL = STATE): string {
    return this.engine.describe(this.key(zone), part);
  }

  /** The zones that have something kept, in order; for a caller that did not find the state of another one. */
  async zones(): Promise<readonly ZoneId[]> {
    return (await keptZones(this.engine, this.project)).map(({ zone }) => zone);
  }

  /** Takes the zone's lock, waiting at most the given time. Throws `Locked`. */
  async lock(
    zone: ZoneId,
    holder: Omit<LockHolder, "id">,
    waitMilliseconds: number,
    signal?: AbortSignal,
  ): Promise<Lease> {
    const { lease, view } = await this.engine.lock(this.key(zone), holder, waitMilliseconds, signal);
    this.byLease.set(lease.id, { view, hasAppended: false });
    const release = async (): Promise<void> => {
      this.byLease.delete(lease.id);
      await lease.release();
    };
    return { ...lease, release };
  }

  /** The holder of the zone's lock; undefined if it is free. */
  holding(zone: ZoneId): Promise<Holding | undefined> {
    return this.engine.holding(this.key(zone));
  }

  /**
   * The same, read from the server itself, for a user who is about to free the lock. To find out, it may take the lock
   * for an instant.
   */
  inquire(zone: ZoneId): Promise<Holding | undefined> {
    return this.engine.inquire ? this.engine.inquire(this.key(zone)) : this.holding(zone);
  }

  /**
   * Frees the lock from outside, for `state unlock`: `id` must be exactly the holder's id. The former holder may no
   * longer write. Throws `StateError` if the id differs or nothing is locked.
   */
  unlock(zone: ZoneId, id: string): Promise<void> {
    return this.engine.unlock(this.key(zone), id);
  }

  /** Throws `StoreConflict` if the lease no longer allows writing. */
  checkLease(zone: ZoneId, lease: Lease): Promise<void> {
    return this.engine.append(this.key(zone), lease, []);
  }

  /**
   * Checks, before anything changes live, that a state of about this many bytes could be kept. Throws `StateError` if
   * not: no permission to write, read-only, disk full.
   */
  checkWritable(zone: ZoneId, expectedBytes: number): Promise<void> {
    return this.engine.check(this.key(zone), expectedBytes);
  }

  /**
   * Replaces the snapshot atomically and durably, with the records beside it; returns the new version. The previous one
   * becomes the newest earlier copy, and the journal is empty. Also throws `StoreConflict` if the snapshot is not the
   * expected one (`undefined`: there must be none).
   */
  async write(
    zone: ZoneId,
    lease: Lease,
    expected: string | undefined,
    lines: AsyncIterable<string>,
    beside: Beside = {},
  ): Promise<string> {
    const { entries } = await this.commit(zone, lease, (view) => replacing(view, expected, lines, beside));
    return entryOf(entries, STATE)?.tag ?? "";
  }

  /** Appends lines to the zone's journal; returns once they would survive a power cut. */
  async append(zone: ZoneId, lease: Lease, lines: readonly string[]): Promise<void> {
    const known = this.byLease.get(lease.id);
    if (known) this.byLease.set(lease.id, { view: known.view, hasAppended: true });
    await this.engine.append(this.key(zone), lease, lines);
  }

  /** Replaces the lines of the journal, completely and durably. Set the old ones aside first. */
  async rewriteJournal(zone: ZoneId, lease: Lease, lines: AsyncIterable<string>): Promise<void> {
    await this.commit(zone, lease, () => ({ journal: lines }));
  }

  /**
   * Writes a record beside the state, completely and durably, and replaces one of the same name (`[a-z0-9-]+`); the
   * records to discard are deleted with it.
   */
  async keep(
    zone: ZoneId,
    lease: Lease,
    name: string,
    lines: AsyncIterable<string>,
    discard: readonly string[] = [],
  ): Promise<void> {
    const put = new Map([[recordName(name), lines]]);
    await this.commit(zone, lease, () => ({ put, remove: discard.map(recordName) }));
  }

  /** Deletes a record; no error if it does not exist. */
  async discard(zone: ZoneId, lease: Lease, name: string): Promise<void> {
    await this.commit(zone, lease, () => ({ remove: [recordName(name)] }));
  }

  /** Adds an earlier snapshot from elsewhere, replacing one with the same serial; the next write may remove it. */
  async addBackup(zone: ZoneId, lease: Lease, serial: number, lines: AsyncIterable<string>): Promise<void> {
    await this.commit(zone, lease, () => ({ put: new Map([[backupName(serial), lines]]) }));
  }

  /** Keeps a copy of the state or the journal, exactly as it is, under another name; returns that name. */
  async setAside(zone: ZoneId, lease: Lease, part: typeof STATE | typeof JOURNAL): Promise<string> {
    const name = copyName(part, "damaged", this.clock.now());
    await this.commit(zone, lease, () => ({ copy: new Map([[name, part]]) }));
    return name;
  }

  /** Deletes such a copy; no error if there is none. */
  async discardCopy(zone: ZoneId, lease: Lease, name: string): Promise<void> {
    // Nothing else is deleted; a holder that lost its lock still gets an error.
    if (!isCopyName(name)) return this.checkLease(zone, lease);
    await this.commit(zone, lease, () => ({ remove: [name] }));
  }

  /**
   * Deletes everything that is kept for a zone except its lock, after it has copied the state and the journal to other
   * names, which it returns. If it is interrupted, a readable state is left, or none; calling it again completes it.
   */
  async retire(zone: ZoneId, lease: Lease): Promise<readonly string[]> {
    const now = this.clock.now();
    const names = ([STATE, JOURNAL] as const).map((part) => [copyName(part, "removed", now), part] as const);
    const { entries } = await this.commit(zone, lease, (view) => retiring(view, new Map(names)));
    const { sightings } = this.engine;
    if (((await sightings?.bytes(this.key(zone))) ?? 0) > 0)
      await sightings?.condense(this.key(zone), () => streamed([]));
    return names.flatMap(([name]) => (entryOf(entries, name) ? [name] : []));
  }

  /**
   * Adds lines to the record of the zone's hostnames; returns once they would survive a power cut. Needs no lock:
   * several runs may add at once, and none loses another's lines. Throws `StateError` if nothing can be written.
   */
  async observe(zone: ZoneId, lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    if (this.engine.sightings) return this.engine.sightings.add(this.key(zone), lines);
    throw new StateError({
      code: "state-server",
      message: `${this.describe(zone)} is only written as a whole and under its lock`,
      remedy: "say --no-record, or choose another engine",
    });
  }

  /** The added lines in no particular order, some perhaps twice, without one that a crash cut off. */
  observations(zone: ZoneId): AsyncIterable<string> {
    return this.engine.sightings?.lines(this.key(zone)) ?? streamed([]);
  }

  /**
   * Replaces the lines by what `keep` returns for them. Lines that others add meanwhile stay, and a crash at any point
   * loses none of the lines to keep. Needs no lock; if another process is doing the same, it may leave the work to that
   * one.
   */
  async condense(zone: ZoneId, keep: (lines: AsyncIterable<string>) => AsyncIterable<string>): Promise<void> {
    await this.engine.sightings?.condense(this.key(zone), keep);
  }

  /** Everything that is kept for the zone, as a list of files. */
  async files(zone: ZoneId): Promise<readonly StateFile[]> {
    return this.engine.files?.list(this.key(zone)) ?? zoneFiles(this.engine, this.key(zone));
  }

  /** Warnings about a state that other users can read. */
  async warnings(zone: ZoneId): Promise<readonly Diagnostic[]> {
    return this.engine.files?.warnings(this.key(zone)) ?? [];
  }

  /** The complete lines of the state or the journal, whatever they hold, decrypted where possible. */
  looseLines(zone: ZoneId, part: typeof STATE | typeof JOURNAL): AsyncIterable<string> {
    const key = this.key(zone);
    return this.engine.sealed?.looseLines(key, part) ?? looseLines(this.engine, key, part);
  }

  /**
   * Whether the state or the journal has encrypted lines, and whether any can be decrypted: lines that cannot be may be
   * undamaged.
   */
  async sealOf(zone: ZoneId, part: typeof STATE | typeof JOURNAL): Promise<Seal> {
    return this.engine.sealed?.sealOf(this.key(zone), part) ?? "none";
  }

  /**
   * The decrypted lines of a state from elsewhere; `where` names it in messages. A copy may be encrypted like the
   * stored one.
   */
  decrypted(zone: ZoneId, lines: AsyncIterable<string>, where: string): AsyncIterable<string> {
    return this.engine.sealed?.decrypted(this.key(zone), lines, where) ?? lines;
  }

  private key(zone: ZoneId): ZoneKey {
    return { project: this.project, zone };
  }

  private async commit(zone: ZoneId, lease: Lease, changes: (view: View) => Changes): Promise<View> {
    const view = this.byLease.get(lease.id)?.view ?? (await this.engine.view(this.key(zone)));
    // If it fails, it is unknown whether it took effect.
    this.byLease.delete(lease.id);
    const after = await this.engine.commit(this.key(zone), lease, changes(view));
    this.byLease.set(lease.id, { view: after, hasAppended: false });
    return after;
  }
}

/** The changes of one moment: the new state and its records, the previous one as the newest copy, an empty journal. */
function replacing(
  { entries }: View,
  expected: string | undefined,
  lines: AsyncIterable<string>,
  { before: first = new Map(), after: last = new Map(), discard = [] }: Beside,
): Changes {
  const before = entryOf(entries, STATE);
  const serial = before && serialOf(before);
  const others = backupSerials(entries).filter((other) => other !== serial);
  return {
    expect: { name: STATE, tag: expected },
    copy: new Map(serial === undefined ? [] : [[backupName(serial), STATE]]),
    remove: [
      ...others.slice(serial === undefined ? KEPT_BACKUPS : KEPT_BACKUPS - 1).map(backupName),
      ...discard.map(recordName),
    ],
    put: new Map([...records(first), [STATE, lines], ...records(last)]),
    journal: streamed([]),
  };
}

function records(named: ReadonlyMap<string, AsyncIterable<string>>): readonly [string, AsyncIterable<string>][] {
  return [...named].map(([name, lines]) => [recordName(name), lines]);
}

/** The changes of one moment: everything is deleted except the copies, both the ones made now and the earlier ones. */
function retiring({ entries }: View, copy: ReadonlyMap<string, string>): Changes {
  const goes = entries.filter((entry) => roleOf(entry).role !== "set-aside");
  return { copy, remove: goes.map(({ name }) => name), journal: streamed([]) };
}
