import { expect, test } from "vitest";
import type { ZoneStatus } from "../../../../lib/engine/hostnames/status.ts";
import { planPlots, statusPlots } from "../../../../lib/report/sections/plots.ts";
import { aChange, aLeaf, aPlan } from "../../../support/plans.ts";

function creates(count: number): ReturnType<typeof aPlan> {
  const changes = Array.from({ length: count }, (_item, index) =>
    aChange(`a${index}.example.com`, "create", { leaves: [aLeaf("ssl.method", undefined, "http")] }),
  );
  return aPlan([changes]);
}

test("a plan of more certificates than fit a minute shows when they are ordered", () => {
  // The budget of the plan is 15 a minute, of which 5 are left to others.
  expect(planPlots(creates(10))).toEqual([]);
  expect(planPlots(creates(25))).toEqual([
    {
      title: "Certificates ordered, 10 a minute",
      sort: "line",
      points: [
        { label: "minute 1", amount: 10 },
        { label: "minute 2", amount: 20 },
        { label: "minute 3", amount: 25 },
      ],
    },
  ]);
});

test("a schedule of hours has few points, and ends with all certificates", () => {
  const [plot] = planPlots(creates(3005));
  expect(plot?.points.length).toBeLessThanOrEqual(30);
  expect(plot?.points.at(-1)?.amount).toBe(3005);
});

const NO_CERTIFICATES = { byAuthority: {}, byExpiry: {} };

function aStatus(parts: Partial<ZoneStatus>): ZoneStatus {
  return {
    zone: { id: aPlan([[]]).zones[0]?.zone.id ?? never(), name: "saas.dev" },
    live: 0,
    byStatus: {},
    certificates: NO_CERTIFICATES,
    held: [],
    blocked: [],
    moved: [],
    expired: [],
    expiring: [],
    stuck: [],
    underWay: 0,
    waitingForRecords: 0,
    dnsLeft: [],
    checks: [],
    gone: [],
    foreign: 0,
    foreignRules: [],
    judgement: { drifted: [], adopted: [], underWay: [], foreign: [], unread: [], unjudged: [] },
    ...parts,
  };
}

function never(): never {
  throw new Error("the plan has a zone");
}

test("status counts hostnames and certificates of all zones together, and nothing that is not there", () => {
  expect(statusPlots([aStatus({})])).toEqual([]);
  const zones = [
    aStatus({
      byStatus: { active: 3, pending: 1 },
      certificates: { byAuthority: { google: 2, lets_encrypt: 1 }, byExpiry: { "2027-02": 1, "2027-01": 2 } },
    }),
    aStatus({
      byStatus: { active: 4 },
      certificates: { byAuthority: { lets_encrypt: 4 }, byExpiry: { "2027-01": 4 } },
    }),
  ];
  expect(
    statusPlots(zones).map(({ title, points }) => [title, ...points.map(({ label, amount }) => `${label} ${amount}`)]),
  ).toEqual([
    ["Hostnames by status", "active 7", "pending 1"],
    ["Certificates by CA", "lets_encrypt 5", "google 2"],
    ["Certificates by month of expiry", "2027-01 6", "2027-02 1"],
  ]);
});

test("the months after the next eight are one bar, and so are rare statuses", () => {
  const byExpiry = Object.fromEntries(
    Array.from({ length: 12 }, (_month, index) => [`2027-${String(index + 1).padStart(2, "0")}`, 1]),
  );
  const [plot] = statusPlots([aStatus({ certificates: { byAuthority: {}, byExpiry } })]);
  expect(plot?.points).toHaveLength(9);
  expect(plot?.points.at(-1)).toEqual({ label: "later", amount: 4 });
});
