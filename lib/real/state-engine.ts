import type { StateSettings } from "../config/desired.ts";
import { defined } from "../core/defined.ts";
import { type DiagnosticDetails, error, Refusal } from "../core/diagnostic.ts";
import { StateError } from "../state/error.ts";
import { type GivenAddress, hostsOf, httpHostOf, isHttp, isPostgres, isS3, schemeOf } from "./state-address.ts";

/** What keeps states. */
export type Engine = NonNullable<StateSettings["engine"]>;

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The engine that the address names; without one, that of the project file. Throws `Refusal` where the project file wants
 * another engine or another host: it chooses no server, it only compares.
 */
export function stateEngine(settings: StateSettings, given: GivenAddress | undefined, env: Env): Engine {
  const wanted = settings.engine ?? impliedEngine(settings);
  const engine =
    given === undefined ? (wanted ?? (settings.host === undefined ? "local" : "postgres")) : engineOf(given);
  if (wanted !== undefined && wanted !== engine) throw refusal(settings, anotherEngine(wanted, engine, given));
  if (engine !== "local") checkServer(engine, settings, given, env);
  return engine;
}

/** Settings that only one engine has say which one is wanted. */
function impliedEngine({ schema, bucket, key }: StateSettings): Engine | undefined {
  if (schema !== undefined) return "postgres";
  return (bucket ?? key) === undefined ? undefined : "s3";
}

function engineOf(given: GivenAddress): Engine {
  if (isPostgres(given.text)) return "postgres";
  if (isS3(given.text)) return "s3";
  if (isHttp(given.text)) return "http";
  const scheme = schemeOf(given.text);
  if (scheme === undefined) return "local";
  throw new Refusal([
    error({
      code: "state-engine",
      message: `${given.from} has an address of ${scheme}://, where no states can be kept`,
      remedy:
        "give a folder, or an address such as postgres://user@host/database, s3://bucket/prefix or https://host/path",
    }),
  ]);
}

function anotherEngine(wanted: Engine, engine: Engine, given: GivenAddress | undefined): DiagnosticDetails {
  const found = given === undefined ? "no address is given" : `${given.from} names ${NAMES[engine]}`;
  const message = `the project file wants the states ${PLACES[wanted]}, and ${found}`;
  return { code: "state-engine", message, remedy: REMEDIES[wanted] };
}

const NAMES = {
  local: "a folder",
  postgres: "PostgreSQL",
  s3: "a bucket on S3",
  http: "an HTTP server",
} as const satisfies Record<Engine, string>;

const PLACES = {
  local: "in a folder",
  postgres: "in PostgreSQL",
  s3: "on S3",
  http: "on an HTTP server",
} as const satisfies Record<Engine, string>;

const REMEDIES = {
  local: "unset ZONEFORM_STATE and leave out --state, or change state.engine in the project file",
  postgres: "set ZONEFORM_STATE to the server's address, such as postgres://user@host/database",
  s3: "set ZONEFORM_STATE to the bucket's address, such as s3://bucket/prefix",
  http: "set ZONEFORM_STATE to the server's address, such as https://host/path",
} as const satisfies Record<Engine, string>;

/** Somebody has to say which server, and it has to be the expected one. */
function checkServer(
  engine: Exclude<Engine, "local">,
  settings: StateSettings,
  given: GivenAddress | undefined,
  env: Env,
): void {
  if (given === undefined && !(engine === "postgres" && env["PGHOST"])) throw refusal(settings, nowhere(engine));
  // Where an address of S3 leads is only known to the client, which reads the profile too.
  if (engine !== "s3") checkHost(settings, given, HOSTS[engine](given?.text, env));
}

/** Compares the host to which something would be sent with the one that the project file expects. Throws `StateError`. */
export function checkHost(settings: StateSettings, given: GivenAddress | undefined, found: string): void {
  if (settings.host === undefined || settings.host.toLowerCase() === found.toLowerCase()) return;
  throw new StateError({
    ...defined({ at: settings.at }),
    code: "state-host",
    message: `the project file expects the states on ${settings.host}, and ${given?.from ?? "PGHOST"} leads to ${found}`,
    remedy: "find out which is right: the project file never chooses the server, it only compares",
  });
}

function nowhere(engine: Exclude<Engine, "local">): DiagnosticDetails {
  return {
    code: "state-engine",
    message: `the project file wants the states ${PLACES[engine]}, and nothing says where`,
    remedy: `${REMEDIES[engine]}${engine === "postgres" ? ", or set PGHOST" : ""}`,
  };
}

/** The host that an address leads to; several are separated by commas. */
const HOSTS: Readonly<Record<"postgres" | "http", (address: string | undefined, env: Env) => string>> = {
  postgres: (address = "postgres://", env) => hostsOf(address, env).join(","),
  http: (address = "") => httpHostOf(address),
};

function refusal({ at }: StateSettings, details: DiagnosticDetails): Refusal {
  return new Refusal([error({ ...details, ...defined({ at }) })]);
}
