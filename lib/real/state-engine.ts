import { problem } from "../core/problem.ts";
import type { StateSettings } from "../config/desired.ts";
import { defined } from "../core/defined.ts";
import { type DiagnosticDetails, error, Refusal } from "../core/diagnostic.ts";
import { placeError } from "../state/error.ts";
import { type Engine, ENGINES } from "./engines.ts";
import { type GivenAddress, isAlmostAddress, schemeOf } from "./state-address.ts";

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
export function checkHost(settings: StateSettings, given: GivenAddress | undefined, found: string): void {
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
