import { errorCode, type FileSystem } from "../../../core/file-system.ts";
import { LONGEST_LINE_BYTES } from "./lines.ts";
import { wholeLineIn } from "./tail.ts";

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
