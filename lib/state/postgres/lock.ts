import { pauseBefore } from "../../core/backoff.ts";
import type { ZoneId } from "../../core/brand.ts";
import { decodeHolder, encodeHolder } from "../holder.ts";
import { describeHolding } from "../holding.ts";
import { leaseOf } from "../lease-sessions.ts";
import { notUnlocked } from "../not-unlocked.ts";
import { type Holding, type Lease, Locked, type LockHolder, type StateStore, type Taken } from "../store.ts";
import type { Connection } from "./driver.ts";
import { explained, poolerFault, ServerError } from "./failure.ts";
import { HOLDING_SESSION, type LockKey, lockKey } from "./key.ts";
import { BACKOFF, LOCK_BACKOFF, patienceOf, persist } from "./patience.ts";
import { type Place, reading, writing } from "./place.ts";
import { isTrueIn, numberIn, objectIn, onlyRow, optionalTextIn, type Row } from "./rows.ts";
import { type Turn, waitTurn } from "../wait-turn.ts";
import { giveUpLock, openSession, type Session } from "./session.ts";

/**
 * Whoever took the lock writes its name a moment later. A lock without a name after this many looks was taken by
 * something else, or by a process that was stopped in that moment.
 */
const MOST_LOOKS = 25;

/**
 * The lock of a zone: a session advisory lock, which the server frees when the holder's connection ends, and a row whose
 * epoch rises with each holder. The lock says who lives, the epoch who may write.
 */
