import { fingerprint } from "../../core/fingerprint.ts";
import { EMPTY, type JsonObject } from "../../core/json.ts";
import type { Draw, Granted, SharedBudget } from "../../core/shared-budget.ts";
import { drawAll } from "../budget-ledger.ts";
import type { Connection } from "./driver.ts";
import { type Place, writing } from "./place.ts";
import { numberIn, objectIn, onlyRow, textIn } from "./rows.ts";
import { transaction } from "./transaction.ts";

/** The time of the server, when the row is locked: `now()` would be that of the beginning of the wait for it. */
export const SERVER_TIME = "clock_timestamp()";

const KEY_BYTES = 32;

/** The budgets of the credentials that are used with a schema: a row for each, which is locked for each draw. */
export function postgresBudget(place: Place, serverTime: string): SharedBudget {
  const { schema } = place.tables;
  let key: string | undefined;

  /** The key with which credentials are named. The first runner makes it, and it never changes. */
  async function keyIn(connection: Connection): Promise<string> {
    const [found] = await connection.query(`SELECT key FROM ${schema}.budget_key`);
    if (found) return textIn(found, "key");
    const fresh = Buffer.from(place.random.bytes(KEY_BYTES)).toString("hex");
    await connection.query(`INSERT INTO ${schema}.budget_key (key) VALUES ($1) ON CONFLICT DO NOTHING`, [fresh]);
    return textIn(onlyRow(await connection.query(`SELECT key FROM ${schema}.budget_key`)), "key");
  }

  /** The ledgers of a credential, for this transaction alone; undefined if it has none. */
  async function lockedIn(connection: Connection, name: string): Promise<JsonObject | undefined> {
    const statement = `SELECT ledgers::text AS ledgers FROM ${schema}.budgets WHERE credential = $1 FOR UPDATE`;
    const [row] = await connection.query(statement, [name]);
    return row && objectIn(row, "ledgers");
  }

  async function insert(connection: Connection, name: string): Promise<JsonObject> {
    const statement = `INSERT INTO ${schema}.budgets (credential, ledgers) VALUES ($1, '{}') ON CONFLICT DO NOTHING`;
    await connection.query(statement, [name]);
    return (await lockedIn(connection, name)) ?? EMPTY;
  }

  async function draw(
    connection: Connection,
    name: string,
    runner: string,
    draws: readonly Draw[],
  ): Promise<readonly Granted[]> {
    const ledgers = (await lockedIn(connection, name)) ?? (await insert(connection, name));
    const time = `SELECT floor(extract(epoch FROM ${serverTime}) * 1000)::bigint AS now`;
    const now = numberIn(onlyRow(await connection.query(time)), "now");
    const drawn = drawAll(ledgers, runner, draws, now);
    await connection.query(`UPDATE ${schema}.budgets SET ledgers = $2::jsonb WHERE credential = $1`, [
      name,
      JSON.stringify(drawn.ledgers),
    ]);
    return drawn.granted;
  }

  return {
    // After a lost reply it says the same again, and gets the same places once.
    draw: ({ credential, runner }, draws) =>
      writing(place, async (connection) => {
        const drawn = await transaction(connection, async () => {
          const found = key ?? (await keyIn(connection));
          return { found, granted: await draw(connection, fingerprint(credential, found), runner, draws) };
        });
        // Not before: a key that was rolled back would name the credential as nobody else does.
        key = drawn.found;
        return drawn.granted;
      }),
  };
}
