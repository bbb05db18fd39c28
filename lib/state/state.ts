import type { ZoneId } from "../core/brand.ts";
import type { JsonObject } from "../core/json.ts";

/** What is remembered of one zone between runs. */
export interface State {
  readonly zone: { readonly id: ZoneId; readonly name: string };
  /** A UUID given once: states of different lineage are never compared or merged. */
  readonly lineage: string;
  /** Rises by one with each change that is written. */
  readonly serial: number;
  /** Hex; the key under which secrets are fingerprinted. */
  readonly secretKey: string;
  /** What each source gave at the last apply, so that one that was cut short is noticed (docs/semantics.md#truncated-sources). */
  readonly sources?: Readonly<Record<string, SourceSeen>>;
  /** By address without the zone's name: `custom_hostname["app.customer-one.net"]`. */
  readonly objects: ReadonlyMap<string, StateObject>;
}

/** What is remembered of a source. */
export interface SourceSeen {
  readonly rows: number;
  /** The hostname of its last row. */
  readonly last: string;
  /** What the project said of its completeness then. */
  readonly said?: string;
  /** The short hash of each row, in the file's order (`core/row-hash.ts`); absent in a state of an older version. */
  readonly order?: string;
  /** The same of every row of the file, where the zone takes only some of them. */
  readonly file?: string;
  /** Rows that look cut off, and whose deletion still waits for an approval. */
  readonly open?: string;
}

/** A status, and the moment (RFC 3339, by the clock of the service) since which it is known to stand. */
export interface Seen {
  readonly status: string;
  readonly at: string;
}

/** A write of a tracked object that was sent, and whose answer nobody saw. */
export type Unanswered =
  | { readonly run: string; readonly action: "delete" }
  /** `sent` is what `applied` was to become. */
  | { readonly run: string; readonly action: "update"; readonly sent: JsonObject };

/** What is remembered of one object. */
export interface StateObject {
  readonly kind: string;
  readonly key: string;
  readonly id: string;
  /** The owned leaves as last applied; secrets as fingerprints. */
  readonly applied: JsonObject;
  /** Kept here so that it survives the removal of the entry (docs/semantics.md#protection). */
  readonly protect?: true;
  /** The last status that an apply saw, so that an expired hostname is told from a deleted one. */
  readonly seen?: Seen;
  /** What other runs saw of this very object, in order of time. It is kept beside the state, and never written into it. */
  readonly observed?: readonly Seen[];
  /** Known by policy only (`lifecycle: app`, `foreign: adopt`): never deleted for want of an entry. */
  readonly undeclared?: true;
  /** A create was sent by a run that did not live to see the answer; what is found under the key may be ours. */
  readonly pending?: "create";
  /** When that create was sent, RFC 3339: what is older than this is somebody else's. */
  readonly since?: string;
  /**
   * When a step was sent, RFC 3339, that the service may take an hour to show, and that the run did not see take effect.
   * `applied` has it as done. It is not sent again before that hour is over.
   */
  readonly asked?: string;
  /** The write that no run saw the answer of: until one has looked, nobody knows whether live is that run's work. */
  readonly unanswered?: Unanswered;
  /** SHA-256 fingerprints of the certificates that were uploaded: what live shows of an upload, whose values it never shows. */
  readonly uploaded?: readonly string[];
}
