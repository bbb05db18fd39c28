import type { Command } from "commander";
import { type Purge, purge, type Purged, purgesOf } from "../../lib/engine/hostnames/purge.ts";
import { type Context, print } from "../context.ts";
import { projectOptions, openWorld } from "../world.ts";
import { readProject, zonesOf } from "../../lib/engine/world.ts";
import { callsExit } from "../../lib/engine/exit.ts";
import { jsonText } from "../../lib/report/escape/json.ts";
import { purgedDocument, purgedText } from "../../lib/report/commands/purge.ts";
import { confirmWithUser } from "../confirming.ts";
import { counted } from "../../lib/core/words.ts";
import type { ServiceFlags } from "../flags.ts";

interface PurgeFlags extends ServiceFlags {
  readonly host: readonly string[];
  readonly hostsPerCall?: number;
  readonly autoApprove?: boolean;
  readonly json?: boolean;
}

/** Runs `zoneform purge`. */
export async function runPurge(context: Context, own: PurgeFlags, command: Command): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<PurgeFlags>() };
  const world = openWorld(context, flags);
  const { project } = await readProject(world, projectOptions(flags));
  const purges = purgesOf(zonesOf(project, flags.zone ?? []), flags.host, flags.hostsPerCall);
  if (!(await promptApproval(context, flags, purges))) return context.exit(1);
  const ended: Purged[] = [];
  for await (const each of purge(world.connect(project.desired.budget), purges, world.signal)) {
    if (!flags.json) print(context.stdout, purgedText(each));
    ended.push(each);
    if (each.outcome.status === "done") context.done.isLiveChanged = true;
  }
  if (flags.json) print(context.stdout, jsonText(purgedDocument(ended)));
  context.exit(callsExit(ended.map(({ outcome }) => outcome.status)));
}

async function promptApproval(
  context: Context,
  { autoApprove }: PurgeFlags,
  purges: readonly Purge[],
): Promise<boolean> {
  if (autoApprove) return true;
  const hosts = purges.reduce((sum, purge) => sum + purge.hosts.length, 0);
  return confirmWithUser(context, {
    ask: `Purge ${counted(hosts, "host")} (${counted(purges.length, "API call")})? The origins will get more requests.`,
    declined: "not approved; nothing was purged",
    what: "the purge",
    remedy: "run it again with --auto-approve",
  });
}
