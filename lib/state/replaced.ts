import { StoreConflict } from "./store.ts";

/** How long what was replaced stays in a database or a bucket, for those who are reading it. */
export const REPLACED_STAYS_MILLISECONDS: number = 60 * 60_000;

/** Somebody else wrote the state in the meantime, so it is not written over. */
export function replacedMeanwhile(): StoreConflict {
  return new StoreConflict("the state was replaced by another run since it was read");
}
