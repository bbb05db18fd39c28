import { expect, test } from "vitest";
import { isNamedLive } from "../../../lib/engine/look-up.ts";
import { KINDS } from "../../../lib/kinds/registry.ts";
import { moveInState, type State } from "../../../lib/state/state.ts";
import { hostname, stateOf } from "../../support/state-world.ts";

/** A state that tracks one object of a kind. */
function tracking(kind: string, key: string): { readonly state: State; readonly address: string } {
  const address = key === "" ? kind : `${kind}["${key}"]`;
  return { state: { ...stateOf(0), objects: new Map([[address, { ...hostname(0), kind, key }]]) }, address };
}

test.each(KINDS.filter(({ hasFreeKey }) => !hasFreeKey).map(({ name, isSingle }) => [name, isSingle] as const))(
  "an object of the kind %s, which is known live by its key, keeps its address",
  (name, isSingle) => {
    const { state, address } = tracking(name, isSingle ? "" : "one");
    expect(() => moveInState(state, address, `${name}["other"]`, isNamedLive)).toThrow("its key is its live name");
  },
);

test.each(KINDS.filter(({ hasFreeKey }) => hasFreeKey).map(({ name }) => [name]))(
  "an object of the kind %s can move to another key",
  (name) => {
    const { state, address } = tracking(name, "one");
    const { objects } = moveInState(state, address, `${name}["other"]`, isNamedLive);
    expect([...objects]).toMatchObject([[`${name}["other"]`, { kind: name, key: "other" }]]);
  },
);