export function locks(place: Place): Pick<StateStore, "lock" | "holding" | "taken" | "unlock"> {
  const { clock, steady, line, project, random, sessions, tables, where, patienceMilliseconds } = place;
  const { schema } = tables;

  async function lock(
    zone: ZoneId,
    holder: Omit<LockHolder, "id">,
    waitMilliseconds: number,
    signal?: AbortSignal,
  ): Promise<Lease> {
    const id = random.uuid();
    const begin = steady.now();
    const wish: Wish = { zone, holder: { ...holder, id }, deadline: begin + waitMilliseconds, signal };
    let giveUpAt = begin + patienceOf(patienceMilliseconds, false);
    const reached = (): void => {
      giveUpAt = steady.now() + patienceMilliseconds;
    };
    try {
      const session = await persist(
        place,
        () => giveUpAt,
        () => acquire(wish, reached),
        signal,
      );
      return leaseOf(sessions, project, zone, id, session);
    } catch (error) {
      throw explained(error, where, "locked");
    }
  }

  interface Wish {
    readonly zone: ZoneId;
    readonly holder: LockHolder;
    readonly deadline: number;
    readonly signal: AbortSignal | undefined;
  }

  async function acquire(wish: Wish, reached: () => void): Promise<Session> {
    const { holder, deadline, signal } = wish;
    const ask = async (connection: Connection): Promise<Session> => {
      reached();
      const waitMilliseconds = deadline - steady.now();
      return waitTurn({ steady, random, backoff: LOCK_BACKOFF, waitMilliseconds, signal }, () => {
        reached();
        return askFor(connection, wish);
      });
    };
    return line.use(ask, `zoneform ${holder.operation} ${holder.id}`, signal);
  }

  async function askFor(connection: Connection, { zone, holder, signal }: Wish): Promise<Turn<Session>> {
    for (;;) {
      const session = await take(connection, zone, holder);
      if (session) return { taken: session };
      const found = await holding(connection, zone);
      // A dead run stops nobody: its session ended since the attempt.
      if (found && found.isAlive !== false) return { refusal: () => lockedBy(found) };
      signal?.throwIfAborted();
    }
  }

  function lockedBy(found: Holding): Locked {
    return new Locked(found, describeHolding(found, clock.now()));
  }

  /** One attempt to take the lock; undefined if somebody else has it. */
  async function take(connection: Connection, zone: ZoneId, holder: LockHolder): Promise<Session | undefined> {
    const generation = await generationOf(connection, zone);
    const key = lockKey(schema, project, zone, generation);
    if (line.keys.has(key.key)) return undefined;
    line.keys.add(key.key);
    let session: Session | undefined;
    try {
      return (session = await takeKey(connection, zone, holder, key, generation));
    } finally {
      if (!session) line.keys.delete(key.key);
    }
  }

  async function takeKey(
    connection: Connection,
    zone: ZoneId,
    holder: LockHolder,
    key: LockKey,
    generation: number,
  ): Promise<Session | undefined> {
    const tried = onlyRow(
      await connection.query(
        `SELECT pg_backend_pid() AS backend, CASE WHEN EXISTS (${HOLDING_SESSION} AND pid = pg_backend_pid())
          THEN NULL ELSE pg_try_advisory_lock($3::bigint) END AS taken`,
        [key.high, key.low, key.key],
      ),
    );
    // It is none of ours: whoever has it shares our session of the server.
    if (tried["taken"] === null) throw poolerFault(where);
    if (!isTrueIn(tried, "taken")) return undefined;
    const row = await takeRow(connection, zone, holder, generation).catch(async (error: unknown) => {
      // The session goes on, and must not keep the lock of a role that may not write.
      if (error instanceof ServerError) await free(connection, key);
      throw error;
    });
    if (!row) {
      await free(connection, key);
      return undefined;
    }
    if (numberIn(row, "backend") !== numberIn(tried, "backend")) {
      await connection.query(giveUpLock(schema), [numberIn(row, "key"), numberIn(row, "epoch")]);
      throw poolerFault(where);
    }
    return openSession(place, zone, {
      connection,
      key,
      zoneKey: numberIn(row, "key"),
      epoch: numberIn(row, "epoch"),
      snapshot: optionalTextIn(row, "snapshot"),
    });
  }

  /** Nothing if the lock was freed by hand since: then the key of that generation is not the one that counts. */
  async function takeRow(
    connection: Connection,
    zone: ZoneId,
    holder: LockHolder,
    generation: number,
  ): Promise<Row | undefined> {
    const [row] = await connection.query(
      `INSERT INTO ${schema}.zones AS z (project, zone, epoch, is_held, holder, backend, generation, serial)
      VALUES ($1, $2, 1, true, $3, pg_backend_pid(), $4, 0)
      ON CONFLICT (project, zone) DO UPDATE SET epoch = z.epoch + 1, is_held = true, holder = excluded.holder,
        backend = excluded.backend, freed_by = NULL,
        serial = coalesce((SELECT greatest(z.serial, b.serial) FROM ${schema}.bodies b WHERE b.key = z.snapshot), 0)
      WHERE z.generation = excluded.generation
      RETURNING key, epoch, snapshot, backend`,
      [project, zone, JSON.stringify(encodeHolder(holder)), generation],
    );
    return row;
  }

  async function free(connection: Connection, { key }: LockKey): Promise<void> {
    await connection.query("SELECT pg_advisory_unlock($1::bigint)", [key]);
  }

  async function generationOf(connection: Connection, zone: ZoneId): Promise<number> {
    const [row] = await connection.query(`SELECT generation FROM ${schema}.zones WHERE project = $1 AND zone = $2`, [
      project,
      zone,
    ]);
    return row ? numberIn(row, "generation") : 0;
  }

  async function look(connection: Connection, zone: ZoneId): Promise<Holding | "nameless" | undefined> {
    const [row] = await connection.query(
      `SELECT is_held, holder::text AS holder, backend, generation FROM ${schema}.zones WHERE project = $1 AND zone = $2`,
      [project, zone],
    );
    const key = lockKey(schema, project, zone, row ? numberIn(row, "generation") : 0);
    const backend = await backendOf(connection, key);
    const isNamed = row !== undefined && isTrueIn(row, "is_held");
    if (backend !== undefined && !(isNamed && backend === numberIn(row, "backend"))) return "nameless";
    // A lease of this process lives, even while its connection is lost.
    return isNamed ? holdingIn(row, backend !== undefined || line.keys.has(key.key)) : undefined;
  }

  /** The server's process that has the lock. */
  async function backendOf(connection: Connection, { high, low }: LockKey): Promise<number | undefined> {
    const [row] = await connection.query(HOLDING_SESSION, [high, low]);
    return row && numberIn(row, "pid");
  }

  /** Who holds the lock; it looks again while a session has it that has not written its name yet. */
  async function holding(connection: Connection, zone: ZoneId): Promise<Holding | undefined> {
    for (let looks = 1; ; looks += 1) {
      const found = await look(connection, zone);
      if (found !== "nameless") return found;
      if (looks >= MOST_LOOKS) {
        const key = lockKey(schema, project, zone, await generationOf(connection, zone));
        return namelessHolding(await backendOf(connection, key));
      }
      await steady.sleep(pauseBefore(BACKOFF, 0));
    }
  }

  async function taken(zone: ZoneId): Promise<Taken | undefined> {
    const [row] = await reading(place, [], (connection) =>
      connection.query(`SELECT holder::text AS holder, serial FROM ${schema}.zones WHERE project = $1 AND zone = $2`, [
        project,
        zone,
      ]),
    );
    const holder = row && decodeHolder(objectIn(row, "holder"));
    return row && holder && { holder, serial: numberIn(row, "serial") };
  }

  async function unlock(zone: ZoneId, id: string): Promise<void> {
    const mark = random.uuid();
    await writing(place, async (connection) => {
      const found = await holding(connection, zone);
      if (await isFreedBy(connection, zone, mark)) return;
      const name = `the state of zone ${zone}`;
      if (!found) throw notUnlocked(`${name} is not locked`, "there is nothing to unlock");
      if (found.unlockId !== id)
        throw notUnlocked(`${name} is locked with another id`, "give the id from the message that reported the lock");
      // The epoch fences the holder; the generation frees the lock without ending the holder's session.
      await connection.query(
        `UPDATE ${schema}.zones SET is_held = false, epoch = epoch + 1, generation = generation + 1, freed_by = $3
        WHERE project = $1 AND zone = $2 AND (NOT is_held OR holder ->> 'id' = $4
          OR ($4 LIKE 'session-%' AND backend::text <> substr($4, 9)))`,
        [project, zone, mark, id],
      );
      if (!(await isFreedBy(connection, zone, mark)))
        throw notUnlocked(`another run took the lock of ${name} in the meantime`, "ask again who holds it");
    });
  }

  async function isFreedBy(connection: Connection, zone: ZoneId, mark: string): Promise<boolean> {
    const rows = await connection.query(
      `SELECT 1 FROM ${schema}.zones WHERE project = $1 AND zone = $2 AND freed_by = $3`,
      [project, zone, mark],
    );
    return rows.length > 0;
  }

  return {
    lock,
    holding: (zone) => reading(place, undefined, (connection) => holding(connection, zone)),
    taken,
    unlock,
  };
}

function holdingIn(row: Row, isAlive: boolean): Holding {
  const holder = decodeHolder(objectIn(row, "holder"));
  return { unlockId: holder?.id ?? `session-${numberIn(row, "backend")}`, holder, isAlive };
}

function namelessHolding(backend: number | undefined): Holding | undefined {
  return backend === undefined ? undefined : { unlockId: `session-${backend}`, holder: undefined, isAlive: undefined };
}
