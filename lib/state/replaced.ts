import { StoreConflict } from "./store.ts";

/** Somebody else wrote the state in the meantime, so it is not written over. */
export function replacedMeanwhile(): StoreConflict {
  return new StoreConflict("the state was replaced by somebody else since it was read");
}
