import type { Random, SteadyClock } from "../../../core/clock.ts";
import { type StateError, placeError } from "../../error.ts";
import { waitTurn } from "../waiting.ts";
import type { Connection } from "./driver.ts";
import { ServerError } from "./failure.ts";
import { LOCK_BACKOFF, PATIENCE_MILLISECONDS } from "./connections.ts";
import { numberIn, onlyRow } from "./rows.ts";

/** The version of the tables that this Zoneform makes. */
const VERSION = 1;

/** The oldest version that can still read these tables. A change that only adds tables or columns does not raise it. */
const READABLE_FROM = 1;

/**
 * The tables; `$schema` stands for the quoted schema. Each zone of a project has one row in `zones`, which fences
 * everything that the holder of the lock writes. The lines of an entry are `chunks` of a body that never changes; a
 * replacement only changes the reference. A journal has a number; the previous journal stays for processes that are
 * reading it.
 */
const TABLES = `
  CREATE TABLE $schema.bodies (
    key uuid PRIMARY KEY,
    epoch bigint NOT NULL,
    serial bigint,
    chunks integer,
    bytes bigint,
    start text[],
    is_whole boolean,
    loose_since timestamptz DEFAULT now());
  CREATE TABLE $schema.chunks (
    body uuid NOT NULL REFERENCES $schema.bodies ON DELETE CASCADE,
    number integer NOT NULL,
    lines text NOT NULL,
    PRIMARY KEY (body, number));
  CREATE TABLE $schema.zones (
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
    UNIQUE (project, zone));
  CREATE TABLE $schema.entries (
    zone bigint NOT NULL REFERENCES $schema.zones,
    name text NOT NULL,
    body uuid NOT NULL REFERENCES $schema.bodies,
    PRIMARY KEY (zone, name));
  CREATE TABLE $schema.journal (
    zone bigint NOT NULL REFERENCES $schema.zones,
    number bigint NOT NULL,
    epoch bigint NOT NULL,
    seq bigint NOT NULL,
    line text NOT NULL,
    PRIMARY KEY (zone, number, epoch, seq));
  CREATE TABLE $schema.old_journals (
    zone bigint NOT NULL REFERENCES $schema.zones,
    number bigint NOT NULL,
    since timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (zone, number));
  CREATE TABLE $schema.observations (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project text NOT NULL,
    zone text NOT NULL,
    line text NOT NULL);
  CREATE INDEX observations_of_zone ON $schema.observations (project, zone, key);
  CREATE INDEX loose_bodies ON $schema.bodies (loose_since) WHERE loose_since IS NOT NULL;
  CREATE INDEX bodies_of_entries ON $schema.entries (body);
  CREATE TABLE $schema.shared (
    name text PRIMARY KEY,
    tag uuid NOT NULL,
    text text NOT NULL);
  CREATE TABLE $schema.version (version integer NOT NULL, readable_from integer NOT NULL);
  INSERT INTO $schema.version VALUES (${VERSION}, ${READABLE_FROM});`;

/** The tables that an apply writes. */
export const WRITTEN: readonly string[] = [
  "bodies",
  "chunks",
  "zones",
  "entries",
  "journal",
  "old_journals",
  "shared",
  "observations",
];

/** The row with a schema's version. */
interface Versions {
  readonly version: number;
  /** The oldest table version whose Zoneform can read these. */
  readonly readableFrom: number;
}

/** Another run is making the tables. */
const LOCK_NOT_AVAILABLE = "55P03";
const UNDEFINED_TABLE = "42P01";

/** The tables of a schema. */
export class Tables {
  /** The quoted schema. */
  readonly schema: string;
  private readonly plain: string;
  private readonly clocks: { readonly steady: SteadyClock; readonly random: Random };
  private known: Versions | undefined;

  constructor(schema: string, clocks: { readonly steady: SteadyClock; readonly random: Random }) {
    this.schema = `"${schema}"`;
    this.plain = schema;
    this.clocks = clocks;
  }

