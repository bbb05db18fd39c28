import { type Claim, type Claims, releasing, taking } from "../../lib/state/claims.ts";

/** Claims that live as long as the test. */
export function memoryClaims(now: () => number = Date.now): Claims {
  let claims: readonly Claim[] = [];
  return {
    list: async () => claims,
    take: async (wanted, stillHeld) => {
      await stillHeld();
      const taken = taking(claims, wanted, now());
      claims = taken.claims ?? claims;
      return taken.conflicts;
    },
    release: async (project, zone, stillHeld) => {
      await stillHeld();
      claims = releasing(claims, project, zone) ?? claims;
    },
  };
}
