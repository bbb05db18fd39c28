import { Command } from "commander";
import { worst } from "../../lib/core/exit-code.ts";
import type { WaitingSink, WriteFlags } from "../applying.ts";
import { print, printingOn, type Run } from "../context.ts";
import { duration, withSelectionFlags, withServiceFlags, withWriteFlags } from "../flags.ts";
import type { SelectionFlags } from "../planning.ts";

type ApplyFlags = SelectionFlags & WriteFlags & { readonly wait?: number | true };

/** How long `--wait` waits where it is not said: most hostnames whose records are set are active within minutes. */
const LONGEST_WAIT_MILLISECONDS = 30 * 60_000;

/** `zoneform apply`: carries out a saved plan, or plans, shows, asks, and carries out. */
export function applyCommand(run: Run): Command {
  return withWriteFlags(withSelectionFlags(withServiceFlags(new Command("apply"))))
    .description("carry out a saved plan, or plan now, ask, and carry out")
    .argument("[plan]", "a file that zoneform plan --out has written")
    .option("--json", "print the end report as JSON")
    .option(
      "--wait [duration]",
      "afterwards wait until everything serves, 30m at most or as long as said; else exit 8",
      duration,
    )
    .addHelpText("after", "\nExample:\n  $ zoneform apply plan.zfplan --auto-approve")
    .action(
      run(async (context, file: string | undefined, own: ApplyFlags, command: Command) => {
        const flags = { ...own, ...command.optsWithGlobals<ApplyFlags>() };
        const { approved, carryOut, isWorthApplying } = await import("../applying.ts");
        const { exitOf, planExit } = await import("../../lib/exit.ts");
        const { planSummary, planText } = await import("../../lib/render/text.ts");
        const { guardSize, planned, refuseSelection } = await import("../planning.ts");
        const { savedPlan } = await import("../saved-plan.ts");
        const { announcer } = await import("../announce.ts");
        const { openWorld, realClock } = await import("../world.ts");
        if (file !== undefined) refuseSelection(flags);
        const waiting: WaitingSink = { sink: announcer(context, realClock) };
        const world = openWorld(context, flags, (event) => waiting.sink(event));
        try {
          const made = file === undefined ? await planned(context, world, flags) : undefined;
          const plan = made?.plan ?? (await savedPlan(context, world, file ?? ""));
          // Whoever approves a saved plan beforehand has read it; whoever is asked now has to see it.
          const show = file !== undefined && flags.autoApprove ? planSummary : planText;
          // With --json the report is all of standard output; whoever is asked still has to see the plan.
          if (!flags.json) print(context.stdout, show(plan, printingOn(context, flags)));
          else if (!flags.autoApprove) print(context.stderr, show(plan, printingOn(context, flags)));
          guardSize(plan, flags);
          const resume = file === undefined ? "zoneform apply" : `zoneform apply ${file}`;
          const planCode = exitOf(plan, (section) => planExit(section, false)).code;
          let code = planCode;
          if (isWorthApplying(plan)) {
            if (!(await approved(context, plan, flags))) return context.exit(1);
            const applied = await carryOut(context, world, plan, flags, { operation: "apply", resume, waiting });
            code = worst([planCode, applied]);
          }
          context.exit(code);
          if (flags.wait === undefined || context.signal.aborted) return;
          const { awaitReady, changedObjects, declaredObjects } = await import("../waiting.ts");
          const awaited = made ? declaredObjects(made) : changedObjects(plan);
          const limitMilliseconds = flags.wait === true ? LONGEST_WAIT_MILLISECONDS : flags.wait;
          context.exit(worst([code, await awaitReady(context, world, plan, awaited, { ...flags, limitMilliseconds })]));
        } finally {
          await world.close();
        }
      }),
    );
}
