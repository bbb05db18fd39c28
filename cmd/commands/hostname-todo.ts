import { Command, Option } from "commander";
import { print, type Run, type ServiceFlags } from "../context.ts";
import { collect, formatFlag, withServiceFlags } from "../flags.ts";

interface HostnameTodoFlags extends ServiceFlags {
  readonly select?: readonly string[];
  readonly target?: string;
  readonly resolver?: readonly string[];
  readonly format: "table" | "csv" | "json";
}

/** `zoneform hostname todo`: the records that customers still have to set, to be sent to them. */
export function hostnameTodoCommand(run: Run): Command {
  return withServiceFlags(new Command("todo"))
    .description("list the DNS records and files that customers still have to set")
    .option("--select <pattern>", "only names that fit, * standing for any characters (repeatable)", collect)
    .option("--target <name>", "the name that customers point theirs at (else the zone's fallback origin)")
    .addOption(
      new Option(
        "--resolver <address>",
        "the DNS server to ask for CAA records (repeatable; else the system's)",
      ).argParser(collect),
    )
    .addOption(formatFlag(["table", "csv", "json"]))
    .addHelpText(
      "after",
      "\nExample:\n  $ zoneform hostname todo --target customers.saas.dev --format csv > records.csv",
    )
    .action(
      run(async (context, own: HostnameTodoFlags, command: Command) => {
        const flags = { ...own, ...command.optsWithGlobals<HostnameTodoFlags>() };
        const { hostnames, targetOf } = await import("../../lib/hostnames/list.ts");
        const { todosOf } = await import("../../lib/hostnames/todos.ts");
        const { choices } = await import("../../lib/certificates/choice.ts");
        const { loadState } = await import("../../lib/state/load.ts");
        const { formatDiagnostics } = await import("../../lib/report/lines/diagnostics.ts");
        const { openDns } = await import("../../lib/real/dns.ts");
        const { todoList } = await import("../../lib/report/commands/hostnames.ts");
        const { readZones, reportFailedZones } = await import("../zones.ts");
        const { openWorld } = await import("../world.ts");
        const world = openWorld(context, flags);
        try {
          const dns = openDns({ servers: flags.resolver ?? [], signal: context.signal });
          const { made, failed } = await readZones(world, flags, async (zone, client) => {
            const target = flags.target ?? (await targetOf(client, zone, world.signal));
            const chosenFor = choices(zone, (await loadState(world.store, zone.id))?.state);
            const records = hostnames(client, zone, { patterns: flags.select ?? [] }, world.signal);
            const left = await todosOf(records, { target, dns, chosenFor }, context.signal);
            return { zone, hostnames: left.todos, findings: left.findings };
          });
          const findings = made.flatMap((zone) => zone.findings);
          context.stderr.write(formatDiagnostics(findings, { format: "text", colour: false }));
          if (!(await reportFailedZones(context, flags, { made, failed }))) return;
          const isNothing = flags.format === "table" && made.every((zone) => zone.hostnames.length === 0);
          const where = failed.length === 0 ? "" : " in the zones that could be looked at";
          print(context.stdout, isNothing ? `nothing is left to set${where}` : todoList(made, flags.format, failed));
        } finally {
          await world.close();
        }
      }),
    );
}
