import type { Clock } from "../../../core/clock.ts";
import { defined } from "../../../core/json.ts";
import { errorCode, type FileSystem } from "../../../core/file-system.ts";
import { Secret } from "../../../core/secret.ts";
import { StateError, placeError } from "../../error.ts";
import type { Address, Host, Tls } from "./address.ts";
import { type Attempt, type Connection, openConnection, type TlsAttempt } from "./driver.ts";
import { wrongProtocol } from "../address.ts";
import { ConnectionLost, ServerError, TlsRefused } from "./failure.ts";
import { isTrueIn, onlyRow, textIn } from "./rows.ts";

/** The purpose of a connection: writing needs the primary server, reading prefers it. */
export interface Purpose {
  readonly writes: boolean;
  /** The server shows it beside the session. */
  readonly applicationName?: string;
}

/** Opens a new connection. Throws `ServerError`, `ConnectionLost`, `StateError`. */
export type Dial = (purpose: Purpose) => Promise<Connection>;

/** What connecting needs besides an address. */
export interface DialWorld {
  readonly fs: Pick<FileSystem, "read" | "stat">;
  readonly clock: Clock;
  /** The user's home folder, for libpq's default files. */
  readonly home?: string | undefined;
  /** Called with the password, so that the output filter can mask it. */
  readonly learn: (secret: Secret) => void;
}

/** The most bytes of a password file, a certificate or a key. */
const LONGEST_FILE_BYTES = 4 * 1024 * 1024;

/** PostgreSQL truncates longer names, with a notice each time. */
const LONGEST_APPLICATION_NAME = 63;

/**
 * Settings of each session: the server notices within eleven seconds that the client is gone, and what it confirms
 * survives a power cut even if the role says otherwise.
 */
const BEGIN = `SELECT pg_is_in_recovery() AS standby, current_setting('server_encoding') AS encoding,
  set_config('tcp_keepalives_idle', '5', false), set_config('tcp_keepalives_interval', '2', false),
  set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '11000', false),
  set_config('search_path', 'pg_catalog', false), set_config('default_transaction_isolation', 'read committed', false),
  set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') = 'off' THEN 'on'
    ELSE current_setting('synchronous_commit') END, false)`;

