import type { ZoneId } from "../../core/brand.ts";
import { type Codec, record, records } from "../../core/codec.ts";
import { text } from "../../core/decode.ts";
import type { DiagnosticDetails } from "../../core/diagnostic.ts";
import { type Claim, CLAIM, type Claims, releasing, taking, type WantedClaims } from "../claims.ts";
import { VERSION } from "./json-object.ts";
import { type Place, told } from "./place.ts";
import { readShared, type Shared, type SharedObject, updateShared } from "./shared.ts";

interface Claimed extends Shared {
  readonly claims: readonly Claim[];
}

const CLAIMED: SharedObject<Claimed> = {
  /** Below the prefix; no project has a name that begins with an underscore. */
  key: "_claims",
  codec: claimedCodec(),
  empty: { nonce: "", claims: [] },
  damage: claimsDamage,
};

function claimedCodec(): Codec<Claimed> {
  return record<Claimed>({ nonce: text, claims: records(CLAIM) }, { format: "zoneform-claims", version: VERSION });
}

function claimsDamage(name: string): DiagnosticDetails {
  return {
    code: "claims-damaged",
    message: `the claims in the object ${name} are damaged: it is not what zoneform writes there`,
    remedy: "restore an earlier version of it, or delete it: each project takes its claims with its next apply",
  };
}

/** What the projects of a bucket claim: one object, so that of two projects that want the same exactly one gets it. */
export function s3Claims(place: Place): Claims {
  async function take(wanted: WantedClaims, signal?: AbortSignal): Promise<readonly Claim[]> {
    let conflicts: readonly Claim[] = [];
    await told(place, "written", () =>
      updateShared({ ...place, signal }, CLAIMED, (now) => {
        const taken = taking(now.claims, wanted, place.clock.now());
        conflicts = taken.conflicts;
        return taken.claims && { ...now, claims: taken.claims };
      }),
    );
    return conflicts;
  }

  return {
    list: async () => (await told(place, "read", () => readShared(place, CLAIMED))).claims,
    take,
    release: async (project: string, zone: ZoneId) => {
      await told(place, "written", () =>
        updateShared(place, CLAIMED, (now) => {
          const claims = releasing(now.claims, project, zone);
          return claims && { ...now, claims };
        }),
      );
    },
  };
}
