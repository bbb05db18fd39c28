import { type StateError, placeError } from "../../error.ts";
import type { Connection } from "./driver.ts";
import { isTrueIn, numberIn, onlyRow } from "./rows.ts";
import { type Alone, transaction } from "./transaction.ts";

const VERSION = 1;

/**
 * The tables; `$schema` stands for the quoted schema. A zone of a project has one row in `zones`: it is the fence of
 * everything that the holder of the lock writes. The lines of an entry lie in `chunks` of a body that is never changed;
 * what replaces a body only points elsewhere. A journal has a number: the one before stays for those who are reading it.
 */
const TABLES = [
  `CREATE TABLE $schema.bodies (
    key uuid PRIMARY KEY,
    epoch bigint NOT NULL,
    serial bigint,
    chunks integer,
    bytes bigint,
    start text[],
    is_whole boolean,
    loose_since timestamptz DEFAULT now())`,
  `CREATE TABLE $schema.chunks (
    body uuid NOT NULL REFERENCES $schema.bodies ON DELETE CASCADE,
    number integer NOT NULL,
    lines text NOT NULL,
    PRIMARY KEY (body, number))`,
  `CREATE TABLE $schema.zones (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project text NOT NULL,
    zone text NOT NULL,
    epoch bigint NOT NULL,
    is_held boolean NOT NULL,
    holder jsonb NOT NULL,
    backend integer NOT NULL,
    generation bigint NOT NULL,
    freed_by uuid,
    serial bigint NOT NULL,
    journal bigint NOT NULL DEFAULT 0,
    UNIQUE (project, zone))`,
  `CREATE TABLE $schema.entries (
    zone bigint NOT NULL REFERENCES $schema.zones,
    name text NOT NULL,
    body uuid NOT NULL REFERENCES $schema.bodies,
    PRIMARY KEY (zone, name))`,
  `CREATE TABLE $schema.journal (
    zone bigint NOT NULL REFERENCES $schema.zones,
    number bigint NOT NULL,
    epoch bigint NOT NULL,
    seq bigint NOT NULL,
    line text NOT NULL,
    PRIMARY KEY (zone, number, epoch, seq))`,
  `CREATE TABLE $schema.old_journals (
    zone bigint NOT NULL REFERENCES $schema.zones,
    number bigint NOT NULL,
    since timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (zone, number))`,
  `CREATE TABLE $schema.observations (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project text NOT NULL,
    zone text NOT NULL,
    line text NOT NULL)`,
  `CREATE INDEX observations_of_zone ON $schema.observations (project, zone, key)`,
  `CREATE INDEX loose_bodies ON $schema.bodies (loose_since) WHERE loose_since IS NOT NULL`,
  `CREATE INDEX bodies_of_entries ON $schema.entries (body)`,
  `CREATE TABLE $schema.shared (
    name text PRIMARY KEY,
    tag uuid NOT NULL,
    text text NOT NULL)`,
  `CREATE TABLE $schema.version (version integer NOT NULL)`,
  `INSERT INTO $schema.version VALUES (${VERSION})`,
];

/** The tables of a schema. */
export interface Tables {
  /** The quoted schema. */
  readonly schema: string;
  /** Whether they are there. Throws `StateError` for those of a newer version. */
  areThere(connection: Connection): Promise<boolean>;
  /** Makes them, unless they are there. The signal ends a wait for others that make them. Throws as `areThere` does. */
  make(connection: Connection, signal?: AbortSignal): Promise<void>;
}

/** The tables of a schema. */
export function tablesIn(schema: string, { steady, random }: Pick<Alone, "steady" | "random">): Tables {
  const quoted = `"${schema}"`;
  const alone: Alone = { name: `zoneform tables ${schema}`, steady, random, busy: () => stillMade(schema) };
  let isKnown = false;

  async function areThere(connection: Connection): Promise<boolean> {
    isKnown ||= await areFound(connection);
    return isKnown;
  }

  async function areFound(connection: Connection): Promise<boolean> {
    // The catalog instead of the name: a role that may not use the schema must not take it for an empty one.
    const found = await connection.query(
      `SELECT 1 FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = $1 AND relname = 'version'`,
      [schema],
    );
    if (found.length === 0) return false;
    const version = numberIn(onlyRow(await connection.query(`SELECT version FROM ${quoted}.version`)), "version");
    if (version !== VERSION) throw ofAnotherVersion(version);
    return true;
  }

  async function make(connection: Connection, signal?: AbortSignal): Promise<void> {
    if (await areThere(connection)) return;
    // A lock of its own: two runs that find no tables make them once.
    await transaction(connection, () => makeOnce(connection), alone, signal);
    isKnown = true;
  }

  async function makeOnce(connection: Connection): Promise<void> {
    if (await areFound(connection)) return;
    const found = await connection.query("SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1) AS there", [
      schema,
    ]);
    // Whoever prepared the schema need not have given the right to make others.
    if (!isTrueIn(onlyRow(found), "there")) await connection.query(`CREATE SCHEMA ${quoted}`);
    for (const statement of TABLES) await connection.query(statement.replaceAll("$schema", quoted));
  }

  return { schema: quoted, areThere, make };
}

function stillMade(schema: string): StateError {
  return placeError({
    code: "state-tables",
    message: `another session is still making the tables of the schema ${schema}`,
    remedy: "run it again; if no run is active, end the session that pg_locks shows with an advisory lock",
  });
}

function ofAnotherVersion(version: number): StateError {
  return placeError({
    code: "state-tables",
    message: `the tables of the state have version ${version}, and this zoneform knows version ${VERSION}`,
    remedy: "update zoneform: a newer one wrote this state",
  });
}
