import { problem } from "../../../core/diagnostic.ts";
import { Socket } from "node:net";
import type pg from "pg";
import type { Clock } from "../../../core/clock.ts";
import { turns } from "../../../core/lists.ts";
import type { Secret } from "../../../core/secret.ts";
import { StateError, placeError } from "../../error.ts";
import type { Host } from "./address.ts";
import { wrongProtocol } from "../address.ts";
import { ConnectionLost, isPassing, ServerError, TlsRefused } from "./failure.ts";
import type { Row } from "./rows.ts";

/** How often the client probes a silent server. */
const KEEPALIVE_MILLISECONDS = 5000;

/**
 * The longest statement writes or deletes a journal of a hundred thousand lines. A server that needs longer counts as
 * gone.
 */
const STATEMENT_MILLISECONDS = 60_000;

/** A value of a statement. */
export type Value = string | number | null | readonly string[];

/** One connection to a server. It runs the statements of concurrent callers one after the other. */
export interface Connection {
  /** Throws `ServerError`, or `ConnectionLost` if no response came. */
  query(statement: string, values?: readonly Value[]): Promise<readonly Row[]>;
  /** Ends the session. */
  close(): Promise<void>;
}

/** How one attempt to connect uses TLS, as options of Node. */
export interface TlsAttempt {
  /** The certificates to trust; absent: those that come with Node. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** Whether a trusted authority must have issued the server's certificate. */
  readonly rejectUnauthorized: boolean;
  /** Replaces the comparison of the server's name. */
  readonly checkServerIdentity?: () => undefined;
}

/** One attempt, with or without TLS. */
export type Attempt = TlsAttempt | "plain";

/** The parameters of one attempt to connect. */
export interface Opening {
  readonly host: Host;
  readonly attempt: Attempt;
  readonly user: string;
  readonly database: string;
  readonly password: Secret | undefined;
  /** Whether the login must be bound to the TLS connection (libpq's `channel_binding=require`). */
  readonly mustBind: boolean;
  readonly applicationName: string;
  readonly options: string;
  readonly connectMilliseconds: number;
  readonly clock: Clock;
}

/** Connects once. Throws `ServerError`, `ConnectionLost`, and `StateError` if the library is not installed. */
export async function openConnection(opening: Opening): Promise<Connection> {
  const { clock, connectMilliseconds } = opening;
  const { Client, DatabaseError } = await loadLibrary();
  // Our own socket, because only a socket can be destroyed at any moment.
  const socket = new Socket();
  const login: Login = { isBound: false };
  const client = new Client({ ...settingsOf(opening, login), stream: () => socket });
  client.connection.on("authenticationSASL", ({ mechanisms }: { readonly mechanisms: readonly string[] }) => {
    login.isBound = opening.attempt !== "plain" && mechanisms.includes("SCRAM-SHA-256-PLUS");
  });
  const first = watchFirst(socket, opening.attempt);
  let lost: unknown;
  client.on("error", (error) => {
    lost ??= error;
  });
  client.on("end", () => {
    lost ??= new Error("the server closed the connection");
  });

  /** Turns an error into one of ours. After a passing error the server ends the connection, or is about to. */
  const told = (error: unknown): Error => {
    if (error instanceof StateError) return error;
    if (first.is === "foreign") return noPostgres(opening.host, error);
    if (first.is === "without TLS") return new TlsRefused(error);
    if (error instanceof DatabaseError && error.code !== undefined && !isPassing(error.code))
      return new ServerError(error.code, error.message, error);
    lost ??= error;
    socket.destroy();
    return new ConnectionLost(error);
  };

  /** Destroys the socket unless the work finishes in time. */
  async function inTime<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
    const done = new AbortController();
    const late = clock.sleep(milliseconds, done.signal).then(
      () => socket.destroy(new Error("the server did not answer in time")),
      () => undefined,
    );
    try {
      return await work();
    } finally {
      done.abort();
      await late;
    }
  }

  async function send(statement: string, values: readonly Value[]): Promise<readonly Row[]> {
    if (lost !== undefined) throw new ConnectionLost(lost);
    try {
      return await inTime(STATEMENT_MILLISECONDS, async () => (await client.query<Row>(statement, [...values])).rows);
    } catch (error) {
      throw told(lost ?? error);
    }
  }

  await client.connect().catch((error: unknown) => {
    socket.destroy();
    throw told(error);
  });
  if (opening.mustBind && !login.isBound) {
    socket.destroy();
    throw notBound();
  }
  const inTurn = turns();
  return {
    query: (statement, values = []) => inTurn(() => send(statement, values)),
    close: () => inTime(connectMilliseconds, () => client.end().catch(() => undefined)),
  };
}

