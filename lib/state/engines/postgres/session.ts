import type { Clock } from "../../../core/clock.ts";
import { turns } from "../../../core/lists.ts";
import { STATE, type ZoneKey } from "../../engine.ts";
import { placeError, type StateError } from "../../error.ts";
import { takenOver } from "../lease-sessions.ts";
import type { StoreConflict } from "../../lock.ts";
import type { Connection, Value } from "./driver.ts";
import { ConnectionLost, explained, poolerFault, unreachable } from "./failure.ts";
import { type LockSession, persist, type Persisting, zoneName } from "./connections.ts";
import { isTrueIn, numberIn, onlyRow, optionalTextIn, type Row } from "./rows.ts";
import type { Tables } from "./tables.ts";

/** What a session needs to reconnect. */
export interface SessionWorld extends Persisting {
  readonly clock: Clock;
  readonly line: LockSession;
  readonly tables: Pick<Tables, "schema">;
  /** How long to wait for a server that is gone. */
  readonly patienceMilliseconds: number;
  /** The server and the schema, for messages. */
  readonly where: string;
}

/** What the server confirmed to the holder of a lock. After a failover it may have less. */
interface Confirmed {
  /** The body of the state. */
  state: string | undefined;
  /** The number of the last line of the journal; 0 if it is empty. */
  seq: number;
}

/** A statement of the holder of a lock. */
export interface Fenced<T> {
  /**
   * The statement after `WITH leased AS (…), `, where `leased` is the zone's row while the lease is valid, and `$1` and
   * `$2` are used. Its result says in `leased` how many rows there were.
   */
  readonly statement: string;
  readonly values: readonly Value[];
  readonly answer: (row: Row) => T;
  /**
   * After a lost reply: the result if the statement took effect, undefined if it did not. Absent: doing it twice is
   * doing it once.
   */
  readonly found?: (connection: Connection) => Promise<T | undefined>;
}

/** What a session starts with. */
export interface Taken {
  readonly connection: Connection;
  /** The key of the advisory lock. */
  readonly lockKey: string;
  readonly zoneKey: number;
  readonly epoch: number;
}

/** The server process that holds an advisory lock; `key` is an SQL expression for its key. */
export function holdingBackend(key: string): string {
  return `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (classid::bigint << 32 | objid::bigint) = ${key}`;
}

/** One holder of a lock, and the statements that it may send. */
export class Session {
  readonly zoneKey: number;
  readonly epoch: number;
  readonly confirmed: Confirmed = { state: undefined, seq: 0 };
  private readonly world: SessionWorld;
  private readonly key: ZoneKey;
  private readonly lockKey: string;
  /** The connection that has the lock. Other zones of the place may use it too, and replace it if it is lost. */
  private connection: Connection | undefined;
  /** Why the lease has ended for good. */
  private end: StoreConflict | StateError | undefined;
  private isReleased = false;
  private replacements = 0;
  /** A statement after a lost connection must not overtake the one that was lost. */
  private readonly inTurn: ReturnType<typeof turns> = turns();

  constructor(world: SessionWorld, key: ZoneKey, { connection, lockKey, zoneKey, epoch }: Taken) {
    this.world = world;
    this.key = key;
    this.connection = connection;
    this.lockKey = lockKey;
    this.zoneKey = zoneKey;
    this.epoch = epoch;
  }

  /**
   * Runs a statement as the holder. If the connection is lost, it reconnects within a limited time, checks whether the
   * statement took effect, and repeats it only if not. Throws `StoreConflict`, `StateError`.
   */
  send<T>(fenced: Fenced<T>): Promise<T> {
    return this.inTurn(() => this.carryOut(fenced));
  }

  /**
   * Runs `work`, which replaces what the server confirmed, so that a reply that is lost meanwhile does not look like
   * lost data.
   */
  async replacing<T>(work: () => Promise<T>): Promise<T> {
    this.replacements += 1;
    try {
      return await work();
    } finally {
      this.replacements -= 1;
    }
  }

  /** Releases the lock; does nothing the second time. */
  release(): Promise<void> {
    const { line } = this.world;
    const name = zoneName(this.key);
    return this.inTurn(async () => {
      if (this.isReleased) return;
      this.isReleased = true;
      // This lease was lost, and another lease of this process has the lock.
      if (line.epochs.get(name) !== this.epoch) return;
      // The end of the connection frees the lock in any case, and the mark of a dead run blocks nothing.
      await this.giveBack().catch(() => this.drop());
      if (line.epochs.get(name) === this.epoch) line.epochs.delete(name);
    });
  }

  /** Leaves the lock and the holder's mark to the end of the connection, as a dying run does. */
  abandon(): Promise<void> {
    this.isReleased = true;
    return this.inTurn(async () => undefined);
  }

