import { pauseBefore } from "../../../core/backoff.ts";
import { type Engine, STATE, type TakenLock, type ZoneKey } from "../../engine.ts";
import { decodeHolder, encodeHolder } from "../../holder.ts";
import { describeHolding } from "../../holding.ts";
import { leaseOf } from "../../lease-sessions.ts";
import { notUnlocked } from "../../not-unlocked.ts";
import { type Holding, Locked, type LockHolder } from "../../store.ts";
import type { Connection } from "./driver.ts";
import { explained, poolerFault, ServerError } from "./failure.ts";
import { HOLDING_SESSION, type LockKey, lockKey } from "./key.ts";
import { BACKOFF, LOCK_BACKOFF, patienceOf, persist } from "./patience.ts";
import { type Place, reading, writing } from "./place.ts";
import { isTrueIn, numberIn, objectIn, onlyRow, optionalTextIn, type Row } from "./rows.ts";
import { type Turn, waitTurn } from "../../wait-turn.ts";
import { NOTHING, viewOf } from "./view.ts";
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
export function locks(place: Place): Pick<Engine, "lock" | "holding" | "unlock"> {
  const { clock, steady, line, random, sessions, tables, where, patienceMilliseconds } = place;
  const { schema } = tables;

  async function lock(
    of: ZoneKey,
    holder: Omit<LockHolder, "id">,
    waitMilliseconds: number,
    signal?: AbortSignal,
  ): Promise<TakenLock> {
    const id = random.uuid();
    const begin = steady.now();
    const wish: Wish = { of, holder: { ...holder, id }, deadline: begin + waitMilliseconds, signal };
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
      const lease = leaseOf(sessions, of.project, of.zone, id, session);
      return { lease, view: await reading(place, NOTHING, (connection) => viewOf(connection, schema, of)) };
    } catch (error) {
      throw explained(error, where, "locked");
    }
  }

  interface Wish {
    readonly of: ZoneKey;
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

  async function askFor(connection: Connection, { of, holder, signal }: Wish): Promise<Turn<Session>> {
    for (;;) {
      const session = await take(connection, of, holder);
      if (session) return { taken: session };
      const found = await holding(connection, of);
      // A dead run stops nobody: its session ended since the attempt.
      if (found && found.isAlive !== false) return { refusal: () => lockedBy(found) };
      signal?.throwIfAborted();
    }
  }

  function lockedBy(found: Holding): Locked {
    return new Locked(found, describeHolding(found, clock.now()));
  }

  /** One attempt to take the lock; undefined if somebody else has it. */
  async function take(connection: Connection, of: ZoneKey, holder: LockHolder): Promise<Session | undefined> {
    const { generation, epoch } = await lockOf(connection, of);
    const key = lockKey(schema, of.project, of.zone, generation);
    // A lease of this process whose epoch is over was lost: it stops nobody.
    if (line.keys.has(key.key) && [undefined, epoch].includes(line.keys.get(key.key))) return undefined;
    line.keys.set(key.key, undefined);
    let session: Session | undefined;
    try {
      return (session = await takeKey(connection, of, holder, key, generation));
    } finally {
      if (session) line.keys.set(key.key, session.epoch);
      else line.keys.delete(key.key);
    }
  }

  async function takeKey(
    connection: Connection,
    of: ZoneKey,
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
    const row = await takeRow(connection, of, holder, generation).catch(async (error: unknown) => {
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
    return openSession(place, of.zone, {
      connection,
      key,
      zoneKey: numberIn(row, "key"),
      epoch: numberIn(row, "epoch"),
      state: optionalTextIn(row, "state"),
    });
  }

  /** Nothing if the lock was freed by hand since: then the key of that generation is not the one that counts. */
  async function takeRow(
    connection: Connection,
    of: ZoneKey,
    holder: LockHolder,
    generation: number,
  ): Promise<Row | undefined> {
    const [row] = await connection.query(
      `INSERT INTO ${schema}.zones AS z (project, zone, epoch, is_held, holder, backend, generation, serial)
      VALUES ($1, $2, 1, true, $3, pg_backend_pid(), $4, 0)
      ON CONFLICT (project, zone) DO UPDATE SET epoch = z.epoch + 1, is_held = true, holder = excluded.holder,
        backend = excluded.backend, freed_by = NULL,
        serial = coalesce((SELECT greatest(z.serial, b.serial) FROM ${schema}.entries e
          JOIN ${schema}.bodies b ON b.key = e.body WHERE e.zone = z.key AND e.name = '${STATE}'), 0)
      WHERE z.generation = excluded.generation
      RETURNING key, epoch, backend, (SELECT body FROM ${schema}.entries WHERE zone = z.key AND name = '${STATE}') AS state`,
      [of.project, of.zone, JSON.stringify(encodeHolder(holder)), generation],
    );
    return row;
  }

  async function free(connection: Connection, { key }: LockKey): Promise<void> {
    await connection.query("SELECT pg_advisory_unlock($1::bigint)", [key]);
  }

  async function lockOf(connection: Connection, of: ZoneKey): Promise<{ generation: number; epoch: number }> {
    const [row] = await connection.query(
      `SELECT generation, epoch FROM ${schema}.zones WHERE project = $1 AND zone = $2`,
      [of.project, of.zone],
    );
    return row
      ? { generation: numberIn(row, "generation"), epoch: numberIn(row, "epoch") }
      : { generation: 0, epoch: 0 };
  }

  async function look(connection: Connection, of: ZoneKey): Promise<Holding | "nameless" | undefined> {
    const [row] = await connection.query(
      `SELECT is_held, holder::text AS holder, backend, generation, epoch FROM ${schema}.zones WHERE project = $1 AND zone = $2`,
      [of.project, of.zone],
    );
    const key = lockKey(schema, of.project, of.zone, row ? numberIn(row, "generation") : 0);
    const backend = await backendOf(connection, key);
    const isNamed = row !== undefined && isTrueIn(row, "is_held");
    if (backend !== undefined && !(isNamed && backend === numberIn(row, "backend"))) return "nameless";
    // A lease of this process lives, even while its connection is lost.
    return isNamed
      ? holdingIn(row, backend !== undefined || line.keys.get(key.key) === numberIn(row, "epoch"))
      : undefined;
  }

  /** The server's process that has the lock. */
  async function backendOf(connection: Connection, { high, low }: LockKey): Promise<number | undefined> {
    const [row] = await connection.query(HOLDING_SESSION, [high, low]);
    return row && numberIn(row, "pid");
  }

  /** Who holds the lock; it looks again while a session has it that has not written its name yet. */
  async function holding(connection: Connection, of: ZoneKey): Promise<Holding | undefined> {
    for (let looks = 1; ; looks += 1) {
      const found = await look(connection, of);
      if (found !== "nameless") return found;
      if (looks >= MOST_LOOKS) {
        const key = lockKey(schema, of.project, of.zone, (await lockOf(connection, of)).generation);
        return namelessHolding(await backendOf(connection, key));
      }
      await steady.sleep(pauseBefore(BACKOFF, 0));
    }
  }

  async function unlock(of: ZoneKey, id: string): Promise<void> {
    const mark = random.uuid();
    await writing(place, async (connection) => {
      const found = await holding(connection, of);
      if (await isFreedBy(connection, of, mark)) return;
      const name = `the state of zone ${of.zone}`;
      if (!found) throw notUnlocked(`${name} is not locked`, "there is nothing to unlock");
      if (found.unlockId !== id)
        throw notUnlocked(`${name} is locked with another id`, "give the id from the message that reported the lock");
      // The epoch fences the holder; the generation frees the lock without ending the holder's session.
      await connection.query(
        `UPDATE ${schema}.zones SET is_held = false, epoch = epoch + 1, generation = generation + 1, freed_by = $3
        WHERE project = $1 AND zone = $2 AND (NOT is_held OR holder ->> 'id' = $4
          OR ($4 LIKE 'session-%' AND backend::text <> substr($4, 9)))`,
        [of.project, of.zone, mark, id],
      );
      if (!(await isFreedBy(connection, of, mark)))
        throw notUnlocked(`another run took the lock of ${name} in the meantime`, "ask again who holds it");
    });
  }

  async function isFreedBy(connection: Connection, of: ZoneKey, mark: string): Promise<boolean> {
    const rows = await connection.query(
      `SELECT 1 FROM ${schema}.zones WHERE project = $1 AND zone = $2 AND freed_by = $3`,
      [of.project, of.zone, mark],
    );
    return rows.length > 0;
  }

  return {
    lock,
    holding: (of) => reading(place, undefined, (connection) => holding(connection, of)),
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
