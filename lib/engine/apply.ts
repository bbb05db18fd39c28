import { defined } from "../core/json.ts";
import { applyZone } from "../apply/apply-zone.ts";
import { type ApplyReport, toEnded, type ZoneReport } from "../apply/outcome.ts";
import type { ApplyOptions, ApplyRun } from "../apply/run.ts";
import { Refusal } from "../core/diagnostic.ts";
import { several } from "../core/lists.ts";
import { approvalOf } from "../approval/approval.ts";
import { keepingOnce } from "../approval/kept.ts";
import type { Plan, ZonePlan } from "../plan/change.ts";
import { writeOf } from "../plan/write.ts";
import { explainFailure } from "../service/explain-failure.ts";
import { isOfThePlace, type StateError } from "../state/error.ts";
import type { ProjectWorld } from "./world.ts";

/**
 * Applies a plan, zone by zone or several zones at once, and reports how each change ended, in the plan's order. All
 * zones share one client, so they share one budget. Zones never wait for each other: the plan holds a change that waits
 * for a hostname in another zone.
 */
export async function applyPlan(world: ProjectWorld, approved: Plan, options: ApplyOptions): Promise<ApplyReport> {
  if (approved.project !== world.project) throw new Error("a plan is applied to the states of its own project");
  const run: ApplyRun = {
    id: world.random.uuid(),
    world,
    client: world.connect(approved.budget),
    options,
    approval: options.approval ?? approvalOf(approved),
    keepOnce: keepingOnce(),
    leavesOut: (approved.approval?.leftOut.length ?? 0) > 0,
    zones: zonesToWrite(approved),
  };
  const place: PlaceOfStates = {};
  const applied = await several(
    approved.zones,
    (section) => applyOne(run, section, place),
    options.zonesInParallel ?? 1,
  );
  const zones = applied.map(([, report]) => report);
  const { deadlineMilliseconds } = options;
  const isOver = deadlineMilliseconds !== undefined && world.clock.now() >= deadlineMilliseconds;
  return {
    run: run.id,
    zones,
    ...defined({ approval: approved.approval }),
    ...(options.holder.operation === "undo" ? { isUndo: true } : {}),
    ...(world.signal?.aborted ? { interrupted: true } : {}),
    ...(isOver ? { outOfTime: true } : {}),
  };
}

/**
 * The zones in which a plan changes something, if there are several: the run's record in each zone names all of them.
 */
function zonesToWrite({ zones }: Plan): readonly string[] | undefined {
  const isWritten = ({ changes }: ZonePlan): boolean =>
    changes.some((change) => !change.refused && writeOf(change) !== undefined);
  const ids = zones.filter(isWritten).map(({ zone }) => zone.id);
  return ids.length > 1 ? ids : undefined;
}

/** The place of the states, and its problem if a zone could not be begun. */
interface PlaceOfStates {
  lost?: StateError;
}

/**
 * A zone that cannot be started does not lose the report of those before it. If the place of all states fails, the
 * remaining zones are not tried, because they would fail in the same way.
 */
async function applyOne(run: ApplyRun, section: ZonePlan, place: PlaceOfStates): Promise<ZoneReport> {
  try {
    if (place.lost) throw place.lost;
    return await applyZone(run, section);
  } catch (failure) {
    if (isOfThePlace(failure)) place.lost ??= failure;
    const thrown = isOfThePlace(failure) ? place.lost : failure;
    const { signal } = run.world;
    const isInterrupted = signal?.aborted === true && thrown === signal.reason;
    const because = isInterrupted ? "the run was interrupted" : "the zone could not be started";
    const ended = section.changes.map((change) => toEnded(change, { status: "not-started", because }));
    return { zone: section.zone, ended, ...(isInterrupted ? {} : { stopped: stopOf(thrown) }) };
  }
}

function stopOf(thrown: unknown): NonNullable<ZoneReport["stopped"]> {
  if (thrown instanceof Refusal) return { diagnostics: thrown.diagnostics, exitCode: thrown.exitCode };
  return { diagnostics: [explainFailure(thrown)], exitCode: 1 };
}
