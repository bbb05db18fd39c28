import { type Engine, type Entry, type Shared, STATE, type ZoneKey } from "./engine.ts";
import { type Claims, sharedClaims } from "./zone/claims.ts";
import { keptZones } from "./zone/view.ts";
import { type Contender, SharedTexts } from "./zone/shared-value.ts";
import { ProjectStore } from "./zone/store.ts";
import { type Diagnostic, problem, warning } from "../core/diagnostic.ts";
import type { ZoneId } from "../core/brand.ts";
import type { Clock } from "../core/clock.ts";
import { shellQuoted } from "../core/quote.ts";
import { type Holding, type Lease, type LockHolder, StoreConflict } from "./lock.ts";

/**
 * A place for the states of projects: a folder, a schema of a database, a part of a bucket, a server. No project sees
 * another one's states.
 */
export interface StateStores {
  /** The states of one project, by its name in `zoneform.yaml`. Makes nothing before the first write. */
  of(project: string): ProjectStore;
  /** The zones of all projects that have something kept, in order; for a caller that did not find its own state. */
  kept(): Promise<readonly ZoneKey[]>;
  /** What each project claims, so that no two manage the same thing. */
  readonly claims: Claims;
  /** A text that all projects of the place share, by a name that is one word. */
  shared(name: string): Shared;
  /** Forgets the shared texts that were read. Each command begins with this, so that one process may run several. */
  forget(): void;
  /** The address of the place, as `--state` takes it, for messages; never shows a password. */
  describe(): string;
  /** The same place behind an engine that wraps this one: to encrypt, to announce, to refuse. */
  over(wrap: (engine: Engine) => Engine): StateStores;
  /** Closes the connections, if there are any. */
  close(): Promise<void>;
}

/** The states of projects on an engine. */
export function zoneStores(engine: Engine, contender: Contender): StateStores {
  /** A plan reads the claims and the mark of a move; one text holds both. */
  const texts = new SharedTexts(engine.shared("claims"));
  const base: Engine = {
    ...engine,
    // The state is streamed from where it is stored, because it may have a hundred thousand lines.
    body: (key, entry) => (entry.name === STATE ? engine.body(key, entry) : startFirst(engine, key, entry)),
    lock: (...wish) => engine.lock(...wish).finally(() => texts.forget()),
    commit: (...change) => engine.commit(...change).finally(() => texts.forget()),
    // The salt is written once, and nothing can be decrypted without it, so it stays apart from texts that are written
    // often.
    shared: (name) => (name === "salt" ? engine.shared(name) : texts.text(name)),
  };
  return storesOn(base, contender, () => texts.forget());
}

function storesOn(engine: Engine, contender: Contender, forget: () => void): StateStores {
  const stores = new Map<string, ProjectStore>();
  return {
    of: (project) => {
      const store = stores.get(project) ?? new ProjectStore(engine, project, contender.clock);
      stores.set(project, store);
      return store;
    },
    kept: () => keptZones(engine),
    claims: sharedClaims(engine.shared("claims"), engine.describe(), contender),
    shared: (name) => engine.shared(name),
    forget,
    describe: () => engine.describe(),
    over: (wrap) => storesOn(wrap(engine), contender, forget),
    close: () => engine.close(),
  };
}

/** The view has the first lines of an entry. A reader that stops after them sends no request. */
async function* startFirst(engine: Engine, key: ZoneKey, entry: Entry): AsyncIterable<string> {
  yield* entry.start;
  if (entry.isWhole) return;
  let left = entry.start.length;
  for await (const line of engine.body(key, entry)) {
    if (left > 0) left -= 1;
    else yield line;
  }
}

/** The projects of these zones, in order. */
export function projectsIn(kept: readonly ZoneKey[]): readonly string[] {
  return [...new Set(kept.map(({ project }) => project))];
}

/** A run that waits for a lock. */
export interface LockWait {
  readonly zone: ZoneId;
  readonly holding: Holding;
  /** How long it waits at most for a live holder. */
  readonly waitMilliseconds: number;
}

/** A wait longer than this is announced with its reason. */
const SILENT_MILLISECONDS = 1000;

/** Stores that report each lock that is not free at once: its holder, and how long the run waits at most. */
export function announcingWaits(stores: StateStores, clock: Clock, tell: (wait: LockWait) => void): StateStores {
  return stores.over((engine) => {
    /** If the holder cannot be read, it announces nothing: the wait itself reports the error. */
    async function announce(
      key: ZoneKey,
      wish: Omit<LockHolder, "id">,
      waitMilliseconds: number,
      ended: AbortSignal,
    ): Promise<void> {
      await clock.sleep(SILENT_MILLISECONDS, ended);
      const holding = await engine.holding(key);
      if (ended.aborted || !holding || isTakenAtOnce(holding) || isOwn(holding, wish)) return;
      tell({ zone: key.zone, holding, waitMilliseconds });
    }

    const lock: Engine["lock"] = async (key, holder, waitMilliseconds, signal) => {
      const ended = new AbortController();
      announce(key, holder, waitMilliseconds, ended.signal).catch(() => undefined);
      try {
        return await engine.lock(key, holder, waitMilliseconds, signal);
      } finally {
        ended.abort();
      }
    };
    return { ...engine, lock };
  });
}

/** A dead holder is waited for only to see that it no longer renews its lock. */
function isTakenAtOnce({ isAlive, renewal }: Holding): boolean {
  return isAlive === false && !renewal;
}

/** The lock may be ours by now, while a later step takes the time. */
function isOwn({ holder }: Holding, wish: Omit<LockHolder, "id">): boolean {
  return holder?.who === wish.who && holder.processId === wish.processId && holder.since === wish.since;
}

/**
 * Stores that report a lock that could not be freed instead of failing. The work under the lock is done, so the command
 * has not failed; but the lock may stay, and the user can unlock the state.
 */
export function announcingKeptLocks(stores: StateStores, tell: (found: Diagnostic) => void): StateStores {
  return stores.over((engine) => ({
    ...engine,
    lock: async (key, holder, waitMilliseconds, signal) => {
      const taken = await engine.lock(key, holder, waitMilliseconds, signal);
      const { lease } = taken;
      const release = (): Promise<void> =>
        lease.release().catch((thrown: unknown) => {
          // If another run has the lock by now, it is not ours to free.
          if (!(thrown instanceof StoreConflict)) tell(notFreed(key.zone, lease, thrown));
        });
      return { ...taken, lease: { ...lease, release } };
    },
  }));
}

function notFreed(zone: ZoneId, { id }: Lease, thrown: unknown): Diagnostic {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return warning(problem("lock-not-freed", { zone, reason, id: shellQuoted(id) }));
}
