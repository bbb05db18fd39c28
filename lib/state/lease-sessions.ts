import type { ZoneId } from "../core/brand.ts";
import { type Lease, StoreConflict } from "./store.ts";

/** The name of a lease's session: a lease is for one zone of one project. */
export function sessionName(project: string, zone: ZoneId, id: string): string {
  return JSON.stringify([project, zone, id]);
}

/** The session of a lease, by `sessionName`. Throws `StoreConflict` if it has none any more. */
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
