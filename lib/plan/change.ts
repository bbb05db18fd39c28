import type { Address, Digest, ZoneId } from "../core/brand.ts";
import type { Diagnostic, Position } from "../core/diagnostic.ts";
import type { DiagnosticCode } from "../core/diagnostic-code.ts";
import type { ExitCode } from "../core/exit-code.ts";
import type { Cause, LeafChange } from "../core/diff.ts";
import type { Json, JsonObject, Path } from "../core/json.ts";
import type { Budget } from "../core/rate-limits.ts";
import type { Claimable } from "../state/zone/claims.ts";
import type { AppliedBy, SourceSeen, StateObject } from "../state/state.ts";
import type { Hazard, ObjectHazard } from "../kinds/hazards.ts";
import type { Held, RuleChange } from "../kinds/traits/compared.ts";
import type { KindName } from "../kinds/kind.ts";

/**
 * What to do with an object. `adopt` takes a live object into the state (and may change fields of it), `forget` drops
 * it from the state and leaves it live, `held` waits; `no-op` never appears in a plan's changes.
 */
export const ACTIONS = ["create", "update", "replace", "delete", "adopt", "forget", "held", "no-op"] as const;

/** One of `ACTIONS`. */
export type Action = (typeof ACTIONS)[number];

/** One field that changed live after the plan was made, three-way. An absent value means that the field is not set. */
export interface LeafConflict {
  readonly path: Path;
  /** Live when the plan was made. */
  readonly planned?: Json;
  /** Live now. */
  readonly live?: Json;
  /** What the plan would have written. */
  readonly wanted?: Json;
  /** What the YAML declares now, if that has changed too. */
  readonly wantedNow?: Json;
  /** The values are fingerprints of secrets or references to them, and are never printed. */
  readonly sensitive?: true;
}

/** A guard blocks the change: it is shown, but not applied (exit code 4). */
export interface Refused {
  /** `protected`, `deletion-limit`, `unmanaged-entry-point`, `denied-value`, `denied-by-flag`, `companion-not-declared`, `waits-for-another`, `not-approved`, `hazard-not-approved`, or a kind's own. */
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly remedy: string;
  /** Commands that apply it anyway, ready to paste. Never in a saved plan. */
  readonly commands?: readonly string[];
  /** A different change of this object was approved (exit code 5): these are the differences. */
  readonly contested?: readonly LeafConflict[];
}

/** A hazard that was observed when the plan was made. */
export interface ObservedHazard {
  readonly hazard: Hazard;
  /** What was observed, in one clause: `origin.saas.dev has no record in saas.dev`. */
  readonly because: string;
}

/** The hostname that replaces this one, perhaps in another zone. */
export interface MovesTo {
  readonly address: Address;
  readonly zone: ZoneId;
  readonly key: string;
}

/**
 * One planned change of one object: plain data, saved, hashed, rendered and applied elsewhere. For each action, the
 * required parts come first, then the optional ones.
 */
export type Change =
  | Case<"create", "desired", "sent">
  | Case<"update", "id" | "desired" | "expected", "held" | "with">
  | Case<"replace", "id" | "desired" | "expected", "held">
  | Case<"delete", "id" | "expected", "movesTo" | "replaced">
  | Case<"adopt", "id" | "desired", "seen" | "expected" | "held" | "with">
  | Case<"forget", "id", "seen" | "desired" | "expected">
  | Case<"held", "held", "id" | "seen" | "desired" | "expected" | "movesTo">
  | Case<"no-op", "id" | "desired", "seen" | "expected">;

type Case<Name extends Action, Always extends keyof Parts, Maybe extends keyof Parts = never> = Shared &
  Pick<Parts, Always> &
  Partial<Pick<Parts, Maybe>> & { readonly [Never in Exclude<keyof Parts, Always | Maybe>]?: never } & {
    readonly action: Name;
  };

/** A change with this action. */
export type ChangeTo<Name extends Action> = Extract<Change, { readonly action: Name }>;

/** A change before the guards have judged it. */
export type Draft = Change extends infer Each
  ? Each extends Change
    ? Omit<Each, "refused" | "digest">
    : never
  : never;

