import { problem } from "../../../core/diagnostic.ts";
import { isUtf8 } from "node:buffer";
import { errorCode, type FileSystem } from "../../../core/file-system.ts";
import { StateError } from "../../error.ts";

/**
 * A zone's object needs a few hundred bytes, a ruleset a few hundred thousand. No response of the service is larger
 * than 16 MiB, and an object of that size, escaped as JSON and encrypted, still fits. Zoneform never writes a longer
 * line.
 */
export const LONGEST_LINE_BYTES: number = 64 * 1024 * 1024;
const [QUOTE, BACKSLASH, OPEN, CLOSE, NUL, LINE_END] = [0x22, 0x5c, 0x7b, 0x7d, 0, 10];

/** What to do with a last line that has no line end. */
export type Tail = "keep" | "leave out";

/** What the lines are, for messages. */
export interface Subject {
  /** `the state`. */
  readonly name: string;
  /** The code for a line that cannot be read. */
  readonly damage: "state-damaged" | "journal-damaged" | "record-damaged" | "plan-file-damaged";
  /** The remedy, if it differs from the one in the table of codes. */
  readonly remedy?: string;
}

const STATE: Subject = { name: "the state", damage: "state-damaged" };

/**
 * The lines of a file, as a stream. Throws `StateError` for a line that is too long or not UTF-8, and for a last line
 * that should be omitted but lost its line end to damage, not to a crash.
 */
export async function* linesOf(
  bytes: AsyncIterable<Uint8Array>,
  path: string,
  tail: Tail,
  subject: Subject = STATE,
): AsyncIterable<string> {
  const damaged = (line: number, what: string): StateError => unreadable(subject, path, line, what);
  let rest: Uint8Array[] = [];
  let length = 0;
  let count = 0;
  for await (const piece of bytes) {
    const end = piece.lastIndexOf(LINE_END) + 1;
    if (end > 0) {
      for (const line of textLines(Buffer.concat([...rest, piece.subarray(0, end)]), count, damaged)) {
        count += 1;
        yield line;
      }
      rest = [];
      length = 0;
    }
    rest.push(piece.subarray(end));
    length += piece.length - end;
    if (length > LONGEST_LINE_BYTES) throw damaged(count + 1, "is longer than 64 MiB");
  }
  if (tail === "leave out" && wholeLineIn(Buffer.concat(rest))) throw damaged(count + 1, "has lost its line end");
  if (tail === "keep" && length > 0) yield* textLines(Buffer.concat([...rest, Buffer.of(LINE_END)]), count, damaged);
}

function* textLines(
  whole: Buffer,
  before: number,
  damaged: (line: number, what: string) => StateError,
): Iterable<string> {
  if (!isUtf8(whole)) throw damaged(before + firstBadLine(whole), "is not UTF-8");
  // After the last line end there is no further line.
  yield* whole.toString("utf8", 0, whole.length - 1).split("\n");
}

function firstBadLine(whole: Buffer): number {
  let number = 1;
  for (let start = 0; start < whole.length; number++) {
    const end = whole.indexOf(LINE_END, start) + 1;
    if (!isUtf8(whole.subarray(start, end))) break;
    start = end;
  }
  return number;
}

function unreadable({ name, damage, remedy = "" }: Subject, path: string, line: number, what: string): StateError {
  const message = `${name} is damaged: line ${line} ${what}`;
  return new StateError(problem(damage, { message }, { remedy, at: { file: path, line, column: 1 } }));
}

/**
 * The lines of a file that may hold anything, for a caller that looks for the undamaged ones. It replaces bytes that
 * are not UTF-8, omits a last line without a line end unless it is complete, and cuts a line that is too long to be
 * ours. A missing file has no lines.
 */
export async function* looseLines(fs: FileSystem, path: string): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const piece of fs.stream(path)) {
      const text = decoder.decode(piece, { stream: true });
      rest += text;
      if (text.includes("\n")) {
        const lines = rest.split("\n");
        rest = lines.pop() ?? "";
        yield* lines;
      }
      if (rest.length > LONGEST_LINE_BYTES) rest = "";
    }
    const whole = wholeLineIn(Buffer.from(rest));
    if (whole) yield whole.toString("utf8");
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
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

/**
 * The complete line at the start of a tail: the bytes after a file's last line end. Undefined if the tail is torn by a
 * crash: the beginning of a line, or a line that only lacks its end. If another byte is in place of the line end, the
 * line was once complete and the file was damaged later. Zeros are not damage: a disk may extend a file before the data
 * arrives.
 */
function wholeLineIn(tail: Buffer): Buffer | undefined {
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
