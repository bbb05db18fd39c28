import { type Head, HEAD, type Keys } from "./head.ts";
import { valueIn } from "./json-object.ts";
import { find, type Place, told } from "./place.ts";

/** A head, and the version of the object that says so. */
export interface StoredHead {
  readonly head: Head;
  readonly tag: string;
  readonly ageMilliseconds: number | undefined;
}

/** The head of a zone as it is now; undefined if nobody has used the zone. Throws `StateError`, and as `Bucket` does. */
export async function findHead(place: Place, keys: Keys, deadline?: () => number): Promise<StoredHead | undefined> {
  const found = await find(place, keys.head, deadline);
  return found && { ...found, head: valueIn(HEAD, found.bytes, place.prefix + keys.head) };
}

/** The same for whoever only reads. Throws `StateError`. */
export async function readHead(place: Place, keys: Keys): Promise<Head | undefined> {
  return (await told(place, "read", () => findHead(place, keys)))?.head;
}
