/** A word as a shell takes it for one: addresses have brackets and quotes in them, paths may have spaces. */
export function shellQuoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
