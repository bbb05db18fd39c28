import { several } from "../core/several.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import type { StateObject } from "../state/state.ts";
import { type Reading, readKind } from "./read-kind.ts";

/** Up to this many objects that a list does not show are read by id; a list that lags would miss fewer. */
const MOST_ASKED_FOR = 100;

/**
 * Adds tracked objects that the list does not show although they are live. A list may lag, so absence in it is not
 * evidence; "not found" by id is. If very many are missing, it reads the list once more instead: somebody probably
 * deleted them, and reading each by id would cost more than the whole refresh.
 */
export async function addUnlisted(
  reading: Reading,
  kind: Kind,
  keys: readonly string[],
  listed: ReadonlyMap<string, Live>,
): Promise<ReadonlyMap<string, Live>> {
  if (!kind.isListed) return listed;
  const missing = missingFrom(reading, kind, listed);
  if (missing.length === 0) return listed;
  if (missing.length <= MOST_ASKED_FOR) return new Map([...listed, ...(await askedFor(reading, kind, missing))]);
  const again = await readKind(reading, kind, keys);
  const both = new Map([...listed, ...again]);
  const still = missingFrom(reading, kind, both).slice(0, MOST_ASKED_FOR);
  return new Map([...both, ...(await askedFor(reading, kind, still))]);
}

/**
 * The tracked objects that the list does not show. If the list shows another id under an object's key, it may show an
 * object that is gone. It skips hostnames that only policies know: nothing is created or deleted because they are
 * absent.
 */
function missingFrom({ state }: Reading, kind: Kind, listed: ReadonlyMap<string, Live>): readonly StateObject[] {
  return [...(state?.objects.values() ?? [])].filter(
    (object) =>
      object.kind === kind.name && object.id !== "" && !object.undeclared && listed.get(object.key)?.id !== object.id,
  );
}

async function askedFor(
  { client, desired, signal }: Reading,
  kind: Kind,
  missing: readonly StateObject[],
): Promise<ReadonlyMap<string, Live>> {
  const found = new Map<string, Live>();
  const read = (object: StateObject): Promise<Live | undefined> => kind.read(client, desired.id, object, signal);
  for (const [{ key }, live] of await several(missing, read)) {
    // Where the name is the key, another name means another object, whatever the state calls it. A replaced object is
    // known by its key in the state, which differs from its live key.
    if (live && (kind.replacement === "create-first" || live.key === key)) found.set(key, { ...live, key });
  }
  return found;
}
