import type { Random } from "../../core/clock.ts";
import { type StateError, placeError } from "../error.ts";
import type { Connection } from "./driver.ts";
import { isTrueIn, numberIn, onlyRow } from "./rows.ts";

const KEY_BYTES = 6;
const TAKE = "SELECT pg_try_advisory_lock($1::bigint) AS taken, pg_backend_pid() AS pid";
/** What was taken through a transaction pooler stays with the server's session, not with ours. */
const FREE = "SELECT pg_advisory_unlock_all()";

/**
 * Refuses a pooler that shares the server's sessions between clients: there, a lock belongs to nobody. It takes a lock
 * on one connection and once more on another: if both get it, they are one session of the server. Throws `StateError`.
 */
export async function refusePooler(
  connection: Connection,
  open: () => Promise<Connection>,
  random: Random,
): Promise<void> {
  const key = String(Buffer.from(random.bytes(KEY_BYTES)).readUIntBE(0, KEY_BYTES));
  const first = onlyRow(await connection.query(TAKE, [key]));
  const other = await open();
  try {
    const second = onlyRow(await other.query(TAKE, [key]));
    const again = onlyRow(await connection.query("SELECT pg_backend_pid() AS pid"));
    const isShared = isTrueIn(second, "taken") || numberIn(first, "pid") !== numberIn(again, "pid");
    await other.query(FREE);
    await connection.query(FREE);
    if (isShared) throw poolerFault();
  } finally {
    await other.close();
  }
}

function poolerFault(): StateError {
  return placeError({
    code: "state-pooler",
    message: "the state is behind a pooler that gives each transaction another session: no lock would hold there",
    remedy: "name the server itself in the address, or a pooler in session mode",
  });
}
