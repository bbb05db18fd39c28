import { describe, expect, it } from "vitest";
import type { ApplyReport } from "../../../lib/apply/outcome.ts";
import type { Plan } from "../../../lib/plan/change.ts";
import type { Rig } from "../../support/engine.ts";
import { callsOf, type Case, CASES, type Edit, inShort, inTime, rigOf, statusOf, useUp } from "./fresh-reads-world.ts";

/** The middle of the five minutes that a run waits after it has used up its share. */
const MID_WAIT_MILLISECONDS = 150_000;
/** More than half of the time for which a read is valid: after it, the run reads the object again. */
const SLOW_DISK_MILLISECONDS = 700;

/** The result of an edit during a run. */
interface Story {
  readonly isEdited: boolean;
  readonly isLive: boolean;
  /** Whether the run had asked the service for anything when the edit came. */
  readonly hasAsked: boolean;
  readonly status: string | undefined;
  /** What was written, and carried out, before and after the edit. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

describe.each(CASES)("$what", (each) => {
  describe.each(each.edits)("while $what", (edit) => {
    it("keeps the edit, however much of the budget is left before the wait", async () => {
      let waits = 0;
      for (let calls = 0; calls < callsOf(each); calls += 1) {
        const rig = await rigOf(each);
        const plan = await rig.plan(each.planOptions);
        await useUp(rig, plan, calls);
        const story = await during(rig, each, edit, (act) => {
          void rig.clock.sleep(MID_WAIT_MILLISECONDS).then(act);
          return inTime(rig, rig.apply(plan));
        });
        expect(faultsOf(each, edit, story), `${calls} calls were used up`).toBe("");
        if (story.isEdited && story.before.length < each.writes.length) waits += 1;
      }
      // Otherwise no edit came while a write was due, and the test showed nothing.
      expect(waits).toBeGreaterThan(0);
    });

    it.each([2, 6])("keeps the edit when a write is refused for %i s", async (seconds) => {
      let waits = 0;
      for (const refused of each.writes.keys()) {
        const rig = await rigOf({ ...each, budget: "100%" });
        const plan = await rig.plan(each.planOptions);
        const story = await during(rig, each, edit, (act) => throttled(rig, plan, { refused, seconds, act }));
        expect(faultsOf(each, edit, story), `write ${refused + 1} was refused at first`).toBe("");
        if (story.isEdited) waits += 1;
      }
      expect(waits).toBeGreaterThan(0);
    });

    it("keeps the edit when it comes while a slow disk stores the intent", async () => {
      let waits = 0;
      // Up to a run that stores less often than that: an edit that comes early ends its run early.
      for (let [late, isReached] = [1, true]; isReached; late += 1) {
        isReached = false;
        const rig = await rigOf({ ...each, budget: "100%" });
        const plan = await rig.plan(each.planOptions);
        const story = await during(rig, each, edit, (act) => {
          rig.storage(async (index, pass) => {
            await rig.clock.sleep(SLOW_DISK_MILLISECONDS);
            if (index === late) {
              isReached = true;
              act();
            }
            return pass();
          });
          return inTime(rig, rig.apply(plan));
        });
        expect(faultsOf(each, edit, story), `the disk was slow ${late} times before the edit`).toBe("");
        // What is stored before anything is read is no intent.
        if (story.isEdited && story.hasAsked && story.before.length < each.writes.length) waits += 1;
      }
      expect(waits).toBeGreaterThan(0);
    });
  });
});

/** Applies; the write with this number is refused once, and the edit comes halfway through the pause. */
function throttled(
  rig: Rig,
  plan: Plan,
  { refused, seconds, act }: { refused: number; seconds: number; act: () => void },
): Promise<ApplyReport> {
  let writes = 0;
  rig.network(async ({ method }, _index, pass) => {
    if (method === "GET" || writes++ !== refused) return pass();
    rig.service.core.faults.order({
      fault: { kind: "throttle", code: 10100, status: 429, retryAfter: seconds },
      count: 1,
    });
    void rig.clock.sleep((seconds * 1000) / 2).then(act);
    return pass();
  });
  return inTime(rig, rig.apply(plan));
}

/**
 * Runs with the edit in the middle. If the run is too fast, the edit comes after it, so that it does not look like a
 * lost one.
 */
async function during(
  rig: Rig,
  { address }: Case,
  edit: Edit,
  run: (act: () => void) => Promise<ApplyReport>,
): Promise<Story> {
  const { log } = rig.service.core;
  log.reset();
  let isEdited = false;
  let hasAsked = false;
  let at = Infinity;
  const report = await run(() => {
    hasAsked = log.total() > 0;
    isEdited = edit.act(rig);
    at = log.total();
  });
  const isWrite = ({ method, status }: { method: string; status: number }): boolean => method !== "GET" && status < 300;
  const writes = (from: number, to: number): readonly string[] =>
    log.entries().slice(from, to).filter(isWrite).map(inShort);
  return {
    isEdited,
    isLive: isEdited && edit.isLive(rig),
    hasAsked,
    status: statusOf(report, address),
    before: writes(0, at),
    after: writes(at, Infinity),
  };
}

/** The faults, in words; empty if there are none. */
function faultsOf({ writes }: Case, edit: Edit, { isEdited, isLive, status, before, after }: Story): string {
  if (!isEdited) return status === "done" ? "" : `it ended ${status} without an edit`;
  if (!isLive) return `the edit is lost: ${after.join(", ")} came after it, and it ended ${status}`;
  const isDue = before.length < writes.length;
  if (!isDue || edit.ends.some((each) => each === status)) return "";
  return `it ended ${status}, and ${edit.ends.join(" or ")} was to be`;
}
