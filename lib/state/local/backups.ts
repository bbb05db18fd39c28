import type { ZoneId } from "../../core/brand.ts";
import { errorCode, type FileSystem } from "../../core/file-system.ts";
import { headerSerial } from "../header-serial.ts";
import { namesIn } from "./files.ts";

/** A header has a few hundred bytes; a longer line is not a header. */
const LONGEST_HEADER_BYTES = 64 * 1024;

/** The serials of the kept snapshots, newest first. */
export async function backupSerials(fs: FileSystem, folder: string, zone: ZoneId): Promise<readonly number[]> {
  const start = `${zone}.state.backup-`;
  const names = (await namesIn(fs, folder)).filter((name) => name.startsWith(start));
  const serials = names
    .map((name) => Number(name.slice(start.length)))
    .filter((serial) => Number.isSafeInteger(serial));
  return serials.sort((left, right) => right - left);
}

/** The serial in a snapshot's first line, 0 if it cannot be read; undefined if there is no snapshot. */
export async function readSerial(fs: FileSystem, path: string): Promise<number | undefined> {
  try {
    for await (const piece of fs.stream(path)) {
      const [line = ""] = Buffer.from(piece.subarray(0, LONGEST_HEADER_BYTES)).toString("utf8").split("\n");
      return headerSerial(line);
    }
    return 0;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
