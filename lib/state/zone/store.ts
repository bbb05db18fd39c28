import type { ZoneId } from "../../core/brand.ts";
import type { Clock } from "../../core/clock.ts";
import { defined } from "../../core/defined.ts";
import { streamed } from "../../core/streams.ts";
import {
  backupName,
  backupSerials,
  copyName,
  isCopyName,
  keptZones,
  recordName,
  roleOf,
  zoneFiles,
} from "./entries.ts";
import {
  type Changes,
  type Engine,
  type Entry,
  entryOf,
  JOURNAL,
  serialOf,
  STATE,
  type View,
  type ZoneKey,
} from "../engine.ts";
import type { Beside, Lease, StateStore } from "../store.ts";
import type { ProjectStore, Upkeep } from "../upkeep.ts";
import { zoneReader } from "./read.ts";
import { zoneSightings } from "./sightings.ts";

/** What a store writes under a lock. */
type Writing = Pick<StateStore, "lock" | "write" | "append" | "keep" | "discard"> &
  Pick<Upkeep, "addBackup" | "setAside" | "discardCopy" | "retire" | "rewriteJournal">;

/** The states of a project on an engine: each promise about them that is not about moving lines. */
export function zoneStore(engine: Engine, project: string, clock: Clock): ProjectStore {
  const keyOf = (zone: ZoneId): ZoneKey => ({ project, zone });
  const inquire = engine.inquire?.bind(engine);
  const reader = zoneReader(engine, project, (zone) => engine.view(keyOf(zone)));
  const held: Held = new Map();
  return {
    ...reader,
    ...writing(engine, held, keyOf, clock),
    ...zoneSightings(engine, project),
    atOnce: async (zone, lease) => {
      const known = (): ReturnType<Held["get"]> => held.get(lease?.id ?? "");
      const view = known()?.view ?? (await engine.view(keyOf(zone)));
      return zoneReader(engine, project, async (other, wanted) => {
        const isSame = other === zone && !(wanted === "journal" && known()?.hasAppended);
        return isSame ? view : engine.view(keyOf(other));
      });
    },
    checkHeld: (zone, lease) => engine.append(keyOf(zone), lease, []),
    holding: (zone) => engine.holding(keyOf(zone)),
    unlock: (zone, id) => engine.unlock(keyOf(zone), id),
    ...(inquire ? { inquire: (zone: ZoneId) => inquire(keyOf(zone)) } : {}),
    ...defined({ batch: engine.batch }),
    checkWritable: (zone, expectedBytes) => engine.check(keyOf(zone), expectedBytes),
    zones: async () => (await keptZones(engine, project)).map(({ zone }) => zone),
    ...filesOf(engine, keyOf),
    // Sealing is of lines, and so are these: see sealed/.
    opened: (_zone, lines) => lines,
    sealOf: async () => "none",
  };
}

type OfFiles = Pick<Upkeep, "isInFiles" | "files" | "warnings" | "journalTail"> & Partial<Pick<Upkeep, "looseLines">>;

function filesOf(engine: Engine, keyOf: (zone: ZoneId) => ZoneKey): OfFiles {
  const { files } = engine;
  if (!files)
    return {
      files: (zone) => zoneFiles(engine, keyOf(zone)),
      warnings: async () => [],
      journalTail: async () => "",
    };
  return {
    isInFiles: true,
    files: (zone) => files.list(keyOf(zone)),
    warnings: (zone) => files.warnings(keyOf(zone)),
    journalTail: (zone) => files.tail(keyOf(zone)),
    looseLines: (zone, part) => files.looseLines(keyOf(zone), part),
  };
}

/** By lease, what is kept of its zone as far as its holder knows: nobody else changes it. */
type Held = Map<string, { readonly view: View; readonly hasAppended: boolean }>;

function writing(engine: Engine, held: Held, keyOf: (zone: ZoneId) => ZoneKey, clock: Clock): Writing {
  function know(lease: Lease, view: View): void {
    held.set(lease.id, { view, hasAppended: false });
  }

  async function commit(zone: ZoneId, lease: Lease, changes: (view: View) => Changes): Promise<View> {
    const view = held.get(lease.id)?.view ?? (await engine.view(keyOf(zone)));
    // If it fails, nobody knows whether it happened.
    held.delete(lease.id);
    const after = await engine.commit(keyOf(zone), lease, changes(view));
    know(lease, after);
    return after;
  }

  async function put(
    zone: ZoneId,
    lease: Lease,
    name: string,
    lines: AsyncIterable<string>,
    remove: readonly string[] = [],
  ): Promise<void> {
    await commit(zone, lease, () => ({ put: new Map([[name, lines]]), remove }));
  }

  async function remove(zone: ZoneId, lease: Lease, name: string): Promise<void> {
    await commit(zone, lease, () => ({ remove: [name] }));
  }

  return {
    lock: async (zone, holder, waitMilliseconds, signal) => {
      const { lease, view } = await engine.lock(keyOf(zone), holder, waitMilliseconds, signal);
      know(lease, view);
      const release = async (): Promise<void> => {
        held.delete(lease.id);
        await lease.release();
      };
      return { ...lease, release };
    },
    write: async (zone, lease, expected, lines, beside = {}) => {
      const { entries } = await commit(zone, lease, (view) => replacing(view, expected, lines, beside));
      return entryOf(entries, STATE)?.tag ?? "";
    },
    append: async (zone, lease, lines) => {
      const known = held.get(lease.id);
      if (known && !known.hasAppended) held.set(lease.id, { view: known.view, hasAppended: true });
      await engine.append(keyOf(zone), lease, lines);
    },
    keep: async (zone, lease, name, lines, discard = []) =>
      put(zone, lease, recordName(name), lines, discard.map(recordName)),
    discard: async (zone, lease, name) => remove(zone, lease, recordName(name)),
    addBackup: (zone, lease, serial, lines) => put(zone, lease, backupName(serial), lines),
    setAside: async (zone, lease, part) => {
      const name = copyName(part, "damaged", clock.now());
      await commit(zone, lease, () => ({ copy: new Map([[name, part]]) }));
      return name;
    },
    discardCopy: async (zone, lease, name) => {
      if (isCopyName(name)) return remove(zone, lease, name);
      // Nothing else is deleted, and who lost the lock is told all the same.
      return engine.append(keyOf(zone), lease, []);
    },
    retire: async (zone, lease) => {
      const now = clock.now();
      const names = ([STATE, JOURNAL] as const).map((part) => [copyName(part, "removed", now), part] as const);
      const { entries } = await commit(zone, lease, (view) => retiring(view, new Map(names)));
      const isSeen = ((await engine.sightings?.bytes(keyOf(zone))) ?? 0) > 0;
      if (isSeen) await engine.sightings?.condense(keyOf(zone), () => streamed([]));
      return names.flatMap(([name]) => (entryOf(entries, name) ? [name] : []));
    },
    rewriteJournal: async (zone, lease, lines) => {
      await commit(zone, lease, () => ({ journal: lines }));
    },
  };
}

/** At one moment: the new state and its records, the one before as the newest copy, an empty journal. */
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

/** At one moment: everything goes but the copies, those that are made now and those from before. */
function retiring({ entries }: View, copy: ReadonlyMap<string, string>): Changes {
  const stays = (entry: Entry): boolean => roleOf(entry).role === "set-aside";
  return { copy, remove: entries.filter((entry) => !stays(entry)).map(({ name }) => name), journal: streamed([]) };
}

/** How many earlier snapshots to keep: enough to find a whole one, few enough for a small disk. */
export const KEPT_BACKUPS = 5;
