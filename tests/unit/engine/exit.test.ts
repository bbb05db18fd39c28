import { describe, expect, it } from "vitest";
import type { ApplyReport, Ended, Outcome, ZoneReport } from "../../../lib/apply/outcome.ts";
import { error } from "../../../lib/core/diagnostic.ts";
import { worst } from "../../../lib/core/exit-code.ts";
import { applyExit } from "../../../lib/engine/exit.ts";
import { aChange, ZONE } from "../../support/plans.ts";

const DIAGNOSTIC = error({ code: "unexpected", message: "x" });

const OUTCOMES: Readonly<Record<Outcome["status"], Outcome>> = {
  done: { status: "done" },
  failed: { status: "failed", diagnostic: DIAGNOSTIC },
  held: { status: "held", reason: "it waits" },
  conflict: { status: "conflict", diagnostic: DIAGNOSTIC, fields: [] },
  refused: { status: "refused", refused: { code: "unexpected", message: "x", remedy: "x" } },
  "not-started": { status: "not-started", because: "x" },
  unknown: { status: "unknown", diagnostic: DIAGNOSTIC },
  unconfirmed: { status: "unconfirmed", diagnostic: DIAGNOSTIC, fields: [] },
};

function ended(status: Outcome["status"], index: number): Ended {
  const { address, action } = aChange(`h${index}.net`, "update");
  return { address, action, outcome: OUTCOMES[status] };
}

function zone(statuses: readonly Outcome["status"][], more: Partial<ZoneReport> = {}): ZoneReport {
  return { zone: ZONE, ended: statuses.map(ended), ...more };
}

function codeOf(report: ApplyReport): number {
  return applyExit(report).code;
}

describe("when several codes hold", () => {
  it("the first of 7, 130, 6, 5, 4, 8, 1, 3, 2 is the one", () => {
    const order = [7, 130, 6, 5, 4, 8, 1, 3, 2, 0] as const;
    order.forEach((code, index) => expect(worst(order.slice(index).toReversed())).toBe(code));
    expect(worst([])).toBe(0);
  });
});

describe("the exit code of an apply", () => {
  it.each<[readonly Outcome["status"][], number]>([
    [[], 0],
    [["done", "held"], 0],
    [["held"], 0],
    [["failed"], 1],
    [["refused"], 4],
    [["conflict"], 5],
    [["conflict", "refused", "failed"], 5],
    [["done", "failed"], 6],
    [["done", "refused"], 6],
    [["done", "conflict"], 6],
    [["done", "not-started"], 6],
    // The states could not be reached before anything was sent.
    [["not-started"], 1],
    [["held", "not-started"], 1],
    // Nobody knows whether it was written.
    [["unknown"], 6],
  ])("%j: %i", (statuses, code) => {
    expect(codeOf({ run: "run-1", zones: [zone(statuses)] })).toBe(code);
  });

  it("is 130 where it was interrupted before the last change, and not where nothing was left", () => {
    expect(codeOf({ run: "run-1", zones: [zone(["done", "not-started"])], interrupted: true })).toBe(130);
    expect(codeOf({ run: "run-1", zones: [zone(["done"])], interrupted: true })).toBe(0);
  });

  it("is 7 where a zone was locked, whatever became of the others", () => {
    const { code, byZone } = applyExit({
      run: "run-1",
      zones: [
        zone(["done"]),
        {
          ...zone(["not-started"], { locked: error({ code: "locked", message: "by somebody" }) }),
          zone: { ...ZONE, name: "other.net" },
        },
      ],
    });
    expect(code).toBe(7);
    expect([...byZone.values()]).toEqual([0, 7]);
  });

  it("is 6 where one zone was written and another was not", () => {
    const other = { ...zone(["failed"]), zone: { ...ZONE, name: "other.net" } };
    expect(codeOf({ run: "run-1", zones: [zone(["done"]), other] })).toBe(6);
  });

  it("is 6 where everything was written but the state could not be saved", () => {
    expect(codeOf({ run: "run-1", zones: [zone(["done"], { unsaved: DIAGNOSTIC })] })).toBe(6);
  });

  it("is 5 where the plan was made with another state, and 1 where the state cannot be read", () => {
    const stopped = (exitCode: number): ApplyReport => ({
      run: "run-1",
      zones: [zone(["not-started"], { stopped: { diagnostics: [DIAGNOSTIC], exitCode } })],
    });
    expect([codeOf(stopped(5)), codeOf(stopped(1))]).toEqual([5, 1]);
  });
});
