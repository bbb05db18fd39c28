import { type Awaited, type Waited, waitUntilReady } from "../lib/apply/wait.ts";
import type { Approval } from "../lib/approval/approval.ts";
import { takeApproved } from "../lib/approval/approve.ts";
import { withCommandToApprove } from "../lib/approval/lifted.ts";
import { defined } from "../lib/core/defined.ts";
import { EXIT, type ExitCode } from "../lib/core/exit-code.ts";
import { fileArgument } from "../lib/core/shell.ts";
import type { Planned } from "../lib/engine/plan.ts";
import { makeUndo } from "../lib/engine/undo.ts";
import { enterProject, type ProjectStates } from "../lib/engine/world.ts";
import type { Plan } from "../lib/plan/change.ts";
import type { SavedPlan } from "../lib/plan/file.ts";
import type { PlanScope } from "../lib/plan/scope.ts";
import { realClock } from "../lib/real/clock.ts";
import type { RealWorld } from "../lib/real/world.ts";
import { notReadyText } from "../lib/report/run/ending.ts";
import { type Context, print, printingOn } from "./context.ts";
import { diagnosticsOf, isInterruption, printDiagnostics } from "./failure.ts";
import type { SelectionFlags, CommonOptions } from "./flags.ts";
import { flagsFor, planFromFlags, refuseSelection, selectedOptions } from "./planning.ts";
import { commandAgain } from "./printed-commands.ts";
import { readSavedPlan } from "./saved-plan.ts";

/** Flags that present an approval. */
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
  /** The flags, combined with those of the saved plan. */
  readonly flags: Flags;
  /** The command that resumes the run if it stops. */
  readonly resume: string;
  /** The purpose of the run: a saved plan may undo or destroy. */
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

/** All declared objects, so that a stopped wait can continue. */
function declaredObjects({ plan, project }: Planned): readonly Awaited[] {
  return plan.zones.map(({ zone }) => ({
    zone,
    objects: project.desired.zones.find(({ id }) => id === zone.id)?.objects ?? [],
  }));
}

/** The objects that a saved plan changes; it has no others. */
function changedObjects(plan: Plan): readonly Awaited[] {
  return plan.zones.map(({ zone, changes }) => ({
    zone,
    objects: changes.filter(({ desired }) => desired !== undefined),
  }));
}

/** How to wait after an apply. */
interface Waiting extends CommonOptions {
  readonly limitMilliseconds: number;
  /** Standard output is only the final report of the apply, as one document. */
  readonly json?: boolean;
}

/**
 * Waits until every object serves traffic or the time is over, then reports the objects that do not, why, and what to
 * do. Returns an exit code even if it is interrupted or a check fails: the apply has ended and been reported.
 */
export async function awaitReady(
  context: Context,
  world: RealWorld,
  plan: Plan,
  awaited: readonly Awaited[],
  flags: Waiting,
): Promise<ExitCode> {
  const report = (left: number): void => {
    if (left > 0) print(context.stderr, `waiting until ${left} ${left === 1 ? "object serves" : "objects serve"}`);
  };
  const client = world.connect(plan.budget);
  const wait = { client, clock: realClock, signal: context.signal, report };
  let waited: Waited;
  try {
    waited = await waitUntilReady(wait, awaited, flags.limitMilliseconds);
  } catch (thrown) {
    if (isInterruption(context, thrown)) return reportInterrupted(context);
    return reportUnseen(context, flags, thrown);
  }
  const { ready, notReady } = waited;
  const text = notReadyText(ready, notReady, printingOn(context, flags));
  print(flags.json ? context.stderr : context.stdout, text);
  return notReady.length === 0 ? EXIT.done : EXIT.notReady;
}

/** We could not check readiness. The apply itself succeeded, so this is not its error. */
async function reportUnseen(context: Context, flags: Waiting, thrown: unknown): Promise<ExitCode> {
  await printDiagnostics(context, flags, await diagnosticsOf(thrown));
  print(
    context.stderr,
    "the apply is done, and its changes stay; whether they serve could not be checked: zoneform status",
  );
  return EXIT.notReady;
}

function reportInterrupted(context: Context): ExitCode {
  print(
    context.stderr,
    "interrupted while waiting: the apply is done, and its changes stay; to wait again, run apply with --wait",
  );
  return EXIT.interrupted;
}
