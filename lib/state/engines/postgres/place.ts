import type { Random } from "../../../core/clock.ts";
import type { Dial } from "./dial.ts";
import type { Connection } from "./driver.ts";
import { explained } from "./failure.ts";
import type { Readers } from "./readers.ts";
import type { Session, SessionWorld } from "./session.ts";
import type { Tables } from "./tables.ts";
import type { ZoneKey } from "../../engine.ts";
import { sessionIn } from "../../lease-sessions.ts";
import type { Lease } from "../../store.ts";

/** What every part of the engine works with. */
export interface Place extends SessionWorld {
  readonly tables: Tables;
  readonly dial: Dial;
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
    return await readers.use(async (connection) => ((await tables.areThere(connection)) ? act(connection) : nothing));
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