  private async carryOut<T>({ statement, values, answer, found }: Fenced<T>): Promise<T> {
    const { known, steady, tables, where } = this.world;
    let deadline: number | undefined;
    let wasSent = false;
    for (;;) {
      if (this.end) throw this.end;
      try {
        const connection = (this.connection ??= await this.comeBack(deadline ?? this.deadlineFrom(steady.now())));
        const arrived = wasSent && found ? await found(connection) : undefined;
        if (arrived !== undefined) return arrived;
        wasSent = true;
        const rows = await connection.query(
          `WITH leased AS (SELECT key, epoch, journal FROM ${tables.schema}.zones
            WHERE key = $1 AND epoch = $2 AND is_held AND backend = pg_backend_pid() FOR NO KEY UPDATE), ${statement}`,
          [this.zoneKey, this.epoch, ...values],
        );
        const row = onlyRow(rows);
        known.hasGivenUp = false;
        if (numberIn(row, "leased") === 0) throw (this.end = await this.whyLeaseEnded(connection));
        return answer(row);
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw explained(error, where, "written");
        await this.drop();
        deadline ??= this.deadlineFrom(steady.now());
        if (steady.now() < deadline) continue;
        known.hasGivenUp = true;
        throw unreachable(where, error);
      }
    }
  }

  /**
   * If the row is ours but the lock is not, only a pooler can have sent the statement to another session. The lock is
   * given up: we may not reach the session that has it, so the next run takes another key.
   */
  private async whyLeaseEnded(asked: Connection): Promise<StoreConflict | StateError> {
    const ours = await asked.query(
      `UPDATE ${this.world.tables.schema}.zones SET is_held = false, generation = generation + 1
      WHERE key = $1 AND epoch = $2 AND is_held RETURNING 1`,
      [this.zoneKey, this.epoch],
    );
    return ours.length > 0 ? poolerFault(this.world.where) : takenOver(this.key.zone);
  }

  private deadlineFrom(now: number): number {
    const { known, patienceMilliseconds } = this.world;
    return known.hasGivenUp ? now : now + patienceMilliseconds;
  }

  private async drop(): Promise<void> {
    const lost = this.connection;
    this.connection = undefined;
    if (lost) await this.world.line.drop(lost);
  }

  /** A new connection with the lock, once the server has ended the old one. */
  private comeBack(deadline: number): Promise<Connection> {
    const { line } = this.world;
    return persist(
      this.world,
      () => deadline,
      async () => {
        const fresh = await line.use(async (opened) => ((await this.retake(opened)) ? opened : undefined));
        if (fresh) return fresh;
        throw new ConnectionLost(new Error("the server still keeps the lock for the lost connection"));
      },
    );
  }

  /**
   * Whether the lock is ours again. Then the old session has ended, and none of its statements can still take effect.
   */
  private async retake(fresh: Connection): Promise<boolean> {
    const { line, tables } = this.world;
    const { schema } = tables;
    const [row] = await fresh.query(
      `SELECT pg_backend_pid() AS backend, CASE WHEN EXISTS (${holdingBackend("$1::bigint")} AND pid = pg_backend_pid())
        THEN true ELSE pg_try_advisory_lock($1::bigint) END AS taken
      FROM ${schema}.zones WHERE key = $2 AND epoch = $3 AND is_held`,
      [this.lockKey, this.zoneKey, this.epoch],
    );
    if (!row) throw (this.end = takenOver(this.key.zone));
    if (!isTrueIn(row, "taken")) return false;
    // Not in one statement: the lock may have become free only after the row was read.
    const [now] = await fresh.query(
      `UPDATE ${schema}.zones z SET backend = pg_backend_pid() WHERE key = $1 AND epoch = $2 AND is_held
      RETURNING backend, (SELECT body FROM ${schema}.entries WHERE zone = z.key AND name = '${STATE}') AS state,
        (SELECT coalesce(max(seq), 0) FROM ${schema}.journal j
          WHERE j.zone = z.key AND j.number = z.journal AND j.epoch = z.epoch) AS seq`,
      [this.zoneKey, this.epoch],
    );
    if (!now) {
      // Another run took the lock and gave it back in between. Ours would block the next one.
      if (line.epochs.get(zoneName(this.key)) === this.epoch)
        await fresh.query("SELECT pg_advisory_unlock($1::bigint)", [this.lockKey]);
      throw (this.end = takenOver(this.key.zone));
    }
    if (numberIn(now, "backend") !== numberIn(row, "backend")) throw (this.end = await this.whyLeaseEnded(fresh));
    this.checkNothingLost(optionalTextIn(now, "state"), numberIn(now, "seq"));
    return true;
  }

  private checkNothingLost(state: string | undefined, seq: number): void {
    const { confirmed } = this;
    if (this.replacements > 0 || (state === confirmed.state && seq >= confirmed.seq)) return;
    throw (this.end = placeError({
      code: "state-unreachable",
      message: `the server at ${this.world.where} came back without what it had confirmed: another server took over too early`,
      remedy:
        "apply again: it finds out what is live; let the server confirm only what its standby has (synchronous_commit)",
    }));
  }

  /** Twice at most: the connection may have been lost long before, unnoticed. */
  private async giveBack(): Promise<void> {
    const isOld = this.connection !== undefined;
    try {
      this.connection ??= await this.world.line.open();
      // On another session than the one with the lock, the lock stays there, and the next run takes another key.
      await this.connection.query(
        `WITH freed AS (UPDATE ${this.world.tables.schema}.zones SET is_held = false,
          generation = generation + (backend <> pg_backend_pid())::integer WHERE key = $1 AND epoch = $2 AND is_held)
        SELECT pg_advisory_unlock($3::bigint)`,
        [this.zoneKey, this.epoch, this.lockKey],
      );
    } catch (error) {
      if (!isOld || !(error instanceof ConnectionLost)) throw error;
      await this.drop();
      await this.giveBack();
    }
  }
}