/** The state of a login. */
interface Login {
  /** Whether it is bound to the TLS connection. */
  isBound: boolean;
}

function settingsOf(opening: Opening, login: Login): pg.ClientConfig & { readonly enableChannelBinding: boolean } {
  const { host, attempt, password, options, mustBind } = opening;
  return {
    host: host.host,
    port: host.port,
    user: opening.user,
    database: opening.database,
    // A function, because the library would take a missing password from its own environment.
    password: () => {
      if (!password) throw noPassword();
      // A server in between could pass on any other login.
      if (mustBind && !login.isBound) throw notBound();
      return password.reveal();
    },
    ssl: attempt === "plain" ? false : { ...attempt },
    // Some poolers refuse the parameter, even if it is empty.
    ...(options === "" ? {} : { options }),
    application_name: opening.applicationName,
    connectionTimeoutMillis: opening.connectMilliseconds,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_MILLISECONDS,
    enableChannelBinding: mustBind,
  };
}

/** What the first bytes of a server mean. */
interface FirstAnswer {
  is?: "foreign" | "without TLS";
}

/** The server accepts or refuses TLS with one letter. Without TLS, it asks for a password, accepts or refuses. */
function watchFirst(socket: Socket, attempt: Attempt): FirstAnswer {
  const [expected, answer]: [string, FirstAnswer] = [attempt === "plain" ? "RENv" : "SNE", {}];
  socket.once("data", (bytes: Buffer) => {
    if (attempt !== "plain" && bytes[0] === NO) answer.is = "without TLS";
    if (expected.includes(String.fromCodePoint(bytes[0] ?? 0)) && bytes.toString("latin1", 0, 5) !== "HTTP/") return;
    answer.is = "foreign";
    // The library might wait for more for ever.
    socket.destroy();
  });
  return answer;
}

/** The letter with which a server answers that it has no TLS. */
const NO = 0x4e;

function noPostgres(host: Host, cause: unknown): StateError {
  const remedy = "correct the host and the port in the address, or PGHOST and PGPORT";
  return wrongProtocol(
    `${host.host}:${host.port}`,
    "is no PostgreSQL server: it answers with something else",
    remedy,
    cause,
  );
}

function noPassword(): StateError {
  return placeError({
    code: "state-denied",
    message: "the server of the state wants a password, and there is none",
    remedy: "set PGPASSWORD, or add a line to the password file (PGPASSFILE), which only this user may read",
  });
}

function notBound(): StateError {
  return placeError({
    code: "state-denied",
    message: "the address says channel_binding=require, and the server of the state does not bind the login to TLS",
    remedy: "let the server use TLS and scram-sha-256 for this user; or say sslmode=verify-full instead",
  });
}

/** The parts of the library that we use. */
type Library = Pick<typeof pg, "Client" | "DatabaseError">;

async function loadLibrary(): Promise<Library> {
  try {
    return (await import("pg")).default;
  } catch (cause) {
    throw placeError(problem("state-driver", { server: "PostgreSQL", package: "pg" }), { cause });
  }
}
