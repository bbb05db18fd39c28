import { pauseBefore } from "../../../core/backoff.ts";
import type { ZoneId } from "../../../core/brand.ts";
import { turns } from "../../../core/turns.ts";
import type { Clock, SteadyClock } from "../../../core/clock.ts";
import { STATE } from "../../engine.ts";
import { type StateError, placeError } from "../../error.ts";
import { takenOver } from "../../lease-sessions.ts";
import type { StoreConflict } from "../../store.ts";
import type { Connection, Value } from "./driver.ts";
import { ConnectionLost, explained, poolerFault, unreachable } from "./failure.ts";
import { HOLDING_SESSION, type LockKey } from "./key.ts";
import type { LockSession } from "./lock-session.ts";
import { type Away, outage } from "../../outage.ts";
import { BACKOFF, type Known } from "./patience.ts";
import { isTrueIn, numberIn, onlyRow, optionalTextIn, type Row } from "./rows.ts";
import type { Tables } from "./tables.ts";

/** What a session needs to come back. */
export interface SessionWorld {
  readonly clock: Clock;
  readonly steady: SteadyClock;
  readonly line: LockSession;
  readonly tables: Pick<Tables, "schema">;
  /** How long to wait for a server that is gone. */
  readonly patienceMilliseconds: number;
  readonly away?: Away | undefined;
  readonly known: Known;
  /** The server and the schema, for messages. */
  readonly where: string;
}

/** What the server confirmed to the holder of a lock: after a failover it may know less. */
interface Confirmed {
  /** The body of the state. */
  state: string | undefined;
  /** The number of the last line of the journal; 0 if it is empty. */
  seq: number;
}

/** A statement of the holder of a lock. */
export interface Fenced<T> {
  /**
   * The statement after `WITH held AS (…), `, where `held` is the zone's row while the lease holds, and `$1` and `$2`
   * are taken. Its answer says in `held` how many rows there were.
   */
  readonly statement: string;
  readonly values: readonly Value[];
  readonly answer: (row: Row) => T;
  /** After a lost reply: the result if the server did it, undefined if it did not. Absent: doing it twice is doing it once. */
  readonly found?: (connection: Connection) => Promise<T | undefined>;
}

/** One holder of a lock, and what it may write. */
export interface Session {
  readonly zoneKey: number;
  readonly epoch: number;
  readonly confirmed: Confirmed;
  /**
   * Carries out a statement as the holder. If the connection is lost, it comes back for a bounded time, looks whether
   * the statement took effect, and repeats it only if not. Throws `StoreConflict`, `StateError`.
   */
  send<T>(fenced: Fenced<T>): Promise<T>;
  /** Lets `work` replace what the server confirmed, so that a reply that is lost meanwhile does not look like a loss. */
  replacing<T>(work: () => Promise<T>): Promise<T>;
  /** Gives the lock back; does nothing the second time. */
  release(): Promise<void>;
  /** Leaves the lock and the mark of the holder to the end of the connection, as a run that dies does. */
  abandon(): Promise<void>;
}

/** What a session starts with. */
export interface Taken {
  readonly connection: Connection;
  readonly key: LockKey;
  readonly zoneKey: number;
  readonly epoch: number;
  readonly state: string | undefined;
}

/**
 * Gives the holder's lock up where the session that has it may not be reached any more: the next run takes another key.
 * `$1` is the zone's row, `$2` the epoch.
 */
export function giveUpLock(schema: string): string {
  return `UPDATE ${schema}.zones SET is_held = false, generation = generation + 1
    WHERE key = $1 AND epoch = $2 AND is_held`;
}

