import type { Position } from "../core/diagnostic.ts";
import type { LeafChange } from "../core/diff.ts";
import type { JsonObject, Path } from "../core/json.ts";
import type { Secret, SecretReference } from "../core/secret.ts";
import type { ZoneId } from "../core/brand.ts";
import type { Client, FreshClient } from "../service/client.ts";
import type { HclResource } from "./hcl.ts";

/** The names of the resource kinds, as they stand in addresses. */
export type KindName =
  | "fallback_origin"
  | "custom_hostname"
  | "certificate_pack"
  | "ruleset"
  | "waf_migration"
  | "total_tls";

/**
 * What can go wrong when a change is carried out: a closed set (docs/semantics.md#hazards). `irreversible` sends something that
 * cannot come back; `outage` cuts off an active hostname; `weakens-protection` lets in what was kept out; `needs-customer`
 * wants a new DNS record from the customer; `reissue` orders a new certificate; `loses-foreign-rule` removes a rule of
 * somebody else.
 */
export type Hazard =
  | "irreversible"
  | "outage"
  | "weakens-protection"
  | "needs-customer"
  | "reissue"
  | "loses-foreign-rule";

/** An object as the service has it now. */
export interface Live {
  readonly id: string;
  /** The natural key; empty for kinds of which a zone has one. */
  readonly key: string;
  /** Every field that a user could write, in the shape of the YAML. */
  readonly values: JsonObject;
  /** What the service fills and moves by itself: status, versions, dates. Never compared. */
  readonly status: JsonObject;
}

/** What an entry says beside its values, in the YAML's own shape: `own`, `adopt`, `place`, `ssl_updates`, denied CAs. */
export type Options = JsonObject;

/** A reason why a change is refused, and what would take it away. */
export interface Objection {
  /** A stable kebab-case name. */
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

/** What the plan asks a kind to compare. */
export interface ComparisonInput {
  /** The declared values; secret values are fingerprints where the state's key is known, else references. */
  readonly desired: JsonObject;
  /** As last applied; absent where never applied. */
  readonly prior: JsonObject | undefined;
  readonly live: Live;
  readonly options: Options;
}

/** One step that turns the live order and content of rules into the wanted ones. `position` counts from 1. */
export interface RuleChange {
  readonly action: "insert" | "remove" | "move" | "edit" | "enable" | "disable";
  readonly ref: string;
  /** What the reader knows the rule by: its description, else its expression. */
  readonly title: string;
  /** Position before; absent for `insert`. */
  readonly from?: number;
  /** Position after; absent for `remove`. */
  readonly to?: number;
  readonly leaves: readonly LeafChange[];
  readonly cause: LeafChange["cause"];
  /** The rule belongs to somebody else: it was never ours, and this removes it. */
  readonly foreign?: true;
}

/** What somebody did to one rule since the last apply. `from` and `to` count from 1: a move's among the rules that are ours. */
export interface RuleEvent {
  readonly what: "added" | "removed" | "moved" | "edited" | "enabled" | "disabled";
  readonly ref: string;
  /** What the reader knows the rule by: its description, else its expression. */
  readonly title: string;
  /** Where it was applied; absent for a rule that was added. */
  readonly from?: number;
  /** Where it is now; absent for a rule that was removed. */
  readonly to?: number;
  /** `prior` is what was applied, `before` what live has, `after` what the YAML wants. */
  readonly leaves: readonly LeafChange[];
  readonly cause: LeafChange["cause"];
}

/** What happened to the rules of an object since the last apply. */
export interface RuleEvents {
  readonly drifted: readonly RuleEvent[];
  /** Refs of rules, and `order`, that are not as applied, but as the YAML wants them. */
  readonly adopted: readonly string[];
}

/**
 * What is lost with an object: its certificate, its validation, which begins anew for one that is created again, and service
 * until both are there.
 */
export type Loss = "certificate" | "validation" | "downtime";

/** Differences that wait. */
export interface Held {
  readonly leaves: readonly LeafChange[];
  readonly reason: string;
  /** What would lift it; absent where nobody can do anything about it. */
  readonly lifts?: string;
  /** Once it is lifted they are an update like any other, which the approval of today covers. */
  readonly becomes?: "update";
}

/** What a kind finds between wish and live. Nothing in `leaves`, `rules`, `held` and `replaces` means: as wanted. */
export interface Comparison {
  readonly leaves: readonly LeafChange[];
  readonly rules: readonly RuleChange[];
  /** Differences that wait, and why. Whether somebody made them is another question (docs/semantics.md#held-changes, docs/semantics.md#drift). */
  readonly held?: Held;
  readonly letGo: readonly Path[];
  /** The leaves for whose sake the object has to be replaced. */
  readonly replaces: readonly Path[];
  /** Why this may not be carried out, all of it at once; absent or empty where nothing speaks against it. */
  readonly objections?: readonly Objection[];
  /** Remarks for the reader that are no changes: foreign rules kept, and the like. */
  readonly notes: readonly string[];
}

/** Something in a spec that the service would refuse, found before it is called. `path` points into the spec. */
export interface SpecProblem {
  readonly path: readonly (string | number)[];
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
  /** It only speaks of creating the object: where that exists, there is nothing wrong. */
  readonly onlyNew?: true;
}

/** Gives the value of a secret that a spec refers to. Throws `Refusal` when it is not to be had. */
export type Reveal = (reference: SecretReference) => Secret;

/** What a write needs to know besides the client. */
export interface WriteContext {
  /** Sends a write only just after the object was read with it (docs/reliability.md#fresh-reads). */
  readonly client: Client;
  /** Makes another request of the same step on a fresh read of its own, for kinds that send several. */
  readonly freshly: FreshClient["freshly"];
  readonly zone: ZoneId;
  readonly reveal: Reveal;
  readonly signal?: AbortSignal | undefined;
}

/** A further request of a step would meet an object that changed since the step was compared; it was not sent. */
export class ChangedMeanwhile extends Error {
  readonly live: Live;
  /** Whether a request of the step was sent before. */
  readonly hasWritten: boolean;

