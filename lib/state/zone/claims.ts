import { type Codec, record, records } from "../../core/codec.ts";
import { type Claim, CLAIM, type Claims, releasing, taking } from "../claims.ts";
import type { Engine } from "../engine.ts";
import { type Contender, type SharedValue, sharedValue, VERSION } from "../shared-value.ts";

interface Claimed {
  readonly claims: readonly Claim[];
}

const CLAIMED: Codec<Claimed> = record<Claimed>(
  { claims: records(CLAIM) },
  { format: "zoneform-claims", version: VERSION },
);

/** What the projects of a place claim: one text, so that of two projects that want the same exactly one gets it. */
export function sharedClaims(engine: Pick<Engine, "shared" | "describe">, contender: Contender): Claims {
  const what = `the claims at ${engine.describe()}`;
  const claimed: SharedValue<Claimed> = sharedValue(
    engine.shared("claims"),
    {
      codec: CLAIMED,
      empty: { claims: [] },
      what,
      damage: {
        code: "claims-damaged",
        message: `${what} are damaged: they are not what zoneform writes there`,
        remedy: "restore an earlier version of them, or delete them: each project takes its claims with its next apply",
      },
    },
    contender,
  );

  return {
    list: async () => (await claimed.read()).claims,
    take: async (wanted, stillHeld, signal) => {
      let conflicts: readonly Claim[] = [];
      await claimed.update(
        ({ claims }, now) => {
          const taken = taking(claims, wanted, now);
          conflicts = taken.conflicts;
          return taken.claims && { claims: taken.claims };
        },
        stillHeld,
        signal,
      );
      return conflicts;
    },
    release: (project, zone, stillHeld) =>
      claimed.update(({ claims }) => {
        const left = releasing(claims, project, zone);
        return left && { claims: left };
      }, stillHeld),
  };
}
