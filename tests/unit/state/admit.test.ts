import { describe, expect, test } from "vitest";
import { Refusal } from "../../../lib/core/diagnostic.ts";
import { checkReplacement } from "../../../lib/state/upkeep/restore.ts";
import type { State, StateObject } from "../../../lib/state/state.ts";
import { addressOf, hostname, stateOf } from "../../support/state-world.ts";

const OLDER = { isOlder: true, newest: 0 };
const NEWER = { isOlder: false, newest: 0 };
const PENDING: Partial<StateObject> = { pending: "create", since: "2026-03-01T12:00:00Z" };

/** A state of one hostname. */
function withHostname(serial: number, more: Partial<StateObject> = {}): State {
  return stateOf(0, { serial, objects: new Map([[addressOf(0), { ...hostname(0), ...more }]]) });
}

function codeOf(act: () => unknown): string | undefined {
  try {
    act();
    return undefined;
  } catch (thrown) {
    return thrown instanceof Refusal ? thrown.diagnostics[0]?.code : String(thrown);
  }
}

describe("a state from a file, while a create is unfinished", () => {
  const stored = withHostname(9, PENDING);

  test.each([
    ["that does not have the address", stateOf(0, { serial: 3 })],
    ["that has what was there before", withHostname(3)],
  ])("is refused as an earlier one %s", (_what, given) => {
    expect(codeOf(() => checkReplacement(stored, given, OLDER))).toBe("state-with-open-create");
  });

  test("is refused as a newer one that does not have the address", () => {
    expect(codeOf(() => checkReplacement(stored, stateOf(0, { serial: 10 }), NEWER))).toBe("state-with-open-create");
  });

  test("is accepted if the create is unfinished there too", () => {
    expect(checkReplacement(stored, withHostname(3, PENDING), OLDER).serial).toBe(9);
  });

  test("is accepted as a newer one that knows the create's result", () => {
    expect(checkReplacement(stored, withHostname(10, { id: "id-found" }), NEWER).serial).toBe(9);
  });
});

describe("a state from a file, when a newer one is known", () => {
  test.each([
    ["without a stored state", undefined],
    ["over an older one that was put back", withHostname(3)],
  ])("is refused %s", (_what, stored) => {
    expect(codeOf(() => checkReplacement(stored, withHostname(8), { isOlder: false, newest: 9 }))).toBe(
      "state-not-newer",
    );
  });

  test("is accepted under its own serial if it is that newer one", () => {
    // Saving raises it by one.
    expect(checkReplacement(withHostname(3), withHostname(9), { isOlder: false, newest: 9 }).serial).toBe(8);
  });

  test("is accepted on purpose, under a serial above the newer one", () => {
    expect(checkReplacement(withHostname(3), withHostname(3), { isOlder: true, newest: 9 }).serial).toBe(9);
  });
});
