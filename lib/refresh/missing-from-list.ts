import { several } from "../core/several.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import type { StateObject } from "../state/state.ts";
import { type Reading, readKind } from "./read-kind.ts";

/** So many objects that a list does not show are asked for by their ids; more than a list that lags behind would miss. */
const MOST_ASKED_FOR = 100;

/**
 * Adds the tracked objects that the list does not show and that are live all the same. A list may lag behind: absence in
 * it is no evidence, "not found" by id is. Where very many are missing, the list is read once more instead, because
 * somebody will have deleted them, and asking for each would cost more than the whole refresh.
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
 * Tracked objects that the list does not show; one that shows another id under its key may show what is gone. What only
 * policies know is not looked for: nothing is ever created or deleted for its absence.
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
    // Where the key is the name itself, what has another name is another object, whatever the state calls it. One that
    // was replaced is known by its key in the state, which is not the one that live says.
    if (live && (kind.replacement === "create-first" || live.key === key)) found.set(key, { ...live, key });
  }
  return found;
}
