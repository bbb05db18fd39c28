import { errorCode, type FileSystem } from "../../../core/file-system.ts";

const [QUOTE, BACKSLASH, OPEN, CLOSE, NUL, LINE_END] = [0x22, 0x5c, 0x7b, 0x7d, 0, 10];

/**
 * The complete line at the start of a tail: the bytes after a file's last line end. Undefined if the tail is torn by a
 * crash: the beginning of a line, or a line that only lacks its end. If another byte is in place of the line end, the
 * line was once complete and the file was damaged later. Zeros are not damage: a disk may extend a file before the data
 * arrives.
 */
export function wholeLineIn(tail: Buffer): Buffer | undefined {
  const end = tail[0] === OPEN ? endOfObject(tail) : undefined;
  return end === undefined || end === tail.length || tail[end] === NUL ? undefined : tail.subarray(0, end);
}

/** Where the JSON object at the beginning of the bytes ends; undefined if it does not end. */
function endOfObject(bytes: Buffer): number | undefined {
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (isInText && byte === BACKSLASH) at += 1;
    else if (byte === QUOTE) isInText = !isInText;
    else if (!isInText && byte === OPEN) depth += 1;
    else if (!isInText && byte === CLOSE) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return undefined;
}

/** The bytes after the last line end of a file; empty if there are none, or no file. */
export async function readTail(fs: FileSystem, path: string): Promise<string> {
  let tail: Uint8Array[] = [];
  try {
    for await (const piece of fs.stream(path)) {
      const end = piece.lastIndexOf(LINE_END) + 1;
      if (end > 0) tail = [];
      tail.push(piece.subarray(end));
    }
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
  return Buffer.concat(tail).toString("utf8");
}
