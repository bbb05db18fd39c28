/** An object of lines has so many bytes at most, so that each is sent and read in a bounded time and memory. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Lines in their order, as many at once as one object may have. A line that is longer has an object of its own. */
export async function* chunksOf(lines: Iterable<string> | AsyncIterable<string>): AsyncIterable<readonly string[]> {
  let chunk: string[] = [];
  let bytes = 0;
  for await (const line of lines) {
    const size = Buffer.byteLength(line) + 1;
    if (chunk.length > 0 && bytes + size > MOST_BYTES) {
      yield chunk;
      [chunk, bytes] = [[], 0];
    }
    chunk.push(line);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}
