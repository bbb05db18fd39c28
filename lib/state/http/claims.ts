import type { Clock } from "../../core/clock.ts";
import { type Claim, type Claims, releasing, taking } from "../claims.ts";
import type { IndexState } from "./index-state.ts";

/** What projects claim, in the list of the states. */
export function httpClaims(index: IndexState, clock: Clock): Claims {
  return {
    list: async () => (await index.read()).claims,
    take: async (wanted, signal) => {
      let conflicts: readonly Claim[] = [];
      await index.change((found) => {
        const taken = taking(found.claims, wanted, clock.now());
        conflicts = taken.conflicts;
        return taken.claims && { ...found, claims: taken.claims };
      }, signal);
      return conflicts;
    },
    release: (project, zone) =>
      index.change((found) => {
        const claims = releasing(found.claims, project, zone);
        return claims && { ...found, claims };
      }),
  };
}
