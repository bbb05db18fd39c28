import type { Command } from "commander";
import { type Context, print, printingOn } from "../context.ts";
import { exitOf, planExit } from "../../lib/engine/exit.ts";
import { fileArgument } from "../../lib/core/quote.ts";
import { withCommandToApprove } from "../../lib/approval/lifted.ts";
import { decodePlan } from "../../lib/plan/file.ts";
import { disk } from "../../lib/real/disk.ts";
import type { Plan } from "../../lib/plan/change.ts";
import type { PlanScope } from "../../lib/plan/scope.ts";
import { destroyTitle, type PlanWords, undoTitle } from "../../lib/report/sections/plan.ts";
import { planLines } from "../saved-plan.ts";
import { planAs } from "../reports.ts";
import type { CommonOptions } from "../flags.ts";

type ShowFlags = CommonOptions & { readonly format: "text" | "json"; readonly json?: boolean };

/** Runs `zoneform show`. */
export async function runShow(context: Context, file: string, own: ShowFlags, command: Command): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<ShowFlags>() };
  const { plan: saved, scope } = await decodePlan(planLines(disk(), context.cwd, file), file);
  const apply = `zoneform apply ${fileArgument(file)}`;
  const plan = withCommandToApprove(saved, `${apply} --approve ${saved.hash}`);
  const { byZone } = exitOf(plan, (section) => planExit(section, true));
  print(
    context.stdout,
    planAs(flags.json ? "json" : flags.format, plan, byZone, {
      ...printingOn(context, flags),
      ...titleOf(saved, scope),
      apply,
    }),
  );
}

function titleOf({ project }: Plan, { undo, isDestroy }: PlanScope): PlanWords {
  if (undo !== undefined) return { title: undoTitle(undo, project) };
  return isDestroy ? { title: destroyTitle(project) } : {};
}
