import { expect, test } from "vitest";
import { zoneId } from "../../../../lib/core/brand.ts";
import { lastCheckedDocument, lastCheckedLines } from "../../../../lib/report/commands/last-checked.ts";
import { printLines } from "../../../../lib/report/printers/text.ts";
import type { CheckCounts, DriftCheck, LastChecks } from "../../../../lib/state/observations.ts";

const zone = { id: zoneId("023e105f4ecef8ad9ca31a8372d0c353"), name: "saas.net" };
const NOW = "2026-11-21T12:00:00.000Z";
const NOTHING = {
  objects: 5,
  fields: 20,
  fieldsNotJudged: 0,
  beingChanged: 0,
  notJudged: 0,
  drifted: 0,
  vanished: 0,
  foreign: 0,
  unread: 0,
};

function checked(at: string, counts: Partial<CheckCounts> = {}): DriftCheck {
  return { at, lineage: "lineage", serial: 7, counts: { ...NOTHING, ...counts } };
}

function said(driftChecks?: LastChecks): string {
  const lines = lastCheckedLines({ zone, ...(driftChecks ? { driftChecks: { ...driftChecks, now: NOW } } : {}) });
  return printLines(lines, { colour: false });
}

test("status says when drift was last looked for, what was found, and how much could not be checked", () => {
  const at = "2026-11-21T09:00:10.000Z";
  expect(said({ last: checked(at) })).toBe("  last checked for drift 2 hours ago (2026-11-21 09:00 UTC): no drift\n");
  expect(said({ last: checked(at, { fieldsNotJudged: 12 }) })).toContain(
    ": no drift found, 12 fields could not be checked\n",
  );
  expect(said({ last: checked(at, { drifted: 1, vanished: 2, fieldsNotJudged: 1 }) })).toContain(
    ": 1 object had drifted, 2 hostnames were gone, 1 field could not be checked\n",
  );
  expect(said({ last: checked(at, { foreign: 1 }) })).toContain(": 1 foreign rule lets traffic past yours\n");
  expect(said({ last: checked(at, { unread: 1 }) })).toContain(
    ": no drift found, the token could not read all rules\n",
  );
});

test.each([
  ["2026-11-21T12:00:59.000Z", "just now"],
  ["2026-11-21T11:59:01.000Z", "just now"],
  ["2026-11-21T11:59:00.000Z", "1 minute ago"],
  ["2026-11-21T10:01:00.000Z", "119 minutes ago"],
  ["2026-11-21T10:00:00.000Z", "2 hours ago"],
  ["2026-11-19T12:00:01.000Z", "47 hours ago"],
  ["2026-11-19T12:00:00.000Z", "2 days ago"],
])("of %s it says %s", (at, words) => {
  expect(said({ last: checked(at) })).toContain(`last checked for drift ${words} (`);
});

test("status names a check that failed, the one before it, and what to run", () => {
  const failed = { at: "2026-11-21T11:00:00.000Z", errors: ["not-allowed"] };
  expect(said({ failed, last: checked("2026-11-21T09:00:00.000Z") })).toBe(
    [
      "  the check for drift 60 minutes ago (2026-11-21 11:00 UTC) failed: not-allowed",
      "  last checked for drift 3 hours ago (2026-11-21 09:00 UTC): no drift",
      "  to check again:",
      "    zoneform drift --zone saas.net",
      "",
    ].join("\n"),
  );
});

test("status says that nothing is recorded, and nothing at all of a zone without a state", () => {
  expect(said({})).toBe("  no check for drift is recorded; to check:\n    zoneform drift --zone saas.net\n");
  expect(said()).toBe("");
});

test("as JSON, it has every count, and what is not known is absent", () => {
  const last = checked("2026-11-21T09:00:00.000Z", { fieldsNotJudged: 12 });
  const failed = { at: "2026-11-21T11:00:00.000Z", errors: ["not-allowed"] };
  expect(lastCheckedDocument({ driftChecks: { last, failed, now: NOW } })).toEqual({
    drift_check: {
      at: last.at,
      serial: 7,
      objects: 5,
      fields: 20,
      fields_not_judged: 12,
      being_changed: 0,
      not_judged: 0,
      drifted: 0,
      vanished: 0,
      foreign_rules: 0,
      entry_points_unread: 0,
    },
    failed_drift_check: failed,
  });
  expect(lastCheckedDocument({ driftChecks: { now: NOW } })).toEqual({});
  expect(lastCheckedDocument({})).toEqual({});
});
