import { type StateError, placeError } from "../error.ts";
import type { Connection } from "./driver.ts";
import { isTrueIn, numberIn, onlyRow } from "./rows.ts";
import { type Alone, transaction } from "./transaction.ts";

/** A step of the tables from one version to the next; `$schema` stands for the quoted schema. */
export type Migration = readonly string[];

/**
 * The tables, version by version. A zone of a project has one row in `zones`: it is the fence of everything that the
 * holder of the lock writes. Lines lie in `chunks` of a body that is never changed; what replaces a body only points
 * elsewhere.
 */
export const MIGRATIONS: readonly Migration[] = [
  [
    `CREATE TABLE $schema.bodies (
      key uuid PRIMARY KEY,
      epoch bigint NOT NULL,
      sha256 text,
      serial bigint,
      chunks integer,
      bytes bigint,
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
      snapshot uuid REFERENCES $schema.bodies,
      UNIQUE (project, zone))`,
    `CREATE TABLE $schema.journal (
      zone bigint NOT NULL REFERENCES $schema.zones,
      epoch bigint NOT NULL,
      seq bigint NOT NULL,
      line text NOT NULL,
      PRIMARY KEY (zone, epoch, seq))`,
    `CREATE TABLE $schema.records (
      zone bigint NOT NULL REFERENCES $schema.zones,
      name text NOT NULL,
      body uuid NOT NULL REFERENCES $schema.bodies,
      PRIMARY KEY (zone, name))`,
    `CREATE TABLE $schema.backups (
      zone bigint NOT NULL REFERENCES $schema.zones,
      serial bigint NOT NULL,
      body uuid NOT NULL REFERENCES $schema.bodies,
      PRIMARY KEY (zone, serial))`,
    `CREATE TABLE $schema.copies (
      zone bigint NOT NULL REFERENCES $schema.zones,
      name text NOT NULL,
      body uuid NOT NULL REFERENCES $schema.bodies,
      PRIMARY KEY (zone, name))`,
    `CREATE TABLE $schema.observations (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      project text NOT NULL,
      zone text NOT NULL,
      line text NOT NULL)`,
    `CREATE INDEX observations_of_zone ON $schema.observations (project, zone, key)`,
    `CREATE INDEX loose_bodies ON $schema.bodies (loose_since) WHERE loose_since IS NOT NULL`,
  ],
  [
    `CREATE TABLE $schema.claims (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      project text NOT NULL,
      zone text NOT NULL,
      claim jsonb NOT NULL)`,
  ],
  [
    `CREATE TABLE $schema.budget_key (
      single boolean PRIMARY KEY DEFAULT true CHECK (single),
      key text NOT NULL)`,
    `CREATE TABLE $schema.budgets (
      credential text PRIMARY KEY,
      ledgers jsonb NOT NULL)`,
  ],
];

/** The tables of a schema, as this version of the program knows them. */
export interface Tables {
  /** The quoted schema. */
  readonly schema: string;
  /** Whether they are there. Throws `StateError` for those of another version: a reader cannot change them. */
  areThere(connection: Connection): Promise<boolean>;
  /** Makes them, or brings them to this version. Throws `StateError` if they are newer. The signal ends a wait for others. */
  make(connection: Connection, signal?: AbortSignal): Promise<void>;
}

/** The tables of a schema. */
export function tablesIn(
  schema: string,
  { steady, random }: Pick<Alone, "steady" | "random">,
  migrations: readonly Migration[] = MIGRATIONS,
): Tables {
  const quoted = `"${schema}"`;
  const alone: Alone = { name: `zoneform tables ${schema}`, steady, random, busy: () => stillMade(schema) };
  const known = migrations.length;
  let isKnown = false;

  async function areThere(connection: Connection): Promise<boolean> {
    if (isKnown) return true;
    const version = await versionIn(connection);
    if (version !== 0 && version < known) throw olderFault(version, known);
    isKnown = version === known;
    return isKnown;
  }

  /** 0 if there are none. */
  async function versionIn(connection: Connection): Promise<number> {
    // The catalog instead of the name: a role that may not use the schema must not take it for an empty one.
    const found = await connection.query(
      `SELECT 1 FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = $1 AND relname = 'version'`,
      [schema],
    );
    if (found.length === 0) return 0;
    const version = numberIn(onlyRow(await connection.query(`SELECT version FROM ${quoted}.version`)), "version");
    if (version > known) throw newerFault(version, known);
    return version;
  }

  async function make(connection: Connection, signal?: AbortSignal): Promise<void> {
    if (isKnown || (await versionIn(connection)) === known) {
      isKnown = true;
      return;
    }
    // A lock of its own: two runs that find no tables make them once.
    await transaction(connection, () => bringToVersion(connection), alone, signal);
    isKnown = true;
  }

  async function bringToVersion(connection: Connection): Promise<void> {
    const version = await versionIn(connection);
    if (version === 0) await begin(connection);
    for (const statement of migrations.slice(version).flat())
      await connection.query(statement.replaceAll("$schema", quoted));
    await connection.query(`UPDATE ${quoted}.version SET version = $1`, [known]);
  }

  async function begin(connection: Connection): Promise<void> {
    const found = await connection.query("SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1) AS there", [
      schema,
    ]);
    // Whoever prepared the schema need not have given the right to make others.
    if (!isTrueIn(onlyRow(found), "there")) await connection.query(`CREATE SCHEMA ${quoted}`);
    await connection.query(`CREATE TABLE ${quoted}.version (version integer NOT NULL)`);
    await connection.query(`INSERT INTO ${quoted}.version VALUES (0)`);
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

function newerFault(version: number, known: number): StateError {
  return placeError({
    code: "state-tables",
    message: `the tables of the state have version ${version}, and this zoneform knows version ${known}`,
    remedy: "update zoneform: a newer one wrote this state",
  });
}

function olderFault(version: number, known: number): StateError {
  return placeError({
    code: "state-tables",
    message: `the tables of the state have version ${version}, and this zoneform reads version ${known}`,
    remedy: "let an apply with this zoneform run first: it brings them to its version",
  });
}
