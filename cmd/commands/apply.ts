import type { Command } from "commander";
import { defined } from "../../lib/core/json.ts";
import { EXIT, type ExitCode, worst } from "../../lib/core/exit-code.ts";
import { fileArgument } from "../../lib/core/quote.ts";
import { exitOf, planExit } from "../../lib/engine/exit.ts";
import type { Plan } from "../../lib/plan/change.ts";
import { withReview } from "../../lib/plan/watch.ts";
import { realClock } from "../../lib/real/clock.ts";
import type { RealWorld } from "../../lib/real/world.ts";
import { planDocument } from "../../lib/report/plan/json.ts";
import { reportText } from "../../lib/report/printers/text.ts";
import { planReport, planSummary } from "../../lib/report/sections/plan.ts";
import { planAnnotations } from "../../lib/report/view/annotations.ts";
import { annotationsText, reportPrinters } from "../reports.ts";
import type { ServiceEvent } from "../../lib/service/service-event.ts";
import { announcer } from "../announce.ts";
import {
  askToApply,
  type CarryingOut,
  carryOut,
  hasNews,
  howApproved,
  isWorthApplying,
  PROMPT,
  promptApproval,
  showPlan,
  type WaitingSink,
} from "../applying.ts";
import { type Context, print, printingOn } from "../context.ts";
import { reportDeclined, reportEnding, reportingStops, reportNothing } from "../ending.ts";
import type { CommonOptions, SelectionFlags, WriteFlags } from "../flags.ts";
import { type NotifyFlags, openNotify } from "../notify.ts";
import { guardRun } from "../outputs.ts";
import { flagsFor, guardSize, planFromFlags, refuseSelection, selectedOptions } from "../planning.ts";
import { commandAgain } from "../printed-commands.ts";
import { openWorld } from "../world.ts";
import { type Awaited, type Waited, waitUntilReady } from "../../lib/apply/wait.ts";
import type { Approval } from "../../lib/approval/approval.ts";
import { takeApproved } from "../../lib/approval/approve.ts";
import { withCommandToApprove } from "../../lib/approval/lifted.ts";
import type { Planned } from "../../lib/engine/plan.ts";
import { makeUndo } from "../../lib/engine/undo.ts";
import { enterProject, type ProjectStates } from "../../lib/engine/world.ts";
import type { SavedPlan } from "../../lib/plan/file.ts";
import type { PlanScope } from "../../lib/plan/scope.ts";
import { notReadyText } from "../../lib/report/run/ending.ts";
import { diagnosticsOf, isInterruption, printDiagnostics } from "../failure.ts";
import { readSavedPlan } from "../saved-plan.ts";

type ApplyFlags = SelectionFlags &
  WriteFlags &
  NotifyFlags & {
    readonly wait?: number | true;
    readonly expect?: string;
    readonly approve?: string;
    readonly dryRun?: boolean;
  };

/** The applied plan, and the result. */
type Applied = Pick<PlanToApply<ApplyFlags>, "plan" | "awaited"> & { readonly code: ExitCode };

/** Runs `zoneform apply`. */
export async function runApply(
  context: Context,
  file: string | undefined,
  own: ApplyFlags,
  command: Command,
): Promise<void> {
  const given = { ...own, ...command.optsWithGlobals<ApplyFlags>() };
  const notify = openNotify(context, given);
  await guardRun(context, given, { read: [file] });
  const startedAt = realClock.now();
  const waiting: WaitingSink = { sink: announcer(context, realClock) };
  const opening = { report: (event: ServiceEvent) => waiting.sink(event), isReadOnly: given.dryRun === true };
  const world = await reportingStops(context, given, () => openWorld(context, given, opening));
  const how = { waiting, startedAt, notify };
  const applied = await reportingStops(context, given, () => apply(context, world, file, given, how));
  if (!applied || given.wait === undefined || context.signal.aborted) return;
  const limitMilliseconds = given.wait === true ? LONGEST_WAIT_MILLISECONDS : given.wait;
  const waited = await awaitReady(context, world, applied.plan, applied.awaited, {
    ...given,
    limitMilliseconds,
  });
  context.exit(worst([applied.code, waited]));
}

