/** Long enough for `run-` and any id of a run; short enough for every file system, with the zone's id in front. */
const LONGEST_NAME = 100;

/**
 * Checks the name of a record that is kept beside a state: lower-case letters, digits and hyphens, so that it is a file
 * name, a key and a table's row everywhere. Throws where it is not: names are made by this program, never by a user.
 */
export function checkRecordName(name: string): void {
  if (name.length <= LONGEST_NAME && /^[a-z0-9-]+$/.test(name)) return;
  throw new RangeError(
    `a record beside a state has a name of a-z, 0-9 and hyphens, at most ${LONGEST_NAME}: ${JSON.stringify(name)}`,
  );
}
