import { problem } from "../../core/diagnostic.ts";
import type { ZoneId } from "../../core/brand.ts";
import { type Codec, optional, struct, structs, zone } from "../../core/codec.ts";
import { optionalText, text, texts } from "../../core/decode.ts";
import type { Shared } from "../engine.ts";
import { type Contender, type SharedValue, sharedValue, VERSION } from "./shared-value.ts";

/** Something in a zone that only one project of a store may manage. */
export interface Claimable {
  /** The kind of its objects. */
  readonly kind: string;
  /** The name of a setting, or the phase of an entry point. Absent: all objects of the kind. */
  readonly key?: string;
  /**
   * Limits the claim to rules whose refs begin with one of these, and those with one of `refs`. Absent: the whole
   * object.
   */
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
export const CLAIM: Codec<Claim> = struct<Claim>({
  project: text,
  zone,
  kind: text,
  key: optionalText,
  prefixes: optional(texts),
  refs: optional(texts),
  since: text,
});

/** What a project wants to claim in a zone. */
export interface WantedClaims {
  readonly project: string;
  readonly zone: ZoneId;
  /** All of it; or a function of what the project claims there so far. */
  readonly things: readonly Claimable[] | ((own: readonly Claim[]) => readonly Claimable[]);
}

/** The same, with the function resolved. */
interface DecidedClaims extends WantedClaims {
  readonly things: readonly Claimable[];
}

/**
 * Throws `StoreConflict` unless the zone's lock is still held. Called between the read and the write of the claims: a
 * run that lost its lock must not change its successor's claims.
 */
export type LeaseCheck = () => Promise<void>;

/**
 * The claims of all projects of a store. They are beside the states, because no project sees another one's state. They
 * are never encrypted, because projects with different passphrases have to read them. So no claim holds the name of an
 * object.
 */
export interface Claims {
  list(): Promise<readonly Claim[]>;
  /**
   * Replaces what a project claims in a zone, in one step, unless another project claims some of it: then nothing
   * changes, and the other project's claims are returned. Earlier claims of the project keep their date. Needs the
   * zone's lock. The signal ends a wait for other processes.
   */
  take(wanted: WantedClaims, checkLease: LeaseCheck, signal?: AbortSignal): Promise<readonly Claim[]>;
  /** Deletes the claims of a project in a zone. Doing it twice is doing it once. Needs the zone's lock. */
  release(project: string, zone: ZoneId, checkLease: LeaseCheck): Promise<void>;
}

/** The result of a change: the new claims, or undefined if nothing changes. */
export interface Taking {
  readonly claims?: readonly Claim[];
  /** The claims of other projects that prevent it. */
  readonly conflicts: readonly Claim[];
}

/** The claims after a project takes what it wants. Its earlier claims keep their date. */
export function taking(claims: readonly Claim[], { project, zone: of, things }: WantedClaims, now: number): Taking {
  const own = claims.filter((claim) => claim.project === project && claim.zone === of);
  const wanted = { project, zone: of, things: typeof things === "function" ? things(own) : things };
  const conflicts = conflictingClaims(claims, wanted);
  if (conflicts.length > 0 || areSameThings(own, wanted.things)) return { conflicts };
  return { conflicts, claims: replaceClaims(claims, wanted, new Date(now).toISOString()) };
}

/** The claims without those of one project in a zone; undefined if it has none there. */
export function releasing(claims: readonly Claim[], project: string, zone: ZoneId): readonly Claim[] | undefined {
  const left = claims.filter((claim) => claim.project !== project || claim.zone !== zone);
  return left.length === claims.length ? undefined : left;
}

/** The conflicting claims of other projects. */
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

/** Whether the claim covers the rule with this ref, or all rules whose refs begin so. */
export function coversRef({ prefixes, refs = [] }: Claimable, ref: string): boolean {
  return prefixes === undefined || refs.includes(ref) || prefixes.some((prefix) => ref.startsWith(prefix));
}

/** Whether both concern the same object, or one of them concerns all objects of the kind. */
export function coversKey(left: Claimable, right: Claimable): boolean {
  if (left.kind !== right.kind) return false;
  return left.key === undefined || right.key === undefined || left.key === right.key;
}

/** Whether both lists have the same things, in any order. */
export function areSameThings(left: readonly Claimable[], right: readonly Claimable[]): boolean {
  const has = (all: readonly Claimable[], wanted: Claimable): boolean => all.some((one) => isSameThing(one, wanted));
  return left.every((one) => has(right, one)) && right.every((one) => has(left, one));
}

function isSameThing(left: Claimable, right: Claimable): boolean {
  return thingText(left) === thingText(right);
}

/** A text that is equal for equal things. */
export function thingText({ kind, key, prefixes, refs }: Claimable): string {
  return JSON.stringify([kind, key ?? null, prefixes?.toSorted() ?? null, refs?.toSorted() ?? null]);
}

interface Claimed {
  readonly claims: readonly Claim[];
}

const CLAIMED: Codec<Claimed> = struct<Claimed>(
  { claims: structs(CLAIM) },
  { format: "zoneform-claims", version: VERSION },
);

/**
 * The claims of all projects of a place. They are one text, so if two projects want the same thing, exactly one gets
 * it.
 */
export function sharedClaims(shared: Shared, place: string, contender: Contender): Claims {
  const what = `the claims at ${place}`;
  const claimed: SharedValue<Claimed> = sharedValue(
    shared,
    {
      codec: CLAIMED,
      empty: { claims: [] },
      what,
      damage: problem("claims-damaged", { what }),
    },
    contender,
  );

  return {
    list: async () => (await claimed.read()).claims,
    take: async (wanted, checkLease, signal) => {
      let conflicts: readonly Claim[] = [];
      await claimed.update(
        ({ claims }, now) => {
          const taken = taking(claims, wanted, now);
          conflicts = taken.conflicts;
          return taken.claims && { claims: taken.claims };
        },
        checkLease,
        signal,
      );
      return conflicts;
    },
    release: (project, zone, checkLease) =>
      claimed.update(({ claims }) => {
        const left = releasing(claims, project, zone);
        return left && { claims: left };
      }, checkLease),
  };
}
