import type { Dial } from "./dial.ts";
import type { Connection } from "./driver.ts";
import { ConnectionLost } from "./failure.ts";
import { patienceOf, persist, type Persisting } from "./patience.ts";

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
