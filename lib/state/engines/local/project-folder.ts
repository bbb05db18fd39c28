/** What the schema allows as the name of a project; none of these names leads out of a folder. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Names that Windows keeps for devices, whatever follows the first dot. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/;

/**
 * The folder of a project. It has no capital letters, because two names that differ only by case would share a folder on
 * a file system that ignores case: `Edge` is kept in `+edge`. A name that Windows would take for a device gets `_` in
 * front, and a dot at the end gets `+` behind, because Windows drops it. Throws `RangeError` for anything that is not the
 * name of a project.
 */
export function folderOf(project: string): string {
  if (!NAME.test(project)) throw new RangeError(`not the name of a project: ${JSON.stringify(project)}`);
  const lower = project.replace(/[A-Z]/g, (letter) => `+${letter.toLowerCase()}`);
  const marked = DEVICE.test(lower) ? `_${lower}` : lower;
  return marked.endsWith(".") ? `${marked}+` : marked;
}

/** The project of a folder; undefined for a folder that no project has. */
export function projectOf(folder: string): string | undefined {
  const project = folder
    .replace(/^_/, "")
    .replace(/\+$/, "")
    .replace(/\+([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return NAME.test(project) && folderOf(project) === folder ? project : undefined;
}
