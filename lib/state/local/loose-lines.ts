import { errorCode, type FileSystem } from "../../core/file-system.ts";
import { LONGEST_LINE_BYTES } from "./lines.ts";
import { wholeLineIn } from "./tail.ts";

/**
 * The lines of a file that may hold anything, for whoever looks for what is whole in it. What is not UTF-8 is replaced; a last
 * line without its end is left out unless it is whole, and one that is too long to be ours is given cut short. No file has no
 * lines.
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
