import { type Engine, highestSerial, type TakenLock, type View, type ZoneKey } from "../../engine.ts";
import { lockedOtherwise, notLocked, notUnlocked, StateError } from "../../error.ts";
import { describeHolding, type Holding, type Lease, Locked, type LockHolder, StoreConflict } from "../../lock.ts";
import { sessionIn, sessionName } from "../lease-sessions.ts";
import type { Contents } from "./document.ts";
import { doubleLock, lockLost } from "./failure.ts";
import { infoOf, type LockInfo, lookInfo, unlockInfo } from "./protocol.ts";
import { openSession, type Place, readContents, type Session, take, zoneOf, type ZonePlace } from "./session.ts";

/**
 * Pauses between looks at a lock that was free although the state says that a run holds it. Either that run renews its
 * lock at this moment, or the server returns an older body than it stores, or the run was killed. We free the lock,
 * wait, and look again, until nothing was written for all of these pauses.
 */
const PAUSES_MILLISECONDS = [500, 1000, 2000];

/** How long to try to take the lock again: others may do the same for an instant. */
const AGAIN_MILLISECONDS = 5000;

/** The locks of zones. `viewOf` reads what the new holder finds. */
export function locks(
  place: Place,
  viewOf: (contents: Contents) => View,
): Required<Pick<Engine, "lock" | "holding" | "inquire" | "unlock">> {
  return {
    lock: async (key, wish, waitMilliseconds, signal) => {
      const lease = await lock(place, key, wish, waitMilliseconds, signal);
      return { lease, view: viewOf(sessionOf(place, zoneOf(place, key), lease).contents()) } satisfies TakenLock;
    },
    holding: (key) => holding(place, key),
    inquire: (key) => inquire(place, key),
    unlock: (key, id) => unlock(place, key, id),
  };
}

async function lock(
  place: Place,
  key: ZoneKey,
  wish: Omit<LockHolder, "id">,
  waitMilliseconds: number,
  signal?: AbortSignal,
): Promise<Lease> {
  const { clock, steady, server } = place;
  const world = zoneOf(place, key);
  server.checkLocking(world.name);
  const deadline = steady.now() + waitMilliseconds;
  let session = await enter(place, world, wish, waitMilliseconds, signal);
  let [seen, looks] = ["", 0];
  while (session.contents().isLocked) {
    // Each run that writes in between is alive, and may renew its lock as well.
    if (session.lastWrite() !== seen) [seen, looks] = [session.lastWrite(), 0];
    const pause = PAUSES_MILLISECONDS[looks];
    if (pause === undefined) break;
    looks += 1;
    await server.unlock(world.name, session.lock());
    await clock.sleep(pause, signal);
    session = await enter(place, world, wish, Math.max(deadline - steady.now(), AGAIN_MILLISECONDS), signal);
  }
  return orLeave(place, world, session, signal, async () => {
    if (!session.isStrict()) await refuseDouble(place, world, session, signal);
    return begin(place, world, session, { ...wish, id: session.lock().id }, signal);
  });
}

/** Takes the lock under an id of its own, and reads the contents. */
async function enter(
  place: Place,
  world: ZonePlace,
  wish: Omit<LockHolder, "id">,
  waitMilliseconds: number,
  signal?: AbortSignal,
): Promise<Session> {
  const lockOf = (id: string): LockInfo => infoOf({ ...wish, id }, world.name);
  const info = lockOf(place.random.uuid());
  const refusal = async (other: LockHolder | undefined): Promise<Locked> =>
    lockedBy(await inFull(world, other), place.clock.now());
  await take(world, info, { waitMilliseconds, refusal }, signal);
  return orLeave(place, world, { lock: () => info }, signal, () => openSession(world, info, lockOf, signal));
}

/** Runs `act`; frees the lock if it fails. */
async function orLeave<T>(
  { server }: Place,
  { name }: ZonePlace,
  session: Pick<Session, "lock">,
  signal: AbortSignal | undefined,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (thrown) {
    await (signal?.aborted
      ? server.leave(name, session.lock())
      : server.unlock(name, session.lock()).catch(() => undefined));
    throw thrown;
  }
}

/** Asks for the lock a second time: a server that grants it again has no working locks. */
async function refuseDouble(
  { clock, random, server }: Place,
  { name, where }: ZonePlace,
  session: Session,
  signal?: AbortSignal,
): Promise<void> {
  const second = lookInfo(random.uuid(), name, clock.now());
  const answer = await server.lock(name, second, signal);
  if (answer === "taken") {
    await server.unlock(name, second).catch(() => undefined);
    throw doubleLock(where);
  }
  if (answer.holder !== undefined && answer.holder.id !== session.lock().id) throw lockLost(where);
}