  constructor(live: Live, hasWritten: boolean) {
    super("the object changed while the step was carried out");
    this.name = "ChangedMeanwhile";
    this.live = live;
    this.hasWritten = hasWritten;
  }
}

/** A request of a step failed after others of it were carried out. `cause` is the failure. */
export class StepCutShort extends Error {
  constructor(cause: unknown) {
    super("a step was carried out in part", { cause });
    this.name = "StepCutShort";
  }
}

/** A version of an object that somebody wrote between our re-read and our write, and that our write replaced. */
export interface Overwritten {
  readonly version: string;
  /** The object as it was in that version; absent where the service does not give it any more. */
  readonly live?: Live;
}

/** What an update is made of. */
export interface UpdateInput {
  /** All declared values, with references to secrets. */
  readonly spec: JsonObject;
  /** Those that differ, and are not held. */
  readonly leaves: readonly LeafChange[];
  readonly prior: JsonObject | undefined;
  /** As re-read just before this write; what is not owned is carried over from it. */
  readonly live: Live;
  readonly options: Options;
  /** The other object that this write takes with it (`Kind.companion`), where the YAML declares it. */
  readonly companion?: Companion;
}

/** An object that is written by another one's call. */
export interface Companion {
  readonly spec: JsonObject;
  readonly prior: JsonObject | undefined;
  /** Absent where it is not live yet. */
  readonly live: Live | undefined;
  readonly options: Options;
}

/** What a planned write does to the service's limits. */
export interface WriteCost {
  /** Calls, the re-read included. */
  readonly calls: number;
  readonly issuances: number;
}

/** How a zone file declares objects of a kind. */
export type Section = SectionBase &
  (
    | { /** One object under the key, or a map of objects by their natural key. */ readonly shape: "object" | "map" }
    | {
        /** A list of objects, whose natural key follows from what they declare. */
        readonly shape: "list";
        readonly keyOf: (spec: JsonObject) => string;
      }
  );

/** What sections of every shape have. */
export interface SectionBase {
  /** The key of the zone file. */
  readonly key: string;
  /** The key of an object without which it means nothing. A layer may leave it to another file. */
  readonly required: string;
  /** Keys of an object that say something about it and are no values of it (`Options`). */
  readonly options: readonly string[];
}

/** Whether an object serves: if not, why, whether it will never do so by itself, and what to do about it. */
export type Readiness = "ready" | { readonly reason: string; readonly remedy: string; readonly isFinal: boolean };

/**
 * A kind of resource: everything that the engine needs to know about it, and the only place that knows it.
 * `compare`, `ruleEvents`, `problems`, `normalise`, `hazards`, `guarded` and `cost` are pure.
 */
export interface Kind {
  readonly name: KindName;
  /** Whether a zone has exactly one, so that it has no key in its address. */
  readonly isSingle: boolean;
  /** Kinds are carried out in this order, deletes in reverse. */
  readonly stage: number;
  /** Whether an object that exists may only be taken over when the YAML says `adopt: true` (docs/semantics.md#shared-entry-points). */
  readonly adoptsOnlyWhenTold: boolean;
  /** Whether the service itself refuses to create what exists; where it does not, a create would overwrite or double it. */
  readonly refusesDuplicates: boolean;
  /** Whether live objects are read from a list in pages. A list may lag behind, so that absence in it proves nothing. */
  readonly isListed?: true;
  /**
   * A step takes several requests, so that `update` reads before each of them by itself. What the last one leads to may
   * take the service a while, so its answer is not compared with what was sent.
   */
  readonly sendsSeveral?: true;
  /** The calls of the largest attempt at an update, where that is more than a read and a write. */
  readonly attemptCalls?: number;
  /** Whether it is a setting of the zone: it always exists, and can be neither created nor deleted. */
  readonly isSetting: boolean;
  /** Whether an entry that leaves the YAML deletes the object; else it is let go. */
  readonly isDeletedWhenRemoved: boolean;
  /**
   * A replacement is created first, and the old object deleted once the new one serves. For that while several live
   * objects have one key (`retiredKey`); `list` gives the newest last.
   */
  readonly createsBeforeDelete?: true;
  /** Absent for custom hostnames, which are declared in more ways than one. */
  readonly section?: Section;
  /** Another object whose change is carried out by this one's call: the two are one planned step. */
  readonly companion?: {
    readonly kind: KindName;
    readonly key: string;
    /** What the call saves in its place where the YAML does not declare it, leaf by leaf: it is approved with the change. */
    readonly instead: (live: Live) => readonly LeafChange[];
  };
  /** Fields that the service never fills in by itself: where live has one that nobody sent, somebody else made the object. */
  readonly neverFilled?: readonly string[];
  /** Leaves that hold secrets or are never shown by the service, as formatted paths. */
  readonly writeOnly: readonly string[];