/** The parts that changes have besides the shared ones, depending on the action. */
interface Parts {
  /** The id of the live object. */
  readonly id: string;
  /** The live status to record in the state, if nothing is written live. Not part of the digest. */
  readonly seen: NonNullable<StateObject["seen"]>;
  /** Fields that wait. */
  readonly held: Held;
  /** The change of another object that the same call applies (`Strategies.companion`). */
  readonly with: Change;
  /** All declared values, with references for secrets. */
  readonly desired: JsonObject;
  /**
   * What a create sends, if that is more than the desired values: an undo also restores unmanaged fields. Never in a
   * plan file, because each undo plans again.
   */
  readonly sent: JsonObject;
  /** The live values that the change relies on (`Kind.guarded`); apply refuses if they have changed. */
  readonly expected: JsonObject;
  /** The hostname that replaces this one (`moved`). */
  readonly movesTo: MovesTo;
  /** Deleted because its declared successor serves traffic, so nothing is lost (`Strategies.replacement`). */
  readonly replaced: true;
}

/** The parts that all changes have. */
export interface Shared {
  readonly address: Address;
  readonly kind: KindName;
  readonly key: string;
  /** Who caused it; `config` for everything that only the YAML asks for. */
  readonly cause: Cause;
  /** One clause that gives the reason, if the fields do not: `deleted outside Zoneform`. */
  readonly reason?: string;
  readonly leaves: readonly LeafChange[];
  readonly rules: readonly RuleChange[];
  readonly letGo: readonly Path[];
  /** The live values of the released fields, by formatted path, without secrets. Not part of the digest. */
  readonly keeps?: JsonObject;
  readonly notes: readonly string[];
  /** Computed from desired, prior and live alone; part of the digest. */
  readonly hazards: readonly Hazard[];
  /** Where they are and what they mean, as far as their kind says more than the name. Not part of the digest. */
  readonly hazardDetails?: readonly ObjectHazard[];
  /** Hazards that need an observation, such as a DNS query; no digest covers them (docs/semantics.md#hazards). */
  readonly observed?: readonly ObservedHazard[];
  /**
   * The dangers of what was done to live outside Zoneform since the last apply, worst first. Not part of the digest.
   */
  readonly dangers?: readonly Hazard[];
  /** The same about the dangers. */
  readonly dangerDetails?: readonly ObjectHazard[];
  readonly refused?: Refused;
  /** The values that were last applied, with fingerprints for secrets. */
  readonly prior?: JsonObject;
  /** The runs that last applied what is at the address; absent if none did. */
  readonly by?: AppliedBy;
  readonly options: JsonObject;
  /** Whether the state marks the object as protected after this change. */
  readonly protect: boolean;
  /** Continues a create or a replacement of a run that was killed before it got the result. */
  readonly resumes?: true;
  /** Only policies match the object; no entry declares it. */
  readonly undeclared?: true;
  readonly digest: Digest;
  readonly at?: Position;
}

/** What a plan uses of the service's limits, computed from the budget. Not part of the hash. */
export interface Cost {
  readonly calls: number;
  readonly issuances: number;
  /** The least time that it takes within the budget, in seconds. */
  readonly seconds: number;
}

/** How many objects there are of each kind. Not part of the hash. */
export interface Counts {
  readonly byAction: Readonly<Record<Action, number>>;
  /** Live hostnames that are neither declared nor tracked; 0 if the YAML ignores them. */
  readonly foreign: number;
  /** Hostnames that the service deleted and that the plan does not re-create. */
  readonly expired: number;
}

/** Why a plan has no change of an object: live is as declared, the object is gone, or the YAML does not declare it. */
export type Settled = "applied" | "gone" | "undeclared";

/**
 * What an apply records in the state without writing live: hostnames of `lifecycle: app` that already match the
 * policies, objects that are gone, a new status. Not part of the hash.
 */
export interface Bookkeeping {
  readonly remember: readonly StateObject[];
  /** Addresses without the zone's name. */
  readonly drop: readonly string[];
  /** What each source contained, if that has changed. */
  readonly sources?: Readonly<Record<string, SourceSeen>>;
}

/** A foreign rule that lets traffic past ours, and is newer or wider than at the last review. */
export interface ForeignDanger {
  /** The entry point that has the rule. */
  readonly address: Address;
  readonly ref: string;
  /** Its position, from 1. */
  readonly at: number;
  /** `skips every request past all remaining rules: "quick fix", expression true`. */
  readonly does: string;
  readonly hazards: readonly Hazard[];
  /** The project that claims the rule. */
  readonly project?: string;
}

/** The foreign rules around ours (docs/semantics.md#foreign-rules). In no digest. */
export interface Watch {
  readonly dangers: readonly ForeignDanger[];
  /** What reviewing this plan accepts: see `State.reviewed`. */
  readonly shown: Readonly<Record<string, readonly JsonObject[]>>;
  /** Whether anything is dangerous or changed since the last review. */
  readonly isNews: boolean;
}

