import { type Engine, highestSerial, type TakenLock, type View, type ZoneKey } from "../../engine.ts";
import { StateError } from "../../error.ts";
import { describeHolding } from "../../holding.ts";
import { sessionIn, sessionName } from "../../lease-sessions.ts";
import { notUnlocked } from "../../not-unlocked.ts";
import { type Holding, type Lease, Locked, type LockHolder, StoreConflict } from "../../store.ts";
import type { Contents } from "./document.ts";
import { doubleLock } from "./failure.ts";
import { infoOf, type LockInfo, lookInfo, unlockInfo } from "./lock-info.ts";
import { type Place, zoneOf, type ZonePlace } from "./place.ts";
import { openSession, readContents, type Session } from "./session.ts";
import { take } from "./take.ts";

/** What the server gives back may be older than what it stores, for a moment. We look again after these pauses. */
const OLD_READ_PAUSES_MILLISECONDS = [500, 1000, 2000];

/** The locks of zones. `viewOf` is what the holder of one finds. */
export function locks(
  place: Place,
  viewOf: (contents: Contents) => View,
): Required<Pick<Engine, "lock" | "holding" | "inquire" | "unlock">> {
  const { clock, random, server, sessions } = place;

  async function lock(
    key: ZoneKey,
    wish: Omit<LockHolder, "id">,
    waitMilliseconds: number,
    signal?: AbortSignal,
  ): Promise<TakenLock> {
    const world = zoneOf(place, key);
    server.checkLocking(world.name);
    const holder = { ...wish, id: random.uuid() };
    const info = infoOf(holder, world.name);
    const refusal = async (other: LockHolder | undefined): Promise<Locked> =>
      lockedBy(await inFull(world, other), clock.now());
    await take(world, info, { waitMilliseconds, refusal }, signal);
    let session: Session | undefined;
    try {
      await refuseDouble(world, signal);
      session = await openNewest(world, info, (id) => infoOf({ ...holder, id }, world.name), signal);
      const lease = await begin(world, session, holder, signal);
      return { lease, view: viewOf(session.contents()) };
    } catch (thrown) {
      const held = session?.lock() ?? info;
      await (signal?.aborted ? server.leave(world.name, held) : server.unlock(world.name, held).catch(() => undefined));
      throw thrown;
    }
  }

  async function refuseDouble({ name, where }: ZonePlace, signal?: AbortSignal): Promise<void> {
    const second = lookInfo(random.uuid(), name, clock.now());
    if ((await server.lock(name, second, signal)) !== "taken") return;
    await server.unlock(name, second).catch(() => undefined);
    throw doubleLock(where);
  }

  /** The lock was free: where the state says that somebody has it, that run was killed, or this is not its last write. */
  async function openNewest(...parts: Parameters<typeof openSession>): Promise<Session> {
    const [, , , signal] = parts;
    let session = await openSession(...parts);
    for (const pause of OLD_READ_PAUSES_MILLISECONDS) {
      if (!session.contents().isHeld) break;
      await clock.sleep(pause, signal);
      session = await openSession(...parts);
    }
    return session;
  }

  /** Writes down who holds the lock: from then on, nobody who held it before can write unnoticed. */
  async function begin(
    { name, zone, project }: ZonePlace,
    session: Session,
    holder: LockHolder,
    signal?: AbortSignal,
  ): Promise<Lease> {
    const fence = await session.write((contents) => {
      const highest = highestSerial(contents.entries, contents.highest);
      const next: Contents = { ...contents, fence: contents.fence + 1, holder, isHeld: true, highest };
      return { contents: next, result: next.fence };
    }, signal);
    const named = sessionName(project, zone, holder.id);
    sessions.set(named, session);
    const release = async (): Promise<void> => {
      if (!sessions.delete(named)) return;
      try {
        await session.write((contents) => ({ contents: { ...contents, isHeld: false }, result: undefined }));
        await session.confirm();
      } catch (thrown) {
        // Whoever has the lock now keeps it: some servers free a lock whatever the id is.
        if (thrown instanceof StoreConflict) return;
        await server.leave(name, session.lock());
        throw thrown;
      }
      await server.unlock(name, session.lock());
    };
    return { id: holder.id, fence, release };
  }

  /** What the server does not say of a holder, the state says, if it is the same one. */
  async function inFull(world: ZonePlace, holder: LockHolder | undefined): Promise<LockHolder | undefined> {
    const stored = (await readContents(world).catch(() => undefined))?.body;
    const written = stored?.isHeld === true ? stored.holder : undefined;
    return holder === undefined || holder.id === written?.id ? written : holder;
  }

  async function holding(key: ZoneKey): Promise<Holding | undefined> {
    const stored = (await readContents(zoneOf(place, key)))?.body;
    const holder = stored?.isHeld === true ? stored.holder : undefined;
    return holder && { unlockId: holder.id, holder, isAlive: undefined };
  }

  async function inquire(key: ZoneKey): Promise<Holding | undefined> {
    const world = zoneOf(place, key);
    const look = lookInfo(random.uuid(), world.name, clock.now());
    const answer = await server.lock(world.name, look).catch(unlessMayNotLock);
    // Whoever may only read learns what the state says.
    if (answer === undefined) return holding(key);
    if (answer === "taken") {
      await server.unlock(world.name, look);
      return undefined;
    }
    const holder = await inFull(world, answer.holder);
    return { unlockId: holder?.id, holder, isAlive: undefined };
  }

  /** Frees the lock, then takes it for a moment to write down that it is free. */
  async function unlock(key: ZoneKey, id: string): Promise<void> {
    const world = zoneOf(place, key);
    const { name, where } = world;
    const found = await inquire(key);
    if (!found) throw notUnlocked(`${where} is not locked`, "there is nothing to unlock");
    if (found.unlockId === undefined)
      throw notUnlocked(
        `${where} is ${describeHolding(found, clock.now())}`,
        "make sure that no run is active, then unlock the state on the server's page",
      );
    if (found.unlockId !== id)
      throw notUnlocked(`${where} is locked with another id`, "give the id from the message that reported the lock");
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
      contents: { ...contents, fence: contents.fence + 1, isHeld: false },
      result: undefined,
    }));
  }

  return { lock, holding, inquire, unlock };
}

/** The session of a lease. Throws `StoreConflict` if it has none any more. */
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
