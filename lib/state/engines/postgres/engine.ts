import { isHexId, zoneId } from "../../../core/brand.ts";
import { type Engine, type ListedZone, type Shared, STATE } from "../../engine.ts";
import { append, checkLease, commit } from "./commit.ts";
import { locks } from "./lock.ts";
import { checkWritable, type Place, reading, sessionOf, writing } from "./place.ts";
import { isTrueIn, numberIn, optionalTextIn, textIn } from "./rows.ts";
import { seenRows } from "./sightings.ts";
import { linesOfBody, linesOfJournal, NOTHING, viewOf } from "./view.ts";
import type { Clock, Random, SteadyClock } from "../../../core/clock.ts";
import type { FileSystem } from "../../../core/file-system.ts";
import type { Secret } from "../../../core/secret.ts";
import type { Away } from "../waiting.ts";
import { type StateStores, zoneStores } from "../../stores.ts";
import { type Address, parseAddress } from "./address.ts";
import { dialer } from "./dial.ts";
import { LockSession, PATIENCE_MILLISECONDS, Readers } from "./connections.ts";
import { Tables } from "./tables.ts";

/** The options of states in PostgreSQL besides their address. */
export interface PostgresOptions {
  /** libpq's environment, which completes the address. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads certificates, keys and the password file. */
  readonly fs: Pick<FileSystem, "read" | "stat">;
  readonly clock: Clock;
  readonly steady: SteadyClock;
  readonly random: Random;
  /** The user's home folder, for libpq's default files, if `HOME` is not set. */
  readonly home?: string | undefined;
  /** The system's user: the server's user unless the address or the environment names another. */
  readonly user: string;
  /** The schema of the tables; `zoneform` if neither this nor the address names one. */
  readonly schema?: string | undefined;
  /** Throws for hosts, separated by commas, that must not be contacted. */
  readonly checkHost?: ((hosts: string) => void) | undefined;
  /** Called with each password, so that the output filter can mask it. */
  readonly learn?: ((secret: Secret) => void) | undefined;
  readonly away?: Away | undefined;
  /** How long a run waits for a server that is gone, in milliseconds. */
  readonly patienceMilliseconds?: number;
}

/**
 * The states of projects in a PostgreSQL database. It connects at the first use. Throws `StateError` for an address that
 * cannot be used.
 */
export function postgresStores(address: string, options: PostgresOptions): StateStores {
  const { env, fs, clock, steady, random, user, schema, away, learn = () => undefined } = options;
  const parsed = parseAddress(address, env, { user, ...(schema === undefined ? {} : { schema }) });
  options.checkHost?.(parsed.hosts.map(({ host }) => host).join(","));
  const { patienceMilliseconds = PATIENCE_MILLISECONDS } = options;
  const dial = dialer(parsed, { fs, clock, home: env["HOME"] ?? options.home, learn });
  const known = { hasGivenUp: false };
  const tables = new Tables(parsed.schema, { steady, random });
  const place: Place = {
    tables,
    line: new LockSession(dial, (connection, signal) => tables.make(connection, signal)),
    readers: new Readers(dial, { steady, away, known }, patienceMilliseconds),
    away,
    known,
    clock,
    steady,
    random,
    patienceMilliseconds,
    where: addressOf(parsed),
    sessions: new Map(),
  };
  return zoneStores(postgresEngine(place, pathOf(parsed)), { clock, random });
}

/** The address for `--state`, without user and password: the user's environment has them. */
function addressOf(address: Address): string {
  const { database, schema } = address;
  return `postgres://${hostsIn(address, encodeURIComponent)}/${encodeURIComponent(database)}?schema=${schema}`;
}

/** The place as a path that a state's name is appended to, for messages. */
function pathOf(address: Address): string {
  return `postgres://${hostsIn(address, (host) => host)}/${address.database}/${address.schema}`;
}

function hostsIn({ hosts }: Address, written: (host: string) => string): string {
  return hosts.map(({ host, port }) => `${host.includes(":") ? `[${host}]` : written(host)}:${port}`).join(",");
}

