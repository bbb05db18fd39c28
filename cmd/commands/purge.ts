import { Command, InvalidArgumentError } from "commander";
import type { Purge, Purged } from "../../lib/hostnames/purge.ts";
import { type Context, print, type Run, type ServiceFlags } from "../context.ts";
import { withServiceFlags, wholeNumber } from "../flags.ts";
import { projectOptions } from "../project.ts";

interface PurgeFlags extends ServiceFlags {
  readonly host: readonly string[];
  readonly hostsPerCall?: number;
  readonly autoApprove?: boolean;
}

/** `zoneform purge --host HOST…`: throws away what the edge has cached of hosts. */
export function purgeCommand(run: Run): Command {
  return withServiceFlags(new Command("purge"))
    .description("throw away what the edge has cached of some hosts")
    .requiredOption("--host <host...>", "a host, such as app.customer-one.net (repeatable)")
    .option("--hosts-per-call <n>", "how many hosts a call may name: 100, or 30 under the old limits", hostsPerCall)
    .option("--auto-approve", "do not ask before purging")
    .addHelpText("after", "\nExample:\n  $ zoneform purge --host app.customer-one.net shop.customer-two.org")
    .action(
      run(async (context, own: PurgeFlags, command: Command) => {
        const flags = { ...own, ...command.optsWithGlobals<PurgeFlags>() };
        const { readProject, zonesOf } = await import("../../lib/engine/world.ts");
        const { callsExit } = await import("../../lib/engine/exit.ts");
        const { purge, purgesOf } = await import("../../lib/hostnames/purge.ts");
        const { purgedText } = await import("../../lib/report/commands/purge.ts");
        const { openWorld } = await import("../world.ts");
        const world = openWorld(context, flags);
        try {
          const { project } = await readProject(world, projectOptions(flags));
          const purges = purgesOf(zonesOf(project, flags.zone ?? []), flags.host, flags.hostsPerCall);
          if (!(await approved(context, flags, purges))) return context.exit(1);
          const ended: Purged[] = [];
          for await (const each of purge(world.connect(project.desired.budget), purges, world.signal)) {
            print(context.stdout, purgedText(each));
            ended.push(each);
          }
          context.exit(callsExit(ended.map(({ outcome }) => outcome.status)));
        } finally {
          await world.close();
        }
      }),
    );
}

async function approved(context: Context, { autoApprove }: PurgeFlags, purges: readonly Purge[]): Promise<boolean> {
  if (autoApprove) return true;
  const { confirmed } = await import("../confirming.ts");
  const { counted } = await import("../../lib/report/lines/words.ts");
  const hosts = purges.reduce((sum, purge) => sum + purge.hosts.length, 0);
  return confirmed(context, {
    ask: `Purge ${counted(hosts, "host")} with ${counted(purges.length, "call")}? The origins get their requests.`,
    declined: "not approved; nothing was purged",
    what: "the purge",
    remedy: "say --auto-approve",
  });
}

function hostsPerCall(text: string): number {
  const count = wholeNumber(text);
  if (count < 1 || count > 100) throw new InvalidArgumentError("a number from 1 to 100 is wanted");
  return count;
}
