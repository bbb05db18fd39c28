/**
 * One output of a step, as a runner reads it from the file of `$GITHUB_OUTPUT`: `name<<delimiter`, the value, and the
 * delimiter on a line of its own. The delimiter is random and given by the caller: a value that was written before it
 * was drawn cannot end itself and add an output of its own (`PATH=`). Throws where it is in the value all the same, or
 * a name is none.
 */
export function githubOutput(name: string, value: string, delimiter: string): string {
  if (!/^[A-Za-z_][\w-]*$/.test(name)) throw new Error(`${JSON.stringify(name)} cannot be the name of an output`);
  if (!/^[\w-]{16,}$/.test(delimiter)) throw new Error("a delimiter has at least 16 letters, digits or hyphens");
  if (value.includes(delimiter)) throw new Error("the delimiter is in the value: draw another one");
  return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
}
