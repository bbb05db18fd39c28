import type { Address, Digest, ZoneId } from "../core/brand.ts";
import type { Diagnostic, Position } from "../core/diagnostic.ts";
import type { DiagnosticCode } from "../core/diagnostic-code.ts";
import type { ExitCode } from "../core/exit-code.ts";
import type { Cause, LeafChange } from "../core/diff.ts";
import type { Json, JsonObject, Path } from "../core/json.ts";
import type { Budget } from "../core/rate-limits.ts";
import type { SourceSeen, StateObject } from "../state/state.ts";
import type { Hazard } from "../kinds/traits/judged.ts";
import type { Held, RuleChange } from "../kinds/traits/compared.ts";
import type { KindName } from "../kinds/kind.ts";

/**
 * What is done about an object. `adopt` takes a live object into the state (and may change leaves of it at once),
 * `forget` drops it from the state and leaves it live, `held` waits, `no-op` is never in a plan's changes.
 */
export const ACTIONS = ["create", "update", "replace", "delete", "adopt", "forget", "held", "no-op"] as const;

/** One of `ACTIONS`. */
export type Action = (typeof ACTIONS)[number];

/** One leaf of which live has by now something else than the plan rested on, three-way. An absent value means that nothing stands there. */
export interface LeafConflict {
  readonly path: Path;
  /** What live had when the plan was made. */
  readonly planned?: Json;
  /** What live has now. */
  readonly live?: Json;
  /** What the plan wanted to write. */
  readonly wanted?: Json;
  /** What the configuration wants by now, where that is something else again. */
  readonly wantedNow?: Json;
  /** The values are fingerprints or references of secrets and are never printed. */
  readonly sensitive?: true;
}

/** A guard said no: the change is shown and not carried out (exit code 4). */
export interface Refused {
  /** `protected`, `deletion-limit`, `unmanaged-entry-point`, `denied-value`, `denied-by-flag`, `companion-not-declared`, `waits-for-another`, `not-approved`, `hazard-not-approved`, or a kind's own. */
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly remedy: string;
  /** Commands that carry it out all the same, as they can be pasted. Never in a saved plan. */
  readonly commands?: readonly string[];
  /** Something else was approved for this object (exit code 5): in what it differs. */
  readonly contested?: readonly LeafConflict[];
}

/** A hazard that was seen when the plan was made. */
export interface ObservedHazard {
  readonly hazard: Hazard;
  /** What was seen, in one clause: `origin.saas.dev has no record in saas.dev`. */
  readonly because: string;
}

/** A hostname that takes another one's place, perhaps in another zone. */
export interface MovesTo {
  readonly address: Address;
  readonly zone: ZoneId;
  readonly key: string;
}

/** One planned change of one object: plain data, saved, hashed, rendered and applied elsewhere. */
export interface Change {
  readonly address: Address;
  readonly kind: KindName;
  readonly key: string;
  readonly action: Action;
  /** Who made it necessary; `config` for everything that was only ever written in the YAML. */
  readonly cause: Cause;
  /** One clause that says why, where the leaves do not: `deleted outside of zoneform`. */
  readonly reason?: string;
  /** The id of the live object; absent for a create. */
  readonly id?: string;
  /** What the state is to remember of the live object's status, where nothing is written live. Not part of the digest. */
  readonly seen?: StateObject["seen"];
  readonly leaves: readonly LeafChange[];
  readonly rules: readonly RuleChange[];
  readonly held?: Held;
  readonly letGo: readonly Path[];
  readonly notes: readonly string[];
  /** The change of another object that this one's call carries out as well (`Strategies.companion`). */
  readonly with?: Change;
  /** From desired, prior and live alone: part of the digest. */
  readonly hazards: readonly Hazard[];
  /** Hazards that only an observation of the moment shows, as DNS: no digest covers them (docs/semantics.md#hazards). */
  readonly observed?: readonly ObservedHazard[];
  /** Live protects less than what was applied, because somebody changed it. Not part of the digest. */
  readonly weakened?: true;
  readonly refused?: Refused;
  /** All declared values, secrets as references; absent for delete and forget. */
  readonly desired?: JsonObject;
  /** What a create sends where that is more than what is declared: a replacement carries over what nobody owns. Never in a plan. */
  readonly sent?: JsonObject;
  /** As last applied, secrets as fingerprints. */
  readonly prior?: JsonObject;
  /** What of the live object this rests on (`Kind.guarded`); apply refuses when it is no longer so. */
  readonly expected?: JsonObject;
  readonly options: JsonObject;
  /** What the state is to keep about protection after this change. */
  readonly protect: boolean;
  /** It goes on with a create or a replacement of a run that did not live to see how that ended. */
  readonly resumes?: true;
  /** The hostname that takes this one's place (`moved`). */
  readonly movesTo?: MovesTo;
  /** It goes because its successor, which is declared, serves: nothing is missing without it (`Strategies.replacement`). */
  readonly replaced?: true;
  /** The object is known by policy only. */
  readonly undeclared?: true;
  readonly digest: Digest;
  readonly at?: Position;
}

