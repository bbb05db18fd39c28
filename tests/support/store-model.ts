import type { ZoneId } from "../../lib/core/brand.ts";
import type { Clock, Random } from "../../lib/core/clock.ts";
import { runningDigest } from "../../lib/core/digest.ts";
import { isObject } from "../../lib/core/json.ts";
import { collected, streamed } from "../../lib/core/streams.ts";
import { noBackup } from "../../lib/state/no-backup.ts";
import { placeError, StateError } from "../../lib/state/error.ts";
import { copyName } from "../../lib/state/copy-name.ts";
import { checkRecordName } from "../../lib/state/record-name.ts";
import { type Lease, Locked, type LockHolder, StoreConflict } from "../../lib/state/store.ts";
import { memoryClaims } from "./memory-claims.ts";
import { memoryShared } from "./memory-shared.ts";
import type { StateStores } from "../../lib/state/stores.ts";
import type { ProjectStore, Role } from "../../lib/state/upkeep.ts";

/**
 * What the network does to one call. `dropped`: the connection drops before the call arrives, `lost-reply`: after it
 * took effect; in both cases the store connects again. `gone`, `gone-after`: the same, but the server stays away until
 * the store gives up.
 */
export type StoreFault = "dropped" | "lost-reply" | "gone" | "gone-after";

/** What a model of the database needs, and what may go wrong in it. */
export interface ModelOptions {
  readonly clock: Clock;
  readonly random: Pick<Random, "uuid">;
  /** Is asked at each call that changes something; undefined for none. */
  readonly fault?: (operation: string) => StoreFault | undefined;
}

/** A process that uses the database. */
export interface ModelProcess extends StateStores {
  /**
   * Ends it like kill -9. The server notices at once, or, if the machine is gone from the network, only when `notice` is
   * called.
   */
  die(notice?: "at once" | "later"): void;
  notice(): void;
  /** The server ends the connections; the process lives, and connects again with its next call. */
  disconnect(): void;
}

/** A database in memory that keeps the promises of the store in PostgreSQL. */
export interface StoreModel {
  /** Starts a process, with its own clock and network where it has them. */
  start(own?: Partial<ModelOptions>): ModelProcess;
  /** What is stored now of a part; undefined where there is nothing. */
  linesOf(project: string, zone: string, part: "state" | "journal"): readonly string[] | undefined;
  /** Ends every session, as a restart of the server or a failover does; what was confirmed stays. */
  restart(): void;
}

interface Body {
  readonly lines: readonly string[];
  readonly version: string;
  readonly serial: number;
}

/** A connection that holds a lock, as the server sees it. */
interface Session {
  isOpen: boolean;
}

interface Cell {
  readonly project: string;
  readonly zone: ZoneId;
  snapshot: Body | undefined;
  journal: readonly string[];
  readonly records: Map<string, readonly string[]>;
  readonly backups: Map<number, Body>;
  readonly copies: Map<string, readonly string[]>;
  observations: readonly string[];
  epoch: number;
  isHeld: boolean;
  holder: LockHolder | undefined;
  session: Session | undefined;
  serial: number;
}

/** The sessions of a process by the id of their lease: what was given back has none. */
type Held = Map<string, { readonly cell: Cell; readonly session: Session }>;

const KEPT_BACKUPS = 5;
const LOOK_AGAIN_MILLISECONDS = 100;

/** Opens an empty database. */
export function storeModel(options: ModelOptions): StoreModel {
  const cells = new Map<string, Cell>();
  const { clock } = options;
  const shared = { claims: memoryClaims(() => clock.now()), shared: memoryShared(() => clock.now()) };
  return {
    start: (own = {}) => startProcess(cells, shared, { ...options, ...own }),
    linesOf: (project, zone, part) => {
      const cell = cells.get(JSON.stringify([project, zone]));
      return part === "state" ? cell?.snapshot?.lines : cell?.journal;
    },
    restart: () => {
      for (const { session } of cells.values()) if (session) session.isOpen = false;
    },
  };
}

