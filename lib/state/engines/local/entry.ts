import { isUtf8 } from "node:buffer";
import { errorCode, type FileSystem } from "../../../core/file-system.ts";
import { type Entry, LONGEST_FIRST_LINE_BYTES, LONGEST_START_BYTES } from "../../engine.ts";

const LINE_END = 10;

/**
 * The entry in a file, undefined if there is none; its tag is the version of the file. `known` are those that were
 * seen before, by path: an entry never changes, so a file of the same version is not read again.
 */
export async function entryAt(
  fs: FileSystem,
  path: string,
  name: string,
  known: Map<string, Entry>,
): Promise<Entry | undefined> {
  for (;;) {
    const found = await fs.stat(path);
    const seen = known.get(path);
    if (found && seen?.tag === found.version) return seen;
    known.delete(path);
    if (!found) return undefined;
    const entry = { name, tag: found.version, bytes: found.sizeBytes, ...(await startOf(fs, path, found.sizeBytes)) };
    // Perhaps another file took its place in between.
    if ((await fs.stat(path))?.version === found.version) known.set(path, entry);
  }
}

/** All lines if they are few and short, else the first one. What cannot be read has none: its body says why. */
async function startOf(fs: FileSystem, path: string, bytes: number): Promise<Pick<Entry, "start" | "isWhole">> {
  try {
    for await (const piece of fs.stream(path)) {
      if (piece.length < bytes || bytes > LONGEST_START_BYTES || !isUtf8(piece))
        return { start: piece.includes(LINE_END) ? [firstLine(piece)] : [], isWhole: false };
      const lines = Buffer.from(piece).toString("utf8").split("\n");
      return { start: lines.at(-1) === "" ? lines.slice(0, -1) : lines, isWhole: true };
    }
    return { start: [], isWhole: true };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return { start: [], isWhole: false };
  }
}

/** The text of the first line, damaged or not, as far as it may be a header. */
export function firstLine(piece: Uint8Array): string {
  const end = piece.indexOf(LINE_END);
  const length = Math.min(end < 0 ? piece.length : end, LONGEST_FIRST_LINE_BYTES);
  return Buffer.from(piece.subarray(0, length)).toString("utf8");
}
