import { errorCode, type FileSystem } from "../../core/file-system.ts";

/** A longer line is no line of ours: it is given as an empty one, so that junk without line ends does not fill the memory. */
const LONGEST_LINE_CHARACTERS = 16 * 1024 * 1024;

/**
 * The lines of a file that may hold anything, for whoever looks for what is whole in it. What is not UTF-8 is replaced;
 * a last line without its end is left out. No file has no lines.
 */
export async function* looseLines(fs: FileSystem, path: string): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const piece of fs.stream(path)) {
      const lines = `${rest}${decoder.decode(piece, { stream: true })}`.split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
      if (rest.length > LONGEST_LINE_CHARACTERS) rest = "";
    }
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}
