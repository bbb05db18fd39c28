import { problem } from "../../../core/diagnostic.ts";
import { StateError, placeError } from "../../error.ts";
import { withoutOpenssl } from "../address.ts";

/** The connection is gone, or there is no server. The same statement may work on a new connection. */
export class ConnectionLost extends Error {
  constructor(cause: unknown) {
    super("the connection to the server of the state is gone", { cause });
    this.name = "ConnectionLost";
  }
}

/** The server said that it does not speak TLS. */
export class TlsRefused extends ConnectionLost {}

/** The server returned an error; the connection still works. */
export class ServerError extends Error {
  /** PostgreSQL's five-character code: `42501` is a missing right. */
  readonly sqlState: string;
  /** The user of the login, if the address has none. */
  readonly user: string | undefined;

  constructor(sqlState: string, message: string, cause: unknown, user?: string) {
    super(message, { cause });
    this.name = "ServerError";
    this.sqlState = sqlState;
    this.user = user;
  }
}

/** The server shuts down, starts up, or has no connection left. It may have one in a moment. */
const PASSING = /^(08...|57P0[1-5]|53300)$/;

const NO_CONNECTION_LEFT = "53300";

/** Whether an error means that the server cannot be used just now. */
export function isPassing(sqlState: string): boolean {
  return PASSING.test(sqlState);
}

/** No server was reached within the wait. */
export function unreachable(where: string, cause: unknown): StateError {
  if (hasNoneLeft(cause)) return noConnectionLeft(where, cause);
  const reason = reasonOf(cause);
  const message = `the state at ${where} cannot be reached${reason === "" ? "" : `: ${reason}`}`;
  return placeError(problem("state-unreachable", { message }), { cause });
}

function hasNoneLeft(cause: unknown): boolean {
  if (cause instanceof ConnectionLost) return hasNoneLeft(cause.cause);
  return cause instanceof Error && "code" in cause && cause.code === NO_CONNECTION_LEFT;
}

function noConnectionLeft(where: string, cause: unknown): StateError {
  return placeError(
    {
      code: "state-unreachable",
      message: `the server of the state at ${where} has no connection left for this role: ${reasonOf(cause)}`,
      remedy:
        "raise CONNECTION LIMIT or max_connections, or end sessions of others: a command uses at most five, whatever the number of zones",
    },
    { cause },
  );
}

/** A pooler gives each transaction another session, so no lock holds. */
export function poolerFault(where: string): StateError {
  return placeError(problem("state-pooler", { where }));
}

/** The last error of a chain names the fault. */
function reasonOf(cause: unknown): string {
  if (cause instanceof ConnectionLost) return reasonOf(cause.cause);
  // Node tried several addresses of one name.
  if (cause instanceof AggregateError) return reasonOf(cause.errors[0]);
  return cause instanceof Error ? withoutOpenssl(cause.message) : "";
}

/** What the server's errors mean for a user. */
const MEANINGS: Readonly<Record<string, readonly [meaning: string, remedy: string]>> = {
  "42501": ["this role has no right to do that", "grant it what docs/postgres.md lists for this job"],
  "28P01": [
    "the user or the password is wrong",
    "correct them where they stand: in ZONEFORM_STATE or --state, in PGUSER and PGPASSWORD, or in the password file",
  ],
  "28000": [
    "the server does not let this user in",
    "correct PGUSER, the client certificate, or the server's pg_hba.conf",
  ],
  "3D000": ["there is no such database", "create it, or correct the name in the address"],
  "25006": ["the server or the session is read-only", "name the primary server, or a role that may write"],
  "53100": ["the disk of the server is full", "free space there, then run it again"],
};

/**
 * Explains a server error in the user's words; `what` continues "the state at … cannot be". Other errors stay as they
 * are.
 */
export function explained(thrown: unknown, where: string, what: string): unknown {
  if (thrown instanceof ConnectionLost) return unreachable(where, thrown);
  if (!(thrown instanceof ServerError)) return thrown;
  const { sqlState, user } = thrown;
  const tried = user === undefined ? "" : `; the address has no user, and ${JSON.stringify(user)} was tried`;
  const known = MEANINGS[sqlState];
  const [meaning, remedy] = known ?? [thrown.message, "correct what the server says, then run it again"];
  return new StateError(
    {
      code: sqlState === "42501" || sqlState.startsWith("28") ? "state-denied" : "state-server",
      message: `the state at ${where} cannot be ${what}: ${meaning}${tried} (SQLSTATE ${sqlState})`,
      remedy,
    },
    { cause: thrown, isOfThePlace: known !== undefined || sqlState.startsWith("28") },
  );
}
