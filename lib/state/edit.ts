import type { ZoneId } from "../core/brand.ts";
import type { Random } from "../core/clock.ts";
import type { State, StateObject } from "./state.ts";

/** Long enough that nobody finds a secret by trying keys: the size of the hash that it keys. */
const KEY_BYTES = 32;

/** The state of a zone of which nothing is known yet: a lineage of its own, serial 0, a fresh key, no objects. */
export function newState(zone: { readonly id: ZoneId; readonly name: string }, random: Random): State {
  const secretKey = Buffer.from(random.bytes(KEY_BYTES)).toString("hex");
  return { zone: { id: zone.id, name: zone.name }, lineage: random.uuid(), serial: 0, secretKey, objects: new Map() };
}

/** A state in the hands of the one stage that changes it: each change costs the same, however large the state is. */
export interface StateEditor {
  get(address: string): StateObject | undefined;
  set(address: string, object: StateObject): void;
  delete(address: string): void;
  objects(): Iterable<readonly [address: string, object: StateObject]>;
  /** What has become of it so far, as a state of its own; the serial rises when it is saved. */
  toState(): State;
}

/** Opens a state for changes; the state itself stays as it is. */
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
