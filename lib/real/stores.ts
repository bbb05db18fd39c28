import type { StateSettings } from "../config/desired.ts";
import { defined } from "../core/json.ts";
import { placeError, StateError } from "../state/error.ts";
import type { StateStores } from "../state/stores.ts";
import { type Engine, ENGINES, type StoresWorld } from "./engines.ts";
import { type GivenAddress, givenAddress, isAlmostAddress, schemeOf, secretsIn } from "./state-address.ts";
import { type DiagnosticDetails, error, problem, Refusal } from "../core/diagnostic.ts";

/** The place of the states, without the settings in the files of the repository. */
interface StoresOptions {
  /** The path of the project file. */
  readonly file: string;
  /** Where relative paths start. */
  readonly folder: string;
  /** `--state`. */
  readonly address?: string | undefined;
  /** The flag that gave the address, if it is not `--state`. */
  readonly flag?: "--to";
}

/** Opens the place of the states, once for the same settings, and closes it. */
export interface StoresOpener {
  open(settings: StateSettings): Promise<StateStores>;
  readonly close: () => Promise<void>;
}

/** Makes the opener; it does not connect yet. */
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

/** Opens the place that the address names; the project file may only confirm it. Throws `Refusal`. */
async function openStores(
  world: StoresWorld,
  options: StoresOptions,
  given: GivenAddress | undefined,
  settings: StateSettings,
): Promise<StateStores> {
  const engine = stateEngine(settings, given, world.env);
  const check = (hosts: string): void => checkHost(settings, given, hosts);
  const opening = { ...options, address: given?.text, settings, checkHost: check };
  return ENGINES[engine].open(world, opening).catch((thrown: unknown) => {
    throw thrown instanceof StateError && thrown.diagnostic.code === "state-engine" ? at(settings, thrown) : thrown;
  });
}

/** Reports where the project file differs from the address, with the place in the file. */
function at(settings: StateSettings, fault: StateError): StateError {
  return placeError({ ...fault.diagnostic, ...defined({ at: settings.at }) }, { cause: fault });
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The engine that the address names; without an address, the project file's. Throws `Refusal` if the project file wants
 * another engine: it never chooses a server, it only compares.
 */
export function stateEngine(settings: StateSettings, given: GivenAddress | undefined, env: Env): Engine {
  const wanted = settings.engine ?? impliedEngine(settings);
  if (!given && wanted === undefined && settings.host !== undefined) throw refusal(settings, HOST_ALONE);
  const engine = given ? engineOf(given) : (wanted ?? "local");
  if (given && wanted !== undefined && wanted !== engine) throw refusal(settings, otherEngine(wanted, engine, given));
  // The user has to name the server; the engine compares it with the expected one.
  if (engine !== "local" && !given && !(engine === "postgres" && env["PGHOST"]))
    throw refusal(settings, nowhere(engine));
  if (given && engine === "local") checkHost(settings, given, "a folder");
  return engine;
}

/** Settings that only one engine has imply that engine. */
function impliedEngine({ schema, bucket, key }: StateSettings): Engine | undefined {
  if (schema !== undefined) return "postgres";
  return (bucket ?? key) === undefined ? undefined : "s3";
}

function engineOf({ text, from }: GivenAddress): Engine {
  const scheme = schemeOf(text);
  if (isAlmostAddress(text)) throw noFolder(from);
  const engine = scheme === undefined ? "local" : engineOfScheme(scheme);
  if (engine !== undefined) return engine;
  throw new Refusal([
    error({
      code: "state-engine",
      message: `${from} has an address of ${scheme}://, where no states can be kept`,
      remedy:
        "give a folder, or an address such as postgres://user@host/database, s3://bucket/prefix or https://host/path",
    }),
  ]);
}

/** A folder of that name would get the states, and its name may hold a password. */
function noFolder(from: GivenAddress["from"]): Refusal {
  return new Refusal([
    error({
      code: "state-address",
      message: `${from} looks like the address of a server, and not like a folder`,
      remedy:
        "write an address as postgres://USER@HOST:PORT/DATABASE, s3://BUCKET/PREFIX or https://HOST/PATH, and a folder of such a name with ./ in front",
    }),
  ]);
}

function engineOfScheme(scheme: string): Engine | undefined {
  const isEngine = (name: string): name is Engine => name in ENGINES;
  return Object.keys(ENGINES)
    .filter(isEngine)
    .find((engine) => ENGINES[engine].schemes.includes(scheme));
}

/** Each engine with a server has hosts. */
const HOST_ALONE: DiagnosticDetails = {
  code: "state-engine",
  message: "the project file names a host for the states, and nothing says what keeps them there",
  remedy: "set ZONEFORM_STATE to the address, and state.engine to postgres, s3 or http",
};

function otherEngine(wanted: Engine, engine: Engine, { from }: GivenAddress): DiagnosticDetails {
  const { place, remedy } = ENGINES[wanted];
  const message = `the project file wants the states ${place}, but ${from} puts them ${ENGINES[engine].place}`;
  return { code: "state-engine", message, remedy };
}

/** Compares the host to contact with the one that the project file expects. Throws `StateError`. */
function checkHost(settings: StateSettings, given: GivenAddress | undefined, found: string): void {
  if (settings.host === undefined || settings.host.toLowerCase() === found.toLowerCase()) return;
  const values = { host: settings.host, from: given?.from ?? "PGHOST", found };
  throw placeError(problem("state-host", values, defined({ at: settings.at })));
}

function nowhere(engine: Exclude<Engine, "local">): DiagnosticDetails {
  const { place, remedy } = ENGINES[engine];
  return {
    code: "state-engine",
    message: `the project file wants the states ${place}, and nothing says where`,
    remedy: `${remedy}${engine === "postgres" ? ", or set PGHOST" : ""}`,
  };
}

function refusal({ at }: StateSettings, details: DiagnosticDetails): Refusal {
  return new Refusal([error({ ...details, ...defined({ at }) })]);
}
