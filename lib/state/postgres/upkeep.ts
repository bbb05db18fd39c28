import { isHexId, type ZoneId, zoneId } from "../../core/brand.ts";
import { copyName } from "../copy-name.ts";
import { noBackup } from "../no-backup.ts";
import type { StateStore } from "../store.ts";
import type { Role, StateFile, Upkeep } from "../upkeep.ts";
import { linesOfBody, stageBody } from "./bodies.ts";
import { type Place, reading } from "./place.ts";
import { numberIn, textIn } from "./rows.ts";
import type { Session } from "./session.ts";

type Part = "state" | "journal";

/** The upkeep of the states of a project, but for what belongs to a part of its own. */
export function upkeep(
  place: Place,
  { read, journal }: Pick<StateStore, "read" | "journal">,
  describe: (zone: ZoneId, part?: Part) => string,
): Omit<Upkeep, "rewriteJournal"> {
  const { clock, project, random, sessionOf, tables } = place;
  const { schema } = tables;

  async function files(zone: ZoneId): Promise<readonly StateFile[]> {
    const rows = await reading(place, [], (connection) =>
      connection.query(
        `WITH z AS (SELECT key, snapshot FROM ${schema}.zones WHERE project = $1 AND zone = $2)
        SELECT 'state' AS role, '' AS name, b.bytes FROM z JOIN ${schema}.bodies b ON b.key = z.snapshot
        UNION ALL SELECT 'journal', '', sum(octet_length(line) + 1) FROM ${schema}.journal j JOIN z ON z.key = j.zone HAVING count(*) > 0
        UNION ALL SELECT 'backup', p.serial::text, b.bytes FROM ${schema}.backups p JOIN z ON z.key = p.zone JOIN ${schema}.bodies b ON b.key = p.body
        UNION ALL SELECT 'record', r.name, b.bytes FROM ${schema}.records r JOIN z ON z.key = r.zone JOIN ${schema}.bodies b ON b.key = r.body
        UNION ALL SELECT 'set-aside', c.name, b.bytes FROM ${schema}.copies c JOIN z ON z.key = c.zone JOIN ${schema}.bodies b ON b.key = c.body
        UNION ALL SELECT 'observations', '', sum(octet_length(line) + 1) FROM ${schema}.observations WHERE project = $1 AND zone = $2 HAVING count(*) > 0`,
        [project, zone],
      ),
    );
    return rows.map((row) => {
      const [role, name] = [roleIn(textIn(row, "role")), textIn(row, "name")];
      const copy = role === "set-aside" ? { copy: name } : {};
      return { path: pathOf(zone, role, name), role, ...copy, sizeBytes: numberIn(row, "bytes"), mode: 0o600 };
    });
  }

  function pathOf(zone: ZoneId, role: Role, name: string): string {
    const state = describe(zone);
    if (role === "backup") return `${state}.backup-${name}`;
    const base = state.slice(0, -".state".length);
    if (role === "set-aside") return `${base}.${name}`;
    return role === "record" ? `${base}.kept-${name}` : `${base}.${role}`;
  }

  async function setAside(session: Session, part: Part, name: string): Promise<boolean> {
    return session.send({
      statement: `${part === "state" ? STATE_BODY : journalBody()},
        kept AS (INSERT INTO ${schema}.copies (zone, name, body) SELECT zone, $3, body FROM source
          ON CONFLICT (zone, name) DO NOTHING)
        SELECT (SELECT count(*) FROM held) AS held, (SELECT count(*) FROM source) AS found`,
      values: part === "state" ? [name] : [name, random.uuid()],
      answer: (row) => numberIn(row, "found") > 0,
      found: async (connection) => {
        const rows = await connection.query(`SELECT 1 FROM ${schema}.copies WHERE zone = $1 AND name = $2`, [
          session.zoneKey,
          name,
        ]);
        return rows.length > 0 ? true : undefined;
      },
    });
  }

  /** The journal as a body of its own. */
  function journalBody(): string {
    return `text AS (SELECT j.zone, string_agg(line, E'\\n' ORDER BY j.epoch, seq) AS lines
        FROM ${schema}.journal j JOIN held ON held.key = j.zone GROUP BY j.zone),
      body AS (INSERT INTO ${schema}.bodies (key, epoch, chunks, bytes, loose_since)
        SELECT $4::uuid, held.epoch, 1, octet_length(lines) + 1, NULL FROM held, text),
      chunk AS (INSERT INTO ${schema}.chunks (body, number, lines) SELECT $4::uuid, 0, lines FROM text),
      source AS (SELECT zone, $4::uuid AS body FROM text)`;
  }

  async function retire(zone: ZoneId, session: Session, keeping = ""): Promise<readonly string[]> {
    const copies: string[] = [];
    for (const part of ["state", "journal"] as const) {
      const name = copyName(part, "removed", clock.now());
      if (await setAside(session, part, name)) copies.push(name);
    }
    await session.replacing(() =>
      session.send({
        statement: `records AS (DELETE FROM ${schema}.records WHERE zone IN (SELECT key FROM held) AND name <> $5 RETURNING body),
          backups AS (DELETE FROM ${schema}.backups WHERE zone IN (SELECT key FROM held) RETURNING body),
          journal AS (DELETE FROM ${schema}.journal WHERE zone IN (SELECT key FROM held)),
          observed AS (DELETE FROM ${schema}.observations WHERE project = $3 AND zone = $4 AND EXISTS (SELECT FROM held)),
          loosened AS (UPDATE ${schema}.bodies SET loose_since = now() WHERE key IN
            (SELECT body FROM records UNION SELECT body FROM backups UNION SELECT snapshot FROM held)),
          emptied AS (UPDATE ${schema}.zones SET snapshot = NULL, serial = 0 WHERE key IN (SELECT key FROM held))
          SELECT count(*) AS held FROM held`,
        values: [project, zone, keeping],
        answer: () => undefined,
      }),
    );
    Object.assign(session.confirmed, { snapshot: undefined, seq: 0 });
    return copies;
  }

  async function* stateLines(zone: ZoneId): AsyncIterable<string> {
    const stored = await read(zone);
    if (stored) yield* stored.lines;
  }

  async function copy(zone: ZoneId, name: string): Promise<AsyncIterable<string> | undefined> {
    const [row] = await reading(place, [], (connection) =>
      connection.query(
        `SELECT b.key, b.chunks FROM ${schema}.zones z JOIN ${schema}.copies c ON c.zone = z.key
        JOIN ${schema}.bodies b ON b.key = c.body WHERE z.project = $1 AND z.zone = $2 AND c.name = $3`,
        [project, zone, name],
      ),
    );
    return row && linesOfBody(place, textIn(row, "key"), numberIn(row, "chunks"));
  }

  async function discardCopy(session: Session, name: string): Promise<void> {
    await session.send({
      statement: `gone AS (DELETE FROM ${schema}.copies WHERE zone IN (SELECT key FROM held) AND name = $3 RETURNING body),
        loosened AS (UPDATE ${schema}.bodies SET loose_since = now() WHERE key IN (SELECT body FROM gone))
        SELECT count(*) AS held FROM held`,
      values: [name],
      answer: () => undefined,
    });
  }

  async function* backup(zone: ZoneId, serial: number): AsyncIterable<string> {
    const [row] = await reading(place, [], (connection) =>
      connection.query(
        `SELECT b.key, b.chunks FROM ${schema}.zones z JOIN ${schema}.backups p ON p.zone = z.key
        JOIN ${schema}.bodies b ON b.key = p.body WHERE z.project = $1 AND z.zone = $2 AND p.serial = $3::bigint`,
        [project, zone, serial],
      ),
    );
    if (!row) throw noBackup(describe(zone), serial);
    yield* linesOfBody(place, textIn(row, "key"), numberIn(row, "chunks"));
  }

  async function addBackup(session: Session, serial: number, lines: AsyncIterable<string>): Promise<void> {
    const body = await stageBody(place, session, lines);
    await session.send({
      statement: `loosened AS (UPDATE ${schema}.bodies SET loose_since = now() WHERE key IN
          (SELECT body FROM ${schema}.backups WHERE zone IN (SELECT key FROM held) AND serial = $3::bigint) AND key <> $4::uuid),
        fixed AS (UPDATE ${schema}.bodies SET loose_since = NULL WHERE key = $4::uuid AND EXISTS (SELECT FROM held)),
        kept AS (INSERT INTO ${schema}.backups (zone, serial, body) SELECT key, $3::bigint, $4::uuid FROM held
          ON CONFLICT (zone, serial) DO UPDATE SET body = excluded.body)
        SELECT count(*) AS held FROM held`,
      values: [serial, body.key],
      answer: () => undefined,
    });
  }

  return {
    // Who may read is a matter of grants, which whoever runs the database sees there.
    warnings: async () => [],
    files,
    backup,
    addBackup: (zone, lease, serial, lines) => addBackup(sessionOf(zone, lease), serial, lines),
    backups: async (zone) => {
      const rows = await reading(place, [], (connection) =>
        connection.query(
          `SELECT p.serial FROM ${schema}.zones z JOIN ${schema}.backups p ON p.zone = z.key
          WHERE z.project = $1 AND z.zone = $2 ORDER BY p.serial DESC`,
          [project, zone],
        ),
      );
      return rows.map((row) => numberIn(row, "serial"));
    },
    opened: (_zone, lines) => lines,
    looseLines: (zone, part) => (part === "state" ? stateLines(zone) : journal(zone)),
    // A line is a row: it is there or not.
    journalTail: async () => "",
    sealOf: async () => "none",
    setAside: async (zone, lease, part) => {
      const name = copyName(part, "damaged", clock.now());
      await setAside(sessionOf(zone, lease), part, name);
      return name;
    },
    copy,
    discardCopy: async (zone, lease, name) => discardCopy(sessionOf(zone, lease), name),
    retire: async (zone, lease, keeping) => retire(zone, sessionOf(zone, lease), keeping),
    zones: async () => {
      const rows = await reading(place, [], (connection) =>
        connection.query(`SELECT DISTINCT zone FROM (${keptIn(schema)}) AS found WHERE project = $1 ORDER BY zone`, [
          project,
        ]),
      );
      return rows
        .map((row) => textIn(row, "zone"))
        .filter(isHexId)
        .map(zoneId);
    },
  };
}

const STATE_BODY = "source AS (SELECT key AS zone, snapshot AS body FROM held WHERE snapshot IS NOT NULL)";

/** The projects and zones for which something is kept besides a lock. */
export function keptIn(schema: string): string {
  return `SELECT project, zone FROM ${schema}.zones z WHERE snapshot IS NOT NULL
      OR EXISTS (SELECT FROM ${schema}.journal WHERE zone = z.key) OR EXISTS (SELECT FROM ${schema}.backups WHERE zone = z.key)
    UNION SELECT project, zone FROM ${schema}.observations`;
}

const ROLES: readonly Role[] = ["state", "journal", "backup", "record", "observations", "set-aside"];

function roleIn(text: string): Role {
  return ROLES.find((role) => role === text) ?? "unknown";
}
