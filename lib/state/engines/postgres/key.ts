import { createHash } from "node:crypto";

/** The key of an advisory lock, and how `pg_locks` shows it. */
export interface LockKey {
  readonly key: string;
  readonly high: string;
  readonly low: string;
}

/** The server's process that has the lock with the key of `$1` (`high`) and `$2` (`low`). */
export const HOLDING_SESSION = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND classid = $1::bigint::oid AND objid = $2::bigint::oid`;

/**
 * The key of a zone's lock. Freeing a lock by hand raises the generation, so that the next run takes another key and
 * need not end the session of somebody who may not answer any more.
 */
export function lockKey(schema: string, project: string, zone: string, generation: number): LockKey {
  const digest = createHash("sha256")
    .update(JSON.stringify(["zoneform lock", schema, project, zone, generation]))
    .digest();
  return {
    key: String(digest.readBigInt64BE(0)),
    high: String(digest.readUInt32BE(0)),
    low: String(digest.readUInt32BE(4)),
  };
}
