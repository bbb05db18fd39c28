/** Joins a text into one line, for tests that do not care where the terminal's width breaks it. */
export function flat(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
