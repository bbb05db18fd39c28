import type { ZoneId } from "../core/brand.ts";
import type { JsonObject } from "../core/json.ts";
import { CODES, problem, refusal } from "../core/diagnostic.ts";
import type { Random } from "../core/clock.ts";
import { parseAddress } from "../core/address.ts";
import { didYouMean } from "../core/suggest.ts";

/** What Zoneform remembers about one zone between runs. */
export interface State {
  readonly zone: { readonly id: ZoneId; readonly name: string };
  /** A UUID, given once: states of different lineage are never compared or merged. */
  readonly lineage: string;
  /** Rises by one with each write. */
  readonly serial: number;
  /** Hex; the key under which secrets are fingerprinted. */
  readonly secretKey: string;
  /** What each source contained at the last apply, so that a truncated one is noticed (docs/semantics.md#truncated-sources). */
  readonly sources?: Readonly<Record<string, SourceSeen>>;
  /** The foreign rules at the last review; absent if there was none. */
  readonly reviewed?: Reviewed;
  /** By address without the zone's name: `custom_hostname["app.customer-one.net"]`. */
  readonly objects: ReadonlyMap<string, StateObject>;
  /**
   * The runs that applied objects which left the state, by address and in the order in which they left, so that an
   * approval that created or deleted one is not used again. Absent for nothing.
   */
  readonly removed?: ReadonlyMap<string, AppliedBy>;
  /** The serial at which the oldest of these were dropped because there were too many; absent if none were. */
  readonly removedUntil?: number;
}

/**
 * The run that last applied each field or rule, by path; `OTHERS` stands for all that are not listed. Runs are named as
 * `shortRun` does.
 */
export type AppliedBy = Readonly<Record<string, string>>;

/** The key of `AppliedBy` for all fields that have none of their own. */
export const OTHERS = "";

/** Shortens a run's id, because a state may name it for a hundred thousand objects. */
export function shortRun(run: string): string {
  return run.slice(0, 8);
}

/** The foreign rules that the user saw in an applied plan, saved or prompted (docs/semantics.md#foreign-rules). */
export interface Reviewed {
  /** RFC 3339. */
  readonly at: string;
  /**
   * The rules of each phase, in order: ours as a ref alone, foreign ones without their ids. `skips` marks a rule that
   * was shown as a danger: the phases and settings of ours that it skipped, perhaps none.
   */
  readonly entryPoints: Readonly<Record<string, readonly JsonObject[]>>;
}

/** What is remembered about a source, so that a truncated file is noticed (docs/semantics.md#truncated-sources). */
export interface SourceSeen {
  /** How many rows were for the zone. */
  readonly rows: number;
  /** The hostname of the file's first row, to recognise a renamed source. */
  readonly first: string;
  /** The hostnames of the last rows of the file, ten at most. */
  readonly end: readonly string[];
  /** Missing last rows, if the file looks truncated. Their hostnames are kept until their deletion is approved. */
  readonly missing?: {
    readonly rows: readonly string[];
    /** Earlier rows may be missing too. */
    readonly isMore?: true;
  };
}

/** A status, and since when (RFC 3339, by the service's clock) the object is known to have it. */
export interface Seen {
  readonly status: string;
  readonly at: string;
}

/** A write to a tracked object that was sent, but whose response was lost. */
export type Unanswered =
  | { readonly run: string; readonly action: "delete" }
  /** `sent` and `by` would have become `applied` and `by`. */
  | { readonly run: string; readonly action: "update"; readonly sent: JsonObject; readonly by?: AppliedBy };

/** What Zoneform remembers about one object. */
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
  /** The last status that an apply saw, to tell an expired hostname from a deleted one. */
  readonly seen?: Seen;
  /** What other runs saw of exactly this object, ordered by time. Kept beside the state, never in it. */
  readonly observed?: readonly Seen[];
  /** Only a policy mentions it (`lifecycle: app`, `foreign: adopt`): it is never deleted for lack of an entry. */
  readonly undeclared?: true;
  /** A run sent a create and got no response; an object found under the key may be ours. */
  readonly pending?: "create";
  /** When that create was sent, RFC 3339: an older object is not ours. */
  readonly since?: string;
  /**
   * When a step was sent that the service may take an hour to show and that the run did not see take effect, RFC 3339.
   * `applied` records it as done. It is not sent again within that hour.
   */
  readonly asked?: string;
  /** The write whose response was lost. Until a run checks, it is unknown whether live shows its effect. */
  readonly unanswered?: Unanswered;
  /** SHA-256 fingerprints of the uploaded certificates: the service shows these, never the uploaded values. */
  readonly uploaded?: readonly string[];
}

/** As long as the hash that it keys, so that a secret cannot be found by trying keys. */
const KEY_BYTES = 32;

