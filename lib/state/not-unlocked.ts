import { StateError } from "./error.ts";

/** Nothing was unlocked, and why. */
export function notUnlocked(message: string, remedy: string): StateError {
  return new StateError({ code: "not-unlocked", message, remedy });
}
