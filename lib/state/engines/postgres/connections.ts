import type { Backoff, SteadyClock } from "../../../core/clock.ts";
import type { ZoneKey } from "../../engine.ts";
import { type Away, retryUntil } from "../waiting.ts";
import type { Dial } from "./dial.ts";
import type { Connection } from "./driver.ts";
import { ConnectionLost } from "./failure.ts";

/** The name of a zone in a process. */
export function zoneName({ project, zone }: ZoneKey): string {
  return JSON.stringify([project, zone]);
}

/**
 * The one session of the server on which a place holds its locks, for any number of zones: connections are scarce. The
 * first lock opens it. When it ends, the server frees all locks.
 */
export class LockSession {
  /** The epochs of the leases of this process, by `zoneName`. */
  readonly epochs: Map<string, number> = new Map();
  /** The zones whose locks this process is asking for. */
  readonly asked: Set<string> = new Set();
  private readonly dial: Dial;
  private readonly makeTables: (connection: Connection, signal?: AbortSignal) => Promise<void>;
  private current: Promise<Connection> | undefined;
  private live: Connection | undefined;

  constructor(dial: Dial, makeTables: (connection: Connection, signal?: AbortSignal) => Promise<void>) {
    this.dial = dial;
    this.makeTables = makeTables;
  }

  /**
   * The connection; a new one if there is none. The server shows `name` beside a new session. The signal ends a wait
   * for another run that makes the tables. Throws `ConnectionLost`, `ServerError`, `StateError`.
   */
  async open(name?: string, signal?: AbortSignal): Promise<Connection> {
    const opened = (this.current ??= this.connect(name, signal));
    try {
      return await opened;
    } catch (error) {
      if (this.current === opened) this.current = undefined;
      throw error;
    }
  }

  private async connect(name?: string, signal?: AbortSignal): Promise<Connection> {
    const connection = await this.dial({ writes: true, ...(name === undefined ? {} : { applicationName: name }) });
    try {
      // Before the connection is shared: this is a transaction of several statements.
      await this.makeTables(connection, signal);
      return (this.live = connection);
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Runs `act` on the connection, and drops the connection if it is lost. */
  async use<T>(act: (connection: Connection) => Promise<T>, name?: string, signal?: AbortSignal): Promise<T> {
    const connection = await this.open(name, signal);
    try {
      return await act(connection);
    } catch (error) {
      if (error instanceof ConnectionLost) await this.drop(connection);
      throw error;
    }
  }

  /** Closes a connection; another one that took its place stays. */
  async drop(connection: Connection): Promise<void> {
    if (connection === this.live) this.live = this.current = undefined;
    await connection.close();
  }

  async close(): Promise<void> {
    // A connection that could not be opened is closed already.
    const connection = await this.current?.catch(() => undefined);
    if (connection) await this.drop(connection);
  }
}

/** A few are enough: one reads a zone while another reads ahead in the next zone. */
const MOST_CONNECTIONS = 4;

/** A few connections for everything that needs no lock, opened when needed and kept. */
export class Readers {
  private readonly dial: Dial;
  private readonly persisting: Persisting;
  private readonly patienceMilliseconds: number;
  private readonly idle: Connection[] = [];
  private readonly waiting: (() => void)[] = [];
  private taken = 0;
  private wasReached = false;

  constructor(dial: Dial, persisting: Persisting, patienceMilliseconds: number) {
    this.dial = dial;
    this.persisting = persisting;
    this.patienceMilliseconds = patienceMilliseconds;
  }

  /**
   * Runs `act` on a connection of its own, and again on a new one if the connection is lost, so `act` must be
   * repeatable. Throws `ConnectionLost` once the wait is over; the signal ends it early.
   */
  async use<T>(act: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.taken < MOST_CONNECTIONS) this.taken += 1;
    // A released connection goes to the longest waiting caller, so nobody overtakes.
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    const begin = this.persisting.steady.now();
    try {
      const deadline = (): number => begin + patienceOf(this.patienceMilliseconds, this.wasReached);
      return await persist(this.persisting, deadline, () => this.attempt(act), signal);
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.taken -= 1;
    }
  }

  private async attempt<T>(act: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = this.idle.pop() ?? (await this.dial({ writes: false }));
    this.wasReached = true;
    try {
      const result = await act(connection);
      this.idle.push(connection);
      return result;
    } catch (error) {
      // After one lost connection the others are probably lost too.
      const useless = error instanceof ConnectionLost ? this.idle.splice(0) : [];
      await Promise.all([connection, ...useless].map((each) => each.close()));
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.idle.splice(0).map((connection) => connection.close()));
  }
}

/** How long to wait for a server that this run has reached before. */
export const PATIENCE_MILLISECONDS = 60_000;

/** How long to wait before the first contact: the address may be wrong. */
const FIRST_PATIENCE_MILLISECONDS = 3000;

/** How long a run waits for its server. */
export function patienceOf(patienceMilliseconds: number, wasReached: boolean): number {
  return wasReached ? patienceMilliseconds : Math.min(patienceMilliseconds, FIRST_PATIENCE_MILLISECONDS);
}

/** The pauses between attempts. */
export const BACKOFF: Backoff = { firstMilliseconds: 20, longestMilliseconds: 400 };

/**
 * Backoff of runs that wait for a lock: after a while they ask rarely, so that many waiting runs do not keep the server
 * busy.
 */
export const LOCK_BACKOFF: Backoff = { ...BACKOFF, longestMilliseconds: 2000 };

/** What `persist` needs: the clock that it waits by, and a callback for a server that does not respond. */
export interface Persisting {
  readonly steady: SteadyClock;
  readonly away?: Away | undefined;
  readonly known: Known;
}

/** What this process knows about its server. */
export interface Known {
  /**
   * Set after the first wait in vain. Later statements then try only once: a run that ends must not wait at each step.
   */
  hasGivenUp: boolean;
}

/** Retries while the connection is lost, until a moment of the steady clock; then throws the last `ConnectionLost`. */
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
    const result = await retryUntil({ clock: steady, deadline: end, isPassing, backoff: BACKOFF, away }, act, signal);
    known.hasGivenUp = false;
    return result;
  } catch (error) {
    known.hasGivenUp ||= isPassing(error);
    throw error;
  }
}
