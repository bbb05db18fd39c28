import type { Backoff, Clock, Random, SteadyClock } from "../../core/clock.ts";
import { collected, streamed } from "../../core/lists.ts";
import {
  changedEntries,
  type Changes,
  checkExpected,
  type Engine,
  type Entry,
  highestSerial,
  JOURNAL,
  noting,
  REPLACED_STAYS_MILLISECONDS,
  type Shared,
  type Sightings,
  STATE,
  type TakenLock,
  type View,
  type ZoneKey,
} from "../engine.ts";
import { describeHolding, type Holding, type Lease, Locked, type LockHolder } from "../lock.ts";
import { takenOver } from "./lease-sessions.ts";
import { lockedOtherwise, notLocked } from "../error.ts";
import { type Turn, waitTurn } from "./waiting.ts";

const LOOKS: Backoff = { firstMilliseconds: 20, longestMilliseconds: 1000 };

/** A user of the memory: the clock that it waits by, and its randomness. */
export interface MemoryUser {
  readonly clock: Clock;
  readonly random: Random;
}

/** A memory that several users share, each like a process. */
export interface Memory {
  /** Closing the engine is like the death of its process: its locks are free. */
  open(user: MemoryUser): Engine;
}

/** What the memory holds for a zone. */
interface Kept {
  readonly key: ZoneKey;
  epoch: number;
  /** Who took the lock last. */
  holder: LockHolder | undefined;
  isLocked: boolean;
  serial: number;
  entries: readonly Entry[];
  journal: string;
  /** The lines of entries, by their tags, and of journals, by their names. */
  readonly lines: Map<string, string[]>;
  /** Replaced lines, and when they were replaced. */
  replaced: readonly { readonly name: string; readonly at: number }[];
  seen: string[];
  /** How often the observations were condensed. */
  condensed: number;
}

/** An empty memory. */
export function memory(): Memory {
  const shelf = new Shelf();
  return { open: (user) => openFor(shelf, user) };
}

function openFor(shelf: Shelf, user: MemoryUser): Engine {
  const leases: (readonly [Kept, Lease])[] = [];
  return {
    zones: async () => shelf.keys(),
    view: async (key) => viewOf(shelf.of(key)),
    body: (key, { tag }) => streamed(shelf.of(key).lines.get(tag) ?? []),
    journal: (key, { journal }) => streamed(shelf.of(key).lines.get(journal) ?? []),
    commit: async (key, lease, changes) => shelf.commit(shelf.of(key), lease, changes, user.clock),
    append: async (key, lease, lines) => append(shelf.of(key), lease, lines),
    lock: async (key, holder, waitMilliseconds, signal) => {
      const kept = shelf.of(key);
      const taken = await lock(kept, user, holder, waitMilliseconds, signal);
      leases.push([kept, taken.lease]);
      return taken;
    },
    holding: async (key) => holdingOf(shelf.of(key)),
    unlock: async (key, id) => unlock(shelf.of(key), id),
    sightings: sightingsOn(shelf),
    shared: (name) => shelf.text(name, user.clock),
    check: async () => undefined,
    describe: (key, name = STATE) => (key ? `memory/${key.project}/${key.zone}.${name}` : "memory"),
    close: async () => {
      for (const [kept, { id }] of leases) free(kept, id);
    },
  };
}

/** What all users share. */
class Shelf {
  private readonly zones = new Map<string, Kept>();
  private readonly texts = new Map<string, { readonly text: string; readonly tag: string }>();
  private named = 0;

  keys(): readonly ZoneKey[] {
    return [...this.zones.values()].map(({ key }) => key);
  }

  of(key: ZoneKey): Kept {
    const name = JSON.stringify([key.project, key.zone]);
    const none = { epoch: 0, holder: undefined, isLocked: false, serial: 0, entries: [], replaced: [] };
    const journal = this.newName();
    const kept: Kept = this.zones.get(name) ?? { ...none, key, journal, lines: new Map(), seen: [], condensed: 0 };
    this.zones.set(name, kept);
    return kept;
  }

  async commit(kept: Kept, lease: Lease, changes: Changes, clock: Clock): Promise<View> {
    checkLease(kept, lease);
    checkExpected(kept.entries, changes);
    const entries: Entry[] = [];
    for (const [name, source] of changes.copy ?? []) {
      const lines = source === JOURNAL ? (kept.lines.get(kept.journal) ?? []) : [];
      if (lines.length > 0) entries.push(await this.made(kept, name, streamed(lines)));
    }
    for (const [name, lines] of changes.put ?? []) entries.push(await this.made(kept, name, lines));
    const journal = changes.journal && (await this.made(kept, JOURNAL, changes.journal)).tag;
    // Another run may have taken the lock while the lines were read.
    checkLease(kept, lease);
    checkExpected(kept.entries, changes);
    kept.entries = changedEntries(kept.entries, changes, entries);
    kept.serial = highestSerial(kept.entries, kept.serial);
    kept.journal = journal ?? kept.journal;
    forget(kept, clock.now());
    return viewOf(kept);
  }

