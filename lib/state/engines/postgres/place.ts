import type { Random } from "../../../core/clock.ts";
import type { ZoneKey } from "../../engine.ts";
import { placeError, type StateError } from "../../error.ts";
import { sessionIn } from "../lease-sessions.ts";
import type { Lease } from "../../store.ts";
import type { Dial } from "./dial.ts";
import type { Connection } from "./driver.ts";
import { ConnectionLost, explained } from "./failure.ts";
import { patienceOf, persist, type Persisting } from "./patience.ts";
import { isTrueIn, onlyRow, type Row } from "./rows.ts";
import type { Session, SessionWorld } from "./session.ts";
import { type Tables, WRITTEN } from "./tables.ts";

/** What every part of the engine works with. */
export interface Place extends SessionWorld {
  readonly tables: Tables;
  readonly readers: Readers;
  readonly random: Random;
  /** The sessions of the leases that were given out here, by `sessionName`. */
  readonly sessions: Map<string, Session>;
}

/** The session of a lease. Throws `StoreConflict` if it has none any more. */
export function sessionOf({ sessions }: Place, { project, zone }: ZoneKey, lease: Lease): Session {
  return sessionIn(sessions, project, zone, lease);
}

/** Runs `act` on a connection for reading; `nothing` if there are no tables yet. Throws `StateError`. */
export async function reading<T>(
  { readers, tables, where }: Place,
  nothing: T,
  act: (connection: Connection) => Promise<T>,
): Promise<T> {
  try {
    return await readers.use((connection) => tables.read(connection, nothing, () => act(connection)));
  } catch (error) {
    throw explained(error, where, "read");
  }
}

/** The same for what is written without a lock: the tables are made if they are missing. The signal ends waits. */
export async function writing<T>(
  { readers, tables, where }: Place,
  act: (connection: Connection) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  try {
    return await readers.use(async (connection) => {
      await tables.make(connection, signal);
      return act(connection);
    }, signal);
  } catch (error) {
    throw explained(error, where, "written");
  }
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

/** Checks, before anything is changed live, that this role can write every table of the state. Throws `StateError`. */
export async function checkWritable(place: Place): Promise<void> {
  const { line, steady, tables, where, patienceMilliseconds } = place;
  const deadline = steady.now() + patienceMilliseconds;
  const ask = (connection: Connection): Promise<readonly Row[]> =>
    connection.query(
      `SELECT bool_and(has_table_privilege(name, 'SELECT') AND has_table_privilege(name, 'INSERT')
        AND has_table_privilege(name, 'UPDATE') AND has_table_privilege(name, 'DELETE')) AS granted,
        current_setting('transaction_read_only') = 'on' AS read_only FROM unnest($1::text[]) AS name`,
      [WRITTEN.map((name) => `${tables.schema}.${name}`)],
    );
  try {
    const asked = await persist(
      place,
      () => deadline,
      () => line.use(ask),
    );
    const row = onlyRow(asked);
    if (isTrueIn(row, "read_only")) throw notWritable(where, "the server, or this role, is read-only");
    if (!isTrueIn(row, "granted")) throw notWritable(where, "this role may not write all of its tables");
  } catch (error) {
    throw explained(error, where, "written");
  }
}

function notWritable(where: string, reason: string): StateError {
  return placeError({
    code: "state-denied",
    message: `the state at ${where} cannot be written: ${reason}`,
    remedy: "grant this role what docs/postgres.md lists for an apply",
  });
}
