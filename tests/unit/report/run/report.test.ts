import { describe, expect, test } from "vitest";
import type { ApplyReport, Ended, Outcome } from "../../../../lib/apply/outcome.ts";
import { describeHolding, Locked, lockedDiagnostic } from "../../../../lib/state/lock.ts";
import { formatAddress } from "../../../../lib/core/address.ts";
import { error } from "../../../../lib/core/diagnostic.ts";
import type { Action } from "../../../../lib/plan/change.ts";
import { reportDocument } from "../../../../lib/report/run/report-json.ts";
import { ZONE } from "../../../support/plans.ts";
import { runText } from "../../../support/texts.ts";

const RUN = "6e3b0f1c-run";
const plain = { colour: false, columns: 80, resume: "zoneform apply plan.zfplan" };
const undo = `zoneform undo ${RUN}`;
const DONE: Outcome = { status: "done" };

function ended(hostname: string, action: Action, outcome: Outcome): Ended {
  return { address: formatAddress({ kind: "custom_hostname", key: hostname }), action, outcome };
}

function many(count: number, prefix: string, action: Action, outcome: Outcome): Ended[] {
  return Array.from({ length: count }, (_item, index) => ended(`${prefix}-${index}.example.com`, action, outcome));
}

function report(endings: readonly Ended[], parts: Partial<ApplyReport> = {}): ApplyReport {
  return { run: RUN, zones: [{ zone: ZONE, ended: endings }], ...parts };
}

function everyEnding(): ApplyReport {
  const refused = {
    code: "protected",
    message: "it is protected and is not deleted",
    remedy: "set protect: false",
  } as const;
  return report([
    ...many(10, "new", "create", DONE),
    ended("lost.example.com", "create", { status: "done", note: "the answer was lost; found again by its name" }),
    ...many(2, "bad", "create", {
      status: "failed",
      diagnostic: error({
        code: "refused-by-service",
        message: "Cloudflare answered 400: 1457 origin is not valid",
        remedy: "correct custom_origin_server",
      }),
    }),
    ended("maybe.example.com", "create", {
      status: "unknown",
      diagnostic: error({ code: "answer-lost", message: "POST was sent, but its answer was lost" }),
    }),
    ended("app.customer-one.net", "update", {
      status: "conflict",
      diagnostic: error({
        code: "changed-since-plan",
        message: "live changed since the plan was made",
        remedy: "plan again and review it",
      }),
      fields: [
        { path: ["ssl", "settings", "min_tls_version"], planned: "1.0", live: "1.1", wanted: "1.2" },
        { path: ["custom_metadata", "tier"], planned: "gold", wanted: "silver" },
      ],
    }),
    ended("bank.example.com", "delete", { status: "refused", refused }),
    ended("waits.example.com", "update", { status: "held", reason: "ssl waits until the hostname is active" }),
    ...many(25, "late", "create", { status: "not-started", because: "the run was interrupted" }),
  ]);
}

