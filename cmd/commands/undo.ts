import { Command, Option } from "commander";
import { worst } from "../../lib/core/exit-code.ts";
import type { Plan } from "../../lib/plan/change.ts";
import type { WaitingSink, WriteFlags } from "../applying.ts";
import { type Context, print, printingOn, type ProjectFlags, type Run } from "../context.ts";
import { collect, withServiceFlags, withWriteFlags } from "../flags.ts";
import { howApproved } from "../how-approved.ts";
import type { SelectionFlags } from "../planning.ts";
import type { RealWorld } from "../../lib/real/world.ts";

type UndoFlags = WriteFlags &
  Pick<SelectionFlags, "deny"> & {
    readonly out?: string;
    readonly list?: boolean;
    readonly expect?: string;
    readonly approve?: string;
  };

/** `zoneform undo`: an ordinary plan that goes back to what was there before a run, and carrying it out. */
export function undoCommand(run: Run): Command {
  return withWriteFlags(withServiceFlags(new Command("undo")))
    .description("plan the way back from a run, ask, and carry it out; what changed since is left as it is")
    .argument("[run]", "the run's id, or last; zoneform undo --list shows them")
    .option("--list", "list the runs that can be undone, the newest first")
    .option("--out <file>", "save the plan for: zoneform apply <file>, and carry out nothing")
    .option("--deny <word>", "refuse changes with this hazard or action (repeatable)", collect)
    .addOption(
      new Option("--expect <hash>", "carry out the undo of this hash, or what is left of it, without asking").conflicts(
        "out",
      ),
    )
    .addOption(
      new Option("--approve <hash>", "the same, and let exactly this undo go beyond the deletion limits").conflicts(
        "out",
      ),
    )
    .option("--json", "print the end report, or the list, as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  $ zoneform undo --list\n  $ zoneform undo last --zone saas.dev --out undo.zfplan",
    )
    .action(
      run(async (context, name: string | undefined, own: UndoFlags, command: Command) => {
        const flags = { ...own, ...command.optsWithGlobals<UndoFlags>() };
        if (flags.list) return listRuns(context, flags);
        const { announcer } = await import("../announce.ts");
        const { realClock } = await import("../../lib/real/clock.ts");
        const { openWorld } = await import("../world.ts");
        const startedAt = realClock.now();
        const waiting: WaitingSink = { sink: announcer(context, realClock) };
        const { reportingStops } = await import("../ending.ts");
        await reportingStops(context, flags, async () => {
          const world = openWorld(context, flags, (event) => waiting.sink(event));
          try {
            await undo(context, world, await runNamed(name), flags, { waiting, startedAt });
          } finally {
            await world.close();
          }
        });
      }),
    );
}

async function runNamed(name: string | undefined): Promise<string> {
  if (name !== undefined) return name;
  const { error, Refusal } = await import("../../lib/core/diagnostic.ts");
  const remedy = "zoneform undo --list shows the runs; last is the newest of them";
  throw new Refusal([error({ code: "which-run", message: "it is not said which run is to be undone", remedy })]);
}

async function undo(
  context: Context,
  world: RealWorld,
  name: string,
  flags: UndoFlags,
  how: { readonly waiting: WaitingSink; readonly startedAt: number },
): Promise<void> {
  const { approvedNow, carryOut, isWorthApplying } = await import("../applying.ts");
  const { reportDeclined, reportNothing } = await import("../ending.ts");
  const { printDiagnostics } = await import("../failure.ts");
  const { selectedOptions } = await import("../planning.ts");
  const { approveSavedAgain, commandAgain } = await import("../resuming.ts");
  const { withCommandToApprove } = await import("../../lib/approval/lifted.ts");
  const { approvedPlan } = await import("../../lib/approval/approve.ts");
  const { exitOf, planExit } = await import("../../lib/engine/exit.ts");
  const { planText } = await import("../../lib/report/plan/text.ts");
  const { makeUndo } = await import("../../lib/engine/undo.ts");
  const { selection, ...options } = selectedOptions(flags);
  const { plan: fresh, run, warnings } = await makeUndo(world, { ...options, run: name, deny: selection.deny });
  await printDiagnostics(context, flags, warnings);
  const { expect, approve } = flags;
  const isClaimed = expect !== undefined || approve !== undefined;
  const again = commandAgain(`zoneform undo ${run}`, flags);
  const { plan: cut, approval } = await approvedPlan(world.store, fresh, { expect, approve });
  const { hash } = approval;
  const plan = withCommandToApprove(
    cut,
    flags.out === undefined ? `${again} --approve ${hash}` : approveSavedAgain(flags.out, flags, hash),
  );
  const isApproved = flags.autoApprove === true || isClaimed;
  // With --json the report is all of standard output; whoever is asked still has to see the plan.
  if (!flags.json) print(context.stdout, planText(plan, printingOn(context, flags)));
  else if (!isApproved) print(context.stderr, planText(plan, printingOn(context, flags)));
  const { byZone, code: planCode } = exitOf(plan, (section) => planExit(section, false));
  context.exit(planCode);
  if (flags.out !== undefined) return save(context, world, fresh, run, { ...flags, out: flags.out });
  if (!isWorthApplying(plan)) return reportNothing(context, flags, plan, byZone);
  const question = {
    ask: `Undo run ${run} so?`,
    what: "the undo",
    remedy: `save it with --out, have it reviewed, and apply it; or: ${again} --expect ${hash}`,
  };
  if (!isApproved && !(await approvedNow(context, plan, question))) return reportDeclined(context, flags);
  const code = await carryOut(context, world, plan, flags, {
    operation: "undo",
    resume: `${again} ${approve === undefined ? "--expect" : "--approve"} ${hash}`,
    approved: howApproved(flags),
    approval,
    ...how,
  });
  context.exit(worst([planCode, code]));
}

async function save(
  context: Context,
  world: RealWorld,
  plan: Plan,
  run: string,
  flags: UndoFlags & { readonly out: string },
): Promise<void> {
  const { scopeOf } = await import("../planning.ts");
  const { applyAgain } = await import("../resuming.ts");
  const { savePlan } = await import("../saved-plan.ts");
  const scope = { ...scopeOf(flags), undo: run };
  await savePlan(context, world, flags.out, { plan, scope });
  print(context.stderr, `saved; to carry out exactly this: ${applyAgain(flags.out, flags)}`);
}

async function listRuns(context: Context, flags: ProjectFlags & { readonly json?: boolean }): Promise<void> {
  const { stateZones } = await import("../states.ts");
  const { undoableRuns } = await import("../../lib/undo/run.ts");
  const { moment } = await import("../../lib/report/lines/moment.ts");
  const { formatTable } = await import("../../lib/report/lines/table.ts");
  const { runsDocument, approvalText } = await import("../../lib/report/run/runs.ts");
  const { jsonText } = await import("../../lib/report/escape/json.ts");
  const { world, zones } = await stateZones(context, flags);
  const runs = await undoableRuns(world.store, zones);
  if (flags.json) return print(context.stdout, jsonText(runsDocument(runs)));
  const rows = runs.map(({ zone, header }) => [
    header.run,
    zone.name,
    moment(header.began),
    header.operation ?? "",
    `${header.changes}`,
    approvalText(header),
  ]);
  const none = "no run is kept yet; each apply that writes something keeps one";
  const heading = ["run", "zone", "began", "operation", "changes", "approved"];
  const alignments = ["left", "left", "left", "left", "right", "left"] as const;
  print(context.stdout, rows.length === 0 ? none : formatTable(heading, rows, alignments));
}
