import { Command } from "commander";
import type { CarryingOut, WaitingSink, WriteFlags } from "../applying.ts";
import { type Context, print, printingOn, type Run } from "../context.ts";
import { withSelectionFlags, withServiceFlags, withWriteFlags } from "../flags.ts";
import { howApproved, PROMPT } from "../how-approved.ts";
import type { SelectionFlags } from "../planning.ts";
import type { RealWorld } from "../../lib/real/world.ts";

type DestroyFlags = SelectionFlags & WriteFlags & { readonly expect?: string };

/** `zoneform destroy`: deletes what Zoneform created or adopted; settings of the zone and what the application owns are let go. */
export function destroyCommand(run: Run): Command {
  return withWriteFlags(withSelectionFlags(withServiceFlags(new Command("destroy"))))
    .description("delete everything that is tracked; settings and the application's hostnames are only let go")
    .option("--expect <hash>", "carry out the destruction of this hash, or what is left of it, without asking")
    .option("--json", "print the end report as JSON")
    .addHelpText("after", "\nExample:\n  $ zoneform destroy --zone saas.dev --exclude fallback_origin")
    .action(
      run(async (context, own: DestroyFlags, command: Command) => {
        const flags = { ...own, ...command.optsWithGlobals<DestroyFlags>() };
        const { reportingStops } = await import("../ending.ts");
        const { announcer } = await import("../announce.ts");
        const { realClock } = await import("../../lib/real/clock.ts");
        const { openWorld } = await import("../world.ts");
        const startedAt = realClock.now();
        const waiting: WaitingSink = { sink: announcer(context, realClock) };
        await reportingStops(context, flags, async () => {
          const world = openWorld(context, flags, (event) => waiting.sink(event));
          try {
            await destroy(context, world, flags, { waiting, startedAt });
          } finally {
            await world.close();
          }
        });
      }),
    );
}

async function destroy(
  context: Context,
  world: RealWorld,
  flags: DestroyFlags,
  begun: Pick<CarryingOut, "waiting" | "startedAt">,
): Promise<void> {
  const { approvedNow, carryOut, carryThisOut, isWorthApplying } = await import("../applying.ts");
  const { reportDeclined, reportNothing } = await import("../ending.ts");
  const { planText } = await import("../../lib/report/plan/text.ts");
  const { guardSize, planned, selectedOptions } = await import("../planning.ts");
  const { approvedPlan } = await import("../../lib/approval/approve.ts");
  const { commandAgain } = await import("../resuming.ts");
  const { plan: fresh } = await planned(context, world, flags, { isDestroy: true });
  const { selection } = selectedOptions(flags);
  const { plan, approval } = await approvedPlan(world.store, fresh, { expect: flags.expect, selection });
  const how = howApproved(flags);
  const isApproved = how !== PROMPT;
  // With --json the report is all of standard output; whoever is asked still has to see the plan.
  if (!flags.json) print(context.stdout, planText(plan, printingOn(context, flags)));
  else if (!isApproved) print(context.stderr, planText(plan, printingOn(context, flags)));
  guardSize(plan, flags);
  if (!isWorthApplying(plan)) return reportNothing(context, flags, plan, new Map());
  const resume = `${commandAgain("zoneform destroy", flags)} --expect ${approval.hash}`;
  if (!isApproved && !(await approvedNow(context, plan, carryThisOut(resume)))) return reportDeclined(context, flags);
  await carryOut(context, world, plan, flags, { operation: "destroy", resume, approval, approved: how, ...begun });
}
