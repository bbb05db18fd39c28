import { expect, test } from "vitest";
import { appliedBy, editState, type State } from "../../../lib/state/state.ts";
import { addressOf, hostname, stateOf } from "../../support/state-world.ts";

const BY = { "": "7afb14ca" };

function withRemoved(state: State, from: number, count: number): State {
  const editor = editState(state);
  for (let index = from; index < from + count; index += 1) {
    editor.set(addressOf(index), { ...hostname(index), by: BY });
    editor.delete(addressOf(index));
  }
  return editor.toState();
}

test("what comes back to the state still says which run last applied it, for all that nobody wrote since", () => {
  const editor = editState(withRemoved(stateOf(0), 0, 1));
  editor.set(addressOf(0), { ...hostname(0), by: { "ssl.method": "0c41d2e9" } });
  const state = editor.toState();
  expect(state.objects.get(addressOf(0))?.by).toEqual({ "": "7afb14ca", "ssl.method": "0c41d2e9" });
  expect(state.removed).toBeUndefined();
});

test("what left without a run was last applied by the one before, and what a run deleted by that one", () => {
  const editor = editState(withRemoved(stateOf(0), 0, 1));
  editor.set(addressOf(1), { ...hostname(1), by: BY });
  editor.delete(addressOf(1), "0c41d2e9-5e0f-4a6b-9d3c-2f1e8b7a6c5d");
  const state = editor.toState();
  expect([0, 1, 2].map((index) => appliedBy(state, addressOf(index)))).toEqual([BY, { "": "0c41d2e9" }, undefined]);
});

test("of what left only the newest is kept, and nobody takes what was given up for what never was", () => {
  const full = withRemoved(stateOf(0, { serial: 3 }), 0, 5000);
  expect(full.removed?.size).toBe(5000);
  expect(appliedBy(full, addressOf(9999))).toBeUndefined();
  const state = withRemoved({ ...full, serial: 4 }, 5000, 1);
  expect(state.removed?.size).toBe(2500);
  expect(appliedBy(state, addressOf(5000))).toEqual(BY);
  const unknown = [0, 9999].map((index) => appliedBy(state, addressOf(index)));
  expect(unknown).toEqual([{ "": "until-4" }, { "": "until-4" }]);
});
