import type { Command } from "commander";
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
import { guardSize, planFromFlags, selectedOptions, type SelectionFlags } from "../planning.ts";
import { realClock } from "../../lib/real/clock.ts";
import type { RealWorld } from "../../lib/real/world.ts";
import { enterProject } from "../../lib/engine/world.ts";
import { guardRun } from "../outputs.ts";
import { openWorld } from "../world.ts";
import { reportDeclined, reportingStops, reportNothing } from "../ending.ts";
import { announcer } from "../announce.ts";
import { destroyTitle, planText } from "../../lib/report/plan/text.ts";
import { takeApproved } from "../../lib/approval/approve.ts";
import { commandAgain } from "../resuming.ts";

type DestroyFlags = SelectionFlags & WriteFlags & { readonly expect?: string };

/** What `zoneform destroy` does. */
export async function runDestroy(context: Context, own: DestroyFlags, command: Command): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<DestroyFlags>() };
  await guardRun(context, flags, { written: [flags.jsonFile] });
  const startedAt = realClock.now();
  const waiting: WaitingSink = { sink: announcer(context, realClock) };
  await reportingStops(context, flags, async () => {
    const world = openWorld(context, flags, { report: (event) => waiting.sink(event) });
    try {
      await destroy(context, world, flags, { waiting, startedAt });
    } finally {
      await world.close();
    }
  });
}

async function destroy(
  context: Context,
  outer: RealWorld,
  flags: DestroyFlags,
  begun: Pick<CarryingOut, "waiting" | "startedAt">,
): Promise<void> {
  const { plan: fresh, project } = await planFromFlags(context, outer, flags, { isDestroy: true });
  const world = await enterProject(outer, project);
  const { selection } = selectedOptions(flags);
  const { plan, approval } = await takeApproved(world.store, fresh, { expect: flags.expect, selection });
  const how = howApproved(flags);
  const isApproved = how !== PROMPT;
  const title = destroyTitle(plan.project);
  const words = { ...printingOn(context, flags), title, isApplied: isApproved };
  showPlan(context, flags, planText(plan, words), isApproved);
  guardSize(plan, flags);
  if (!isWorthApplying(plan)) return reportNothing(context, flags, plan, new Map());
  const resume = `${commandAgain("zoneform destroy", flags)} --expect ${approval.hash}`;
  if (!isApproved && !(await promptApproval(context, plan, askToApply(resume)))) return reportDeclined(context, flags);
  await carryOut(context, world, plan, flags, { operation: "destroy", resume, approval, approved: how, ...begun });
}