/** How long `--wait` waits if no time is given: most hostnames whose records are set are active within minutes. */
const LONGEST_WAIT_MILLISECONDS = 30 * 60_000;

/**
 * Shows the part of the new plan that would be applied, and what would be blocked or in conflict; exits like the apply
 * would.
 */
async function showDryRun(context: Context, flags: ApplyFlags, plan: Plan): Promise<void> {
  const { byZone, code } = exitOf(plan, (section) => planExit(section, false));
  if (!flags.json)
    print(context.stdout, `${reportText(planReport(plan), printingOn(context, flags))}\nDry run: nothing was changed.`);
  // With --json, a refusal is the only document.
  guardSize(plan, flags);
  await reportEnding(context, flags, {
    json: () => planDocument(plan, byZone),
    ...reportPrinters(context, flags, planReport(plan), `zoneform apply ${plan.project}`),
    github: () => annotationsText(context, flags, planAnnotations(plan)),
  });
  context.exit(code);
}

/** Returns undefined if the plan was not approved, and for a dry run. */
async function apply(
  context: Context,
  outer: RealWorld,
  file: string | undefined,
  given: ApplyFlags,
  begun: Pick<CarryingOut, "waiting" | "startedAt" | "notify">,
): Promise<Applied | undefined> {
  const { world, plan, approval, states, awaited, flags, resume, operation } = await planToApply(
    context,
    outer,
    file,
    given,
  );
  if (flags.dryRun) {
    await showDryRun(context, flags, plan);
    return undefined;
  }
  // A saved plan is an approval, so there is no question.
  const how = file !== undefined && flags.approve === undefined ? "saved plan" : howApproved(flags);
  const isApproved = how !== PROMPT;
  // A saved plan was read when it was approved. A plan that needs an answer now is shown in full.
  const reportOf = file !== undefined && isApproved ? planSummary : planReport;
  const shown = { report: reportOf(plan, { isApplied: isApproved }), printing: printingOn(context, flags) };
  showPlan(context, flags, shown, isApproved);
  guardSize(plan, flags);
  const { byZone, code: planCode } = exitOf(plan, (section) => planExit(section, false));
  let code = planCode;
  const canReview = file !== undefined || (!isApproved && context.stdin.isTTY === true);
  if (isWorthApplying(plan) || (canReview && hasNews(plan))) {
    const answer = isApproved ? "nothing to ask" : await promptApproval(context, plan, shown, askToApply(resume));
    if (answer === "no") {
      await reportDeclined(context, flags);
      return undefined;
    }
    const carrying = { operation, resume, approval, approved: how, ...defined({ states }), ...begun };
    const reviewed = answer === "yes" && file === undefined ? withReview(plan, plan) : plan;
    code = worst([planCode, await carryOut(context, world, reviewed, flags, carrying)]);
  } else await reportNothing(context, flags, plan, byZone);
  context.exit(code);
  return { plan, awaited, code };
}

/** Flags that present an approval. */
interface ConsentFlags extends SelectionFlags {
  readonly expect?: string;
  readonly approve?: string;
}

/** The plan to apply, and its approval. */
interface PlanToApply<Flags> extends Pick<Planned, "states"> {
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
async function planToApply<Flags extends ConsentFlags>(
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
  flags: ConsentFlags,
): Promise<Planned> {
  if (scope?.undo === undefined) return planFromFlags(context, world, flags, { isDestroy: scope?.isDestroy ?? false });
  const { selection, ...options } = selectedOptions(flags);
  return makeUndo(world, { ...options, run: scope.undo, deny: selection.deny });
}

async function cutDown(
  { store }: ProjectStates,
  fresh: Plan,
  saved: SavedPlan | undefined,
  flags: ConsentFlags,
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
function resumeByHash(flags: ConsentFlags, { hash }: Approval): Again {
  const again = commandAgain("zoneform apply", flags);
  const approving = `${again} --approve ${hash}`;
  return { resuming: flags.approve === undefined ? `${again} --expect ${hash}` : approving, approving };
}

/** A saved plan has its selection, but neither the place of its project nor permission to exceed the limits. */
function resumeByFile(file: string, given: ConsentFlags, { hash }: Approval): Again {
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
async function awaitReady(
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
