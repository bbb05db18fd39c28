import type { ZoneId } from "../core/brand.ts";
import type { Random } from "../core/clock.ts";
import type { State, StateObject } from "./state.ts";

/** As long as the hash that it keys, so that nobody can find a secret by trying keys. */
const KEY_BYTES = 32;

/** The state of a new zone: a lineage of its own, serial 0, a fresh key, no objects. */
export function newState(zone: { readonly id: ZoneId; readonly name: string }, random: Random): State {
  const secretKey = Buffer.from(random.bytes(KEY_BYTES)).toString("hex");
  return { zone: { id: zone.id, name: zone.name }, lineage: random.uuid(), serial: 0, secretKey, objects: new Map() };
}

/** A state that one stage changes: each change costs the same, however large the state is. */
export interface StateEditor {
  get(address: string): StateObject | undefined;
  set(address: string, object: StateObject): void;
  delete(address: string): void;
  objects(): Iterable<readonly [address: string, object: StateObject]>;
  /** The result so far as a new state; the serial rises when it is saved. */
  toState(): State;
}

/** Opens a state for changes; the given state is not modified. */
export function editState(state: State): StateEditor {
  const objects = new Map(state.objects);
  return {
    get: (address) => objects.get(address),
    set: (address, object) => {
      objects.set(address, object);
    },
    delete: (address) => {
      objects.delete(address);
    },
    objects: () => objects.entries(),
    toState: () => ({ ...state, objects: new Map(objects) }),
  };
}
