import { isUtf8 } from "node:buffer";
import type { DiagnosticCode } from "../../../core/diagnostic-code.ts";
import { StateError } from "../../error.ts";
import { RESTORE } from "../../remedy.ts";
import { wholeLineIn } from "./tail.ts";

/**
 * A zone's object needs a few hundred bytes, a ruleset a few hundred thousand. No response of the service has more than
 * 16 MiB; escaped as JSON and encrypted, an object of that size still fits. We never write a longer line.
 */
export const LONGEST_LINE_BYTES: number = 64 * 1024 * 1024;
const LINE_END = 10;

/** What to do with a last line that has no line end. */
export type Tail = "keep" | "leave out";

/** What the lines are, for messages. */
export interface Subject {
  /** `the state`. */
  readonly name: string;
  /** The code for a line that cannot be read. */
  readonly damage: DiagnosticCode;
  readonly remedy: string;
}

const STATE: Subject = {
  name: "the state",
  damage: "state-damaged",
  remedy: RESTORE,
};

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

function unreadable({ name, damage, remedy }: Subject, path: string, line: number, what: string): StateError {
  return new StateError({
    code: damage,
    message: `${name} is damaged: line ${line} ${what}`,
    remedy,
    at: { file: path, line, column: 1 },
  });
}
