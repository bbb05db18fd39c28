import { type StateError, placeError } from "../error.ts";
import { explained } from "./failure.ts";
import type { Place } from "./place.ts";
import { isTrueIn, onlyRow } from "./rows.ts";

const WRITTEN = [
  "bodies",
  "chunks",
  "zones",
  "journal",
  "records",
  "backups",
  "copies",
  "claims",
  "observations",
  "budget_key",
  "budgets",
] as const;

/** Checks, before anything is changed live, that this role can write every table of the state. Throws `StateError`. */
export async function checkWritable({ dial, tables, where }: Place): Promise<void> {
  try {
    const connection = await dial({ writes: true });
    try {
      await tables.make(connection);
      const names = WRITTEN.map((name) => `${tables.schema}.${name}`);
      const rows = await connection.query(
        `SELECT bool_and(has_table_privilege(name, 'SELECT') AND has_table_privilege(name, 'INSERT')
          AND has_table_privilege(name, 'UPDATE') AND has_table_privilege(name, 'DELETE')) AS granted,
          current_setting('transaction_read_only') = 'on' AS read_only FROM unnest($1::text[]) AS name`,
        [names],
      );
      const row = onlyRow(rows);
      if (isTrueIn(row, "read_only")) throw notWritable(where, "the server, or this role, is read-only");
      if (!isTrueIn(row, "granted")) throw notWritable(where, "this role may not write all of its tables");
    } finally {
      await connection.close();
    }
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
