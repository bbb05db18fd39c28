import { describe, expect, it } from "vitest";
import { error } from "../../../lib/core/diagnostic.ts";
import { type Ended, isResumable, type Outcome } from "../../../lib/apply/outcome.ts";
import { aChange, ZONE } from "../../support/plans.ts";

const LOCKED = { zone: ZONE, locked: error({ code: "locked", message: "somebody holds the lock" }) } as const;

function ended(outcome: Outcome): Ended {
  const { address, action } = aChange("a.net", "delete");
  return { address, action, outcome };
}

const REFUSED = ended({ status: "refused", refused: { code: "deletion-limit", message: "", remedy: "" } });
const NOT_STARTED = ended({ status: "not-started", because: "the zone's state is locked by another run" });

const SAID = error({ code: "refused-by-service", message: "", remedy: "" });
const REFUSED_FOR_GOOD = ended({ status: "failed", diagnostic: SAID, isFinal: true });

describe("a run offers to be resumed", () => {
  it("where it met a lock with something to do, and not where there was nothing", () => {
    expect(isResumable({ run: "r", zones: [{ ...LOCKED, ended: [NOT_STARTED] }] })).toBe(true);
    expect(isResumable({ run: "r", zones: [{ ...LOCKED, ended: [] }] })).toBe(false);
  });

  it("not where the same command would be refused the same things", () => {
    expect(isResumable({ run: "r", zones: [{ zone: ZONE, ended: [REFUSED] }] })).toBe(false);
    expect(isResumable({ run: "r", zones: [{ zone: ZONE, ended: [REFUSED_FOR_GOOD, REFUSED] }] })).toBe(false);
    const mayPass = ended({ status: "failed", diagnostic: SAID });
    expect(isResumable({ run: "r", zones: [{ zone: ZONE, ended: [REFUSED_FOR_GOOD, mayPass] }] })).toBe(true);
    expect(isResumable({ run: "r", zones: [{ zone: ZONE, ended: [REFUSED, NOT_STARTED] }] })).toBe(true);
  });
});