  text(name: string, clock: Clock): Shared {
    return {
      get: async () => ({ text: this.texts.get(name)?.text, tag: this.texts.get(name)?.tag, now: clock.now() }),
      replace: async (tag, text) => {
        const isSame = this.texts.get(name)?.tag === tag;
        if (isSame) this.texts.set(name, { text, tag: this.newName() });
        return isSame;
      },
    };
  }

  /** Keeps lines under a new name. */
  private async made(kept: Kept, name: string, lines: AsyncIterable<string>): Promise<Entry> {
    const passing = noting(lines);
    const tag = this.newName();
    kept.lines.set(tag, [...(await collected(passing.lines))]);
    return { name, tag, ...passing.noted() };
  }

  private newName(): string {
    return `${(this.named += 1)}`;
  }
}

async function lock(
  kept: Kept,
  { clock, random }: MemoryUser,
  wish: Omit<LockHolder, "id">,
  waitMilliseconds: number,
  signal?: AbortSignal,
): Promise<TakenLock> {
  const steady: SteadyClock = { ...clock, rest: (milliseconds, stop) => clock.sleep(milliseconds, stop) };
  return waitTurn({ steady, random, backoff: LOOKS, waitMilliseconds, signal }, async (): Promise<Turn<TakenLock>> => {
    const found = holdingOf(kept);
    if (found) return { refusal: () => new Locked(found, describeHolding(found, clock.now())) };
    const holder = { ...wish, id: random.uuid() };
    const serial = highestSerial(kept.entries, kept.serial);
    Object.assign(kept, { epoch: kept.epoch + 1, holder, isLocked: true, serial });
    const lease = { id: holder.id, fence: kept.epoch, release: async () => free(kept, holder.id) };
    return { taken: { lease, view: viewOf(kept) } };
  });
}

function append(kept: Kept, lease: Lease, lines: readonly string[]): void {
  checkLease(kept, lease);
  const journal = kept.lines.get(kept.journal) ?? [];
  for (const line of lines) journal.push(line);
  kept.lines.set(kept.journal, journal);
}

function sightingsOn(shelf: Shelf): Sightings {
  return {
    lines: (key) => streamed([...shelf.of(key).seen]),
    bytes: async (key) => shelf.of(key).seen.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0),
    add: async (key, lines) => {
      const { seen } = shelf.of(key);
      for (const line of lines) seen.push(line);
    },
    condense: async (key, keep) => {
      const kept = shelf.of(key);
      const { condensed, seen } = kept;
      const read = [...seen];
      const lines = await collected(keep(streamed(read)));
      if (condensed !== kept.condensed) return;
      kept.condensed += 1;
      kept.seen = [...lines, ...kept.seen.slice(read.length)];
    },
  };
}

function viewOf({ entries, journal, holder, serial, lines }: Kept): View {
  const isEmpty = (lines.get(journal)?.length ?? 0) === 0;
  return { entries, journal, ...(isEmpty ? { isJournalEmpty: true } : {}), taken: holder && { holder, serial } };
}

function holdingOf({ isLocked, holder }: Kept): Holding | undefined {
  return isLocked && holder ? { unlockId: holder.id, holder, isAlive: true } : undefined;
}

function checkLease({ key, isLocked, holder }: Kept, { id }: Lease): void {
  if (!isLocked || holder?.id !== id) throw takenOver(key.zone);
}

function free(kept: Kept, id: string): void {
  if (kept.holder?.id === id) kept.isLocked = false;
}

function unlock(kept: Kept, id: string): void {
  const name = `the state of zone ${kept.key.zone}`;
  if (!kept.isLocked) throw notLocked(name);
  if (kept.holder?.id !== id) throw lockedOtherwise(name);
  kept.isLocked = false;
}

/** Forgets lines that nothing names any more, an hour after they were replaced. */
function forget(kept: Kept, now: number): void {
  const used = new Set([kept.journal, ...kept.entries.map(({ tag }) => tag)]);
  const known = new Set(kept.replaced.map(({ name }) => name));
  const fresh = [...kept.lines.keys()].filter((name) => !used.has(name) && !known.has(name));
  const all = [...kept.replaced, ...fresh.map((name) => ({ name, at: now }))];
  for (const { name, at } of all) if (now - at > REPLACED_STAYS_MILLISECONDS) kept.lines.delete(name);
  kept.replaced = all.filter(({ name }) => kept.lines.has(name));
}
