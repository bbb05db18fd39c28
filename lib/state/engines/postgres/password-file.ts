import { errorCode, type FileSystem } from "../../../core/file-system.ts";
import { Secret } from "../../../core/secret.ts";
import type { Address, Host } from "./address.ts";

const LONGEST_FILE_BYTES = 1024 * 1024;

/**
 * The password of libpq's password file for a host; undefined if it has none. As in libpq, a file that others may read
 * is ignored.
 */
export async function passwordFor(
  fs: Pick<FileSystem, "read" | "stat">,
  path: string,
  { user, database }: Pick<Address, "user" | "database">,
  { host, port }: Host,
): Promise<Secret | undefined> {
  const found = await fs.stat(path);
  if (found?.kind !== "file" || (found.mode & 0o077) !== 0) return undefined;
  const lines = (await readText(fs, path)).split(/\r?\n/);
  // A socket's folder is called localhost there.
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

async function readText(fs: Pick<FileSystem, "read">, path: string): Promise<string> {
  try {
    return Buffer.from(await fs.read(path, LONGEST_FILE_BYTES)).toString("utf8");
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return "";
  }
}

/** The fields of `host:port:database:user:password`; a backslash takes the next character as it is. */
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
