/** A file's path as an argument of a command: one that begins with a dash would be read as a flag. */
export function fileArgument(path: string): string {
  return shellQuoted(path.startsWith("-") ? `./${path}` : path);
}

/** A word as a shell takes it for one: addresses have brackets and quotes in them, paths may have spaces. */
export function shellQuoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
