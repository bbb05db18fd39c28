import { expect, test } from "vitest";
import { type Holding, Locked, lockedDiagnostic } from "../../../lib/state/lock.ts";
import { HOLDER } from "../../support/state-world.ts";

/** What a command says that wanted the lock. */
function said(known: Partial<Holding>, seconds = 0): readonly unknown[] {
  const holding = { unlockId: "lock-1", holder: { ...HOLDER, id: "lock-1" }, isAlive: undefined, ...known };
  const locked = new Locked(holding, "held by somebody");
  const { message, remedy, commands } = lockedDiagnostic(locked, {
    zone: "saas.dev",
    waitMilliseconds: seconds * 1000,
  });
  expect(message).toContain("the state of saas.dev is held");
  return [remedy, ...(commands ?? [])];
}

const WAIT = "wait until it ends, or let this command wait: --lock-timeout SECONDS";
const LONGER = "it did not end within 3 s: wait, or give --lock-timeout more seconds";

test("a run that lives is to be waited for, and not unlocked", () => {
  expect(said({ isAlive: true })).toEqual([WAIT]);
  expect(said({ isAlive: true }, 3)).toEqual([LONGER]);
});

test("a run that may be gone can be unlocked, in the zone that it has locked", () => {
  const unlock = "zoneform state unlock lock-1 --zone saas.dev";
  expect(said({})).toEqual([`${WAIT}; if that run is gone for good:`, unlock]);
  expect(said({}, 3)).toEqual([`${LONGER}; if that run is gone for good:`, unlock]);
  expect(said({ unlockId: undefined })).toEqual([
    `${WAIT}; if that run is gone for good, unlock the state on the server's page`,
  ]);
});

test("a lock that its holder has to renew needs patience, and no command", () => {
  const renewal = { ageMilliseconds: 4000, deadAfterMilliseconds: 60_000 };
  expect(said({ renewal }, 3)).toEqual([
    "wait until it ends; if it is gone, this command takes the lock with --lock-timeout 75",
  ]);
  expect(said({ renewal }, 75)).toEqual([LONGER.replace("3", "75")]);
});
