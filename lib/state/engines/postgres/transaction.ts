import type { Random, SteadyClock } from "../../../core/clock.ts";
import { waitTurn } from "../../wait-turn.ts";
import type { Connection } from "./driver.ts";
import { LOCK_BACKOFF, PATIENCE_MILLISECONDS } from "./patience.ts";
import { isTrueIn, onlyRow } from "./rows.ts";

/** The server ends the session of a process that stops in the middle: it must not stop the others. */
const LONGEST_PAUSE_MILLISECONDS = 5000;

/** What only one transaction does at a time. */
export interface Alone {
  /** The name of its lock, which holds until the transaction ends. */
  readonly name: string;
  readonly steady: SteadyClock;
  readonly random: Random;
  /** What whoever waits for it in vain is told. */
  readonly busy: () => Error;
}

/** Runs `act` in a transaction, alone if `alone` says so. The signal ends the wait for others. */
export async function transaction<T>(
  connection: Connection,
  act: () => Promise<T>,
  alone?: Alone,
  signal?: AbortSignal,
): Promise<T> {
  await connection.query("BEGIN");
  try {
    await connection.query("SELECT set_config('idle_in_transaction_session_timeout', $1, true)", [
      String(LONGEST_PAUSE_MILLISECONDS),
    ]);
    if (alone) await takeTurn(connection, alone, signal);
    const result = await act();
    await connection.query("COMMIT");
    return result;
  } catch (error) {
    // On a connection that is lost, the server has rolled it back already.
    await connection.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** It asks again and again: in one long question, neither a signal nor the end of the wait would be heard. */
function takeTurn(connection: Connection, { name, busy, ...clock }: Alone, signal?: AbortSignal): Promise<true> {
  return waitTurn({ ...clock, backoff: LOCK_BACKOFF, waitMilliseconds: PATIENCE_MILLISECONDS, signal }, async () => {
    const rows = await connection.query("SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS taken", [name]);
    return isTrueIn(onlyRow(rows), "taken") ? { taken: true } : { refusal: busy };
  });
}
