import { Command } from "commander";
import type { FoundHostname, Revalidated, Revalidation } from "../../lib/hostnames/revalidate.ts";
import { type Context, print, type Run, type ServiceFlags } from "../context.ts";
import { withServiceFlags } from "../flags.ts";
import { projectOptions } from "../project.ts";

interface RevalidateFlags extends ServiceFlags {
  readonly autoApprove?: boolean;
}

const DESCRIPTIONS = {
  revalidate: "start the validation of hostnames again that are not active, with their ssl as it is",
  retry: "start hostnames again that wait for it: timed out, moved, blocked, or with an expired certificate",
} as const satisfies Record<Revalidation, string>;

/** `zoneform hostname revalidate | retry NAME…`: an edit that changes nothing, which starts the validation again. Never part of an apply. */
export function hostnameRevalidateCommand(run: Run, how: Revalidation): Command {
  return withServiceFlags(new Command(how))
    .description(DESCRIPTIONS[how])
    .argument("<name...>", "live custom hostnames")
    .option("--auto-approve", "do not ask before writing")
    .addHelpText("after", `\nExample:\n  $ zoneform hostname ${how} app.customer-one.net`)
    .action(
      run(async (context, names: readonly string[], own: RevalidateFlags, command: Command) => {
        const flags = { ...own, ...command.optsWithGlobals<RevalidateFlags>() };
        const { readProject, zonesOf } = await import("../../lib/engine/world.ts");
        const { callsExit } = await import("../../lib/engine/exit.ts");
        const { findHostnames, reasonToLeave, revalidate } = await import("../../lib/hostnames/revalidate.ts");
        const { callsText, leftText, outcomeText } = await import("../../lib/report/commands/revalidation.ts");
        const { openWorld } = await import("../world.ts");
        const world = openWorld(context, flags);
        try {
          const { project } = await readProject(world, projectOptions(flags));
          const client = world.connect(project.desired.budget);
          const found = await findHostnames(client, zonesOf(project, flags.zone ?? []), names, world.signal);
          const chosen = found.filter(({ live }) => reasonToLeave(live, how) === undefined);
          for (const each of found) print(context.stdout, leftText(each, reasonToLeave(each.live, how)));
          if (chosen.length === 0) return;
          if (!(await approved(context, flags, chosen))) return context.exit(1);
          const ended: Revalidated[] = [];
          for await (const each of revalidate(client, chosen, how, world.signal)) {
            print(context.stdout, outcomeText(each));
            ended.push(each);
          }
          print(context.stderr, callsText(world.counts()?.requests ?? {}));
          context.exit(callsExit(ended.map(({ outcome }) => outcome.status)));
        } finally {
          await world.close();
        }
      }),
    );
}

async function approved(
  context: Context,
  { autoApprove }: RevalidateFlags,
  chosen: readonly FoundHostname[],
): Promise<boolean> {
  if (autoApprove) return true;
  const { confirmed } = await import("../confirming.ts");
  const { counted } = await import("../../lib/report/lines/words.ts");
  return confirmed(context, {
    ask: `Start the validation of ${counted(chosen.length, "hostname")} again, with ${counted(2 * chosen.length, "call")}?`,
    declined: "not approved; nothing was written",
    what: "this",
    remedy: "say --auto-approve",
  });
}
