import { type ApplyOptions as ZoneOptions, type ApplyWorld, applyZone } from "../apply/apply.ts";
import { endedAs } from "../apply/ended.ts";
import type { ApplyEvent, ApplyReport, ZoneReport } from "../apply/outcome.ts";
import { Refusal } from "../core/diagnostic.ts";
import { type Secret, type SecretReference } from "../core/secret.ts";
import { type Approval, approvalOf } from "../approval/approval.ts";
import type { Plan, ZonePlan } from "../plan/change.ts";
import { writeOf } from "../plan/write.ts";
import { explainFailure } from "../service/explain-failure.ts";
import type { RunApproval } from "../state/run-approval.ts";
import type { LockHolder } from "../state/store.ts";
import type { World } from "./world.ts";

/** How to carry out a plan. */
export interface ApplyOptions {
  readonly holder: Omit<LockHolder, "id">;
  readonly lockWaitMilliseconds: number;
  readonly parallelism: number;
  /** What was approved, where the plan is only a part of it; absent where it is the plan itself. */
  readonly approval?: Approval;
  /** Who approved it, and how, for the record of the run. */
  readonly approved?: RunApproval;
  /** When no further change is started (`--max-duration`), in milliseconds since the epoch. */
  readonly deadlineMilliseconds?: number | undefined;
  /** Gives the value of a secret, read again now and not when the plan was made. Throws `Refusal`. */
  readonly reveal: (reference: SecretReference) => Secret;
  readonly report: (event: ApplyEvent) => void;
}

/** Carries out a plan, zone by zone, and reports how each change ended. */
export async function applyPlan(world: World, approved: Plan, options: ApplyOptions): Promise<ApplyReport> {
  const runId = world.random.uuid();
  const client = world.connect(approved.budget);
  const approval = options.approval ?? approvalOf(approved);
  const { operation } = options.holder;
  const writtenIn = zonesToWrite(approved);
  const zones: ZoneReport[] = [];
  for (const section of approved.zones) {
    zones.push(
      await applyOne({ ...world, ...options, client }, section, {
        ...options,
        approval,
        leavesOut: (approved.approval?.leftOut.length ?? 0) > 0,
        operation,
        run: runId,
        zones: writtenIn,
      }),
    );
  }
  const { deadlineMilliseconds } = options;
  const isOver = deadlineMilliseconds !== undefined && world.clock.now() >= deadlineMilliseconds;
  return {
    run: runId,
    zones,
    ...(approved.approval ? { approval: approved.approval } : {}),
    ...(world.signal?.aborted ? { interrupted: true } : {}),
    ...(isOver ? { outOfTime: true } : {}),
  };
}

/** The zones in which a plan changes something, where there are several: the record of the run in each of them names them all. */
function zonesToWrite({ zones }: Plan): readonly string[] | undefined {
  const isWritten = ({ changes }: ZonePlan): boolean =>
    changes.some((change) => !change.refused && writeOf(change) !== undefined);
  const ids = zones.filter(isWritten).map(({ zone }) => zone.id);
  return ids.length > 1 ? ids : undefined;
}

/** A zone that cannot be begun does not take away the report of those before it. */
async function applyOne(world: ApplyWorld, section: ZonePlan, options: ZoneOptions): Promise<ZoneReport> {
  try {
    return await applyZone(world, section, options);
  } catch (thrown) {
    const isInterrupted = world.signal?.aborted === true && thrown === world.signal.reason;
    const because = isInterrupted ? "the run was interrupted" : "the zone could not be begun";
    const ended = section.changes.map((change) => endedAs(change, { status: "not-started", because }));
    return { zone: section.zone, ended, ...(isInterrupted ? {} : { stopped: stopOf(thrown) }) };
  }
}

function stopOf(thrown: unknown): NonNullable<ZoneReport["stopped"]> {
  if (thrown instanceof Refusal) return { diagnostics: thrown.diagnostics, exitCode: thrown.exitCode };
  return { diagnostics: [explainFailure(thrown)], exitCode: 1 };
}
