import { errorCode, type FileSystem } from "../../../core/file-system.ts";
import { type StateError, placeError } from "../../error.ts";
import type { Host, Tls } from "./address.ts";

const LONGEST_FILE_BYTES = 4 * 1024 * 1024;

/** How one attempt to connect uses TLS. */
export interface TlsAttempt {
  /** The certificates to trust; undefined for those that Node brings. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** What is checked of the server's certificate. */
  readonly verifies: "nothing" | "issuer" | "issuer and name";
}

/** An attempt without TLS. */
export type Attempt = TlsAttempt | "plain";

/**
 * The attempts that a TLS mode allows for a host, in order. The second one is made if the first one failed for a reason
 * that it could correct. Throws `StateError` if a file cannot be read.
 */
export async function attemptsFor(
  fs: Pick<FileSystem, "read">,
  tls: Tls,
  { host }: Host,
  home: string | undefined,
): Promise<readonly Attempt[]> {
  // Nothing leaves the machine, so libpq does not use TLS there either.
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
    ...(rootCert === undefined ? {} : { ca: rootCert }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    verifies: verifies(tls, rootCert),
  };
}

function verifies({ mode }: Tls, rootCert: string | undefined): TlsAttempt["verifies"] {
  if (mode === "verify-full") return "issuer and name";
  // As in libpq: whoever names an authority wants it checked.
  return mode === "verify-ca" || (mode === "require" && rootCert !== undefined) ? "issuer" : "nothing";
}

/** The named file, or libpq's default in the home folder, which need not exist. */
async function fileOf(
  fs: Pick<FileSystem, "read">,
  named: string | undefined,
  home: string | undefined,
  name: string,
): Promise<string | undefined> {
  const path = named ?? (home === undefined ? undefined : `${home}/.postgresql/${name}`);
  if (path === undefined) return undefined;
  try {
    return Buffer.from(await fs.read(path, LONGEST_FILE_BYTES)).toString("utf8");
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    if (named === undefined) return undefined;
    throw fault(`the file ${path} cannot be read (${code})`, "correct PGSSLROOTCERT, PGSSLCERT or PGSSLKEY");
  }
}

function fault(what: string, remedy: string): StateError {
  return placeError({
    code: "state-address",
    message: `the server of the state cannot be verified: ${what}`,
    remedy,
  });
}