/** The state of a new zone: a lineage of its own, serial 0, a fresh key, no objects. */
export function newState(zone: { readonly id: ZoneId; readonly name: string }, random: Random): State {
  const secretKey = Buffer.from(random.bytes(KEY_BYTES)).toString("hex");
  return { zone: { id: zone.id, name: zone.name }, lineage: random.uuid(), serial: 0, secretKey, objects: new Map() };
}

/** A state under change. Each change costs the same, however large the state is. */
export interface StateEditor {
  get(address: string): StateObject | undefined;
  /** Keeps what earlier runs applied at the address, even if the object had left the state. */
  set(address: string, object: StateObject): void;
  /** `run` deleted or released the object; absent if no run did. */
  delete(address: string, run?: string): void;
  objects(): Iterable<readonly [address: string, object: StateObject]>;
  /** The result so far as a new state; the serial rises when it is saved. */
  toState(): State;
}

/** Opens a state for changes; the given state is not modified. */
export function editState({ removed: left, ...state }: State): StateEditor {
  const objects = new Map(state.objects);
  const removed = new Map(left);
  const now = { ...state, objects, removed };
  return {
    get: (address) => objects.get(address),
    set: (address, object) => {
      const before = objects.has(address) ? undefined : appliedBy(now, address);
      objects.set(address, before ? { ...object, by: { ...before, ...object.by } } : object);
      removed.delete(address);
    },
    delete: (address, run) => {
      const by = run === undefined ? objects.get(address)?.by : { [OTHERS]: shortRun(run) };
      objects.delete(address);
      if (!by) return;
      // The latest removal stands last.
      removed.delete(address);
      removed.set(address, by);
    },
    objects: () => objects.entries(),
    toState: () => ({ ...state, objects: new Map(objects), ...keptOf(now) }),
  };
}

/** Stands in place of a run id where the state may have dropped the removal that named the run. */
const GIVEN_UP = "until-";

/** Whether this stands in place of a run id: the run that applied it, if any, is no longer known. */
export function isGivenUp(run: string): boolean {
  return run.startsWith(GIVEN_UP);
}

/**
 * The runs that last applied the object at an address, or the object that was there before it left the state; undefined
 * for none.
 */
export function appliedBy(
  { objects, removed, removedUntil }: Pick<State, "objects" | "removed" | "removedUntil">,
  address: string,
): AppliedBy | undefined {
  const object = objects.get(address);
  if (object) return object.by;
  return removed?.get(address) ?? (removedUntil === undefined ? undefined : { [OTHERS]: `${GIVEN_UP}${removedUntil}` });
}

/** How many removals a state keeps. */
const MOST_REMOVED = 5_000;

/**
 * Drops half of the removals at once. Each drop voids the approvals that create an object at an address without a
 * history, so it should be rare.
 */
function keptOf({ removed, serial }: { removed: ReadonlyMap<string, AppliedBy>; serial: number }): Partial<State> {
  if (removed.size > MOST_REMOVED)
    return { removed: new Map([...removed].slice(-MOST_REMOVED / 2)), removedUntil: serial };
  return removed.size > 0 ? { removed: new Map(removed) } : {};
}

/**
 * The state with a tracked object moved to another address of the same kind. Throws `Refusal` if nothing is tracked
 * under the old address, something is tracked under the new one, both are the same, their kinds differ, the key is the
 * live name of the kind's objects (`isNamedLive`), or the response to its create was lost.
 */
export function moveInState(
  state: State | undefined,
  from: string,
  to: string,
  isNamedLive: (kind: string) => boolean,
): State {
  const object = state?.objects.get(from);
  if (!state || !object) {
    const remedy = didYouMean(from, [...(state?.objects.keys() ?? [])]);
    throw refusal(problem("not-tracked", { address: from, state: "the state" }, { remedy }));
  }
  const { kind, key } = parseAddress(to) ?? { kind: undefined, key: undefined };
  if (kind !== object.kind || key === undefined)
    throw refusal(problem("moved-to-another-kind", { from, to, kind: object.kind }));
  if (to === from) throw refusal(problem("moved-to-itself", { address: from }));
  if (state.objects.has(to)) throw refusal(problem("tracked-already", { address: to }));
  if (isNamedLive(object.kind)) {
    const elsewhere = object.kind === "custom_hostname" ? "; to move it to another zone, use moved: in the YAML" : "";
    const remedy = `${CODES["named-live"].remedy}${elsewhere}`;
    throw refusal(problem("named-live", { from, to }, { remedy }));
  }
  if (object.pending) throw refusal(problem("fate-unknown", { address: from }));
  const editor = editState(state);
  editor.delete(from);
  editor.set(to, { ...object, key });
  return editor.toState();
}
