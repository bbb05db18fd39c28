import type { Command } from "commander";
import { type ExitCode, worst } from "../../lib/core/exit-code.ts";
import {
  promptApproval,
  type CarryingOut,
  carryOut,
  askToApply,
  isWorthApplying,
  showPlan,
  type WaitingSink,
  type WriteFlags,
} from "../applying.ts";
import { type Context, printingOn } from "../context.ts";
import { howApproved, PROMPT } from "../how-approved.ts";
import { type PlanToApply, planToApply } from "../plan-to-apply.ts";
import { guardSize, type SelectionFlags } from "../planning.ts";
import { realClock } from "../../lib/real/clock.ts";
import type { RealWorld } from "../../lib/real/world.ts";
import { openWorld } from "../world.ts";
import { reportDeclined, reportingStops, reportNothing } from "../ending.ts";
import { announcer } from "../announce.ts";
import { awaitReady } from "../waiting.ts";
import { exitOf, planExit } from "../../lib/engine/exit.ts";
import { planSummary, planText } from "../../lib/report/plan/text.ts";

type ApplyFlags = SelectionFlags &
  WriteFlags & { readonly wait?: number | true; readonly expect?: string; readonly approve?: string };

/** What was applied, and how it ended. */
type Applied = Pick<PlanToApply<ApplyFlags>, "plan" | "awaited"> & { readonly code: ExitCode };

/** What `zoneform apply` does. */
export async function runApply(
  context: Context,
  file: string | undefined,
  own: ApplyFlags,
  command: Command,
): Promise<void> {
  const given = { ...own, ...command.optsWithGlobals<ApplyFlags>() };
  const startedAt = realClock.now();
  const waiting: WaitingSink = { sink: announcer(context, realClock) };
  const world = await reportingStops(context, given, () =>
    openWorld(context, given, { report: (event) => waiting.sink(event) }),
  );
  try {
    const how = { waiting, startedAt };
    const applied = await reportingStops(context, given, () => apply(context, world, file, given, how));
    if (!applied || given.wait === undefined || context.signal.aborted) return;
    const limitMilliseconds = given.wait === true ? LONGEST_WAIT_MILLISECONDS : given.wait;
    const waited = await awaitReady(context, world, applied.plan, applied.awaited, {
      ...given,
      limitMilliseconds,
    });
    context.exit(worst([applied.code, waited]));
  } finally {
    await world.close();
  }
}

/** How long `--wait` waits where it is not said: most hostnames whose records are set are active within minutes. */
const LONGEST_WAIT_MILLISECONDS = 30 * 60_000;

/** Gives undefined where the plan was not approved. */
async function apply(
  context: Context,
  outer: RealWorld,
  file: string | undefined,
  given: ApplyFlags,
  begun: Pick<CarryingOut, "waiting" | "startedAt">,
): Promise<Applied | undefined> {
  const { world, plan, approval, awaited, flags, resume } = await planToApply(context, outer, file, given);
  // A saved plan is an approval, so nobody is asked again.
  const how = file !== undefined && flags.approve === undefined ? "saved plan" : howApproved(flags);
  const isApproved = how !== PROMPT;
  // A saved plan was read when it was approved. One that is asked about now is shown whole.
  const show = file !== undefined && isApproved ? planSummary : planText;
  const words = { ...printingOn(context, flags), isApplied: isApproved };
  showPlan(context, flags, show(plan, words), isApproved);
  guardSize(plan, flags);
  const { byZone, code: planCode } = exitOf(plan, (section) => planExit(section, false));
  let code = planCode;
  if (isWorthApplying(plan)) {
    if (!isApproved && !(await promptApproval(context, plan, askToApply(resume)))) {
      reportDeclined(context, flags);
      return undefined;
    }
    const carrying = { operation: "apply", resume, approval, approved: how, ...begun };
    code = worst([planCode, await carryOut(context, world, plan, flags, carrying)]);
  } else reportNothing(context, flags, plan, byZone);
  context.exit(code);
  return { plan, awaited, code };
}
