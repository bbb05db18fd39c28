import type { ZoneId } from "../../core/brand.ts";
import { problem } from "../../core/diagnostic.ts";
import {
  type Engine,
  type Entry,
  entryOf,
  JOURNAL,
  type Role,
  STATE,
  type StateFile,
  type View,
  type ZoneKey,
} from "../engine.ts";
import { StateError } from "../error.ts";
import type { Taken } from "../lock.ts";

/** A stored snapshot. */
interface StoredState {
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

const BACKUP = "state.backup-";
const RECORD = "kept-";

/** The role of an entry. */
type EntryRole =
  | { readonly role: "state" | "unknown" }
  | { readonly role: "backup"; readonly serial: number }
  | { readonly role: "record" | "set-aside"; readonly as: string };

/** The entry name of an earlier copy. */
export function backupName(serial: number): string {
  return `${BACKUP}${serial}`;
}

/** The entry name of a record beside the state. Throws `RangeError` for an invalid name. */
export function recordName(name: string): string {
  checkRecordName(name);
  return `${RECORD}${name}`;
}

/** The role of an entry, by its name. */
export function roleOf({ name }: Pick<Entry, "name">): EntryRole {
  if (name === STATE) return { role: "state" };
  if (name.startsWith(BACKUP)) return { role: "backup", serial: Number(name.slice(BACKUP.length)) };
  if (name.startsWith(RECORD)) return { role: "record", as: name.slice(RECORD.length) };
  return isCopyName(name) ? { role: "set-aside", as: name } : { role: "unknown" };
}

/** The serials of the earlier copies, newest first. */
export function backupSerials(entries: readonly Entry[]): readonly number[] {
  const serials = entries.flatMap((entry) => {
    const found = roleOf(entry);
    return found.role === "backup" ? [found.serial] : [];
  });
  return serials.sort((left, right) => right - left);
}

/** The names of the records beside the state, in order. */
function recordNames(entries: readonly Entry[]): readonly string[] {
  const names = entries.flatMap((entry) => {
    const found = roleOf(entry);
    return found.role === "record" ? [found.as] : [];
  });
  return names.sort();
}

/** Enough for `run-` and any run id; short enough for every file system, with the zone's id in front. */
const LONGEST_NAME = 100;

/**
 * Checks the name of a record beside a state: lower-case letters, digits and hyphens, so that it works as a file name,
 * a key and a database row. Throws for any other name: Zoneform makes these names, never a user.
 */
function checkRecordName(name: string): void {
  if (name.length <= LONGEST_NAME && /^[a-z0-9-]+$/.test(name)) return;
  throw new RangeError(
    `a record beside a state has a name of a-z, 0-9 and hyphens, at most ${LONGEST_NAME}: ${JSON.stringify(name)}`,
  );
}

/** The name of a copy of a state or a journal that is set aside; `now` is in ms since the epoch. */
export function copyName(part: "state" | "journal", why: "damaged" | "removed", now: number): string {
  return `${part}.${why}-${new Date(now).toISOString().replace(/[-:]/g, "")}`;
}

/** Whether a copy may have this name. */
export function isCopyName(text: string): boolean {
  return /^(state|journal)\.(damaged|removed)-[\w.-]*$/.test(text);
}

/** The zones of one project, or of all, that have more than a lock, in order. */
export async function keptZones(engine: Engine, project?: string): Promise<readonly ZoneKey[]> {
  const kept: ZoneKey[] = [];
  for (const key of await engine.zones())
    if ((project === undefined || key.project === project) && (key.isKept ?? (await isKept(engine, key))))
      kept.push(key);
  return kept.sort((left, right) => compare(left.project, right.project) || compare(left.zone, right.zone));
}

/** Records and copies alone do not count: their state is gone. */
async function isKept(engine: Engine, key: ZoneKey): Promise<boolean> {
  const view = await engine.view(key);
  const isPart = ({ role }: EntryRole): boolean => role === "state" || role === "backup";
  if (view.entries.some((entry) => isPart(roleOf(entry)))) return true;
  const lines = engine.journal(key, view)[Symbol.asyncIterator]();
  if (!(await lines.next()).done) return true;
  return ((await engine.sightings?.bytes(key)) ?? 0) > 0;
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

/** The order in which files are listed. */
const ORDER: readonly Role[] = ["state", "journal", "backup", "record", "set-aside", "observations"];

/** Everything that is kept for a zone, as a list of files. */
export async function zoneFiles(engine: Engine, key: ZoneKey): Promise<readonly StateFile[]> {
  const view = await engine.view(key);
  const file = (role: Role, name: string, sizeBytes: number): StateFile => ({
    role,
    path: engine.describe(key, name),
    sizeBytes,
    mode: 0o600,
  });
  const ofEntry = (entry: Entry): StateFile => {
    const { role } = roleOf(entry);
    const copy = role === "set-aside" ? { copy: entry.name } : {};
    return { ...file(role, entry.name, entry.bytes), ...copy };
  };
  let journal = 0;
  for await (const line of engine.journal(key, view)) journal += Buffer.byteLength(line) + 1;
  const seen = (await engine.sightings?.bytes(key)) ?? 0;
  const serials = backupSerials(view.entries);
  const rank = ({ role }: StateFile): number => ORDER.indexOf(role);
  const age = (entry: Entry): number => {
    const found = roleOf(entry);
    return found.role === "backup" ? serials.indexOf(found.serial) : 0;
  };
  return [
    ...view.entries.toSorted((left, right) => age(left) - age(right)).map(ofEntry),
    ...(journal > 0 ? [file("journal", JOURNAL, journal)] : []),
    ...(seen > 0 ? [file("observations", "observations", seen)] : []),
  ].sort((left, right) => rank(left) - rank(right));
}

/** The complete lines of the state or the journal, whatever they hold. Only a file can have incomplete ones. */
export async function* looseLines(
  engine: Engine,
  key: ZoneKey,
  part: typeof STATE | typeof JOURNAL,
): AsyncIterable<string> {
  if (engine.files) {
    yield* engine.files.looseLines(key, part);
    return;
  }
  const view = await engine.view(key);
  const state = entryOf(view.entries, STATE);
  if (part === JOURNAL) yield* engine.journal(key, view);
  else if (state) yield* engine.body(key, state);
}
