import { describe, expect, test } from "vitest";
import { StateError } from "../../lib/state/error.ts";
import { parseHttpAddress } from "../../lib/state/engines/http/address.ts";

type Env = Readonly<Record<string, string>>;

const STATES = "https://states.example/zoneform/{state}";
const SAME: Env = { TF_HTTP_LOCK_ADDRESS: STATES };

function refusalOf(address: string, env: Env): StateError["diagnostic"] {
  try {
    parseHttpAddress(address, env);
  } catch (thrown) {
    if (thrown instanceof StateError) return thrown.diagnostic;
    throw thrown;
  }
  throw new Error("it was not refused");
}

describe("a lock at the address of its state", () => {
  const EFFECTS = [
    ["GET", "read"],
    ["PUT", "replace"],
    ["PATCH", "replace"],
    ["POST", "replace"],
    ["DELETE", "delete"],
  ];

  test.each(EFFECTS)("is not taken with %s, which would %s it", (method = "", effect = "") => {
    expect(refusalOf(STATES, { ...SAME, TF_HTTP_LOCK_METHOD: method })).toEqual({
      severity: "error",
      code: "state-address",
      message: `TF_HTTP_LOCK_METHOD is ${method}, and the lock has the same address as the state, so taking the lock would ${effect} the state`,
      remedy: "unset it, or give TF_HTTP_LOCK_ADDRESS an address of its own",
    });
  });

  test.each(EFFECTS)("is not freed with %s, which would %s it", (method = "", effect = "") => {
    expect(refusalOf(STATES, { ...SAME, TF_HTTP_UNLOCK_METHOD: method })).toMatchObject({
      message: `TF_HTTP_UNLOCK_METHOD is ${method}, and the lock has the same address as the state, so freeing the lock would ${effect} the state`,
      remedy: "unset it, or give TF_HTTP_UNLOCK_ADDRESS an address of its own",
    });
  });

  test.each([
    ["https://states.example/zoneform", "https://states.example/zoneform/{state}"],
    ["https://states.example/zoneform/{state}", "https://states.example/zoneform/{state}/"],
    ["https://states.example/zoneform", "https://states.example:443//zoneform/{state}"],
    ["https://states.example/{state}?token=abc", "https://states.example/{state}"],
    ["https://states.example/?name={state}&token=abc", "https://states.example/?token=abc&name={state}"],
    ["https://states.example/a b/{state}", "https://states.example/a%20b/%7Bstate%7D"],
  ])("is recognised however the two are written: %s and %s", (address, lock) => {
    const env = { TF_HTTP_LOCK_ADDRESS: lock, TF_HTTP_UNLOCK_METHOD: "DELETE" };
    expect(refusalOf(address, env)).toMatchObject({ code: "state-address" });
  });

  test("is not freed with the method that the path stands for", () => {
    const address = "https://gitlab.example/api/v4/projects/42/terraform/state";
    const env = { TF_HTTP_UNLOCK_ADDRESS: `${address}/{state}` };
    expect(refusalOf(address, env)).toMatchObject({
      message: expect.stringMatching(/^freeing the lock is a DELETE, and the lock has the same address as the state/),
      remedy: "unset TF_HTTP_UNLOCK_ADDRESS, or give it an address of its own",
    });
  });

  test("is not taken with the method that stores a state", () => {
    const env = { ...SAME, TF_HTTP_UPDATE_METHOD: "SAVE", TF_HTTP_LOCK_METHOD: "SAVE" };
    expect(refusalOf(STATES, env)).toMatchObject({ code: "state-address" });
  });

  test("is taken and freed with methods of its own", () => {
    expect(parseHttpAddress(STATES, SAME).locking).toMatchObject({ lockMethod: "LOCK", unlockMethod: "UNLOCK" });
  });
});

test.each([
  ["https://states.example/{state}", "https://states.example/{state}/lock"],
  ["https://states.example/?name={state}", "https://states.example/?name={state}&part=lock"],
])("a lock with an address of its own takes any method: %s and %s", (address, lock) => {
  const env = { TF_HTTP_LOCK_ADDRESS: lock, TF_HTTP_LOCK_METHOD: "POST", TF_HTTP_UNLOCK_METHOD: "DELETE" };
  expect(parseHttpAddress(address, env).locking).toMatchObject({ lockMethod: "POST", unlockMethod: "DELETE" });
});
