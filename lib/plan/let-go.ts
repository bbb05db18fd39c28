import type { Path } from "../core/json.ts";
import type { Action } from "./change.ts";

/**
 * Whether a change lets leaves, or the protection, of an object go that stays managed, and does nothing else. Its action
 * is `forget`, as that of an object which is dropped from the state, but the object goes on being tracked.
 */
export function onlyLetsGo({ action, letGo }: { readonly action: Action; readonly letGo?: readonly Path[] }): boolean {
  return action === "forget" && letGo !== undefined && letGo.length > 0;
}
