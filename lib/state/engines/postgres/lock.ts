import { pauseBefore } from "../../../core/clock.ts";
import type { Engine, TakenLock, ZoneKey } from "../../engine.ts";
import { decodeHolder, describeHolding, encodeHolder, type Holding, Locked, type LockHolder } from "../../lock.ts";
import { leaseOf } from "../lease-sessions.ts";
import { lockedAnew, lockedOtherwise, notLocked } from "../../error.ts";
import { type Turn, waitTurn } from "../waiting.ts";
import type { Connection } from "./driver.ts";
import { explained, poolerFault, ServerError } from "./failure.ts";
import { BACKOFF, LOCK_BACKOFF, patienceOf, persist, zoneName } from "./connections.ts";
import { type Place, reading, writing } from "./place.ts";
import { isTrueIn, numberIn, objectIn, onlyRow, type Row, textIn } from "./rows.ts";
import { holdingBackend, Session } from "./session.ts";
import { fencedView, stateBody } from "./view.ts";

/**
 * How often to look for the name of a lock's holder. A run takes the lock a moment before it writes its row. A lock
 * without a name after this many looks is not a run's.
 */
const MOST_LOOKS = 25;

/**
 * The lock of a zone: a session advisory lock, which the server frees when the holder's connection ends, and a row
 * whose epoch rises with each holder. The lock shows who is alive; the epoch decides who may write.
 */
export function locks(place: Place): Pick<Engine, "lock" | "holding" | "unlock"> {
  return {
    lock: (key, holder, waitMilliseconds, signal) => lock(place, key, holder, waitMilliseconds, signal),
    holding: (key) => reading(place, undefined, (connection) => holdingOn(place, connection, key)),
    unlock: (key, id) => unlock(place, key, id),
  };
}

/**
 * The key of a zone's lock. Freeing a lock by hand raises the generation, so the next run takes another key, and the
 * session of a holder that may not respond need not be ended.
 */
function keySql(schema: string, generation: string): string {
  return `hashtextextended(concat_ws(' ', 'zoneform lock', '${schema}', $1::text, $2::text, ${generation}), 0)`;
}

async function lock(
  place: Place,
  key: ZoneKey,
  holder: Omit<LockHolder, "id">,
  waitMilliseconds: number,
  signal?: AbortSignal,
): Promise<TakenLock> {
  const { line, patienceMilliseconds, random, sessions, steady, tables, where } = place;
  const id = random.uuid();
  const begin = steady.now();
  let giveUpAt = begin + patienceOf(patienceMilliseconds, false);
  const ask = (connection: Connection): Promise<Session> => {
    const left = begin + waitMilliseconds - steady.now();
    return waitTurn({ steady, random, backoff: LOCK_BACKOFF, waitMilliseconds: left, signal }, () => {
      giveUpAt = steady.now() + patienceMilliseconds;
      return askFor(place, connection, key, { ...holder, id }, signal);
    });
  };
  try {
    const session = await persist(
      place,
      () => giveUpAt,
      () => line.use(ask, `zoneform ${holder.operation} ${id}`, signal),
      signal,
    );
    const lease = leaseOf(sessions, key.project, key.zone, id, session);
    try {
      // A state can only be missed after it was seen.
      const view = await session.replacing(() => session.send(fencedView(tables.schema)));
      session.confirmed.state = stateBody(view);
      return { lease, view };
    } catch (error) {
      await lease.release();
      throw error;
    }
  } catch (error) {
    throw explained(error, where, "locked");
  }
}

async function askFor(
  place: Place,
  connection: Connection,
  key: ZoneKey,
  holder: LockHolder,
  signal: AbortSignal | undefined,
): Promise<Turn<Session>> {
  for (;;) {
    const session = await alone(place, key, () => take(place, connection, key, holder));
    if (session) return { taken: session };
    const found = await holdingOn(place, connection, key);
    // A dead run blocks nothing: its session has ended since the attempt.
    if (found && found.isAlive !== false)
      return { refusal: () => new Locked(found, describeHolding(found, place.clock.now())) };
    signal?.throwIfAborted();
  }
}

/** The server would grant one session the same lock twice. Returns undefined while this process already asks for it. */
async function alone<T>({ line }: Place, key: ZoneKey, ask: () => Promise<T>): Promise<T | undefined> {
  const name = zoneName(key);
  if (line.asked.has(name)) return undefined;
  line.asked.add(name);
  try {
    return await ask();
  } finally {
    line.asked.delete(name);
  }
}

/**
 * Makes one attempt to take the lock; undefined if another run has it or took it meanwhile. A lease of this process
 * whose epoch counts keeps the lock, even while its connection is lost.
 */
