import { decodedPart, parametersIn } from "../address.ts";
import { type StateError, placeError } from "../../error.ts";
import { Secret } from "../../../core/secret.ts";

/** libpq's `sslmode`. */
const TLS_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;

/** How much TLS a connection needs, in libpq's words. */
export type TlsMode = (typeof TLS_MODES)[number];

/** One server of an address. */
export interface Host {
  /** A name, an IP address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
}

/** What the address and libpq's environment say about a connection. */
export interface Address {
  /** In the order in which to try them. */
  readonly hosts: readonly Host[];
  readonly user: string;
  /** Whether the user comes from the address itself. */
  readonly namesUser: boolean;
  readonly database: string;
  /** Undefined: the password file may have it. */
  readonly password: Secret | undefined;
  readonly passwordFile: string | undefined;
  readonly tls: Tls;
  /** Settings for the session, as `-c name=value`. */
  readonly options: string;
  readonly applicationName: string;
  readonly connectMilliseconds: number;
  readonly schema: string;
}

/** The TLS settings of an address. An undefined path means libpq's default in the home folder. */
export interface Tls {
  readonly mode: TlsMode;
  /** A file of certificates, or `system` for those that come with Node. */
  readonly rootCert: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** Whether the login must be bound to the TLS connection, which proves that nobody sits in between. */
  readonly mustBind: boolean;
}

type Env = Readonly<Record<string, string | undefined>>;

const DEFAULT_PORT = "5432";
const DEFAULT_SCHEMA = "zoneform";
const CONNECT_SECONDS = "10";
/** PostgreSQL truncates longer names, and then two schemas would be one. */
const SCHEMA = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

/** The parameters of an address, each with the libpq variable that counts if the address does not have it. */
const PARAMETERS = [
  ["host", "PGHOST"],
  ["port", "PGPORT"],
  ["user", "PGUSER"],
  ["password", "PGPASSWORD"],
  ["passfile", "PGPASSFILE"],
  ["dbname", "PGDATABASE"],
  ["sslmode", "PGSSLMODE"],
  ["sslrootcert", "PGSSLROOTCERT"],
  ["sslcert", "PGSSLCERT"],
  ["sslkey", "PGSSLKEY"],
  ["channel_binding", "PGCHANNELBINDING"],
  ["options", "PGOPTIONS"],
  ["application_name", "PGAPPNAME"],
  ["connect_timeout", "PGCONNECT_TIMEOUT"],
  ["schema", undefined],
] as const;

type Name = (typeof PARAMETERS)[number][0];

const NAMES: readonly Name[] = PARAMETERS.map(([name]) => name);
const VARIABLES: ReadonlyMap<Name, string | undefined> = new Map(PARAMETERS);

/**
 * Reads `postgres://user:password@host:port/database?name=value` and completes it from libpq's environment. Commas
 * separate several hosts. Throws `StateError`; no message holds a part that could be a password.
 */
export function parseAddress(address: string, env: Env, defaults: { user: string; schema?: string }): Address {
  const given = new Map<Name, string>(partsOf(address));
  const value = (name: Name): string | undefined => {
    const variable = VARIABLES.get(name);
    return given.get(name) ?? (variable === undefined ? undefined : env[variable] || undefined);
  };
  const user = value("user") ?? defaults.user;
  const password = value("password");
  return {
    hosts: hostsOf(value("host") ?? "localhost", value("port") ?? DEFAULT_PORT),
    user,
    namesUser: given.has("user"),
    database: value("dbname") ?? user,
    password: password === undefined ? undefined : new Secret(password),
    passwordFile: value("passfile"),
    tls: {
      mode: modeOf(value("sslmode"), value("sslrootcert")),
      rootCert: value("sslrootcert"),
      cert: value("sslcert"),
      key: value("sslkey"),
      mustBind: mustBind(value("channel_binding")),
    },
    options: value("options") ?? "",
    applicationName: value("application_name") ?? "zoneform",
    connectMilliseconds: 1000 * secondsOf(value("connect_timeout") ?? CONNECT_SECONDS),
    schema: schemaOf(given.get("schema"), defaults.schema),
  };
}

const FORM = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/i;

const NOT_ENCODED =
  "it has an @ that ends no login; in a user or a password, write @ as %40, / as %2F, ? as %3F and # as %23";

/** Parameters of libpq and hosting services that, with these values, only ask for what Zoneform does anyway. */
const HELD_ANYWAY: Readonly<Record<string, readonly string[]>> = {
  target_session_attrs: ["any", "read-write", "primary"],
  gssencmode: ["disable", "prefer"],
  pgbouncer: ["true", "false"],
};

/** The parameters without those that change nothing. */
function withoutHeld(query: string): string {
  const pairs = query.split("&").map((pair) => [pair, ...pair.split(/=(.*)/s, 2)] as const);
  return pairs.flatMap(([pair, name = "", value = ""]) => (HELD_ANYWAY[name]?.includes(value) ? [] : [pair])).join("&");
}

function partsOf(address: string): readonly (readonly [Name, string])[] {
  const found = FORM.exec(address);
  if (!found) throw fault("it does not have the form postgres://USER@HOST:PORT/DATABASE");
  const [, login = "", hosts = "", database = "", query = ""] = found;
  // After an unencoded special character, the rest of the password follows: it must not be looked up or printed.
  const names = query.split("&").map((pair) => pair.replace(/=.*/s, ""));
  if ([hosts, database, ...names].some((part) => part.includes("@"))) throw fault(NOT_ENCODED);
  const colon = login.indexOf(":");
  const [user, password] = colon < 0 ? [login, ""] : [login.slice(0, colon), login.slice(colon + 1)];
  const each = hosts === "" ? [] : hosts.split(",").map(hostAndPort);
  const all: readonly (readonly [Name, string])[] = [
    ["user", decodedPart(user, fault)],
    ["password", decodedPart(password, fault)],
    ["host", each.map(([host]) => decodedPart(host, fault)).join(",")],
    ["port", each.some(([, port]) => port !== "") ? each.map(([, port]) => port || DEFAULT_PORT).join(",") : ""],
    ["dbname", decodedPart(database, fault)],
  ];
  return [...all.filter(([, value]) => value !== ""), ...parametersIn(withoutHeld(query), NAMES, fault)];
}

function mustBind(text = "prefer"): boolean {
  if (["disable", "prefer", "require"].includes(text)) return text === "require";
  throw fault("its channel_binding is not disable, prefer or require");
}

function hostAndPort(text: string): readonly [host: string, port: string] {
  const [, inBrackets, plain, port = ""] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d*))?$/.exec(text) ?? [];
  const host = inBrackets ?? plain;
  if (host === undefined) throw fault("a host is not HOST or HOST:PORT");
  return [host, port];
}