function startProcess(
  cells: Map<string, Cell>,
  shared: Pick<ModelProcess, "claims" | "shared">,
  options: ModelOptions,
): ModelProcess {
  const sessions = new Set<Session>();
  const held: Held = new Map();
  const life = { isOver: false };
  const close = (): void => {
    for (const session of sessions) session.isOpen = false;
  };
  const kept = (): readonly Cell[] =>
    [...cells.values()].filter(
      ({ snapshot, journal, backups, observations }) =>
        snapshot !== undefined || journal.length + backups.size + observations.length > 0,
    );
  return {
    of: (project) => modelStore(project, cells, kept, { sessions, held, life }, options),
    projects: async () => [...new Set(kept().map(({ project }) => project))].sort(),
    ...shared,
    describe: () => "model://database",
    close: async () => close(),
    die: (notice = "at once") => {
      life.isOver = true;
      if (notice === "at once") close();
    },
    notice: close,
    disconnect: close,
  };
}

function modelStore(
  project: string,
  cells: Map<string, Cell>,
  kept: () => readonly Cell[],
  {
    sessions,
    held,
    life,
  }: { readonly sessions: Set<Session>; readonly held: Held; readonly life: { isOver: boolean } },
  { clock, random, fault = () => undefined }: ModelOptions,
): ProjectStore {
  function cellOf(zone: ZoneId): Cell {
    const name = JSON.stringify([project, zone]);
    const cell = cells.get(name) ?? emptyCell(project, zone);
    cells.set(name, cell);
    return cell;
  }

  /** One session of the server has the locks of all zones: with it, all are free until their holder comes back. */
  function disconnect(): void {
    for (const session of sessions) session.isOpen = false;
  }

  /** A call under a lease, with what the network does to it. */
  async function fenced<T>(operation: string, zone: ZoneId, lease: Lease, act: (cell: Cell) => T): Promise<T> {
    // What a dead process had only begun never arrives.
    if (life.isOver) return new Promise<never>(() => undefined);
    const cell = cellOf(zone);
    const found = held.get(lease.id);
    if (found?.cell !== cell) throw new StoreConflict(`the lock of the state of zone ${zone} was given back`);
    const { session } = found;
    const comeBack = (): void => {
      if (cell.epoch !== lease.fence || !cell.isHeld) throw new StoreConflict("somebody else took the lock");
      session.isOpen = true;
      cell.session = session;
    };
    const happens = fault(operation);
    if (happens === "dropped" || happens === "gone") disconnect();
    if (happens === "gone") throw unreachable();
    comeBack();
    const result = act(cell);
    if (happens === "lost-reply" || happens === "gone-after") disconnect();
    if (happens === "gone-after") throw unreachable();
    if (happens === "lost-reply") comeBack();
    return result;
  }

  /** A lease of this process lives, even while its connection is lost. */
  function isLocked({ isHeld, holder, session }: Cell): boolean {
    return session?.isOpen === true || (isHeld && held.has(holder?.id ?? ""));
  }

  async function lock(
    zone: ZoneId,
    holder: Omit<LockHolder, "id">,
    waitMilliseconds: number,
    signal?: AbortSignal,
  ): Promise<Lease> {
    const cell = cellOf(zone);
    const deadline = clock.now() + waitMilliseconds;
    signal?.throwIfAborted();
    const happens = fault("lock");
    if (happens === "gone") throw unreachable();
    while (isLocked(cell)) {
      if (clock.now() >= deadline)
        throw new Locked({ unlockId: cell.holder?.id, holder: cell.holder, isAlive: true }, "held");
      await clock.sleep(LOOK_AGAIN_MILLISECONDS, signal);
    }
    const id = random.uuid();
    const session: Session = { isOpen: true };
    Object.assign(cell, { epoch: cell.epoch + 1, isHeld: true, holder: { ...holder, id }, session });
    cell.serial = cell.snapshot ? Math.max(cell.serial, cell.snapshot.serial) : 0;
    // Nobody has this lease: the session ended with the reply, and the next one takes the lock.
    if (happens === "gone-after") session.isOpen = false;
    if (happens === "gone-after") throw unreachable();
    sessions.add(session);
    held.set(id, { cell, session });
    const fence = cell.epoch;
    const release = async (): Promise<void> => {
      if (!held.delete(id)) return;
      session.isOpen = false;
      if (cell.epoch === fence) cell.isHeld = false;
    };
    return { id, fence, release };
  }

  function setAside(cell: Cell, part: "state" | "journal", why: "damaged" | "removed"): string | undefined {
    const lines = part === "state" ? cell.snapshot?.lines : cell.journal;
    const name = copyName(part, why, clock.now());
    if (lines === undefined || (part === "journal" && lines.length === 0)) return undefined;
    cell.copies.set(name, lines);
    return name;
  }

  const describe = (zone: ZoneId, part: "state" | "journal" = "state"): string => `model:${project}/${zone}.${part}`;

  return {
    read: async (zone) => {
      const { snapshot } = cellOf(zone);
      return snapshot && { version: snapshot.version, lines: streamed(snapshot.lines) };
    },
    write: async (zone, lease, expected, lines) => {
      const check = (cell: Cell): void => {
        if (cell.snapshot?.version !== expected) throw new StoreConflict("the state was replaced by somebody else");
      };
      await fenced("begin write", zone, lease, check);
      const body = bodyOf(await collected(lines));
      return fenced("write", zone, lease, (cell) => {
        check(cell);
        if (cell.snapshot) cell.backups.set(cell.snapshot.serial, cell.snapshot);
        for (const serial of [...cell.backups.keys()].sort((left, right) => right - left).slice(KEPT_BACKUPS))
          cell.backups.delete(serial);
        Object.assign(cell, { snapshot: body, journal: [], serial: Math.max(cell.serial, body.serial) });
        return body.version;
      });
    },
    append: (zone, lease, lines) =>
      fenced("append", zone, lease, (cell) => {
        cell.journal = [...cell.journal, ...lines];
      }),
    checkHeld: (zone, lease) => fenced("check", zone, lease, () => undefined),
    journal: (zone) => later(() => cellOf(zone).journal),
    keep: async (zone, lease, name, lines) => {
      checkRecordName(name);
      await fenced("begin keep", zone, lease, () => undefined);
      const all = await collected(lines);
      await fenced("keep", zone, lease, (cell) => void cell.records.set(name, all));
    },
    kept: async (zone, name) => {
      checkRecordName(name);
      const lines = cellOf(zone).records.get(name);
      return lines && streamed(lines);
    },
    names: async (zone) => [...cellOf(zone).records.keys()].sort(),
    discard: async (zone, lease, name) => {
      checkRecordName(name);
      await fenced("discard", zone, lease, (cell) => void cell.records.delete(name));
    },
    observe: async (zone, lines) => {
      const happens = fault("observe");
      if (happens === "gone") throw unreachable();
      const cell = cellOf(zone);
      // After a lost reply the lines are added once more.
      const added = happens === "lost-reply" ? [...lines, ...lines] : lines;
      cell.observations = [...cell.observations, ...added];
      if (happens === "gone-after") throw unreachable();
    },
    observations: (zone) => later(() => cellOf(zone).observations),
    condense: async (zone, keep) => {
      const cell = cellOf(zone);
      const before = cell.observations;
      const all = await collected(keep(streamed(before)));
      const happens = fault("condense");
      // It is not repeated: what is there stays until the next time.
      if (happens === "gone" || happens === "dropped") throw unreachable();
      cell.observations = [...all, ...cell.observations.slice(before.length)];
      if (happens !== undefined) throw unreachable();
    },
    lock,
    holding: async (zone) => {
      const cell = cellOf(zone);
      const { isHeld, holder } = cell;
      return isHeld && holder ? { unlockId: holder.id, holder, isAlive: isLocked(cell) } : undefined;
    },
    taken: async (zone) => {
      const { holder, serial } = cellOf(zone);
      return holder && { holder, serial };
    },
    unlock: async (zone, id) => {
      const cell = cellOf(zone);
      if (fault("unlock") === "gone") throw unreachable();
      if (!cell.isHeld || cell.holder?.id !== id)
        throw new StateError({ code: "not-unlocked", message: "nothing is locked under this id" });
      Object.assign(cell, { isHeld: false, epoch: cell.epoch + 1, session: undefined });
    },
    checkWritable: async () => undefined,
    backups: async (zone) => [...cellOf(zone).backups.keys()].sort((left, right) => right - left),
    backup: (zone, serial) =>
      later(() => {
        const found = cellOf(zone).backups.get(serial);
        if (!found) throw noBackup(zone, serial);
        return found.lines;
      }),
    addBackup: async (zone, lease, serial, lines) => {
      await fenced("begin backup", zone, lease, () => undefined);
      const body = bodyOf(await collected(lines));
      await fenced("backup", zone, lease, (cell) => void cell.backups.set(serial, body));
    },
    zones: async () => [...new Set(kept().flatMap((cell) => (cell.project === project ? [cell.zone] : [])))].sort(),
    describe,
    warnings: async () => [],
    files: async (zone) => filesOf(cellOf(zone), describe),
    opened: (_zone, lines) => lines,
    looseLines: (zone, part) =>
      later(() => (part === "state" ? (cellOf(zone).snapshot?.lines ?? []) : cellOf(zone).journal)),
    journalTail: async () => "",
    sealOf: async () => "none",
    setAside: (zone, lease, part) =>
      fenced("set aside", zone, lease, (cell) => setAside(cell, part, "damaged") ?? `${part}.damaged-`),
    copy: async (zone, name) => {
      const lines = cellOf(zone).copies.get(name);
      return lines && streamed(lines);
    },
    discardCopy: (zone, lease, name) => fenced("discard copy", zone, lease, (cell) => void cell.copies.delete(name)),
    retire: (zone, lease) =>
      fenced("retire", zone, lease, (cell) => {
        const copies = (["state", "journal"] as const).flatMap((part) => setAside(cell, part, "removed") ?? []);
        cell.records.clear();
        cell.backups.clear();
        Object.assign(cell, { snapshot: undefined, journal: [], observations: [], serial: 0 });
        return copies;
      }),
    rewriteJournal: async (zone, lease, lines) => {
      const all = await collected(lines);
      await fenced("rewrite journal", zone, lease, (cell) => {
        cell.journal = all;
      });
    },
  };
}

