import { problem, refusal } from "../../lib/core/diagnostic.ts";
import type { Command } from "commander";
import { worst } from "../../lib/core/exit-code.ts";
import type { Plan } from "../../lib/plan/change.ts";
import {
  promptApproval,
  carryOut,
  isWorthApplying,
  showPlan,
  type WaitingSink,
  howApproved,
  PROMPT,
} from "../applying.ts";
import { columnsOf, type Context, print, printingOn } from "../context.ts";
import { scopeOf, selectedOptions } from "../planning.ts";
import { realClock } from "../../lib/real/clock.ts";
import type { RealWorld } from "../../lib/real/world.ts";
import { enterProject } from "../../lib/engine/world.ts";
import { guardRun } from "../outputs.ts";
import { openWorld } from "../world.ts";
import { announcer } from "../announce.ts";
import { reportDeclined, reportingStops, reportNothing } from "../ending.ts";
import { printDiagnostics } from "../failure.ts";
import { applyAgain, approveSavedAgain, commandAgain } from "../printed-commands.ts";
import { withCommandToApprove } from "../../lib/approval/lifted.ts";
import { takeApproved } from "../../lib/approval/approve.ts";
import { exitOf, planExit } from "../../lib/engine/exit.ts";
import { planReport, undoTitle } from "../../lib/report/sections/plan.ts";
import { makeUndo, type UndoOptions } from "../../lib/engine/undo.ts";
import { savePlan } from "../saved-plan.ts";
import { readStateZones } from "../states.ts";
import { undoableRuns } from "../../lib/undo/run.ts";
import { moment } from "../../lib/core/moment.ts";
import { formatTable } from "../../lib/report/lines/table.ts";
import { approvalText, runsDocument } from "../../lib/report/run/report-json.ts";
import { jsonText } from "../../lib/report/escape/json.ts";
import type { ProjectFlags, SelectionFlags, WriteFlags } from "../flags.ts";

type UndoFlags = WriteFlags &
  Pick<SelectionFlags, "deny"> & {
    readonly out?: string;
    readonly list?: boolean;
    readonly expect?: string;
    readonly approve?: string;
    readonly wait?: number | true;
  };

/** How long `--wait` waits if no time is given: Cloudflare deploys a hostname within minutes. */
const LONGEST_WAIT_MILLISECONDS = 10 * 60_000;

/** Runs `zoneform undo`. */
export async function runUndo(
  context: Context,
  name: string | undefined,
  own: UndoFlags,
  command: Command,
): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<UndoFlags>() };
  if (flags.list) return listRuns(context, flags);
  await guardRun(context, flags, { written: [flags.out] });
  const startedAt = realClock.now();
  const waiting: WaitingSink = { sink: announcer(context, realClock) };
  await reportingStops(context, flags, async () => {
    const world = openWorld(context, flags, { report: (event) => waiting.sink(event) });
    await undo(context, world, runNamed(name), flags, { waiting, startedAt });
  });
}

function runNamed(name: string | undefined): string {
  if (name !== undefined) return name;
  throw refusal(problem("which-run", {}));
}

async function undo(
  context: Context,
  outer: RealWorld,
  name: string,
  flags: UndoFlags,
  how: { readonly waiting: WaitingSink; readonly startedAt: number },
): Promise<void> {
  const { selection, ...options } = selectedOptions(flags);
  const made = await makeUndo(outer, { ...options, run: name, deny: selection.deny, ...waitOf(context, flags) });
  const { plan: fresh, run, warnings } = made;
  const world = await enterProject(outer, made.project);
  await printDiagnostics(context, flags, warnings);
  const { expect, approve } = flags;
  const again = commandAgain(`zoneform undo ${run}`, flags);
  const { plan: cut, approval } = await takeApproved(world.store, fresh, { expect, approve });
  const { hash } = approval;
  const plan = withCommandToApprove(
    cut,
    flags.out === undefined ? `${again} --approve ${hash}` : approveSavedAgain(flags.out, flags, hash),
  );
  const approved = howApproved(flags);
  const isApproved = approved !== PROMPT;
  const words = {
    title: undoTitle(run, plan.project),
    isApplied: isApproved,
    ...(flags.out === undefined ? {} : { apply: applyAgain(flags.out, flags) }),
  };
  const shown = { report: planReport(plan, words), printing: printingOn(context, flags) };
  showPlan(context, flags, shown, isApproved);
  const { byZone, code: planCode } = exitOf(plan, (section) => planExit(section, false));
  context.exit(planCode);
  if (flags.out !== undefined) return save(context, world, fresh, run, { ...flags, out: flags.out });
  if (!isWorthApplying(plan)) return reportNothing(context, flags, plan, byZone);
  const question = {
    ask: `Undo run ${run} with these changes?`,
    what: "the undo",
    remedy: "save it with --out and apply that, or review it, then run:",
    command: `${again} --expect ${hash}`,
  };
  if (!isApproved && (await promptApproval(context, plan, shown, question)) === "no")
    return reportDeclined(context, flags);
  const code = await carryOut(context, world, plan, flags, {
    operation: "undo",
    resume: `${again} ${approve === undefined ? "--expect" : "--approve"} ${hash}`,
    approved,
    approval,
    ...how,
  });
  context.exit(worst([planCode, code]));
}

function waitOf(context: Context, { wait }: UndoFlags): Pick<UndoOptions, "wait"> {
  if (wait === undefined) return {};
  const report = (held: number): void =>
    print(context.stderr, `waiting until Cloudflare has deployed ${held} ${held === 1 ? "object" : "objects"}`);
  return { wait: { limitMilliseconds: wait === true ? LONGEST_WAIT_MILLISECONDS : wait, report } };
}

async function save(
  context: Context,
  world: RealWorld,
  plan: Plan,
  run: string,
  flags: UndoFlags & { readonly out: string },
): Promise<void> {
  const scope = { ...scopeOf(flags), undo: run };
  await savePlan(context, world, flags.out, { plan, scope });
  print(context.stderr, `saved the plan to ${flags.out}`);
}

async function listRuns(context: Context, flags: ProjectFlags & { readonly json?: boolean }): Promise<void> {
  const { world, zones } = await readStateZones(context, flags);
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
  const none = "no runs yet; each apply that changes something is listed here";
  const heading = ["run", "zone", "began", "operation", "changes", "approved"];
  const alignments = ["left", "left", "left", "left", "right", "left"] as const;
  print(
    context.stdout,
    rows.length === 0
      ? none
      : formatTable(heading, rows, {
          alignments,
          ...columnsOf(context.stdout),
          gives: ["approved", "operation", "changes"],
        }),
  );
}
