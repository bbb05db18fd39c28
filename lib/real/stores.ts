import { dirname, join, resolve } from "node:path";
import type { StateSettings } from "../config/desired.ts";
import type { Clock, Random } from "../core/clock.ts";
import { defined } from "../core/defined.ts";
import { type DiagnosticDetails, error, Refusal } from "../core/diagnostic.ts";
import type { FileSystem } from "../core/file-system.ts";
import type { Secret } from "../core/secret.ts";
import type { Identity } from "../state/local/identity.ts";
import { localStores } from "../state/local/stores.ts";
import type { StateStores } from "../state/stores.ts";
import { type GivenAddress, givenAddress, hostsOf, isPostgres, schemeOf, secretsIn } from "./state-address.ts";

/** The folder beside the project file that holds the states. */
const STATE_FOLDER = ".zoneform";

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
  readonly random: Random;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly identity: Identity;
  /** The system's user. */
  readonly user: string;
  readonly learn: (secret: Secret) => void;
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

/**
 * Opens what the address names; the project file may only agree with it. The host to which a password is sent comes from
 * the flag and the environment alone. Throws `Refusal`.
 */
async function openStores(
  world: StoresWorld,
  { file, folder }: StoresOptions,
  given: GivenAddress | undefined,
  settings: StateSettings,
): Promise<StateStores> {
  const wanted = settings.engine ?? ((settings.schema ?? settings.host) ? "postgres" : undefined);
  const engine = engineOf(given, wanted);
  if (wanted !== undefined && wanted !== engine) throw refusal(settings, anotherEngine(wanted, given));
  if (engine === "local") {
    const { fs, identity, clock, random } = world;
    const root = given === undefined ? stateFolderOf(file) : resolve(folder, given.text);
    return localStores(fs, root, { identity, clock, random });
  }
  const address = given?.text ?? "postgres://";
  checkHost(world, settings, address, given);
  return postgres(world, address, settings.schema);
}

/** Without an address, the engine of the project file counts: its host is then that of libpq's environment. */
function engineOf(given: GivenAddress | undefined, wanted: StateSettings["engine"]): "local" | "postgres" {
  if (given === undefined) return wanted ?? "local";
  if (isPostgres(given.text)) return "postgres";
  const scheme = schemeOf(given.text);
  if (scheme === undefined) return "local";
  throw new Refusal([
    error({
      code: "state-engine",
      message: `${given.from} has an address of ${scheme}://, where no states can be kept`,
      remedy: "give a folder, or an address such as postgres://user@host/database",
    }),
  ]);
}

function anotherEngine(wanted: "local" | "postgres", given: GivenAddress | undefined): DiagnosticDetails {
  const found = given === undefined ? "no address is given" : `${given.from} names ${NAMES[other(wanted)]}`;
  const message = `the project file wants the states in ${NAMES[wanted]}, and ${found}`;
  return {
    code: "state-engine",
    message,
    remedy:
      wanted === "postgres"
        ? "set ZONEFORM_STATE to the server's address, such as postgres://user@host/database"
        : "unset ZONEFORM_STATE and leave out --state, or change state.engine in the project file",
  };
}

const NAMES = { local: "a folder", postgres: "PostgreSQL" } as const;

function other(engine: "local" | "postgres"): "local" | "postgres" {
  return engine === "local" ? "postgres" : "local";
}

function checkHost(
  { env }: StoresWorld,
  settings: StateSettings,
  address: string,
  given: GivenAddress | undefined,
): void {
  if (given === undefined && !env["PGHOST"]) {
    throw refusal(settings, {
      code: "state-engine",
      message: "the project file wants the states in PostgreSQL, and nothing says on which server",
      remedy: "set ZONEFORM_STATE to the server's address, such as postgres://user@host/database, or set PGHOST",
    });
  }
  if (settings.host === undefined) return;
  const hosts = hostsOf(address, env);
  const expected = settings.host.toLowerCase().split(",");
  if (hosts.length === expected.length && hosts.every((host, index) => host === expected[index])) return;
  throw refusal(settings, {
    code: "state-host",
    message: `the project file expects the states on ${settings.host}, and ${given?.from ?? "PGHOST"} leads to ${hosts.join(",")}`,
    remedy: "find out which is right: the project file never chooses the server, it only compares",
  });
}

function refusal({ at }: StateSettings, details: DiagnosticDetails): Refusal {
  return new Refusal([error({ ...details, ...defined({ at }) })]);
}

/** Loaded late: most commands need no database. */
async function postgres(world: StoresWorld, address: string, schema: string | undefined): Promise<StateStores> {
  const { postgresStores } = await import("../state/postgres/stores.ts");
  return postgresStores(address, { ...world, fs: world.files, schema });
}
