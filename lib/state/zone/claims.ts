import type { ZoneId } from "../../core/brand.ts";
import { type Codec, optional, record, records, zone } from "../../core/codec.ts";
import { optionalText, text, texts } from "../../core/decode.ts";
import type { Shared } from "../engine.ts";
import { type Contender, type SharedValue, sharedValue, VERSION } from "./shared-value.ts";

/** What only one project of a store may manage in a zone. */
export interface Claimable {
  /** The kind of its objects. */
  readonly kind: string;
  /** Which of them: the name of a setting, the phase of an entry point. Absent: all objects of the kind. */
  readonly key?: string;
  /** Only the rules whose refs begin with one of these, and those with one of `refs`. Absent: all of it. */
  readonly prefixes?: readonly string[];
  readonly refs?: readonly string[];
}

/** Something that a project claims in a zone. */
export interface Claim extends Claimable {
  readonly project: string;
  readonly zone: ZoneId;
  /** RFC 3339. */
  readonly since: string;
}

/** A claim as a store keeps it. */
export const CLAIM: Codec<Claim> = record<Claim>({
  project: text,
  zone,
  kind: text,
  key: optionalText,
  prefixes: optional(texts),
  refs: optional(texts),
  since: text,
});

/** What a project wants to have in a zone. */
export interface WantedClaims {
  readonly project: string;
  readonly zone: ZoneId;
  /** All of it; or how it depends on what the project claims there so far. */
  readonly things: readonly Claimable[] | ((own: readonly Claim[]) => readonly Claimable[]);
}

/** The same, decided. */
interface DecidedClaims extends WantedClaims {
  readonly things: readonly Claimable[];
}

/**
 * Throws `StoreConflict` unless the zone's lock is still held. It is asked between the read and the write of the claims:
 * a run that lost its lock must not change what its successor claims.
 */
export type StillHeld = () => Promise<void>;

/**
 * The claims of all projects of a store. They are beside the states, because no project sees the state of another one.
 * They are never encrypted: projects with different passphrases have to read each other's. So nothing of a claim is the
 * name of an object.
 */
export interface Claims {
  /** The claims of all projects. */
  list(): Promise<readonly Claim[]>;
  /**
   * Replaces what a project claims in a zone, in one step, unless another project claims some of it: then nothing
   * changes, and the other project's claims are returned. What the project claimed before stays since when it was.
   * Needs the zone's lock. The signal ends a wait for others.
   */
  take(wanted: WantedClaims, stillHeld: StillHeld, signal?: AbortSignal): Promise<readonly Claim[]>;
  /** Deletes what a project claims in a zone. Doing it twice is doing it once. Needs the zone's lock. */
  release(project: string, zone: ZoneId, stillHeld: StillHeld): Promise<void>;
}

/** What a change makes of the claims: the new ones, or undefined if nothing changes. */
export interface Taking {
  readonly claims?: readonly Claim[];
  /** What is in the way. */
  readonly conflicts: readonly Claim[];
}

/** What becomes of the claims when a project takes what it wants. What it had keeps its date. */
export function taking(claims: readonly Claim[], { project, zone: of, things }: WantedClaims, now: number): Taking {
  const own = claims.filter((claim) => claim.project === project && claim.zone === of);
  const wanted = { project, zone: of, things: typeof things === "function" ? things(own) : things };
  const conflicts = conflictingClaims(claims, wanted);
  if (conflicts.length > 0 || areSameThings(own, wanted.things)) return { conflicts };
  return { conflicts, claims: replaceClaims(claims, wanted, new Date(now).toISOString()) };
}

/** The claims without those of a project in a zone; undefined if it has none there. */
export function releasing(claims: readonly Claim[], project: string, zone: ZoneId): readonly Claim[] | undefined {
  const left = claims.filter((claim) => claim.project !== project || claim.zone !== zone);
  return left.length === claims.length ? undefined : left;
}

/** The claims of other projects that are in the way. */
export function conflictingClaims(
  claims: readonly Claim[],
  { project, zone, things }: DecidedClaims,
): readonly Claim[] {
  return claims.filter(
    (claim) => claim.zone === zone && claim.project !== project && things.some((thing) => overlap(claim, thing)),
  );
}

function replaceClaims(
  claims: readonly Claim[],
  { project, zone, things }: DecidedClaims,
  since: string,
): readonly Claim[] {
  const isOld = (claim: Claim): boolean => claim.project === project && claim.zone === zone;
  const had = claims.filter(isOld);
  const taken = things.map((thing): Claim => {
    const before = had.find((claim) => isSameThing(claim, thing));
    return { ...thing, project, zone, since: before?.since ?? since };
  });
  return [...claims.filter((claim) => !isOld(claim)), ...taken];
}

/** Whether two projects would manage the same object, or the same rules of one. */
function overlap(left: Claimable, right: Claimable): boolean {
  if (!coversKey(left, right)) return false;
  if (left.prefixes === undefined || right.prefixes === undefined) return true;
  const some = ({ prefixes = [], refs = [] }: Claimable): readonly string[] => [...prefixes, ...refs];
  return some(left).some((ref) => coversRef(right, ref)) || some(right).some((ref) => coversRef(left, ref));
}

/** Whether the rule with this ref, or all rules whose refs begin so, are claimed. */
export function coversRef({ prefixes, refs = [] }: Claimable, ref: string): boolean {
  return prefixes === undefined || refs.includes(ref) || prefixes.some((prefix) => ref.startsWith(prefix));
}

/** Whether both are about the same object, or one of them about all objects of the kind. */
export function coversKey(left: Claimable, right: Claimable): boolean {
  if (left.kind !== right.kind) return false;
  return left.key === undefined || right.key === undefined || left.key === right.key;
}

/** Whether both lists have the same things, in whatever order. */
export function areSameThings(left: readonly Claimable[], right: readonly Claimable[]): boolean {
  const has = (all: readonly Claimable[], wanted: Claimable): boolean => all.some((one) => isSameThing(one, wanted));
  return left.every((one) => has(right, one)) && right.every((one) => has(left, one));
}

function isSameThing(left: Claimable, right: Claimable): boolean {
  return thingText(left) === thingText(right);
}

/** The same text for the same thing. */
export function thingText({ kind, key, prefixes, refs }: Claimable): string {
  return JSON.stringify([kind, key ?? null, prefixes?.toSorted() ?? null, refs?.toSorted() ?? null]);
}

interface Claimed {
  readonly claims: readonly Claim[];
}

const CLAIMED: Codec<Claimed> = record<Claimed>(
  { claims: records(CLAIM) },
  { format: "zoneform-claims", version: VERSION },
);

/** What the projects of a place claim: one text, so that of two projects that want the same exactly one gets it. */
export function sharedClaims(shared: Shared, place: string, contender: Contender): Claims {
  const what = `the claims at ${place}`;
  const claimed: SharedValue<Claimed> = sharedValue(
    shared,
    {
      codec: CLAIMED,
      empty: { claims: [] },
      what,
      damage: {
        code: "claims-damaged",
        message: `${what} are damaged: they are not what zoneform writes there`,
        remedy:
          "restore an earlier version of them; or, if no project was moved away (zoneform state migrate), delete them: each project takes its claims with its next apply",
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
