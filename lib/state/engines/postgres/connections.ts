import type { Backoff } from "../../../core/backoff.ts";
import type { SteadyClock } from "../../../core/clock.ts";
import type { ZoneKey } from "../../engine.ts";
import { type Away, insist } from "../waiting.ts";
import type { Dial } from "./dial.ts";
import type { Connection } from "./driver.ts";
import { ConnectionLost } from "./failure.ts";

/**
 * The one session of the server on which a place holds its locks, however many zones they are for: connections are few.
 * It is opened by the first lock, and when it ends, the server frees them all.
 */
export interface LockSession {
  /**
   * The connection; a new one if there is none. `name` is shown by the server beside a new session. The signal ends a
   * wait for others who make the tables. Throws `ConnectionLost`, `ServerError`, `StateError`.
   */
  open(name?: string, signal?: AbortSignal): Promise<Connection>;
  /** Runs `act` on the connection, which is dropped if it is lost. */
  use<T>(act: (connection: Connection) => Promise<T>, name?: string, signal?: AbortSignal): Promise<T>;
  /** Closes a connection. Another one that took its place stays. */
  drop(connection: Connection): Promise<void>;
  /** The epochs of the leases of this process, by `zoneName`. */
  readonly epochs: Map<string, number>;
  /** The zones whose locks this process is asking for. */
  readonly asked: Set<string>;
  close(): Promise<void>;
}

/** The name of a zone in a process. */
export function zoneName({ project, zone }: ZoneKey): string {
  return JSON.stringify([project, zone]);
}

/** Connects at the first use. */
export function lockSession(
  dial: Dial,
  makeTables: (connection: Connection, signal?: AbortSignal) => Promise<void>,
): LockSession {
  let current: Promise<Connection> | undefined;
  let live: Connection | undefined;

  async function connect(name?: string, signal?: AbortSignal): Promise<Connection> {
    const connection = await dial({ writes: true, ...(name === undefined ? {} : { applicationName: name }) });
    try {
      // Before anybody else uses it: it is a transaction of several statements.
      await makeTables(connection, signal);
      return (live = connection);
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  async function open(name?: string, signal?: AbortSignal): Promise<Connection> {
    const opened = (current ??= connect(name, signal));
    try {
      return await opened;
    } catch (error) {
      if (current === opened) current = undefined;
      throw error;
    }
  }

  async function drop(connection: Connection): Promise<void> {
    if (connection === live) live = current = undefined;
    await connection.close();
  }

  return {
    open,
    use: async (act, name, signal) => {
      const connection = await open(name, signal);
      try {
        return await act(connection);
      } catch (error) {
        if (error instanceof ConnectionLost) await drop(connection);
        throw error;
      }
    },
    drop,
    epochs: new Map(),
    asked: new Set(),
    close: async () => {
      // One that cannot be opened is closed already.
      const connection = await current?.catch(() => undefined);
      if (connection) await drop(connection);
    },
  };
}

/** A few are enough: a zone is read over one, and what is read of the next one comes over another. */
const MOST_CONNECTIONS = 4;

/** A small number of connections for everything that needs no lock. */
export interface Readers {
  /**
   * Runs `act` on a connection of its own; again on a new one if the connection is lost, so `act` must be repeatable.
   * Throws `ConnectionLost` once the wait is over, which the signal ends too.
   */
  use<T>(act: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T>;
  close(): Promise<void>;
}

/** Opens connections as they are needed, and keeps them. */
export function openReaders(dial: Dial, persisting: Persisting, patienceMilliseconds: number): Readers {
  const { steady } = persisting;
  const idle: Connection[] = [];
  const waiting: (() => void)[] = [];
  let taken = 0;
  let wasReached = false;

  async function take(): Promise<void> {
    // Whoever gives one back passes it on, so that nobody overtakes those who wait.
    if (taken >= MOST_CONNECTIONS) await new Promise<void>((resolve) => waiting.push(resolve));
    else taken += 1;
  }

  function giveBack(): void {
    const next = waiting.shift();
    if (next) next();
    else taken -= 1;
  }

  async function attempt<T>(act: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = idle.pop() ?? (await dial({ writes: false }));
    wasReached = true;
    try {
      const result = await act(connection);
      idle.push(connection);
      return result;
    } catch (error) {
      // After one loss the others are probably lost too.
      const useless = error instanceof ConnectionLost ? idle.splice(0) : [];
      await Promise.all([connection, ...useless].map((each) => each.close()));
      throw error;
    }
  }

  return {
    use: async (act, signal) => {
      await take();
      const begin = steady.now();
      try {
        return await persist(
          persisting,
          () => begin + patienceOf(patienceMilliseconds, wasReached),
          () => attempt(act),
          signal,
        );
      } finally {
        giveBack();
      }
    },
    close: async () => {
      await Promise.all(idle.splice(0).map((connection) => connection.close()));
    },
  };
}

/** How long a run that reached its server once waits for it to come back. */
export const PATIENCE_MILLISECONDS = 60_000;

/** How long it waits before the first contact: the address may as well be wrong. */
const FIRST_PATIENCE_MILLISECONDS = 3000;

/** How long a run waits for its server. */
export function patienceOf(patienceMilliseconds: number, wasReached: boolean): number {
  return wasReached ? patienceMilliseconds : Math.min(patienceMilliseconds, FIRST_PATIENCE_MILLISECONDS);
}

/** The pauses between attempts. */
export const BACKOFF: Backoff = { firstMilliseconds: 20, longestMilliseconds: 400 };

/** Whoever waits for a lock asks seldom after a while: a few of them must not keep the server busy. */
export const LOCK_BACKOFF: Backoff = { ...BACKOFF, longestMilliseconds: 2000 };

/** Who persists: the clock that it waits by, and who is told that the server does not answer. */
export interface Persisting {
  readonly steady: SteadyClock;
  readonly away?: Away | undefined;
  readonly known: Known;
}

/** What this process knows of its server. */
export interface Known {
  /** After one wait in vain, what follows tries only once: a run that ends must not wait for each thing that it does. */
  hasGivenUp: boolean;
}

/** Tries again while the connection is lost, until a moment of the steady clock; then throws the last `ConnectionLost`. */
export async function persist<T>(
  { steady, away, known }: Persisting,
  deadline: () => number,
  act: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const isPassing = (error: unknown): boolean => error instanceof ConnectionLost;
  const begin = steady.now();
  const end = (): number => (known.hasGivenUp ? begin : deadline());
  try {
    const result = await insist({ clock: steady, deadline: end, isPassing, backoff: BACKOFF, away }, act, signal);
    known.hasGivenUp = false;
    return result;
  } catch (error) {
    known.hasGivenUp ||= isPassing(error);
    throw error;
  }
}
