import type { DiagnosticCode } from "../../core/diagnostic-code.ts";
import type { LeafChange } from "../../core/diff.ts";
import type { JsonObject, Path } from "../../core/json.ts";
import type { Live, Options } from "../live.ts";

/** A reason why a change is refused, and what would take it away. */
export interface Objection {
  /** The leaf without which nothing would speak against the change; absent where it is the change as a whole. */
  readonly path?: Path;
  /** A stable kebab-case name. */
  readonly code: DiagnosticCode;
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

/** What a step does to a rule. */
export const RULE_ACTIONS = ["insert", "remove", "move", "edit", "enable", "disable"] as const;

/** One step that turns the live order and content of rules into the wanted ones. `position` counts from 1. */
export interface RuleChange {
  readonly action: (typeof RULE_ACTIONS)[number];
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

/** The three-way comparison of an object. Pure: the same input gives the same bytes. */
export interface Compared {
  /** Leaves that hold secrets or are never shown by the service, as formatted paths. */
  readonly writeOnly: readonly string[];
  /** Fields that the service never fills in by itself: where live has one that nobody sent, somebody else made the object. */
  readonly neverFilled?: readonly string[];
  compare(input: ComparisonInput): Comparison;
  /** What of live a write rests on: owned and carried leaves. Apply refuses when it has changed since the plan. */
  guarded(live: Live, leaves: readonly LeafChange[]): JsonObject;
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
