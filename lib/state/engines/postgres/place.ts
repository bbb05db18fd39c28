import type { Random } from "../../../core/clock.ts";
import type { ZoneKey } from "../../engine.ts";
import { placeError, type StateError } from "../../error.ts";
import { sessionIn } from "../lease-sessions.ts";
import type { Lease } from "../../lock.ts";
import type { Connection } from "./driver.ts";
import { persist, type Readers } from "./connections.ts";
import { explained } from "./failure.ts";
import { isTrueIn, onlyRow, type Row } from "./rows.ts";
import type { Session, SessionWorld } from "./session.ts";
import { type Tables, WRITTEN } from "./tables.ts";

/** What every part of the engine works with. */
export interface Place extends SessionWorld {
  readonly tables: Tables;
  readonly readers: Readers;
  readonly random: Random;
  /** The sessions of the leases of this process, by `sessionName`. */
  readonly sessions: Map<string, Session>;
}

/** The session of a lease. Throws `StoreConflict` if it has ended. */
export function sessionOf({ sessions }: Place, { project, zone }: ZoneKey, lease: Lease): Session {
  return sessionIn(sessions, project, zone, lease);
}

/** Runs `act` on a connection for reading; returns `nothing` if there are no tables yet. Throws `StateError`. */
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

/** Runs `act`, which writes without a lock, and makes missing tables. The signal ends waits. */
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

/** Checks, before anything changes live, that this role can write every table of the state. Throws `StateError`. */
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
