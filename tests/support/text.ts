/** A text as one line: where a message is broken at the width of a terminal is not what a test of it is about. */
export function flat(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
