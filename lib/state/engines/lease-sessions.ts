import type { ZoneId } from "../../core/brand.ts";
import { type Lease, StoreConflict } from "../lock.ts";

/** The name of a lease's session: a lease is for one zone of one project. */
export function sessionName(project: string, zone: ZoneId, id: string): string {
  return JSON.stringify([project, zone, id]);
}

/** What a lease needs from its session. */
interface LeaseSession {
  readonly epoch: number;
  release(): Promise<void>;
}

/** A lease, whose session is kept until the lease is given back. */
export function leaseOf<Session extends LeaseSession>(
  sessions: Map<string, Session>,
  project: string,
  zone: ZoneId,
  id: string,
  session: Session,
): Lease {
  const name = sessionName(project, zone, id);
  sessions.set(name, session);
  const release = async (): Promise<void> => {
    try {
      await session.release();
    } finally {
      sessions.delete(name);
    }
  };
  return { id, fence: session.epoch, release };
}

/** The session of a lease, by `sessionName`. Throws `StoreConflict` if it has ended. */
export function sessionIn<Session>(
  sessions: ReadonlyMap<string, Session>,
  project: string,
  zone: ZoneId,
  lease: Lease,
): Session {
  const session = sessions.get(sessionName(project, zone, lease.id));
  if (session) return session;
  throw givenBack(zone);
}

/** The lease is over, because its holder gave it back. */
export function givenBack(zone: ZoneId): StoreConflict {
  return new StoreConflict(`the lock of the state of zone ${zone} was given back`);
}

/** Another run has the lock, or it is free. */
export function takenOver(zone: ZoneId): StoreConflict {
  return new StoreConflict(
    `this run no longer has the lock of the state of zone ${zone}: somebody unlocked it (zoneform state unlock), or another run took it over`,
  );
}
