import type { State, StateObject } from "../state/state.ts";

/** What the state knew of the zone's objects when this run began. */
export interface Known {
  /** Whether the state has been written since the plan was made: then its word is newer than the plan's. */
  readonly isStale: boolean;
  /** The object at an address. */
  readonly at: (address: string) => StateObject | undefined;
  /** The ids of the kind's objects at other addresses than this one. */
  readonly idsBeside: (kind: string, address: string) => readonly string[];
  /** The address under which an id was known. */
  readonly addressOf: (kind: string, id: string) => string | undefined;
}

/** Indexes a state. `observed` is the same state, with what read-only runs saw of hostnames since. */
export function indexKnown(state: State, observed: State, isStale: boolean): Known {
  return {
    isStale,
    at: (address) => observed.objects.get(address),
    idsBeside: (kind, address) =>
      [...state.objects].flatMap(([known, object]) => (object.kind === kind && known !== address ? [object.id] : [])),
    addressOf: indexById(state),
  };
}

/** The index by kind and id is made when the first one is asked for. */
function indexById({ objects }: State): Known["addressOf"] {
  let addresses: ReadonlyMap<string, string> | undefined;
  return (kind, id) => {
    addresses ??= new Map([...objects].map(([address, object]) => [`${object.kind} ${object.id}`, address]));
    return addresses.get(`${kind} ${id}`);
  };
}
