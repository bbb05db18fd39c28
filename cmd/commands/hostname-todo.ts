import { Command } from "commander";
import { print, type Run, type ServiceFlags } from "../context.ts";
import { collect, formatFlag, withServiceFlags } from "../flags.ts";
import { projectOptions } from "../project.ts";

interface HostnameTodoFlags extends ServiceFlags {
  readonly select?: readonly string[];
  readonly target?: string;
  readonly format: "table" | "csv" | "json";
}

/** `zoneform hostname todo`: the records that customers still have to set, to be sent to them. */
export function hostnameTodoCommand(run: Run): Command {
  return withServiceFlags(new Command("todo"))
    .description("list the DNS records and files that customers still have to set")
    .option("--select <pattern>", "only names that fit, * standing for any characters (repeatable)", collect)
    .option("--target <name>", "the name that customers point theirs at (else the zone's fallback origin)")
    .addOption(formatFlag(["table", "csv", "json"]))
    .addHelpText(
      "after",
      "\nExample:\n  $ zoneform hostname todo --target customers.saas.dev --format csv > records.csv",
    )
    .action(
      run(async (context, own: HostnameTodoFlags, command: Command) => {
        const flags = { ...own, ...command.optsWithGlobals<HostnameTodoFlags>() };
        const { hostnames, targetOf } = await import("../../lib/hostnames/list.ts");
        const { todoOf } = await import("../../lib/hostnames/todo.ts");
        const { readProject, zonesOf } = await import("../../lib/engine.ts");
        const { todoList } = await import("../../lib/render/hostnames.ts");
        const { openWorld } = await import("../world.ts");
        const world = openWorld(context, flags);
        try {
          const { project } = await readProject(world, projectOptions(flags));
          const client = world.connect(project.desired.budget);
          const zones = [];
          for (const zone of zonesOf(project, flags.zone ?? [])) {
            const target = flags.target ?? (await targetOf(client, zone, world.signal));
            const left = [];
            for await (const record of hostnames(client, zone, { patterns: flags.select ?? [] }, world.signal))
              left.push(todoOf(record, target) ?? []);
            zones.push({ zone, hostnames: left.flat() });
          }
          const isNothing = flags.format === "table" && zones.every((zone) => zone.hostnames.length === 0);
          print(context.stdout, isNothing ? "nothing is left to set" : todoList(zones, flags.format));
        } finally {
          await world.close();
        }
      }),
    );
}