  /** The one spelling of a key that somebody typed; undefined for what is no key of the kind. Absent: taken as it is. */
  parseKey?(text: string): string | undefined;
  /** The spec in its one spelling: lower case, known names as ids, `""` as `default`. */
  normalise(spec: JsonObject): JsonObject;
  /** What the service would refuse, or what could never work. */
  problems(key: string, spec: JsonObject): readonly SpecProblem[];
  /** Live objects of the zone; `keys` are those declared or tracked, for kinds that are read one by one. */
  list(client: Client, zone: ZoneId, keys: readonly string[], signal?: AbortSignal): AsyncIterable<Live>;
  /** One object by its id, or undefined where it is gone. */
  read(
    client: Client,
    zone: ZoneId,
    target: { id: string; key: string },
    signal?: AbortSignal,
  ): Promise<Live | undefined>;
  /**
   * One object by its natural key: how a create whose answer was lost is found again. Where several objects may have one
   * key, the newest, and none of `others`.
   */
  find(
    client: Client,
    zone: ZoneId,
    key: string,
    signal?: AbortSignal,
    others?: ReadonlySet<string>,
  ): Promise<Live | undefined>;
  compare(input: ComparisonInput): Comparison;
  /** What somebody did to the parts that `compare` tells as rules; absent for kinds without rules. */
  ruleEvents?(input: ComparisonInput): RuleEvents;
  /** What of live a write rests on: owned and carried leaves. Apply refuses when it has changed since the plan. */
  guarded(live: Live, leaves: readonly LeafChange[]): JsonObject;
  hazards(input: {
    action: "create" | "update" | "replace" | "delete";
    key: string;
    desired: JsonObject | undefined;
    live: Live | undefined;
    comparison: Comparison | undefined;
    /** It goes because another object has taken its place, and serves (`createsBeforeDelete`). */
    isReplaced?: boolean;
    /** So many live hostnames serve from it; absent where it carries none, or they were not read. */
    carried?: number;
  }): readonly Hazard[];
  /** Whether the object protects less with the values behind, or nobody can prove that it does not. Absent: it protects nobody. */
  weakens?(from: JsonObject, to: JsonObject, key: string): boolean;
  /** The values that an update will leave live. Absent: those of live, with the leaves that change. */
  valuesAfter?(input: ComparisonInput): JsonObject;
  /** What stays live of an object that is deleted, where it is shared with others. */
  valuesLeft?(live: Live, prior: JsonObject | undefined): JsonObject;
  /** What has become of the values that were applied, with what somebody added to them. Absent: as `applied` says. */
  valuesSince?(applied: JsonObject, live: Live, options: Options): JsonObject;
  /** What goes with an object that is deleted, and what it takes to have it again; absent where nothing does. */
  losses?(live: Live): readonly Loss[];
  cost(action: "create" | "update" | "replace" | "delete", leaves: readonly LeafChange[]): WriteCost;
  create(context: WriteContext, key: string, spec: JsonObject, options: Options): Promise<Live>;
  /**
   * What a write replaced that nobody had seen: where the service counts versions, ours must be the one after the one
   * that was re-read. `before` is the re-read, `after` the answer to the write, or what a look-up found where that was lost;
   * `isOurs` says whether a version has what was written. Absent where nothing is counted.
   */
  overwritten?(
    context: WriteContext,
    before: Live,
    after: Live,
    isOurs: (live: Live) => boolean,
  ): Promise<Overwritten | undefined>;
  update(context: WriteContext, input: UpdateInput): Promise<Live>;
  /** Removing what is gone already is success. `prior` says which parts are ours where the object is shared. */
  remove(context: WriteContext, live: Live, prior: JsonObject | undefined): Promise<Live | void>;
  /** Whether the object serves by now, for kinds that take their time; others are ready when they are written. */
  readiness?(live: Live): Readiness;
  /** What an export as HCL makes of it; `none` where the provider has no resource for it. */
  readonly hcl: HclResource | "none";
  /** The canonical import id (docs/semantics.md#import-ids). */
  importId(zone: ZoneId, live: { id: string }): string;
  /** What would have been applied, had the declared leaves been written as live has them: where an import starts from. */
  applied(spec: JsonObject, live: Live): JsonObject;
  /** What an import with `--write` puts into the YAML: every value that is live and that a user may write. */
  declared(live: Live): JsonObject;
  /**
   * The whole object as it should be: the declared values, and live's wherever nothing is declared. For tools that own
   * objects as a whole.
   */
  whole(input: ComparisonInput): JsonObject;
}

/** Where a declared value came from: for `why` and for error messages. */
export interface Origin {
  readonly at: Position;
  /** The policy, exception, layer or source it came through. */
  readonly through?: string;
}
