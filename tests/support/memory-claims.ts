import { type Claim, type Claims, conflictingClaims, replaceClaims } from "../../lib/state/claims.ts";

/** Claims that live as long as the test. */
export function memoryClaims(now: () => number = Date.now): Claims {
  let claims: readonly Claim[] = [];
  return {
    list: async () => claims,
    take: async (wanted) => {
      const conflicts = conflictingClaims(claims, wanted);
      if (conflicts.length === 0) claims = replaceClaims(claims, wanted, new Date(now()).toISOString());
      return conflicts;
    },
    release: async (project, zone) => {
      claims = claims.filter((claim) => claim.project !== project || claim.zone !== zone);
    },
  };
}
