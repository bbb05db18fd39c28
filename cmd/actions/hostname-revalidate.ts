import type { Command } from "commander";
import {
  findHostnames,
  type FoundHostname,
  reasonToLeave,
  revalidate,
  type Revalidated,
  type Revalidation,
} from "../../lib/engine/hostnames/revalidate.ts";
import { type Context, print, type ServiceFlags } from "../context.ts";
import { projectOptions } from "../project.ts";
import { readProject, zonesOf } from "../../lib/engine/world.ts";
import { callsExit } from "../../lib/engine/exit.ts";
import { jsonText } from "../../lib/report/escape/json.ts";
import { callsText, leftText, outcomeText, revalidationDocument } from "../../lib/report/commands/revalidation.ts";
import { openWorld } from "../world.ts";
import { confirmWithUser } from "../confirming.ts";
import { counted } from "../../lib/report/lines/words.ts";

interface RevalidateFlags extends ServiceFlags {
  readonly autoApprove?: boolean;
  readonly json?: boolean;
}

/** What `zoneform hostname revalidate` and `retry` do. */
export async function runHostnameRevalidate(
  how: Revalidation,
  context: Context,
  names: readonly string[],
  own: RevalidateFlags,
  command: Command,
): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<RevalidateFlags>() };
  const world = openWorld(context, flags);
  try {
    const { project } = await readProject(world, projectOptions(flags));
    const client = world.connect(project.desired.budget);
    const found = await findHostnames(client, zonesOf(project, flags.zone ?? []), names, world.signal);
    const chosen = found.filter(({ live }) => reasonToLeave(live, how) === undefined);
    // With --json, stdout is only the document: people read on stderr what would be done.
    const looked = flags.json ? context.stderr : context.stdout;
    for (const each of found) print(looked, leftText(each, reasonToLeave(each.live, how)));
    const left = found.flatMap((each): readonly Revalidated[] => {
      const reason = reasonToLeave(each.live, how);
      return reason === undefined ? [] : [{ ...each, outcome: { status: "left", reason } }];
    });
    const report = (ended: readonly Revalidated[]): void => {
      if (flags.json) print(context.stdout, jsonText(revalidationDocument([...left, ...ended])));
    };
    if (chosen.length === 0) return report([]);
    if (!(await promptApproval(context, flags, chosen))) return context.exit(1);
    const ended: Revalidated[] = [];
    for await (const each of revalidate(client, chosen, how, world.signal)) {
      if (!flags.json) print(context.stdout, outcomeText(each));
      ended.push(each);
      if (each.outcome.status === "done") context.done.isLiveChanged = true;
    }
    report(ended);
    print(context.stderr, callsText(world.counts()?.requests ?? {}));
    context.exit(callsExit(ended.map(({ outcome }) => outcome.status)));
  } finally {
    await world.close();
  }
}

async function promptApproval(
  context: Context,
  { autoApprove }: RevalidateFlags,
  chosen: readonly FoundHostname[],
): Promise<boolean> {
  if (autoApprove) return true;
  return confirmWithUser(context, {
    ask: `Restart the validation of ${counted(chosen.length, "hostname")} (${counted(2 * chosen.length, "API call")})?`,
    declined: "not approved; nothing was changed",
    what: "this",
    remedy: "run it again with --auto-approve",
  });
}
