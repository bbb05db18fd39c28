import type { Path } from "../core/json.ts";
import type { Action } from "./change.ts";

/**
 * Whether a change only releases fields, or the protection, of an object that stays managed. Its action is `forget`,
 * like that of an object that leaves the state, but the object stays tracked.
 */
export function onlyLetsGo({ action, letGo }: { readonly action: Action; readonly letGo?: readonly Path[] }): boolean {
  return action === "forget" && letGo !== undefined && letGo.length > 0;
}
