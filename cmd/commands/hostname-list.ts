import { Command } from "commander";
import { print, type Run, type ServiceFlags } from "../context.ts";
import { collect, formatFlag, withServiceFlags } from "../flags.ts";

interface HostnameListFlags extends ServiceFlags {
  readonly status?: string;
  readonly sslStatus?: string;
  readonly select?: readonly string[];
  readonly format: "table" | "csv" | "json";
}

/** `zoneform hostname list`: live custom hostnames, by list. */
export function hostnameListCommand(run: Run): Command {
  return withServiceFlags(new Command("list"))
    .description("list live custom hostnames")
    .option("--status <status>", "only those of this status, such as moved")
    .option("--ssl-status <status>", "only those whose certificate has this status, such as pending_validation")
    .option("--select <pattern>", "only names that fit, * standing for any characters (repeatable)", collect)
    .addOption(formatFlag(["table", "csv", "json"]))
    .addHelpText("after", "\nExample:\n  $ zoneform hostname list --status moved --select '*.customer-one.net'")
    .action(
      run(async (context, own: HostnameListFlags, command: Command) => {
        const flags = { ...own, ...command.optsWithGlobals<HostnameListFlags>() };
        const { collected } = await import("../../lib/core/streams.ts");
        const { hostnames } = await import("../../lib/hostnames/list.ts");
        const { hostnameList } = await import("../../lib/report/commands/hostnames.ts");
        const { readZones, reportFailedZones } = await import("../zones.ts");
        const { openWorld } = await import("../world.ts");
        const world = openWorld(context, flags);
        try {
          const filter = { status: flags.status, sslStatus: flags.sslStatus, patterns: flags.select ?? [] };
          const { made, failed } = await readZones(world, flags, async (zone, client) => ({
            zone,
            hostnames: await collected(hostnames(client, zone, filter, world.signal)),
          }));
          if (!(await reportFailedZones(context, flags, { made, failed }))) return;
          print(context.stdout, hostnameList(made, flags.format, failed));
        } finally {
          await world.close();
        }
      }),
    );
}
