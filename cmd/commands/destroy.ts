import type { Command } from "commander";
import {
  promptApproval,
  type CarryingOut,
  carryOut,
  askToApply,
  isWorthApplying,
  showPlan,
  type WaitingSink,
  howApproved,
  PROMPT,
} from "../applying.ts";
import { defined } from "../../lib/core/json.ts";
import { worst } from "../../lib/core/exit-code.ts";
import { exitOf, planExit } from "../../lib/engine/exit.ts";
import { withCommandToApprove } from "../../lib/approval/lifted.ts";
import { type Context, printingOn } from "../context.ts";
import { guardSize, planFromFlags, selectedOptions } from "../planning.ts";
import { realClock } from "../../lib/real/clock.ts";
import type { RealWorld } from "../../lib/real/world.ts";
import { enterProject } from "../../lib/engine/world.ts";
import { guardRun } from "../outputs.ts";
import { openWorld } from "../world.ts";
import { reportDeclined, reportingStops, reportNothing } from "../ending.ts";
import { announcer } from "../announce.ts";
import { destroyTitle, planReport } from "../../lib/report/sections/plan.ts";
import { takeApproved } from "../../lib/approval/approve.ts";
import { commandAgain } from "../printed-commands.ts";
import type { SelectionFlags, WriteFlags } from "../flags.ts";

type DestroyFlags = SelectionFlags & WriteFlags & { readonly expect?: string; readonly approve?: string };

/** Runs `zoneform destroy`. */
export async function runDestroy(context: Context, own: DestroyFlags, command: Command): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<DestroyFlags>() };
  await guardRun(context, flags);
  const startedAt = realClock.now();
  const waiting: WaitingSink = { sink: announcer(context, realClock) };
  await reportingStops(context, flags, async () => {
    const world = openWorld(context, flags, { report: (event) => waiting.sink(event) });
    await destroy(context, world, flags, { waiting, startedAt });
  });
}

async function destroy(
  context: Context,
  outer: RealWorld,
  flags: DestroyFlags,
  begun: Pick<CarryingOut, "waiting" | "startedAt">,
): Promise<void> {
  const { plan: fresh, project, states } = await planFromFlags(context, outer, flags, { isDestroy: true });
  const world = await enterProject(outer, project);
  const { selection } = selectedOptions(flags);
  const { expect, approve } = flags;
  const { plan: cut, approval } = await takeApproved(world.store, fresh, { expect, approve, selection });
  const again = commandAgain("zoneform destroy", flags);
  const approving = `${again} --approve ${approval.hash}`;
  const plan = withCommandToApprove(cut, approving);
  const how = howApproved(flags);
  const isApproved = how !== PROMPT;
  const title = destroyTitle(plan.project);
  const shown = { report: planReport(plan, { title, isApplied: isApproved }), printing: printingOn(context, flags) };
  showPlan(context, flags, shown, isApproved);
  guardSize(plan, flags);
  const { byZone, code: planCode } = exitOf(plan, (section) => planExit(section, false));
  context.exit(planCode);
  if (!isWorthApplying(plan)) return reportNothing(context, flags, plan, byZone);
  const resume = approve === undefined ? `${again} --expect ${approval.hash}` : approving;
  if (!isApproved && (await promptApproval(context, plan, shown, askToApply(resume))) === "no")
    return reportDeclined(context, flags);
  const carrying = { operation: "destroy", resume, approval, approved: how, ...defined({ states }), ...begun };
  context.exit(worst([planCode, await carryOut(context, world, plan, flags, carrying)]));
}