  /**
   * Runs `act`, which only reads. Returns `nothing` if there are no tables, or only older ones without the columns it
   * reads. Throws `StateError` for newer tables that only a newer Zoneform can read.
   */
  async read<T>(connection: Connection, nothing: T, act: () => Promise<T>): Promise<T> {
    const known = (this.known ??= await this.versionsIn(connection));
    if (!known) return nothing;
    if (known.readableFrom > VERSION) throw ofAnotherVersion(known.version, "reads");
    try {
      return await act();
    } catch (error) {
      if (known.version < VERSION && isServerError(error, UNDEFINED_TABLE)) return nothing;
      throw error;
    }
  }

  /**
   * Makes the tables unless they exist. The signal ends a wait for other runs that make them. Throws `StateError` for
   * tables of any other version: those versions could not read what this one writes.
   */
  async make(connection: Connection, signal?: AbortSignal): Promise<void> {
    this.known ??= await this.versionsIn(connection);
    if (!this.known) {
      await this.makeAll(connection, signal);
      this.known = await this.versionsIn(connection);
    }
    if (this.known?.version !== VERSION) throw ofAnotherVersion(this.known?.version, "writes");
  }

  /**
   * A role without the right to use the schema must not take it for an empty one: then the server reports the missing
   * right.
   */
  private async versionsIn(connection: Connection): Promise<Versions | undefined> {
    const asked = connection.query(`SELECT version, readable_from FROM ${this.schema}.version`);
    const rows = await asked.catch((error: unknown) => {
      if (isServerError(error, UNDEFINED_TABLE)) return undefined;
      throw error;
    });
    const row = rows && onlyRow(rows);
    return row && { version: numberIn(row, "version"), readableFrom: numberIn(row, "readable_from") };
  }

  /** One statement, alone, so that two runs that find no tables make them only once. */
  private makeAll(connection: Connection, signal?: AbortSignal): Promise<true> {
    const waiting = { ...this.clocks, backoff: LOCK_BACKOFF, waitMilliseconds: PATIENCE_MILLISECONDS, signal };
    return waitTurn(waiting, async () => {
      try {
        await connection.query(making(this.plain, this.schema));
        return { taken: true };
      } catch (error) {
        if (!isServerError(error, LOCK_NOT_AVAILABLE)) throw error;
        return { refusal: () => stillMade(this.plain) };
      }
    });
  }
}

/** The schema may be prepared for a role that cannot create schemas. */
function making(schema: string, quoted: string): string {
  return `DO $making$ BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('zoneform tables ${schema}', 0)) THEN
      RAISE EXCEPTION USING ERRCODE = '${LOCK_NOT_AVAILABLE}';
    END IF;
    IF EXISTS (SELECT FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
      WHERE nspname = '${schema}' AND relname = 'version') THEN RETURN; END IF;
    IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = '${schema}') THEN CREATE SCHEMA ${quoted}; END IF;
    ${TABLES.replaceAll("$schema", quoted)}
  END $making$`;
}

function isServerError(error: unknown, sqlState: string): boolean {
  return error instanceof ServerError && error.sqlState === sqlState;
}

function stillMade(schema: string): StateError {
  return placeError({
    code: "state-tables",
    message: `another session is still making the tables of the schema ${schema}`,
    remedy: "run it again; if no run is active, end the session that pg_locks shows with an advisory lock",
  });
}

function ofAnotherVersion(version: number | undefined, does: "reads" | "writes"): StateError {
  const isNewer = version !== undefined && version > VERSION;
  return placeError({
    code: "state-tables",
    message: `the tables of the state have version ${version}, and this zoneform ${does} version ${VERSION}`,
    remedy: isNewer
      ? "update zoneform: a newer one made these tables"
      : "use the zoneform that made these tables, or another schema",
  });
}
