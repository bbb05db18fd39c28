/** Quotes a text; in single quotes if it contains double ones, because expressions are full of them. */
export function quote(text: string): string {
  const isLegibleSingle = text.includes('"') && !text.includes("'") && !text.includes("\\");
  return isLegibleSingle ? `'${text}'` : JSON.stringify(text);
}

/** A file's path as an argument of a command: without the prefix, one that begins with a dash would be read as a flag. */
export function fileArgument(path: string): string {
  return shellQuoted(path.startsWith("-") ? `./${path}` : path);
}

/** Quotes a word for a shell: addresses contain brackets and quotes, paths may contain spaces. */
export function shellQuoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