/** Connects to the servers of an address, one after the other, until one fits. */
export function dialer(address: Address, world: DialWorld): Dial {
  const { learn } = world;
  if (address.password) learn(address.password);

  return async ({ writes, applicationName = address.applicationName }) => {
    let standby: Connection | undefined;
    let failure: unknown = new ConnectionLost(new Error("there is no host in the address"));
    for (const host of address.hosts) {
      try {
        const opened = await openHost(host, applicationName);
        if (!opened.isStandby) {
          await standby?.close();
          return opened.connection;
        }
        await standby?.close();
        standby = opened.connection;
      } catch (error) {
        if (!(error instanceof ConnectionLost) && address.hosts.length === 1) throw error;
        failure = error;
      }
    }
    if (standby && !writes) return standby;
    await standby?.close();
    throw standby ? new ConnectionLost(new Error("only a standby server can be reached")) : failure;
  };

  async function openHost(
    host: Host,
    applicationName: string,
  ): Promise<{ readonly connection: Connection; readonly isStandby: boolean }> {
    const password = address.password ?? (await passwordInFile(host));
    const attempts = await attemptsFor(world.fs, address.tls, host, world.home);
    const open = (): Promise<Connection> =>
      firstThatWorks(attempts, (attempt) =>
        openConnection({
          ...address,
          mustBind: address.tls.mustBind,
          host,
          attempt,
          password,
          applicationName: applicationName.slice(0, LONGEST_APPLICATION_NAME),
          clock: world.clock,
        }),
      );
    const connection = await open().catch((error: unknown) => {
      if (error instanceof ServerError && error.sqlState.startsWith("28") && !address.namesUser)
        throw new ServerError(error.sqlState, error.message, error.cause, address.user);
      throw error instanceof TlsRefused && attempts.length === 1 ? withoutTls(host, address, error) : error;
    });
    try {
      const row = onlyRow(await connection.query(BEGIN));
      if (textIn(row, "encoding") !== "UTF8") throw wrongEncoding(textIn(row, "encoding"));
      return { connection, isStandby: isTrueIn(row, "standby") };
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  async function passwordInFile(host: Host): Promise<Secret | undefined> {
    const path = address.passwordFile ?? (world.home === undefined ? undefined : `${world.home}/.pgpass`);
    const found = path === undefined ? undefined : await passwordFor(world.fs, path, address, host);
    if (found) learn(found);
    return found;
  }
}

/**
 * Tries with and without TLS if the mode allows both, like libpq. It does so even after the server refused, because the
 * server may accept only one of them.
 */
async function firstThatWorks(
  attempts: readonly Attempt[],
  open: (attempt: Attempt) => Promise<Connection>,
): Promise<Connection> {
  let refused: unknown;
  for (const attempt of attempts) {
    try {
      return await open(attempt);
    } catch (error) {
      if (error instanceof StateError) throw error;
      // The server's error says more than a failed handshake.
      if (!(refused instanceof ServerError)) refused = error;
    }
  }
  throw refused;
}

function withoutTls({ host, port }: Host, { tls }: Address, cause: unknown): StateError {
  const remedy = "switch TLS on at the server, or correct the host and the port; sslmode=prefer goes without it";
  return wrongProtocol(`${host}:${port}`, `does not speak TLS, and sslmode=${tls.mode} needs it`, remedy, cause);
}

function wrongEncoding(encoding: string): StateError {
  return placeError({
    code: "state-server",
    message: `the database of the state has the encoding ${encoding}, and not UTF8`,
    remedy: "create a database with ENCODING 'UTF8' for it",
  });
}

/**
 * The password for a host from libpq's password file; undefined if there is none. As in libpq, a file that others may
 * read is ignored.
 */
async function passwordFor(
  fs: Pick<FileSystem, "read" | "stat">,
  path: string,
  { user, database }: Pick<Address, "user" | "database">,
  { host, port }: Host,
): Promise<Secret | undefined> {
  const found = await fs.stat(path);
  if (found?.kind !== "file" || (found.mode & 0o077) !== 0) return undefined;
  const read = await readText(fs, path);
  const lines = "text" in read ? read.text.split(/\r?\n/) : [];
  // In that file, the folder of a socket is called localhost.
  const wanted = [host.startsWith("/") ? "localhost" : host, String(port), database, user];
  for (const line of lines) {
    if (line.startsWith("#")) continue;
    const fields = fieldsOf(line);
    const [password] = fields.slice(4);
    if (password !== undefined && wanted.every((each, index) => fields[index] === "*" || fields[index] === each))
      return new Secret(password);
  }
  return undefined;
}

/** The text of a file, or the code of the system's error. */
async function readText(fs: Pick<FileSystem, "read">, path: string): Promise<{ text: string } | { code: string }> {
  try {
    return { text: Buffer.from(await fs.read(path, LONGEST_FILE_BYTES)).toString("utf8") };
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return { code };
  }
}

/** The fields of `host:port:database:user:password`; a backslash escapes the next character. */
function fieldsOf(line: string): readonly string[] {
  const fields = [""];
  for (const [, escaped, plain] of line.matchAll(/\\(.)|(.)/gs)) {
    const last = fields.length - 1;
    // Colons after the fourth belong to the password.
    if (plain === ":" && fields.length < 5) fields.push("");
    else fields[last] += escaped ?? plain ?? "";
  }
  return fields;
}

/**
 * The attempts that a TLS mode allows for a host, in order. The second one is made if it could succeed where the first
 * one failed. Throws `StateError` if a file cannot be read.
 */
async function attemptsFor(
  fs: Pick<FileSystem, "read">,
  tls: Tls,
  { host }: Host,
  home: string | undefined,
): Promise<readonly Attempt[]> {
  // Nothing leaves the machine, so like libpq we use no TLS here.
  if (host.startsWith("/") || tls.mode === "disable") return ["plain"];
  const secured = await securedBy(fs, tls, home);
  switch (tls.mode) {
    case "allow":
      return ["plain", secured];
    case "prefer":
      return [secured, "plain"];
    case "require":
    case "verify-ca":
    case "verify-full":
      return [secured];
    default:
      return tls.mode satisfies never;
  }
}

async function securedBy(fs: Pick<FileSystem, "read">, tls: Tls, home: string | undefined): Promise<TlsAttempt> {
  const [rootCert, cert, key] = await Promise.all([
    tls.rootCert === "system" ? undefined : fileOf(fs, tls.rootCert, home, "root.crt"),
    fileOf(fs, tls.cert, home, "postgresql.crt"),
    fileOf(fs, tls.key, home, "postgresql.key"),
  ]);
  if (tls.mode.startsWith("verify") && rootCert === undefined && tls.rootCert !== "system")
    throw fault(`sslmode=${tls.mode} needs the certificate of the authority`, "set PGSSLROOTCERT to its file");
  return {
    ...defined({ ca: rootCert }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    ...checks(tls, rootCert),
  };
}

/** What to check in the server's certificate. */
function checks(
  { mode }: Tls,
  rootCert: string | undefined,
): Pick<TlsAttempt, "rejectUnauthorized" | "checkServerIdentity"> {
  if (mode === "verify-full") return { rejectUnauthorized: true };
  // As in libpq: a named authority is also checked.
  const isChecked = mode === "verify-ca" || (mode === "require" && rootCert !== undefined);
  return { rejectUnauthorized: isChecked, checkServerIdentity: () => undefined };
}

/** The named file, or libpq's default in the home folder, which may be missing. */
async function fileOf(
  fs: Pick<FileSystem, "read">,
  named: string | undefined,
  home: string | undefined,
  name: string,
): Promise<string | undefined> {
  const path = named ?? (home === undefined ? undefined : `${home}/.postgresql/${name}`);
  if (path === undefined) return undefined;
  const read = await readText(fs, path);
  if ("text" in read) return read.text;
  if (named === undefined) return undefined;
  throw fault(`the file ${path} cannot be read (${read.code})`, "correct PGSSLROOTCERT, PGSSLCERT or PGSSLKEY");
}

function fault(what: string, remedy: string): StateError {
  return placeError({
    code: "state-address",
    message: `the server of the state cannot be verified: ${what}`,
    remedy,
  });
}
