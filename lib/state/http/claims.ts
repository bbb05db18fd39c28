import type { Clock } from "../../core/clock.ts";
import { areTaken, type Claim, type Claims, conflictingClaims, replaceClaims } from "../claims.ts";
import type { IndexState } from "./index-state.ts";

/** What projects claim, in the list of the states. */
export function httpClaims(index: IndexState, clock: Clock): Claims {
  return {
    list: async () => (await index.read()).claims,
    take: async (wanted, signal) => {
      let conflicts: readonly Claim[] = [];
      await index.change((found) => {
        conflicts = conflictingClaims(found.claims, wanted);
        if (conflicts.length > 0 || areTaken(found.claims, wanted)) return undefined;
        return { ...found, claims: replaceClaims(found.claims, wanted, new Date(clock.now()).toISOString()) };
      }, signal);
      return conflicts;
    },
    release: (project, zone) =>
      index.change((found) => {
        const claims = found.claims.filter((claim) => claim.project !== project || claim.zone !== zone);
        return claims.length === found.claims.length ? undefined : { ...found, claims };
      }),
  };
}