function hostsOf(hosts: string, ports: string): readonly Host[] {
  const [names, numbers] = [hosts.split(","), ports.split(",").map(portOf)];
  if (numbers.length !== 1 && numbers.length !== names.length) throw fault("it has more ports than hosts, or fewer");
  return names.map((host, index) => ({ host: host || "localhost", port: numbers[index] ?? numbers[0] ?? 0 }));
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535) throw fault("a port is not a number from 1 to 65535");
  return port;
}

function modeOf(mode: string | undefined, rootCert: string | undefined): TlsMode {
  // As in libpq: publicly trusted certificates prove nothing unless the name is compared.
  if (rootCert === "system" && (mode ?? "verify-full") !== "verify-full")
    throw fault("sslrootcert=system needs sslmode=verify-full");
  const wanted = mode ?? (rootCert === "system" ? "verify-full" : "prefer");
  const found = TLS_MODES.find((each) => each === wanted);
  if (!found) throw fault(`sslmode is not one of ${TLS_MODES.join(", ")}`);
  return found;
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (!Number.isSafeInteger(seconds) || seconds < 0) throw fault("connect_timeout is not a number of seconds");
  // In libpq, 0 waits for ever; Zoneform never does.
  return seconds === 0 ? Number(CONNECT_SECONDS) : Math.min(seconds, 600);
}

function schemaOf(inAddress: string | undefined, wanted: string | undefined): string {
  if (inAddress !== undefined && wanted !== undefined && inAddress !== wanted)
    throw placeError({
      code: "state-engine",
      message: `the address of the states names the schema ${JSON.stringify(inAddress)}, and the project file ${JSON.stringify(wanted)}`,
      remedy: "find out which is right; without one in the address, the project file names the schema",
    });
  const schema = wanted ?? inAddress ?? DEFAULT_SCHEMA;
  if (!SCHEMA.test(schema)) throw fault("a schema is a letter or _ and up to 62 letters, digits or _");
  return schema;
}

function fault(what: string): StateError {
  return placeError({
    code: "state-address",
    message: `the address of the state cannot be used: ${what}`,
    remedy: "correct ZONEFORM_STATE, --state, or libpq's environment (PGHOST, PGPORT, PGSSLMODE, …)",
  });
}
