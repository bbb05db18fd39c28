import { topOf } from "../../../core/diagnostic.ts";
import { errorCode } from "../../../core/file-system.ts";
import { StateError } from "../../error.ts";

/** What the system's codes mean, and what to do. */
const MEANINGS: Readonly<Record<string, readonly [meaning: string, remedy: string]>> = {
  EACCES: ["this user has no right to", "give this user the right to read and write there, or choose another folder"],
  EPERM: ["this user has no right to", "give this user the right to read and write there, or choose another folder"],
  EROFS: ["the file system is read-only", "mount it writable, or choose another folder for the state"],
  ENOSPC: ["the disk is full", "free disk space, then run it again"],
  EDQUOT: ["the disk quota is used up", "free space within the quota, then run it again"],
  EFBIG: ["the file would be too large", "raise the limit of this shell (ulimit -f), then run it again"],
  EIO: ["the disk reports an error", "check the disk, and copy the state elsewhere before anything else"],
  ELOOP: [
    "it is a symbolic link",
    "replace the link with the file itself; a state is never read or written through a link",
  ],
  EFTYPE: ["it is not a regular file", "remove it"],
  EISDIR: ["it is a folder", "remove it"],
  ENOTDIR: ["a part of the path is not a folder", "remove the file that is in the way"],
  ENOENT: ["it no longer exists", "find out what removed it, then run it again"],
};

/** The default subject of a failure. */
const STATE = "the state";

/**
 * Runs `action` and explains a failure in the user's words; `what` continues "the state cannot be". Throws
 * `StateError`.
 */
export async function guard<T>(
  path: string,
  what: string,
  action: () => Promise<T>,
  subject: string = STATE,
): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    throw asStateError(cause, path, what, subject);
  }
}

/** The same for a stream of lines. */
export async function* guarded(
  path: string,
  lines: AsyncIterable<string>,
  subject: string = STATE,
): AsyncIterable<string> {
  try {
    yield* lines;
  } catch (error) {
    throw asStateError(error, path, "read", subject);
  }
}

/** A system error as `StateError`; any other error stays as it is. */
export function asStateError(cause: unknown, path: string, what: string, subject: string = STATE): unknown {
  const code = errorCode(cause);
  if (code === undefined || cause instanceof StateError) return cause;
  const [meaning, remedy] = MEANINGS[code] ?? [`the system says ${code}`, "check the disk and the folder of the state"];
  return new StateError(
    {
      code: "state-disk",
      message: `${subject} cannot be ${what}: ${meaning} (${code})`,
      remedy,
      at: topOf(path),
    },
    { cause },
  );
}

/** Whether a link failed because the file system does not support links, as FAT and some shared folders. */
export function hasNoLinks(error: unknown): boolean {
  return ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(errorCode(error) ?? "");
}