/** What a plan needs of the service's limits, worked out within the budget. Not part of the hash. */
export interface Cost {
  readonly calls: number;
  readonly issuances: number;
  /** How long it takes at least, within the budget, in seconds. */
  readonly seconds: number;
}

/** How many objects there are of each sort. Not part of the hash. */
export interface Counts {
  readonly byAction: Readonly<Record<Action, number>>;
  /** Live hostnames that are neither declared nor known; none where the YAML says to ignore them. */
  readonly foreign: number;
  /** Hostnames that the service deleted by itself, and that are not re-created unasked. */
  readonly expired: number;
  /** Hostnames of `lifecycle: app` that the application deleted since the last apply. */
  readonly gone: number;
}

/**
 * What an apply writes down without doing anything live: hostnames of `lifecycle: app` that are as the policies want
 * them, objects that are gone, a status that has moved on. Not part of the hash, because it changes nothing for anybody.
 */
export interface Bookkeeping {
  readonly remember: readonly StateObject[];
  /** Addresses without the zone's name. */
  readonly drop: readonly string[];
  /** What each source gave, where that is new. */
  readonly sources?: Readonly<Record<string, SourceSeen>>;
}

/** The section of a plan for one zone. */
export interface ZonePlan {
  readonly zone: { readonly id: ZoneId; readonly name: string };
  /** Absent where the zone has no state yet. */
  readonly lineage?: string;
  readonly serial: number;
  /** How many records the journal of a stopped run had, which the state holds as well; absent for none. */
  readonly journalRecords?: number;
  /** In the order in which they are carried out. */
  readonly changes: readonly Change[];
  readonly counts: Counts;
  readonly cost: Cost;
  readonly bookkeeping: Bookkeeping;
  /** Remarks and findings: foreign hostnames, live values that a check denies, expired hostnames. */
  readonly findings: readonly Diagnostic[];
}

/** A plan: a set of changes, each with its digest, and the hash over them (docs/semantics.md#approval). */
export interface Plan {
  readonly project: string;
  /** Which share of the service's limits carrying it out may use. Not part of the hash. */
  readonly budget: Budget;
  readonly hash: Digest;
  readonly zones: readonly ZonePlan[];
  /** Zones that could not be planned: such a plan is shown, and neither saved nor applied. Absent for none. */
  readonly failed?: readonly FailedZone[];
  /** The approval under which it is carried out; absent where the plan itself is what was approved. */
  readonly approval?: ApprovedAs;
}

/** A zone that could not be looked at: the others are shown all the same (docs/semantics.md#zones). */
export interface FailedZone {
  readonly zone: { readonly id: ZoneId; readonly name: string };
  /** Where the zone is declared. */
  readonly at: Position;
  /** Why, each with the zone's name and a place in a file. */
  readonly diagnostics: readonly Diagnostic[];
  readonly exitCode: ExitCode;
}

/** What of an approval a plan still has to do. */
export interface ApprovedAs {
  /** The hash that was approved. */
  readonly hash: Digest;
  /** Addresses of approved changes that were looked for and are needed no more: the fresh plan has none for them. */
  readonly dropped: readonly Address[];
  /** Of approved changes that nobody looked for: in another zone, or outside of what `--target` and `--exclude` choose. */
  readonly leftOut: readonly Address[];
  /** Of approved deletions whose object somebody else deleted, and of whose name somebody made another one. */
  readonly takenOver: readonly Address[];
}
