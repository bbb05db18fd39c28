import type { ZoneId } from "../core/brand.ts";
import type { JsonObject } from "../core/json.ts";

/** What is remembered about one zone between runs. */
export interface State {
  readonly zone: { readonly id: ZoneId; readonly name: string };
  /** A UUID, given once: states of different lineage are never compared or merged. */
  readonly lineage: string;
  /** Rises by one with each change that is written. */
  readonly serial: number;
  /** Hex; the key under which secrets are fingerprinted. */
  readonly secretKey: string;
  /** What each source held at the last apply, so that a truncated one is noticed (docs/semantics.md#truncated-sources). */
  readonly sources?: Readonly<Record<string, SourceSeen>>;
  /** The foreign rules at the last review; absent if there was none. */
  readonly reviewed?: Reviewed;
  /** By address without the zone's name: `custom_hostname["app.customer-one.net"]`. */
  readonly objects: ReadonlyMap<string, StateObject>;
  /**
   * Which runs applied what is no longer in the state, by address and in the order in which it left, so that an approval
   * which made or deleted it is not used again. Absent for nothing.
   */
  readonly removed?: ReadonlyMap<string, AppliedBy>;
  /** The serial at which the oldest of those were given up, because there were too many; absent if they never were. */
  readonly removedUntil?: number;
}

/**
 * The run that last applied each field or rule, by its path; under `OTHERS` that of all which are not listed. Runs are
 * named as `shortRun` does.
 */
export type AppliedBy = Readonly<Record<string, string>>;

/** The key of `AppliedBy` for all fields that have none of their own. */
export const OTHERS = "";

/** A run's id in a state of a hundred thousand objects. */
export function shortRun(run: string): string {
  return run.slice(0, 8);
}

/** The foreign rules as an apply's saved or prompted plan showed them (docs/semantics.md#foreign-rules). */
export interface Reviewed {
  /** RFC 3339. */
  readonly at: string;
  /**
   * By phase the rules in their order: ours by ref alone, those of others without their ids. One that was shown as a danger
   * has `skips`: the phases and settings of ours that it skipped, perhaps none.
   */
  readonly entryPoints: Readonly<Record<string, readonly JsonObject[]>>;
}

/** What is remembered about a source, so that a truncated file is noticed (docs/semantics.md#truncated-sources). */
export interface SourceSeen {
  /** How many rows the zone took. */
  readonly rows: number;
  /** The hostname of the file's first row, by which a renamed source is found again. */
  readonly first: string;
  /** The hostnames of the last rows of the file, ten at most. */
  readonly end: readonly string[];
  /** The last rows that look cut off, and whose hostnames wait for an approval of their deletion. */
  readonly missing?: {
    readonly rows: readonly string[];
    /** Rows before them may be missing too. */
    readonly isMore?: true;
  };
}

/** A status, and the time (RFC 3339, by the service's clock) since which the object is known to have it. */
export interface Seen {
  readonly status: string;
  readonly at: string;
}

/** A write to a tracked object that was sent, but whose response was lost. */
export type Unanswered =
  | { readonly run: string; readonly action: "delete" }
  /** `sent` and `by` are what `applied` and `by` were to become. */
  | { readonly run: string; readonly action: "update"; readonly sent: JsonObject; readonly by?: AppliedBy };

/** What is remembered about one object. */
export interface StateObject {
  readonly kind: string;
  readonly key: string;
  readonly id: string;
  /** The managed fields as last applied; secrets as fingerprints. */
  readonly applied: JsonObject;
  /** Absent if no run ever wrote to it. */
  readonly by?: AppliedBy;
  /** Kept in the state so that it survives the removal of the entry (docs/semantics.md#protection). */
  readonly protect?: true;
  /** The last status that an apply saw: it distinguishes an expired hostname from a deleted one. */
  readonly seen?: Seen;
  /** What other runs saw of exactly this object, ordered by time. It is kept beside the state, and never written into it. */
  readonly observed?: readonly Seen[];
  /** Only policies know it (`lifecycle: app`, `foreign: adopt`): it is never deleted because an entry is missing. */
  readonly undeclared?: true;
  /** A run sent a create and saw no response; what is found under the key may be ours. */
  readonly pending?: "create";
  /** When that create was sent, RFC 3339: an older object is not ours. */
  readonly since?: string;
  /**
   * When a step was sent, RFC 3339, that the service may take an hour to show, and that the run did not see take
   * effect. `applied` records it as done. It is not sent again before that hour is over.
   */
  readonly asked?: string;
  /** The write whose response was lost: until a run has looked, nobody knows whether live shows that run's work. */
  readonly unanswered?: Unanswered;
  /** SHA-256 fingerprints of the uploaded certificates: the service shows these, and never the uploaded values. */
  readonly uploaded?: readonly string[];
}