async function take(
  place: Place,
  connection: Connection,
  key: ZoneKey,
  holder: LockHolder,
): Promise<Session | undefined> {
  const { line, tables, where } = place;
  const { schema } = tables;
  const zone = [key.project, key.zone];
  const ours = line.epochs.get(zoneName(key)) ?? null;
  const here = `FROM (SELECT) AS one LEFT JOIN ${schema}.zones z ON z.project = $1 AND z.zone = $2`;
  const keyNow = keySql(schema, "coalesce(z.generation, 0)");
  const asking = connection.query(
    `WITH found AS MATERIALIZED (
        SELECT coalesce(z.generation, 0) AS generation, coalesce(z.is_held AND z.epoch = $4::bigint, false) AS is_ours,
          ${keyNow} AS key ${here}),
      tried AS MATERIALIZED (SELECT generation, key, CASE WHEN is_ours THEN false
          WHEN EXISTS (${holdingBackend("key")} AND pid = pg_backend_pid()) THEN NULL
          ELSE pg_try_advisory_lock(key) END AS taken FROM found),
      named AS (INSERT INTO ${schema}.zones AS z (project, zone, epoch, is_held, holder, backend, generation, serial)
        SELECT $1, $2, 1, true, $3::jsonb, pg_backend_pid(), generation, 0 FROM tried WHERE taken
        ON CONFLICT (project, zone) DO UPDATE SET epoch = z.epoch + 1, is_held = true, holder = excluded.holder,
          backend = excluded.backend, freed_by = NULL
        WHERE z.generation = excluded.generation RETURNING z.key AS zone_key, z.epoch)
    SELECT tried.taken, tried.key::text AS lock_key, named.zone_key, named.epoch FROM tried LEFT JOIN named ON true`,
    [...zone, JSON.stringify(encodeHolder(holder)), ours],
  );
  const row = onlyRow(
    await asking.catch(async (error: unknown) => {
      // The session stays open, and must not keep the lock of a run that could not write its row.
      if (error instanceof ServerError)
        await connection.query(`SELECT pg_advisory_unlock(${keyNow}) ${here}`, zone).catch(() => undefined);
      throw error;
    }),
  );
  // The lock is not from a run of this process: another client shares our session of the server.
  if (row["taken"] === null) throw poolerFault(where);
  // The lock was freed by hand meanwhile, so its key no longer counts.
  if (row["epoch"] === null) return undefined;
  const epoch = numberIn(row, "epoch");
  line.epochs.set(zoneName(key), epoch);
  const zoneKey = numberIn(row, "zone_key");
  return new Session(place, key, { connection, lockKey: textIn(row, "lock_key"), zoneKey, epoch });
}

/** The holder of the lock. While a session has the lock but has not written its row yet, it looks again. */
async function holdingOn(
  { line, steady, tables: { schema } }: Place,
  connection: Connection,
  key: ZoneKey,
): Promise<Holding | undefined> {
  for (let looks = 1; ; looks += 1) {
    const row = onlyRow(
      await connection.query(
        `SELECT z.is_held, z.holder::text AS holder, z.backend, z.epoch,
          (${holdingBackend(keySql(schema, "coalesce(z.generation, 0)"))}) AS pid
        FROM (SELECT) AS one LEFT JOIN ${schema}.zones z ON z.project = $1 AND z.zone = $2`,
        [key.project, key.zone],
      ),
    );
    const [isNamed, isLocked] = [isTrueIn(row, "is_held"), row["pid"] !== null];
    if (!isLocked || (isNamed && row["pid"] === row["backend"])) {
      // A lease of this process is alive, even while its connection is lost.
      const isOurs = isNamed && line.epochs.get(zoneName(key)) === numberIn(row, "epoch");
      return isNamed ? holdingIn(row, isLocked || isOurs) : undefined;
    }
    if (looks >= MOST_LOOKS)
      return { unlockId: `session-${numberIn(row, "pid")}`, holder: undefined, isAlive: undefined };
    await steady.sleep(pauseBefore(BACKOFF, 0));
  }
}

function holdingIn(row: Row, isAlive: boolean): Holding {
  const holder = decodeHolder(objectIn(row, "holder"));
  return { unlockId: holder?.id ?? `session-${numberIn(row, "backend")}`, holder, isAlive };
}

/** The epoch fences the holder; the generation frees the lock without ending the holder's session. */
async function unlock(place: Place, key: ZoneKey, id: string): Promise<void> {
  // After a lost reply, this mark in the row shows that it was this call.
  const mark = place.random.uuid();
  await writing(place, async (connection) => {
    const found = await holdingOn(place, connection, key);
    const rows = await connection.query(
      `UPDATE ${place.tables.schema}.zones
      SET is_held = false, epoch = epoch + 1, generation = generation + 1, freed_by = $3
      WHERE project = $1 AND zone = $2 AND (freed_by = $3 OR $5::boolean AND (NOT is_held OR holder ->> 'id' = $4
        OR ($4 LIKE 'session-%' AND backend::text <> substr($4, 9)))) RETURNING 1`,
      [key.project, key.zone, mark, id, String(found?.unlockId === id)],
    );
    if (rows.length > 0) return;
    const name = `the state of zone ${key.zone}`;
    if (!found) throw notLocked(name);
    throw found.unlockId === id ? lockedAnew(name) : lockedOtherwise(name);
  });
}