describe("the end report", () => {
  test("reports every ending with its reason and how to resume", async () => {
    await expect(runText(everyEnding(), { ...plain, undo })).toMatchFileSnapshot("../../../golden/report/report.txt");
  });

  test("of a run that did everything says what, and how to undo it", () => {
    const all = report([...many(12, "a", "create", DONE), ...many(3, "b", "update", DONE)]);
    expect(runText(all, { colour: false, undo })).toBe(
      `Applied 15 changes: 12 created, 3 updated.\n\nTo undo this run:\n  ${undo}\n`,
    );
    expect(runText(all, { colour: false, seconds: 250 })).toBe(
      "Applied 15 changes in 4 min 10 s: 12 created, 3 updated.\n",
    );
  });

  test("of an interrupted run says what was done and names what was not started", async () => {
    const because = "the run was interrupted";
    const stopped = report(
      [...many(10, "a", "create", DONE), ...many(15, "b", "create", { status: "not-started", because })],
      {
        interrupted: true,
      },
    );
    await expect(runText(stopped, { ...plain, undo })).toMatchFileSnapshot(
      "../../../golden/report/report-interrupted.txt",
    );
  });

  test("tells fields that are released from objects that are", () => {
    const letGo = [["custom_metadata", "tier"]];
    const because = "the run was interrupted";
    const going: Ended[] = many(3, "a", "forget", DONE).map((each) => ({ ...each, letGo }));
    const later = { ...ended("c.example.com", "forget", { status: "not-started", because }), letGo };
    const dropped = many(2, "b", "forget", DONE);
    expect(runText(report([...going, ...dropped]), { colour: false })).toBe(
      "Applied 5 changes: 3 with fields no longer managed, 2 released.\n",
    );
    expect(runText(report([...going, ...dropped, later]), { colour: false })).toMatch(
      /^Applied 5 of 6 changes: .*\n\n {2}with fields no longer managed: .*\n {2}released: .*\n\n1 not started\n  \. release fields of c\.example\.com\n/,
    );
    expect(reportDocument(report([later]))).toMatchObject({
      zones: [{ changes: [{ action: "forget", let_go: letGo }] }],
    });
  });

  test("counts what another run had done before apart from what this one wrote", () => {
    const so = { status: "done", note: "was already so", wasSo: true } as const;
    const mixed = report([...many(2, "a", "update", so), ...many(3, "b", "update", DONE)]);
    expect(runText(mixed, plain)).toMatch(/^Applied 3 changes: 3 updated; 2 changes were already so\.\n/);
    expect(runText(report(many(3, "a", "update", so)), plain)).toMatch(
      /^Nothing had to be sent: 3 changes were already so\.\n/,
    );
  });

  test("names who holds the lock", async () => {
    const lockedBy = {
      id: "6e3b",
      who: "ci@runner-7",
      processId: 4711,
      operation: "apply",
      since: "2026-08-30T02:00:00Z",
      runUrl: "https://ci.example/runs/7",
    };
    const holding = { unlockId: "6e3b", holder: lockedBy, isAlive: undefined };
    const held = new Locked(holding, describeHolding(holding, Date.parse("2026-08-30T02:12:00Z")));
    const locked = lockedDiagnostic(held, { zone: ZONE.name, waitMilliseconds: 0 });
    const report: ApplyReport = { run: RUN, zones: [{ zone: ZONE, ended: [], locked, lockedBy }] };
    await expect(runText(report, { colour: false, columns: 80 })).toMatchFileSnapshot(
      "../../../golden/report/report-locked.txt",
    );
    expect(reportDocument(report)).toMatchObject({
      zones: [
        { locked: locked.message, locked_by: { id: "6e3b", process_id: 4711, run_url: "https://ci.example/runs/7" } },
      ],
    });
  });

  test("says why nothing was begun in a zone, and what was done in the others", async () => {
    const diagnostics = [
      error({
        code: "state-read-only",
        message: "the state cannot be written: its file is read-only",
        remedy: "chmod u+w .zoneform/z.state",
        at: { file: ".zoneform/z.state", line: 1, column: 1 },
      }),
    ];
    const because = "the zone could not be started";
    const report: ApplyReport = {
      run: RUN,
      zones: [
        { zone: { ...ZONE, name: "saas.dev" }, ended: many(2, "a", "create", DONE) },
        {
          zone: ZONE,
          ended: [ended("b.example.com", "update", { status: "not-started", because })],
          stopped: { diagnostics, exitCode: 1 },
        },
      ],
    };
    await expect(runText(report, { ...plain, undo })).toMatchFileSnapshot("../../../golden/report/report-stopped.txt");
    expect(reportDocument(report)).toMatchObject({
      zones: [{}, { stopped: { diagnostics: [{ code: "state-read-only" }] } }],
    });
  });

  test("never calls a run done whose state could not be saved", async () => {
    const unsaved = error({ code: "state-disk", message: "the state cannot be written: the disk is full (ENOSPC)" });
    const report: ApplyReport = { run: RUN, zones: [{ zone: ZONE, ended: many(3, "a", "create", DONE), unsaved }] };
    await expect(runText(report, plain)).toMatchFileSnapshot("../../../golden/report/report-unsaved.txt");
    expect(reportDocument(report)).toMatchObject({ zones: [{ unsaved: { code: "state-disk" } }] });
  });

  test("of which another run took over does not promise what only the next run would do", async () => {
    const unsaved = error({ code: "state-taken-over", message: "somebody freed the lock while this run held it" });
    const ended = many(2, "a", "create", DONE);
    const report: ApplyReport = { run: RUN, zones: [{ zone: ZONE, ended, unsaved, lost: 2 }] };
    await expect(runText(report, plain)).toMatchFileSnapshot("../../../golden/report/report-taken-over.txt");
  });

  test("counts the results that could not be stored, and says that the next apply finds them out", async () => {
    const unsaved = error({ code: "state-unreachable", message: "the server of the states did not come back" });
    const ended = [
      ...many(2, "a", "create", DONE),
      ...many(1, "b", "create", { status: "not-started", because: unsaved.message }),
    ];
    const report: ApplyReport = { run: RUN, zones: [{ zone: ZONE, ended, unsaved, lost: 2 }] };
    await expect(runText(report, plain)).toMatchFileSnapshot("../../../golden/report/report-lost.txt");
    expect(reportDocument(report)).toMatchObject({ zones: [{ lost_results: 2 }] });
    const one: ApplyReport = { run: RUN, zones: [{ zone: ZONE, ended, unsaved, lost: 1 }] };
    expect(runText(one, plain)).toContain("finds out how 1 change ended, and continues");
  });

  test("names every object whose ending is unknown", () => {
    const diagnostic = error({ code: "answer-lost", message: "the answer was lost" });
    const lost = many(60, "lost", "create", { status: "unknown", diagnostic });
    const text = runText(report(lost), { colour: false, columns: 1_000_000 });
    for (let index = 0; index < 60; index += 1) expect(text).toContain(`lost-${index}.example.com`);
  });

  test("stays short where thousands fail, each with a reason of its own", () => {
    const failures = Array.from({ length: 5000 }, (_item, index) =>
      ended(`h${index}.example`, "create", {
        status: "failed",
        diagnostic: error({ code: "refused-by-service", message: `refused (request ${index})` }),
      }),
    );
    const text = runText(report(failures), { colour: false });
    expect(text.split("\n").length).toBeLessThan(60);
    expect(text).toContain("and 4,980 more");
  });

  test("as a document has every change and counts that agree with it", () => {
    expect(reportDocument(everyEnding(), new Map([["saas.eu", 6]]))).toMatchObject({
      format_version: "zoneform/1.0",
      interrupted: false,
      zones: [
        {
          exit_code: 6,
          counts: { done: 11, failed: 2, unknown: 1, conflict: 1, refused: 1, held: 1, not_started: 25 },
          changes: expect.arrayContaining([
            expect.objectContaining({ address: 'custom_hostname["bank.example.com"]', status: "refused" }),
          ]),
        },
      ],
    });
  });
});
