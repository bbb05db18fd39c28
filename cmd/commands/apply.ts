import { Command } from "commander";
import { type ExitCode, worst } from "../../lib/core/exit-code.ts";
import type { CarryingOut, WaitingSink, WriteFlags } from "../applying.ts";
import { type Context, print, printingOn, type Run } from "../context.ts";
import { duration, withSelectionFlags, withServiceFlags, withWriteFlags } from "../flags.ts";
import { howApproved, PROMPT } from "../how-approved.ts";
import type { PlanToApply } from "../plan-to-apply.ts";
import type { SelectionFlags } from "../planning.ts";
import type { RealWorld } from "../../lib/real/world.ts";

type ApplyFlags = SelectionFlags &
  WriteFlags & { readonly wait?: number | true; readonly expect?: string; readonly approve?: string };

/** How long `--wait` waits where it is not said: most hostnames whose records are set are active within minutes. */
const LONGEST_WAIT_MILLISECONDS = 30 * 60_000;

/** `zoneform apply`: plans anew, cuts the plan down to what was approved (or shows and asks), and carries it out. */
export function applyCommand(run: Run): Command {
  return withWriteFlags(withSelectionFlags(withServiceFlags(new Command("apply"))))
    .description(
      "carry out what was approved: a saved plan, the plan of a hash, or what is planned and asked about now",
    )
    .argument("[plan]", "a file that zoneform plan --out has written")
    .option("--expect <hash>", "carry out the plan of this hash, or what is left of it, without asking")
    .option(
      "--approve <hash>",
      "the same, or the saved plan of this hash, and let exactly this plan go beyond the deletion limits",
    )
    .option("--json", "print the end report as JSON")
    .option(
      "--wait [duration]",
      "afterwards wait until everything serves, 30m at most or as long as said; else exit 8",
      duration,
    )
    .addHelpText(
      "after",
      "\nExamples:\n  $ zoneform apply plan.zfplan\n  $ zoneform apply --expect zf3:1f0c… --max-duration 5h",
    )
    .action(
      run(async (context, file: string | undefined, own: ApplyFlags, command: Command) => {
        const given = { ...own, ...command.optsWithGlobals<ApplyFlags>() };
        const { reportingStops } = await import("../ending.ts");
        const { announcer } = await import("../announce.ts");
        const { realClock } = await import("../../lib/real/clock.ts");
        const { openWorld } = await import("../world.ts");
        const startedAt = realClock.now();
        const waiting: WaitingSink = { sink: announcer(context, realClock) };
        const world = await reportingStops(context, given, () =>
          openWorld(context, given, (event) => waiting.sink(event)),
        );
        try {
          const how = { waiting, startedAt };
          const applied = await reportingStops(context, given, () => apply(context, world, file, given, how));
          if (!applied || given.wait === undefined || context.signal.aborted) return;
          const { awaitReady } = await import("../waiting.ts");
          const limitMilliseconds = given.wait === true ? LONGEST_WAIT_MILLISECONDS : given.wait;
          const waited = await awaitReady(context, world, applied.plan, applied.awaited, {
            ...given,
            limitMilliseconds,
          });
          context.exit(worst([applied.code, waited]));
        } finally {
          await world.close();
        }
      }),
    );
}

/** What was applied, and how it ended; undefined where whoever was asked said no. */
type Applied = Pick<PlanToApply<ApplyFlags>, "plan" | "awaited"> & { readonly code: ExitCode };

async function apply(
  context: Context,
  world: RealWorld,
  file: string | undefined,
  given: ApplyFlags,
  begun: Pick<CarryingOut, "waiting" | "startedAt">,
): Promise<Applied | undefined> {
  const { approvedNow, carryOut, carryThisOut, isWorthApplying } = await import("../applying.ts");
  const { reportDeclined, reportNothing } = await import("../ending.ts");
  const { planToApply } = await import("../plan-to-apply.ts");
  const { exitOf, planExit } = await import("../../lib/engine/exit.ts");
  const { planSummary, planText } = await import("../../lib/report/plan/text.ts");
  const { guardSize } = await import("../planning.ts");
  const { plan, approval, awaited, flags, resume } = await planToApply(context, world, file, given);
  // A saved plan is an approval, so nobody is asked again.
  const how = file !== undefined && flags.approve === undefined ? "saved plan" : howApproved(flags);
  const isApproved = how !== PROMPT;
  // Whoever approved a saved plan beforehand has read it; whoever is asked now has to see it.
  const show = file !== undefined && isApproved ? planSummary : planText;
  // With --json the report is all of standard output; whoever is asked still has to see the plan.
  if (!flags.json) print(context.stdout, show(plan, printingOn(context, flags)));
  else if (!isApproved) print(context.stderr, show(plan, printingOn(context, flags)));
  guardSize(plan, flags);
  const { byZone, code: planCode } = exitOf(plan, (section) => planExit(section, false));
  let code = planCode;
  if (isWorthApplying(plan)) {
    if (!isApproved && !(await approvedNow(context, plan, carryThisOut(resume)))) {
      reportDeclined(context, flags);
      return undefined;
    }
    const carrying = { operation: "apply", resume, approval, approved: how, ...begun };
    code = worst([planCode, await carryOut(context, world, plan, flags, carrying)]);
  } else reportNothing(context, flags, plan, byZone);
  context.exit(code);
  return { plan, awaited, code };
}