/** Holds a lock that was taken. */
export function openSession(world: SessionWorld, zone: ZoneId, taken: Taken): Session {
  const { steady, line, where, tables, patienceMilliseconds, away, known } = world;
  const { schema } = tables;
  const { key, zoneKey, epoch } = taken;
  const confirmed: Confirmed = { state: taken.state, seq: 0 };
  const held = `WITH held AS (SELECT key, epoch, journal FROM ${schema}.zones
    WHERE key = $1 AND epoch = $2 AND is_held AND backend = pg_backend_pid() FOR NO KEY UPDATE), `;
  /** The connection that has the lock. Other zones of the place may use it too, and replace it if it is lost. */
  let connection: Connection | undefined = taken.connection;
  /** Why the lease is over for good. */
  let end: StoreConflict | StateError | undefined;
  let replaced = 0;
  /** What follows a lost connection must not overtake the statement that was lost. */
  const inTurn = turns();

  function send<T>(fenced: Fenced<T>): Promise<T> {
    return inTurn(() => carryOut(fenced));
  }

  async function carryOut<T>({ statement, values, answer, found }: Fenced<T>): Promise<T> {
    let deadline: number | undefined;
    let wasSent = false;
    for (;;) {
      if (end) throw end;
      try {
        connection ??= await comeBack(deadline ?? deadlineFrom(steady.now()));
        const arrived = wasSent && found ? await found(connection) : undefined;
        if (arrived !== undefined) return arrived;
        wasSent = true;
        const row = onlyRow(await connection.query(held + statement, [zoneKey, epoch, ...values]));
        known.hasGivenUp = false;
        if (numberIn(row, "held") === 0) throw (end = await whyNotHeld(connection));
        return answer(row);
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw explained(error, where, "written");
        await drop();
        deadline ??= deadlineFrom(steady.now());
        if (steady.now() > deadline) throw giveUp(error);
      }
    }
  }

  /** While the row is ours, only a pooler can have sent the statement to a session that does not have the lock. */
  async function whyNotHeld(asked: Connection): Promise<StoreConflict | StateError> {
    const ours = await asked.query(`${giveUpLock(schema)} RETURNING 1`, [zoneKey, epoch]);
    return ours.length > 0 ? poolerFault(where) : takenOver(zone);
  }

  function deadlineFrom(now: number): number {
    return known.hasGivenUp ? now : now + patienceMilliseconds;
  }

  function giveUp(cause: unknown): StateError {
    known.hasGivenUp = true;
    return unreachable(where, cause);
  }

  async function drop(): Promise<void> {
    const lost = connection;
    connection = undefined;
    if (lost) await line.drop(lost);
  }

  /** A new connection with the lock, once the server let go of the old one. */
  async function comeBack(deadline: number): Promise<Connection> {
    const failed = outage(steady, away);
    let cause: unknown = new ConnectionLost(new Error("the server still keeps the lock for the lost connection"));
    for (let attempt = 0; ; attempt += 1) {
      try {
        const fresh = await line.use(async (opened) => ((await retake(opened)) ? opened : undefined));
        if (fresh) return fresh;
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        cause = error;
      }
      const left = deadline - steady.now();
      if (left <= 0) throw giveUp(cause);
      failed(left);
      await steady.sleep(Math.min(left, pauseBefore(BACKOFF, attempt)));
    }
  }

  /** Whether the lock is ours again. Then the old session has ended, so nothing that it was sent can still take effect. */
  async function retake(fresh: Connection): Promise<boolean> {
    const [row] = await fresh.query(
      `SELECT pg_backend_pid() AS backend, CASE WHEN EXISTS (${HOLDING_SESSION} AND pid = pg_backend_pid())
        THEN true ELSE pg_try_advisory_lock($3::bigint) END AS taken
      FROM ${schema}.zones WHERE key = $4 AND epoch = $5 AND is_held`,
      [key.high, key.low, key.key, zoneKey, epoch],
    );
    if (!row) throw (end = takenOver(zone));
    if (!isTrueIn(row, "taken")) return false;
    // Not in one statement: the lock may have been free only after the row was read.
    const [now] = await fresh.query(
      `UPDATE ${schema}.zones z SET backend = pg_backend_pid() WHERE key = $1 AND epoch = $2 AND is_held
      RETURNING backend, (SELECT body FROM ${schema}.entries WHERE zone = z.key AND name = '${STATE}') AS state,
        (SELECT coalesce(max(seq), 0) FROM ${schema}.journal j
          WHERE j.zone = z.key AND j.number = z.journal AND j.epoch = z.epoch) AS seq`,
      [zoneKey, epoch],
    );
    if (!now) {
      // Another run had the lock and gave it back in between: ours would stop the next one.
      if (line.keys.get(key.key) === epoch) await fresh.query("SELECT pg_advisory_unlock($1::bigint)", [key.key]);
      throw (end = takenOver(zone));
    }
    if (numberIn(now, "backend") !== numberIn(row, "backend")) throw (end = await whyNotHeld(fresh));
    checkNothingLost(optionalTextIn(now, "state"), numberIn(now, "seq"));
    return true;
  }

  function checkNothingLost(state: string | undefined, seq: number): void {
    if (replaced > 0 || (state === confirmed.state && seq >= confirmed.seq)) return;
    end = placeError({
      code: "state-unreachable",
      message: `the server at ${where} came back without what it had confirmed: another server took over too early`,
      remedy:
        "apply again: it finds out what is live; let the server confirm only what its standby has (synchronous_commit)",
    });
    throw end;
  }

  async function replacing<T>(work: () => Promise<T>): Promise<T> {
    replaced += 1;
    try {
      return await work();
    } finally {
      replaced -= 1;
    }
  }

  let isReleased = false;
  return {
    zoneKey,
    epoch,
    confirmed,
    send,
    replacing,
    abandon: () => {
      isReleased = true;
      return inTurn(async () => undefined);
    },
    release: () =>
      inTurn(async () => {
        if (isReleased) return;
        isReleased = true;
        // Another lease of this process has the lock, because this one was lost.
        if (line.keys.get(key.key) !== epoch) return;
        // The end of the connection frees the lock in any case, and the mark of a run that is gone stops nobody.
        await giveBack().catch(drop);
        line.keys.delete(key.key);
      }),
  };

  /** Twice at most: the connection may have been lost long before, and nobody noticed. */
  async function giveBack(): Promise<void> {
    const isOld = connection !== undefined;
    try {
      connection ??= await line.open();
      // On another session than the one that has the lock, it is left there, and the next run takes another key.
      await connection.query(
        `WITH freed AS (UPDATE ${schema}.zones SET is_held = false,
          generation = generation + (backend <> pg_backend_pid())::integer WHERE key = $1 AND epoch = $2 AND is_held)
        SELECT pg_advisory_unlock($3::bigint)`,
        [zoneKey, epoch, key.key],
      );
    } catch (error) {
      if (!isOld || !(error instanceof ConnectionLost)) throw error;
      await drop();
      await giveBack();
    }
  }
}
