import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { StateSettings } from "../config/desired.ts";
import type { Clock, Random, SteadyClock } from "../core/clock.ts";
import type { FileSystem } from "../core/file-system.ts";
import type { Secret } from "../core/secret.ts";
import { undiciHttp } from "../service/undici-http.ts";
import type { Transport, TransportTls } from "../state/engines/http/protocol.ts";
import type { Identity } from "../state/engines/local/generations.ts";
import { localStores } from "../state/engines/local/engine.ts";
import type { Away } from "../state/engines/waiting.ts";
import type { StateStores } from "../state/stores.ts";

/** The folder beside the project file that holds the states. */
const STATE_FOLDER = ".zoneform";

/** Enough for the state of more than a million hostnames. */
const LARGEST_STATE_BYTES = 500 * 1024 * 1024;

/** The place of a project's states if no address is given. */
export function stateFolderOf(file: string): string {
  return join(dirname(resolve(file)), STATE_FOLDER);
}

/** What opening the place of the states needs. */
export interface StoresWorld {
  /** A disk that follows no symbolic links. */
  readonly fs: FileSystem;
  /** The disk with the user's own certificates, keys and password file. */
  readonly files: Pick<FileSystem, "read" | "stat">;
  readonly clock: Clock;
  readonly steady: SteadyClock;
  readonly random: Random;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly identity: Identity;
  /** The system's user. */
  readonly user: string;
  readonly learn: (secret: Secret) => void;
  readonly away?: Away | undefined;
}

/** An opened engine, which keeps states. */
export type Engine = NonNullable<StateSettings["engine"]>;

/** The place to open. */
export interface Opening {
  /** The address; undefined if the environment or the project file says enough. */
  readonly address: string | undefined;
  readonly settings: StateSettings;
  /** Throws for hosts that must not be contacted. */
  readonly checkHost: (hosts: string) => void;
  /** The path of the project file, and the folder where relative paths start. */
  readonly file: string;
  readonly folder: string;
}

/** What the rest of the program knows about an engine. */
interface Registered {
  /** How its addresses begin. */
  readonly schemes: readonly string[];
  /** Where it keeps states, for messages, and how to choose it. */
  readonly place: string;
  readonly remedy: string;
  readonly open: (world: StoresWorld, opening: Opening) => Promise<StateStores>;
}

/** Every engine. Those with a server are loaded late: most commands need none of them. */
export const ENGINES: Readonly<Record<Engine, Registered>> = {
  local: {
    schemes: [],
    place: "in a folder",
    remedy: "unset ZONEFORM_STATE and leave out --state, or change state.engine in the project file",
    open: async ({ fs, identity, clock, steady, random }, { address, file, folder }) => {
      const root = address === undefined ? stateFolderOf(file) : resolve(folder, address);
      return localStores(fs, root, { identity, clock, steady, random });
    },
  },
  postgres: {
    schemes: ["postgres", "postgresql"],
    place: "in PostgreSQL",
    remedy: "set ZONEFORM_STATE to the server's address, such as postgres://user@host/database",
    open: async (world, { address = "postgres://", settings: { schema }, checkHost }) => {
      const { postgresStores } = await import("../state/engines/postgres/engine.ts");
      return postgresStores(address, { ...world, fs: world.files, home: homedir(), schema, checkHost });
    },
  },
  s3: {
    schemes: ["s3"],
    place: "on S3",
    remedy: "set ZONEFORM_STATE to the bucket's address, such as s3://bucket/prefix",
    // The address may leave bucket and prefix to the project file, as `s3://`. It never leaves the server to it.
    open: async (world, { address = "", settings: { bucket, key }, checkHost }) => {
      const { s3Stores } = await import("../state/engines/s3/engine.ts");
      return s3Stores(address, { ...world, bucket, key, checkHost });
    },
  },
  http: {
    schemes: ["http", "https"],
    place: "on an HTTP server",
    remedy: "set ZONEFORM_STATE to the server's address, such as https://host/path",
    open: async ({ clock, steady, random, env, learn, away }, { address = "", checkHost }) => {
      const { httpStores } = await import("../state/engines/http/engine.ts");
      const connect = (tls: TransportTls): Transport => undiciHttp({ tls, bodyLimitBytes: LARGEST_STATE_BYTES });
      const options = { env, clock, steady, random, learn, away, connect, mostBytes: LARGEST_STATE_BYTES, checkHost };
      return httpStores(address, options);
    },
  },
};
