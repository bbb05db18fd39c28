import type { ZoneKey } from "../../engine.ts";
import type { Dial } from "./dial.ts";
import type { Connection } from "./driver.ts";
import { ConnectionLost } from "./failure.ts";
import type { Tables } from "./tables.ts";

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
export function lockSession(dial: Dial, tables: Pick<Tables, "make">): LockSession {
  let current: Promise<Connection> | undefined;
  let live: Connection | undefined;

  async function connect(name?: string, signal?: AbortSignal): Promise<Connection> {
    const connection = await dial({ writes: true, ...(name === undefined ? {} : { applicationName: name }) });
    try {
      // Before anybody else uses it: it is a transaction of several statements.
      await tables.make(connection, signal);
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
