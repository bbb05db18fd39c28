import type { Command } from "commander";
import { defined } from "../../lib/core/defined.ts";
import { type ExitCode, worst } from "../../lib/core/exit-code.ts";
import { fileArgument } from "../../lib/core/shell.ts";
import { exitOf, planExit } from "../../lib/engine/exit.ts";
import type { Plan } from "../../lib/plan/change.ts";
import { withReview } from "../../lib/plan/watch.ts";
import { realClock } from "../../lib/real/clock.ts";
import type { RealWorld } from "../../lib/real/world.ts";
import { planDocument } from "../../lib/report/plan/json.ts";
import { planSummary, planText } from "../../lib/report/plan/text.ts";
import type { ServiceEvent } from "../../lib/service/service-event.ts";
import { announcer } from "../announce.ts";
import {
  promptApproval,
  type CarryingOut,
  carryOut,
  askToApply,
  hasNews,
  isWorthApplying,
  showPlan,
  type WaitingSink,
  howApproved,
  PROMPT,
} from "../applying.ts";
import { type Context, print, printingOn } from "../context.ts";
import { reportDeclined, reportingStops, reportJson, reportNothing } from "../ending.ts";
import type { SelectionFlags, WriteFlags } from "../flags.ts";
import { guardRun } from "../outputs.ts";
import { type PlanToApply, planToApply, awaitReady } from "../plan-to-apply.ts";
import { guardSize } from "../planning.ts";
import { commandAgain } from "../printed-commands.ts";
import { openWorld } from "../world.ts";

type ApplyFlags = SelectionFlags &
  WriteFlags & {
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
  await guardRun(context, given, { written: [given.jsonFile], read: [file] });
  const startedAt = realClock.now();
  const waiting: WaitingSink = { sink: announcer(context, realClock) };
  const opening = { report: (event: ServiceEvent) => waiting.sink(event), isReadOnly: given.dryRun === true };
  const world = await reportingStops(context, given, () => openWorld(context, given, opening));
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

/** How long `--wait` waits if no time is given: most hostnames whose records are set are active within minutes. */
const LONGEST_WAIT_MILLISECONDS = 30 * 60_000;

/**
 * Shows the part of the new plan that would be applied, and what would be blocked or in conflict; exits like the apply
 * would.
 */
async function showDryRun(context: Context, flags: ApplyFlags, plan: Plan): Promise<void> {
  const { byZone, code } = exitOf(plan, (section) => planExit(section, false));
  if (!flags.json)
    print(context.stdout, `${planText(plan, printingOn(context, flags))}\nDry run: nothing was changed.`);
  // With --json, a refusal is the only document.
  guardSize(plan, flags);
  await reportJson(context, flags, () => planDocument(plan, byZone));
  context.exit(code);
}

/** Returns undefined if the plan was not approved, and for a dry run. */
async function apply(
  context: Context,
  outer: RealWorld,
  file: string | undefined,
  given: ApplyFlags,
  begun: Pick<CarryingOut, "waiting" | "startedAt">,
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
  const show = file !== undefined && isApproved ? planSummary : planText;
  const { maxChanges: _most, ...about } = given;
  const again = commandAgain(file === undefined ? "zoneform apply" : `zoneform apply ${fileArgument(file)}`, about);
  const words = { ...printingOn(context, flags), names: `${again} --dry-run --json`, isApplied: isApproved };
  showPlan(context, flags, show(plan, words), isApproved);
  guardSize(plan, flags);
  const { byZone, code: planCode } = exitOf(plan, (section) => planExit(section, false));
  let code = planCode;
  const canReview = file !== undefined || (!isApproved && context.stdin.isTTY === true);
  if (isWorthApplying(plan) || (canReview && hasNews(plan))) {
    const answer = isApproved ? "nothing to ask" : await promptApproval(context, plan, askToApply(resume));
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
