import { BucketLost } from "./bucket.ts";
import type { Keys, Loose, Unclean } from "./head.ts";
import { findIfAny, type Place } from "./place.ts";
import type { Session } from "./session.ts";

/** A dead holder used at most this many names that its last head does not know of. */
const MOST_UNKNOWN_NAMES = 4;

/** How long a new holder looks for what a dead one had begun: it is only in the way. */
const SEARCH_MILLISECONDS = 5000;

/** Sees to it that nothing of an earlier holder can still come, and that what it had only begun is removed. */
export async function fenceOff(place: Place, keys: Keys, session: Session): Promise<void> {
  const { unclean } = session.head();
  if (unclean.length === 0) return;
  await session.fence();
  const limit = place.steady.now() + SEARCH_MILLISECONDS;
  const search: Search = { place, keys, deadline: () => limit };
  const loose: Loose[] = [];
  const left: Unclean[] = [];
  for (const each of unclean) {
    const found = place.steady.now() < limit ? await begunBy(search, each) : undefined;
    if (found) loose.push(...found);
    else left.push(each);
  }
  await session.change((head) => ({ ...head, unclean: left, loose: [...loose, ...head.loose] }));
}

interface Search {
  readonly place: Place;
  readonly keys: Keys;
  readonly deadline: () => number;
}

/**
 * What an earlier holder had begun; undefined if the server does not say it in time. Names are used in their order, so
 * what the head did not know of begins at the next one.
 */
async function begunBy(search: Search, { author, next }: Unclean): Promise<readonly Loose[] | undefined> {
  const begun: Loose[] = [];
  try {
    for (let number = next; number < next + MOST_UNKNOWN_NAMES; number += 1) {
      const name = `${author}-${number}`;
      for (const kind of ["bodies", "journal"] as const)
        begun.push({ kind, name, parts: await partsOf(search, kind, name), since: 0 });
    }
  } catch (error) {
    if (error instanceof BucketLost) return undefined;
    throw error;
  }
  return begun.filter(({ parts }) => parts > 0);
}

/** How many objects there are of a name, at most: they were created one after the other. */
async function partsOf({ place, keys, deadline }: Search, kind: Loose["kind"], name: string): Promise<number> {
  const isThere = async (number: number): Promise<boolean> =>
    (await findIfAny(place, keys.loose(kind, name, number), deadline)) !== undefined;
  if (!(await isThere(0))) return 0;
  let parts = 1;
  while (await isThere(parts)) parts *= 2;
  return parts;
}
