import type { Command } from "commander";
import { type Context, print, printingOn } from "../context.ts";
import { exitOf, planExit } from "../../lib/engine/exit.ts";
import { fileArgument } from "../../lib/core/quote.ts";
import { withCommandToApprove } from "../../lib/approval/lifted.ts";
import { decodePlan } from "../../lib/plan/file.ts";
import { disk } from "../../lib/real/disk.ts";
import type { Plan } from "../../lib/plan/change.ts";
import type { PlanScope } from "../../lib/plan/scope.ts";
import { jsonText } from "../../lib/report/escape/json.ts";
import { planDocument } from "../../lib/report/plan/json.ts";
import { planText } from "../../lib/report/plan.ts";
import { destroyTitle, type PlanWords, undoTitle } from "../../lib/report/sections/plan.ts";
import { planLines } from "../saved-plan.ts";
import type { CommonOptions } from "../flags.ts";

type ShowFlags = CommonOptions & { readonly format: "text" | "json"; readonly json?: boolean };

/** Runs `zoneform show`. */
export async function runShow(context: Context, file: string, own: ShowFlags, command: Command): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<ShowFlags>() };
  const { plan: saved, scope } = await decodePlan(planLines(disk(), context.cwd, file), file);
  const apply = `zoneform apply ${fileArgument(file)}`;
  const plan = withCommandToApprove(saved, `${apply} --approve ${saved.hash}`);
  const { byZone } = exitOf(plan, (section) => planExit(section, true));
  const isJson = flags.json || flags.format === "json";
  const printing = { ...printingOn(context, flags), ...titleOf(saved, scope), apply };
  print(context.stdout, isJson ? jsonText(planDocument(plan, byZone)) : planText(plan, printing));
}

function titleOf({ project }: Plan, { undo, isDestroy }: PlanScope): PlanWords {
  if (undo !== undefined) return { title: undoTitle(undo, project) };
  return isDestroy ? { title: destroyTitle(project) } : {};
}