/** Records who holds the lock. From then on, no former holder can write unnoticed. */
async function begin(
  { server, sessions }: Place,
  { name, zone, project }: ZonePlace,
  session: Session,
  holder: LockHolder,
  signal?: AbortSignal,
): Promise<Lease> {
  const fence = await session.write((contents) => {
    const highest = highestSerial(contents.entries, contents.highest);
    const next: Contents = { ...contents, fence: contents.fence + 1, holder, isLocked: true, highest };
    return { contents: next, result: next.fence };
  }, signal);
  const named = sessionName(project, zone, holder.id);
  sessions.set(named, session);
  const release = async (): Promise<void> => {
    if (!sessions.delete(named)) return;
    try {
      await session.write((contents) => ({ contents: { ...contents, isLocked: false }, result: undefined }));
      await session.confirm();
    } catch (thrown) {
      // Another run took the lock and keeps it: some servers free a lock whatever the id is.
      if (thrown instanceof StoreConflict) return;
      await server.leave(name, session.lock());
      throw thrown;
    }
    await server.unlock(name, session.lock());
  };
  return { id: holder.id, fence, release };
}

/** Completes what the server says about a holder from the state, if it is the same holder. */
async function inFull(world: ZonePlace, holder: LockHolder | undefined): Promise<LockHolder | undefined> {
  const stored = (await readContents(world).catch(() => undefined))?.body;
  const written = stored?.isLocked === true ? stored.holder : undefined;
  return holder === undefined || holder.id === written?.id ? written : holder;
}

async function holding(place: Place, key: ZoneKey): Promise<Holding | undefined> {
  const stored = (await readContents(zoneOf(place, key)))?.body;
  const holder = stored?.isLocked === true ? stored.holder : undefined;
  return holder && { unlockId: holder.id, holder, isAlive: undefined };
}

async function inquire(place: Place, key: ZoneKey): Promise<Holding | undefined> {
  const { clock, random, server } = place;
  const world = zoneOf(place, key);
  const look = lookInfo(random.uuid(), world.name, clock.now());
  const answer = await server.lock(world.name, look).catch(unlessMayNotLock);
  // A job with read-only access gets what the state says.
  if (answer === undefined) return holding(place, key);
  if (answer === "taken") {
    await server.unlock(world.name, look);
    return undefined;
  }
  const holder = await inFull(world, answer.holder);
  return { unlockId: holder?.id, holder, isAlive: undefined };
}

/** Frees the lock, then takes it for a moment to record that it is free. */
async function unlock(place: Place, key: ZoneKey, id: string): Promise<void> {
  const { clock, random, server } = place;
  const world = zoneOf(place, key);
  const { name, where } = world;
  const found = await inquire(place, key);
  if (!found) throw notLocked(where);
  if (found.unlockId === undefined)
    throw notUnlocked(
      `${where} is ${describeHolding(found, clock.now())}`,
      "make sure that no run is active, then unlock the state on the server's page",
    );
  if (found.unlockId !== id) throw lockedOtherwise(where);
  if (!(await server.unlock(name, unlockInfo(id, name))))
    throw notUnlocked(
      `the server did not unlock ${where}: another run has it by now, or it names no holder`,
      "run zoneform state lock; if it shows the same id again, unlock the state on the server's page",
    );
  const lookOf = (uuid: string): LockInfo => lookInfo(uuid, name, clock.now());
  const own = lookOf(random.uuid());
  if ((await server.lock(name, own)) !== "taken") return;
  let session: Session | undefined;
  try {
    session = await openSession(world, own, lookOf);
    await markFree(session, id);
  } catch (thrown) {
    await server.leave(name, session?.lock() ?? own);
    throw thrown;
  }
  await server.unlock(name, session.lock());
}

async function markFree(session: Session, id: string): Promise<void> {
  if (session.contents().holder?.id !== id) return;
  await session.write((contents) => ({
    contents: { ...contents, fence: contents.fence + 1, isLocked: false },
    result: undefined,
  }));
}

/** The session of a lease. Throws `StoreConflict` if it has ended. */
export function sessionOf({ sessions }: Place, { project, zone }: ZonePlace, lease: Lease): Session {
  return sessionIn(sessions, project, zone, lease);
}

function unlessMayNotLock(thrown: unknown): undefined {
  const code = thrown instanceof StateError ? thrown.diagnostic.code : undefined;
  if (code !== "state-denied" && code !== "state-without-lock") throw thrown;
}

function lockedBy(holder: LockHolder | undefined, now: number): Locked {
  const holding = { unlockId: holder?.id, holder, isAlive: undefined };
  return new Locked(holding, describeHolding(holding, now));
}
