import type { Clock, Random, SteadyClock } from "../../../core/clock.ts";
import type { FileSystem } from "../../../core/file-system.ts";
import type { Secret } from "../../../core/secret.ts";
import type { Away } from "../waiting.ts";
import { type StateStores, zoneStores } from "../../stores.ts";
import { type Address, parseAddress } from "./address.ts";
import { dialer } from "./dial.ts";
import { postgresEngine } from "./engine.ts";
import { LockSession, PATIENCE_MILLISECONDS, Readers } from "./connections.ts";
import type { Place } from "./place.ts";
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