/**
 * States in the tables of a schema. A session lock of the server says who holds a zone. The epoch in the zone's row is
 * the fence: each statement of a holder checks it. `path` is the schema as a path, for messages.
 */
function postgresEngine(place: Place, path: string): Engine {
  const { line, readers, sessions, tables, where } = place;
  return {
    ...locks(place),
    zones: () => listZones(place),
    view: (key) => reading(place, NOTHING, (connection) => viewOf(connection, tables.schema, key)),
    body: (_key, entry) => linesOfBody(place, entry),
    journal: (_key, view) => linesOfJournal(place, view),
    commit: async (key, lease, changes) => commit(place, key, sessionOf(place, key, lease), changes),
    append: async (key, lease, lines) => {
      const session = sessionOf(place, key, lease);
      return lines.length === 0 ? checkLease(session) : append(place, session, lines);
    },
    sightings: seenRows(place),
    shared: (name) => sharedRow(place, name),
    check: () => checkWritable(place),
    describe: (key, name = STATE) => (key ? `${path}/${key.project}/${key.zone}.${name}` : where),
    close: async () => {
      await Promise.all([...sessions.values()].map((session) => session.abandon()));
      sessions.clear();
      await Promise.all([line.close(), readers.close()]);
    },
  };
}

/** Lists, in one statement, the zones that have anything. A zone without a state and a journal has unknown content. */
async function listZones(place: Place): Promise<readonly ListedZone[]> {
  const { schema } = place.tables;
  const rows = await reading(place, [], (connection) =>
    connection.query(`SELECT project, zone, bool_or(is_kept) AS is_kept FROM (
        SELECT project, zone, EXISTS (SELECT FROM ${schema}.entries WHERE zone = z.key AND name = '${STATE}')
          OR EXISTS (SELECT FROM ${schema}.journal WHERE zone = z.key AND number = z.journal) AS is_kept
        FROM ${schema}.zones z WHERE EXISTS (SELECT FROM ${schema}.entries WHERE zone = z.key)
          OR EXISTS (SELECT FROM ${schema}.journal WHERE zone = z.key AND number = z.journal)
        UNION ALL SELECT DISTINCT project, zone, true FROM ${schema}.observations) AS found GROUP BY project, zone`),
  );
  return rows.flatMap((row): ListedZone[] => {
    const [project, zone] = [textIn(row, "project"), textIn(row, "zone")];
    if (!isHexId(zone)) return [];
    return [{ project, zone: zoneId(zone), ...(isTrueIn(row, "is_kept") ? { isKept: true } : {}) }];
  });
}

/** A shared text: a row that one statement replaces. */
function sharedRow(place: Place, name: string): Shared {
  const { clock, random, tables } = place;
  const { schema } = tables;
  return {
    get: async () => {
      const [row] = await reading(place, [], (connection) =>
        connection.query(
          `SELECT s.text, s.tag, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
          FROM (SELECT) AS one LEFT JOIN ${schema}.shared s ON s.name = $1`,
          [name],
        ),
      );
      if (!row) return { text: undefined, tag: undefined, now: clock.now() };
      return { text: optionalTextIn(row, "text"), tag: optionalTextIn(row, "tag"), now: numberIn(row, "now") };
    },
    replace: (tag, text, signal) => {
      // The same tag at each attempt: after a lost reply, it shows that the row was written.
      const next = random.uuid();
      return writing(
        place,
        async (connection) => {
          const rows = await connection.query(
            tag === undefined
              ? `INSERT INTO ${schema}.shared AS s (name, tag, text) VALUES ($1, $2::uuid, $3)
                ON CONFLICT (name) DO UPDATE SET tag = s.tag WHERE s.tag = $2::uuid RETURNING 1`
              : `UPDATE ${schema}.shared SET tag = $2::uuid, text = $3 WHERE name = $1 AND tag IN ($2::uuid, $4::uuid)
                RETURNING 1`,
            tag === undefined ? [name, next, text] : [name, next, text, tag],
          );
          return rows.length > 0;
        },
        signal,
      );
    },
  };
}
