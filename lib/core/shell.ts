/** A file's path as an argument of a command: without the prefix, one that begins with a dash would be read as a flag. */
export function fileArgument(path: string): string {
  return shellQuoted(path.startsWith("-") ? `./${path}` : path);
}

/** Quotes a word for a shell: addresses contain brackets and quotes, paths may contain spaces. */
export function shellQuoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