function emptyCell(project: string, zone: ZoneId): Cell {
  return {
    project,
    zone,
    snapshot: undefined,
    journal: [],
    records: new Map(),
    backups: new Map(),
    copies: new Map(),
    observations: [],
    epoch: 0,
    isHeld: false,
    holder: undefined,
    session: undefined,
    serial: 0,
  };
}

function filesOf(cell: Cell, describe: (zone: ZoneId) => string): Awaited<ReturnType<ProjectStore["files"]>> {
  const file = (role: Role): { path: string; role: Role; sizeBytes: number; mode: number } => ({
    path: `${describe(cell.zone)} ${role}`,
    role,
    sizeBytes: 0,
    mode: 0o600,
  });
  return [
    ...(cell.snapshot ? [file("state")] : []),
    ...(cell.journal.length > 0 ? [file("journal")] : []),
    ...[...cell.backups].map(() => file("backup")),
    ...[...cell.records].map(() => file("record")),
    ...[...cell.copies.keys()].map((copy) => ({ ...file("set-aside"), copy })),
    ...(cell.observations.length > 0 ? [file("observations")] : []),
  ];
}

function bodyOf(lines: readonly string[]): Body {
  const digest = runningDigest();
  for (const line of lines) digest.add(`${line}\n`);
  return { lines, version: digest.hex(), serial: serialIn(lines[0] ?? "") };
}

function serialIn(line: string): number {
  try {
    const header: unknown = JSON.parse(line);
    const serial = isObject(header) ? header["serial"] : undefined;
    return typeof serial === "number" && Number.isSafeInteger(serial) && serial >= 0 ? serial : 0;
  } catch {
    return 0;
  }
}

/** Looks when the first line is asked for. */
async function* later(lines: () => readonly string[]): AsyncIterable<string> {
  yield* lines();
}

/** What a store throws whose server stays away. */
export function unreachable(): StateError {
  return placeError({ code: "state-unreachable", message: "the state at model://database cannot be reached" });
}
