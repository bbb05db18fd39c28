import { takeApproved } from "../lib/approval/approve.ts";
import type { Awaited } from "../lib/apply/wait.ts";
import { defined } from "../lib/core/defined.ts";
import { fileArgument } from "../lib/core/shell.ts";
import type { Approval } from "../lib/approval/approval.ts";
import { withCommandToApprove } from "../lib/approval/lifted.ts";
import type { Plan } from "../lib/plan/change.ts";
import type { Planned } from "../lib/engine/plan.ts";
import type { SavedPlan } from "../lib/plan/file.ts";
import type { PlanScope } from "../lib/plan/scope.ts";
import { makeUndo } from "../lib/engine/undo.ts";
import type { Context } from "./context.ts";
import { flagsFor, planFromFlags, refuseSelection, selectedOptions } from "./planning.ts";
import { commandAgain } from "./printed-commands.ts";
import { readSavedPlan } from "./saved-plan.ts";
import { changedObjects, declaredObjects } from "./waiting.ts";
import type { RealWorld } from "../lib/real/world.ts";
import { enterProject, type ProjectStates } from "../lib/engine/world.ts";
import type { SelectionFlags } from "./flags.ts";

/** Flags that say what was approved. */
interface ClaimFlags extends SelectionFlags {
  readonly expect?: string;
  readonly approve?: string;
}

/** The plan to apply, and its approval. */
export interface PlanToApply<Flags> extends Pick<Planned, "states"> {
  /** The world with the states of the project that the plan is for. */
  readonly world: RealWorld & ProjectStates;
  readonly plan: Plan;
  readonly approval: Approval;
  readonly awaited: readonly Awaited[];
  /** The flags, with those that the saved plan was made with. */
  readonly flags: Flags;
  /** The command that resumes the run if it stops. */
  readonly resume: string;
  /** What the run is for: a saved plan may be one to undo or to destroy. */
  readonly operation: "apply" | "undo";
}

/**
 * Always plans again: the approved part of the fresh plan is applied (docs/semantics.md#approval). Throws what planning
 * throws, and `Refusal` if the approval cannot be found.
 */
export async function planToApply<Flags extends ClaimFlags>(
  context: Context,
  outer: RealWorld,
  file: string | undefined,
  given: Flags,
): Promise<PlanToApply<Flags>> {
  if (file !== undefined) refuseSelection(given);
  const saved = file === undefined ? undefined : await readSavedPlan(context, outer, file);
  const flags = saved ? flagsFor(saved.scope, given) : given;
  const made = await planAnew(context, outer, saved?.scope, flags);
  const world = await enterProject(outer, made.project);
  const { plan, approval } = await cutDown(world, made.plan, saved, flags);
  const again = file === undefined ? resumeByHash(flags, approval) : resumeByFile(file, given, approval);
  return {
    world,
    plan: withCommandToApprove(plan, again.approving),
    approval,
    ...defined({ states: made.states }),
    awaited: saved ? changedObjects(saved.plan) : declaredObjects(made),
    flags,
    resume: again.resuming,
    operation: saved?.scope.undo === undefined ? "apply" : "undo",
  };
}

/** An undo is planned from the record of its run, everything else from the configuration. */
async function planAnew(
  context: Context,
  world: RealWorld,
  scope: PlanScope | undefined,
  flags: ClaimFlags,
): Promise<Planned> {
  if (scope?.undo === undefined) return planFromFlags(context, world, flags, { isDestroy: scope?.isDestroy ?? false });
  const { selection, ...options } = selectedOptions(flags);
  return makeUndo(world, { ...options, run: scope.undo, deny: selection.deny });
}

async function cutDown(
  { store }: ProjectStates,
  fresh: Plan,
  saved: SavedPlan | undefined,
  flags: ClaimFlags,
): Promise<{ readonly plan: Plan; readonly approval: Approval }> {
  const { expect, approve } = flags;
  const { selection } = selectedOptions(flags);
  return takeApproved(store, fresh, { selection, saved: saved?.plan, expect, approve });
}

/** The command that resumes a run, and the one that also lifts the deletion limits. */
interface Again {
  readonly resuming: string;
  readonly approving: string;
}

/** A run keeps its approval with the state when it begins, so its hash is enough to resume it. */
function resumeByHash(flags: ClaimFlags, { hash }: Approval): Again {
  const again = commandAgain("zoneform apply", flags);
  const approving = `${again} --approve ${hash}`;
  return { resuming: flags.approve === undefined ? `${again} --expect ${hash}` : approving, approving };
}

/** A saved plan has its selection, but neither the place of its project nor permission to exceed the limits. */
function resumeByFile(file: string, given: ClaimFlags, { hash }: Approval): Again {
  const again = commandAgain(`zoneform apply ${fileArgument(file)}`, given);
  const approving = `${again} --approve ${hash}`;
  if (given.approve !== undefined) return { resuming: approving, approving };
  return { resuming: given.expect === undefined ? again : `${again} --expect ${hash}`, approving };
}
