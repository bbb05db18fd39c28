/** Enough for `run-` and any run id; short enough for every file system, with the zone's id in front. */
const LONGEST_NAME = 100;

/**
 * Checks the name of a record that is kept beside a state: lower-case letters, digits and hyphens, so that it works as
 * a file name, a key and a database row. Throws for any other name: this program makes the names, never a user.
 */
export function checkRecordName(name: string): void {
  if (name.length <= LONGEST_NAME && /^[a-z0-9-]+$/.test(name)) return;
  throw new RangeError(
    `a record beside a state has a name of a-z, 0-9 and hyphens, at most ${LONGEST_NAME}: ${JSON.stringify(name)}`,
  );
}
