import { appliedBy } from "../state/edit.ts";
import type { AppliedBy, State, StateObject } from "../state/state.ts";

/** What the state had for the zone's objects when this run began. */
export interface Known {
  /** Whether the state was written after the plan was made: then it is newer than the plan. */
  readonly isStale: boolean;
  /** The object at an address. */
  readonly at: (address: string) => StateObject | undefined;
  /** Which runs last applied what is at an address. */
  readonly by: (address: string) => AppliedBy | undefined;
  /** The ids of the kind's objects at other addresses. */
  readonly idsBeside: (kind: string, address: string) => readonly string[];
  /** The address that the state has for an id. */
  readonly addressOf: (kind: string, id: string) => string | undefined;
}

/** Indexes a state. `observed` is the same state, with what read-only runs have seen of hostnames since. */
export function indexKnown(state: State, observed: State, isStale: boolean): Known {
  return {
    isStale,
    at: (address) => observed.objects.get(address),
    by: (address) => appliedBy(state, address),
    idsBeside: (kind, address) =>
      [...state.objects].flatMap(([known, object]) => (object.kind === kind && known !== address ? [object.id] : [])),
    addressOf: indexById(state),
  };
}

/** The index is only built when it is first needed. */
function indexById({ objects }: State): Known["addressOf"] {
  let addresses: ReadonlyMap<string, string> | undefined;
  return (kind, id) => {
    addresses ??= new Map([...objects].map(([address, object]) => [`${object.kind} ${object.id}`, address]));
    return addresses.get(`${kind} ${id}`);
  };
}
