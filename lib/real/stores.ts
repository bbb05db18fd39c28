import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { StateSettings } from "../config/desired.ts";
import type { Clock, Random, SteadyClock } from "../core/clock.ts";
import { defined } from "../core/defined.ts";
import type { FileSystem } from "../core/file-system.ts";
import type { Secret } from "../core/secret.ts";
import { undiciHttp } from "../service/undici-http.ts";
import { placeError, StateError } from "../state/error.ts";
import type { Transport, TransportTls } from "../state/engines/http/transport.ts";
import type { Identity } from "../state/engines/local/generations.ts";
import { localStores } from "../state/engines/local/stores.ts";
import type { Away } from "../state/engines/waiting.ts";
import type { StateStores } from "../state/stores.ts";
import { type GivenAddress, givenAddress, secretsIn } from "./state-address.ts";
import { checkHost, type Engine, stateEngine } from "./state-engine.ts";

/** The folder beside the project file that holds the states. */
const STATE_FOLDER = ".zoneform";

/** The state of more than a million hostnames. */
const LARGEST_STATE_BYTES = 500 * 1024 * 1024;

/** Where the states of a project file are if no address is given. */
export function stateFolderOf(file: string): string {
  return join(dirname(resolve(file)), STATE_FOLDER);
}

/** What the place of the states is made of. */
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

/** Where the states are, as far as no file of the repository says it. */
export interface StoresOptions {
  /** The path of the project file. */
  readonly file: string;
  /** Where relative paths start. */
  readonly folder: string;
  /** `--state`. */
  readonly address?: string | undefined;
  /** The flag that gave the address, if it is another one. */
  readonly flag?: "--to";
}

/** Opens the place of the states, once for the same settings, and closes it. */
export interface StoresOpener {
  open(settings: StateSettings): Promise<StateStores>;
  readonly close: () => Promise<void>;
}

/** Makes the opener. It connects to nothing. */
export function storesOpener(world: StoresWorld, options: StoresOptions): StoresOpener {
  const found = givenAddress(options.address, world.env);
  const given = found && options.flag ? { ...found, from: options.flag } : found;
  for (const secret of secretsIn(given?.text ?? "")) world.learn(secret);
  const opened = new Map<string, Promise<StateStores>>();
  return {
    open: (settings) => {
      const key = JSON.stringify(settings);
      const stores = opened.get(key) ?? openStores(world, options, given, settings);
      opened.set(key, stores);
      return stores;
    },
    close: async () => {
      for (const stores of opened.values()) await (await stores.catch(() => undefined))?.close();
    },
  };
}

/** Opens what the address names; the project file may only agree with it. Throws `Refusal`. */
async function openStores(
  world: StoresWorld,
  options: StoresOptions,
  given: GivenAddress | undefined,
  settings: StateSettings,
): Promise<StateStores> {
  const engine = stateEngine(settings, given, world.env);
  return OPENERS[engine](world, given, settings, options).catch((thrown: unknown) => {
    throw thrown instanceof StateError && thrown.diagnostic.code === "state-engine" ? at(settings, thrown) : thrown;
  });
}

/** What the project file says otherwise than the address, with its place in the file. */
function at(settings: StateSettings, fault: StateError): StateError {
  return placeError({ ...fault.diagnostic, ...defined({ at: settings.at }) }, { cause: fault });
}

type Opener = (
  world: StoresWorld,
  given: GivenAddress | undefined,
  settings: StateSettings,
  options: StoresOptions,
) => Promise<StateStores>;

/** Engines other than the local one are loaded late: most commands need none of them. */
const OPENERS: Readonly<Record<Engine, Opener>> = {
  local: async ({ fs, identity, clock, steady, random }, given, _settings, { file, folder }) => {
    const root = given === undefined ? stateFolderOf(file) : resolve(folder, given.text);
    return localStores(fs, root, { identity, clock, steady, random });
  },
  postgres: async (world, given, settings) => {
    const check = (hosts: string): void => checkHost(settings, given, hosts);
    const { postgresStores } = await import("../state/engines/postgres/stores.ts");
    return postgresStores(given?.text ?? "postgres://", {
      ...world,
      fs: world.files,
      home: homedir(),
      schema: settings.schema,
      checkHost: check,
    });
  },
  // The address may leave bucket and prefix to the project file, as `s3://`. It never leaves the server to it.
  s3: async (world, given, settings) => {
    const { bucket, key } = settings;
    const check = (host: string): void => checkHost(settings, given, host);
    const { s3Stores } = await import("../state/engines/s3/engine.ts");
    return s3Stores(given?.text ?? "", { ...world, bucket, key, checkHost: check });
  },
  http: async ({ clock, steady, random, env, learn, away }, given, settings) => {
    const check = (host: string): void => checkHost(settings, given, host);
    const { httpStores } = await import("../state/engines/http/stores.ts");
    const connect = (tls: TransportTls): Transport => undiciHttp({ tls, bodyLimitBytes: LARGEST_STATE_BYTES });
    return httpStores(given?.text ?? "", {
      env,
      clock,
      steady,
      random,
      learn,
      away,
      connect,
      mostBytes: LARGEST_STATE_BYTES,
      checkHost: check,
    });
  },
};
