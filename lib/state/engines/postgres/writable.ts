import { type StateError, placeError } from "../../error.ts";
import type { Connection } from "./driver.ts";
import { explained } from "./failure.ts";
import { persist } from "./patience.ts";
import type { Place } from "./place.ts";
import { isTrueIn, onlyRow, type Row } from "./rows.ts";

const WRITTEN = ["bodies", "chunks", "zones", "entries", "journal", "old_journals", "shared", "observations"] as const;

/** Checks, before anything is changed live, that this role can write every table of the state. Throws `StateError`. */
export async function checkWritable(place: Place): Promise<void> {
  const { line, steady, tables, where, patienceMilliseconds } = place;
  const deadline = steady.now() + patienceMilliseconds;
  const names = WRITTEN.map((name) => `${tables.schema}.${name}`);
  const ask = (connection: Connection): Promise<readonly Row[]> =>
    connection.query(
      `SELECT bool_and(has_table_privilege(name, 'SELECT') AND has_table_privilege(name, 'INSERT')
        AND has_table_privilege(name, 'UPDATE') AND has_table_privilege(name, 'DELETE')) AS granted,
        current_setting('transaction_read_only') = 'on' AS read_only FROM unnest($1::text[]) AS name`,
      [names],
    );
  try {
    const row = onlyRow(
      await persist(
        place,
        () => deadline,
        () => line.use(ask),
      ),
    );
    if (isTrueIn(row, "read_only")) throw notWritable(where, "the server, or this role, is read-only");
    if (!isTrueIn(row, "granted")) throw notWritable(where, "this role may not write all of its tables");
  } catch (error) {
    throw explained(error, where, "written");
  }
}

function notWritable(where: string, reason: string): StateError {
  return placeError({
    code: "state-denied",
    message: `the state at ${where} cannot be written: ${reason}`,
    remedy: "grant this role what docs/postgres.md lists for an apply",
  });
}
