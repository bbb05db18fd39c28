import { CODES, problem } from "../core/problem.ts";
import type { ZoneId } from "../core/brand.ts";
import type { Random } from "../core/clock.ts";
import { type AppliedBy, OTHERS, shortRun, type State, type StateObject } from "./state.ts";
import { parseAddress } from "../core/address.ts";
import { refusal } from "../core/diagnostic.ts";
import { didYouMean } from "../core/suggest.ts";

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
