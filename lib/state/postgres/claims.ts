import type { ZoneId } from "../../core/brand.ts";
import { type Claim, CLAIM, type Claims, releasing, taking, type WantedClaims } from "../claims.ts";
import { StateError } from "../error.ts";
import type { Connection } from "./driver.ts";
import { type Place, reading, writing } from "./place.ts";
import { objectIn } from "./rows.ts";
import { type Alone, transaction } from "./transaction.ts";

/** What the projects of a schema claim: a row for each claim, in the order in which they were taken. */
export function postgresClaims(place: Place): Claims {
  const { clock, random, steady, tables } = place;
  const { schema } = tables;

  /** Every change waits for the one before, so that of two projects that want the same exactly one gets it. */
  const alone: Alone = { name: `zoneform claims ${schema}`, steady, random, busy: () => stillChanged(place.where) };

  async function inTurn<T>(act: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return writing(place, (connection) => transaction(connection, () => act(connection), alone, signal), signal);
  }

  async function all(connection: Connection): Promise<readonly Claim[]> {
    const rows = await connection.query(`SELECT claim::text AS claim FROM ${schema}.claims ORDER BY key`);
    return rows.map((row) => CLAIM.decode(objectIn(row, "claim")));
  }

  async function replace(
    connection: Connection,
    { project, zone }: Pick<WantedClaims, "project" | "zone">,
    claims: readonly Claim[],
  ): Promise<void> {
    const own = claims.filter((claim) => claim.project === project && claim.zone === zone);
    await connection.query(`DELETE FROM ${schema}.claims WHERE project = $1 AND zone = $2`, [project, zone]);
    await connection.query(
      `INSERT INTO ${schema}.claims (project, zone, claim) SELECT $1, $2, unnest($3::text[])::jsonb`,
      [project, zone, own.map((claim) => JSON.stringify(CLAIM.encode(claim)))],
    );
  }

  async function take(wanted: WantedClaims, signal?: AbortSignal): Promise<readonly Claim[]> {
    return inTurn(async (connection) => {
      const { claims, conflicts } = taking(await all(connection), wanted, clock.now());
      if (claims) await replace(connection, wanted, claims);
      return conflicts;
    }, signal);
  }

  return {
    list: () => reading<readonly Claim[]>(place, [], all),
    take,
    release: async (project: string, zone: ZoneId) =>
      inTurn(async (connection) => {
        const claims = releasing(await all(connection), project, zone);
        if (claims) await replace(connection, { project, zone }, claims);
      }),
  };
}

function stillChanged(where: string): StateError {
  return new StateError({
    code: "claims-locked",
    message: `another session is still changing the claims at ${where}`,
    remedy: "apply again; if no run is active, end the session that pg_locks shows with an advisory lock",
  });
}