/** The part of a plan for one zone. */
export interface ZonePlan {
  readonly zone: { readonly id: ZoneId; readonly name: string };
  /** Absent if the zone has no state yet. */
  readonly lineage?: string;
  readonly serial: number;
  /** How many journal records of a stopped run the state includes; absent for none. */
  readonly journalRecords?: number;
  /** In the order in which they are applied. */
  readonly changes: readonly Change[];
  readonly counts: Counts;
  /** Hostnames of `lifecycle: app` that were deleted since the last apply. */
  readonly gone: readonly Address[];
  /**
   * The objects without a change, by their addresses without the zone's name; absent in a plan file, because each apply
   * plans again.
   */
  readonly settled?: ReadonlyMap<string, Settled>;
  readonly bookkeeping: Bookkeeping;
  /** The foreign rules; absent if no rule of the zone is ours. */
  readonly watch?: Watch;
  /** The foreign rules that the person who approved the plan saw; absent if nobody did. Never in a plan file. */
  readonly reviewed?: Watch["shown"];
  /** What the project's declarations claim in the zone; absent in a plan file, because each apply plans again. */
  readonly claims?: ZoneClaims;
  /** Remarks and findings: foreign hostnames, live values that a check denies, expired hostnames. */
  readonly findings: readonly Diagnostic[];
}

/** What a project claims in a zone (docs/state.md#two-projects-on-one-store). */
export interface ZoneClaims {
  readonly declared: readonly Claimable[];
  /** Whether an apply would claim more than is claimed now, or release something. */
  readonly willChange: boolean;
}

/** A plan: a set of changes, each with its digest, and the hash over them (docs/semantics.md#approval). */
export interface Plan {
  readonly project: string;
  /** The share of the service's limits that the apply may use. Not part of the hash. */
  readonly budget: Budget;
  readonly hash: Digest;
  readonly zones: readonly ZonePlan[];
  /** Zones that could not be planned; such a plan is shown, but neither saved nor applied. Absent for none. */
  readonly failed?: readonly FailedZone[];
  /** The approval that it is applied under; absent if the plan itself was approved. */
  readonly approval?: ApprovedAs;
  /** What of it was pending before this branch, if somebody asked. Never in a plan file. */
  readonly since?: Since;
}

/** A zone that could not be read; the others are still shown (docs/semantics.md#zones). */
export interface FailedZone {
  readonly zone: { readonly id: ZoneId; readonly name: string };
  /** Where the YAML declares the zone. */
  readonly at: Position;
  /** Why, each with the zone's name and a place in a file. */
  readonly diagnostics: readonly Diagnostic[];
  readonly exitCode: ExitCode;
}

/** What is left to do of an approval. */
export interface ApprovedAs {
  /** The hash that was approved. */
  readonly hash: Digest;
  /** Approved changes that are no longer needed, because the fresh plan has none for them, and why. */
  readonly dropped: readonly { readonly address: Address; readonly because: Settled }[];
  /**
   * Approved changes that this plan did not consider: they are in another zone, or excluded by `--target` or
   * `--exclude`.
   */
  readonly leftOut: readonly Address[];
  /** Approved deletions whose object was deleted outside Zoneform and created again under the same name. */
  readonly takenOver: readonly Address[];
}

/**
 * What of a plan was pending before this branch: the plan compared with the one of an earlier commit, for the same live
 * objects and states (`plan --since`). A view of the plan: in no plan file and no hash.
 */
export interface Since {
  /** The revision as the user named it. */
  readonly ref: string;
  /** The commit that it was compared with, in full: the last one that HEAD and the revision have in common. */
  readonly commit: string;
  /** The revision has commits that this branch lacks. */
  readonly isBehind: boolean;
  /** The commit has no such project, so nothing of it was pending. */
  readonly isNewProject: boolean;
  /** The changes that were pending before, whole or in part. Every other change is of this branch. */
  readonly pending: ReadonlyMap<Address, Pending>;
  /** The objects with a change that was pending before, and is not in this plan. */
  readonly withdrawn: readonly Address[];
}

/** How much of a change was pending before: names of fields, of rules (`rules.REF`), or of the object that goes with it. */
export interface Pending {
  readonly before: readonly string[];
  /** What this branch adds; empty if all of the change was pending before. */
  readonly branch: readonly string[];
}
