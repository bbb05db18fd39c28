import { StateError } from "./error.ts";
import { StoreConflict } from "./store.ts";

/**
 * Whether a failure of the store says that this run may not write the state any more: somebody freed or took the lock,
 * or the server did not come back in time. Nothing new is started after it.
 */
export function isLeaseLost(thrown: unknown): thrown is StoreConflict | StateError {
  if (thrown instanceof StoreConflict) return true;
  return thrown instanceof StateError && thrown.diagnostic.code === "state-unreachable";
}
