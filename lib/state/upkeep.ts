import type { ZoneId } from "../core/brand.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import type { Lease, StateStore } from "./store.ts";

/** The states of one project, and what `state doctor` and `state repair` need of them. */
export type ProjectStore = StateStore & Upkeep;

/** The state of encrypted lines: there are none (`none`), none of them opens (`closed`), or at least one opens (`open`). */
export type Seal = "none" | "closed" | "open";

/** What `state doctor` and `state repair` need of a store. */
export interface Upkeep extends Pick<StateStore, "backups" | "zones"> {
  /** Present if it lies in files, which a person can move. */
  readonly isInFiles?: true;
  /** What is unsafe about how a state is kept: other users can read it. */
  warnings(zone: ZoneId): Promise<readonly Diagnostic[]>;
  /** Every file with the zone's id in its name. */
  files(zone: ZoneId): Promise<readonly StateFile[]>;
  /** The lines of an earlier snapshot. Throws `StateError` if it cannot be read. */
  backup(zone: ZoneId, serial: number): AsyncIterable<string>;
  /** Adds an earlier snapshot that was kept elsewhere, in place of one with the same serial; the next write may remove it. */
  addBackup(zone: ZoneId, lease: Lease, serial: number, lines: AsyncIterable<string>): Promise<void>;
  /** The decrypted lines of a state from elsewhere, `where` for messages: a copy may be encrypted like the stored one. */
  opened(zone: ZoneId, lines: AsyncIterable<string>, where: string): AsyncIterable<string>;
  /**
   * The complete lines of the state or the journal, whatever they hold; bytes that are not text are replaced. None if
   * there is no file.
   */
  looseLines(zone: ZoneId, part: "state" | "journal"): AsyncIterable<string>;
  /** The text after the journal's last line end; empty if there is none. */
  journalTail(zone: ZoneId): Promise<string>;
  /** Whether the state or the journal has encrypted lines, and whether any opens: lines that do not open may be undamaged. */
  sealOf(zone: ZoneId, part: "state" | "journal"): Promise<Seal>;
  /** Keeps a copy of the state or the journal, exactly as it is, under another name; returns that name. */
  setAside(zone: ZoneId, lease: Lease, part: "state" | "journal"): Promise<string>;
  /** The lines of a copy that was set aside, as they were stored; undefined if there is none with this name. */
  copy(zone: ZoneId, name: string): Promise<AsyncIterable<string> | undefined>;
  /** Deletes such a copy; no error if there is none. Throws `StoreConflict` if the lease no longer allows writing. */
  discardCopy(zone: ZoneId, lease: Lease, name: string): Promise<void>;
  /**
   * Deletes everything that is kept for a zone except its lock, after it copied the state and the journal to other
   * names, which it returns. If it is interrupted, a readable state is left, or none; calling it again completes it.
   */
  retire(zone: ZoneId, lease: Lease): Promise<readonly string[]>;
  /** Replaces the lines of the journal, completely and durably. Set the old ones aside first. */
  rewriteJournal(zone: ZoneId, lease: Lease, lines: AsyncIterable<string>): Promise<void>;
}

/**
 * The purpose of a file. `set-aside`: a copy that a repair kept of something damaged, or that `state rm --zone` kept of
 * what it removed.
 */
export type Role =
  | "state"
  | "journal"
  | "backup"
  | "record"
  | "observations"
  | "temporary"
  | "lock"
  | "set-aside"
  | "unknown";

/** A file or folder with a zone's id in its name. */
export interface StateFile {
  readonly path: string;
  readonly role: Role;
  /** The name of a copy that was set aside. */
  readonly copy?: string;
  readonly sizeBytes: number;
  /** The permission bits. */
  readonly mode: number;
}
