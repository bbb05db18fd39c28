import type { Position } from "../../core/diagnostic.ts";
import type { DiagnosticCode } from "../../core/diagnostic-code.ts";
import type { LeafChange } from "../../core/diff.ts";
import type { JsonObject, Path } from "../../core/json.ts";
import type { Secret, SecretReference } from "../../core/secret.ts";
import type { Live, Options } from "../live.ts";

/** A reason why a change is refused, and the remedy. */
export interface Objection {
  /** The field without which the change would be accepted; absent if the whole change is refused. */
  readonly path?: Path;
  /** The service has no way to make this change, whatever the YAML says. */
  readonly isFinal?: true;
  /** A stable kebab-case name. */
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly remedy: string;
}

/** What the plan asks a kind to compare. */
export interface ComparisonInput {
  /** The declared values; secrets are fingerprints if the state's key is known, else references. */
  readonly desired: JsonObject;
  /** As last applied; absent if never applied. */
  readonly prior: JsonObject | undefined;
  readonly live: Live;
  readonly options: Options;
  /** Its rules as they were when foreign rules were last reviewed; absent if they never were. */
  readonly reviewed?: readonly JsonObject[] | undefined;
}

/** What a step does to a rule. */
export const RULE_ACTIONS = ["insert", "remove", "move", "edit", "enable", "disable"] as const;

/** One step from the live order and content of rules to the desired ones. `position` counts from 1. */
export interface RuleChange {
  readonly action: (typeof RULE_ACTIONS)[number];
  readonly ref: string;
  /** What identifies the rule for the reader: its description, else its expression. */
  readonly title: string;
  /** Position before; absent for `insert`. */
  readonly from?: number;
  /** Position after; absent for `remove`. */
  readonly to?: number;
  readonly leaves: readonly LeafChange[];
  readonly cause: LeafChange["cause"];
  /** Where the YAML declares it; absent if it does not. */
  readonly at?: Position;
  /** The live rule that this removes. No digest covers it: that of a removal covers all live rules. */
  readonly lost?: JsonObject;
  /** The rule was never ours, and this removes it, or moves our rules past it. */
  readonly foreign?: true;
}

/** Differences that are held. */
export interface Held {
  readonly leaves: readonly LeafChange[];
  readonly reason: string;
  /** What would lift the hold; absent if nothing can. */
  readonly lifts?: string;
  /** The service lifts it by itself, usually within minutes. */
  readonly isSoon?: true;
  /** Once lifted, they become an ordinary update, which today's approval covers. */
  readonly becomes?: "update";
}

/**
 * The differences between desired and live values. If `leaves`, `rules`, `held` and `replaces` are empty, there are
 * none.
 */
export interface Comparison {
  readonly leaves: readonly LeafChange[];
  readonly rules: readonly RuleChange[];
  /**
   * Differences that are held, and why. They may still be drift (docs/semantics.md#held-changes,
   * docs/semantics.md#drift).
   */
  readonly held?: Held;
  readonly letGo: readonly Path[];
  /** The fields that make a replacement necessary. */
  readonly replaces: readonly Path[];
  /** All reasons why this may not be applied; absent or empty for none. */
  readonly objections?: readonly Objection[];
  /** Remarks for the reader that are no changes, such as foreign rules that are kept. */
  readonly notes: readonly string[];
}

/** An object whose live certificate is compared with an uploaded one. */
export interface Uploading {
  /** The declared values, with references to secrets. */
  readonly desired: JsonObject;
  /** What was last applied, with the fingerprints of the certificates that were uploaded. */
  readonly prior: { readonly applied: JsonObject; readonly uploaded?: readonly string[] } | undefined;
  readonly live: Live;
  /** The SHA-256 fingerprint of the certificate in a secret; undefined if the secret is not available. */
  readonly certificateOf: ((reference: SecretReference) => string | undefined) | undefined;
}

/** How the certificates that a kind uploads are compared: the service shows their fingerprints and nothing else. */
export interface Uploads {
  /** Whether a field is part of an upload. */
  isUpload(path: Path): boolean;
  /** The SHA-256 fingerprints of the certificates to upload; undefined if there are none, or if one is unknown. */
  fingerprints(desired: JsonObject, reveal: (reference: SecretReference) => Secret): readonly string[] | undefined;
  /**
   * Live with the values of uploads that the served fingerprints prove; `comparable` is `desired` with fingerprints for
   * secrets.
   */
  asServed(uploading: Uploading, comparable: JsonObject): Live;
  /** Whether we cannot tell if an uploaded certificate is the one that is served. */
  isUnknownUpload(uploading: Uploading, comparable: JsonObject): boolean;
}

/** The three-way comparison of an object. Pure: same input, same bytes. */
export interface Compared {
  /** Fields that hold secrets or that the service never shows, as formatted paths. */
  readonly writeOnly: readonly string[];
  /** Fields that the service never sets by itself: if live has one that was not sent, the object is foreign. */
  readonly neverFilled?: readonly string[];
  compare(input: ComparisonInput): Comparison;
  /** Absent: the kind uploads no certificates. */
  readonly uploads?: Uploads;
  /**
   * The live values that a write relies on: owned and copied fields. Apply refuses if they have changed since the plan.
   */
  guarded(live: Live, leaves: readonly LeafChange[]): JsonObject;
  /** What an apply would have recorded for the live object; the starting point of an import. */
  applied(desired: JsonObject, live: Live): JsonObject;
  /** What an import with `--write` adds to the YAML: every live value that a user may write. */
  declared(live: Live): JsonObject;
  /** What a new object takes over from an old one, besides what is declared. Absent: the same as `declared`. */
  copied?(live: Live): JsonObject;
  /** The whole desired object: the declared values, and live ones for the rest. For tools that own whole objects. */
  whole(input: ComparisonInput): JsonObject;
}
