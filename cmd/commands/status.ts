import { Command, InvalidArgumentError, Option } from "commander";
import { print, printingOn, type Run, type ServiceFlags } from "../context.ts";
import { collect, formatFlag, withRecordFlag, withServiceFlags } from "../flags.ts";
import { projectOptions } from "../project.ts";

interface StatusFlags extends ServiceFlags {
  readonly format: "text" | "json";
  /** In days. */
  readonly expiringWithin: number;
  readonly record: boolean;
  readonly checkDns?: boolean;
  readonly resolver?: readonly string[];
}

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

/** `zoneform status`: what of the custom hostnames needs somebody. Changes nothing, and takes no lock. */
export function statusCommand(run: Run): Command {
  return withRecordFlag(withServiceFlags(new Command("status")))
    .description(
      "what needs somebody: stuck, held, blocked, moved, deleted by the service, expiring, pointing elsewhere",
    )
    .option("--expiring-within <days>", "name certificates that expire within this time", days, 30)
    .option("--check-dns", "ask DNS whether the fallback origin resolves")
    .addOption(
      new Option("--resolver <address>", "the DNS server to ask, as in 127.0.0.1:5353 (repeatable; else the system's)")
        .argParser(collect)
        .implies({ checkDns: true }),
    )
    .addOption(formatFlag(["text", "json"]))
    .addHelpText("after", "\nExample:\n  $ zoneform status --zone saas.dev --expiring-within 14d")
    .action(
      run(async (context, own: StatusFlags, command: Command) => {
        const flags = { ...own, ...command.optsWithGlobals<StatusFlags>() };
        const { inspect } = await import("../../lib/engine/plan.ts");
        const { zoneStatus } = await import("../../lib/hostnames/status.ts");
        const { jsonText } = await import("../../lib/report/escape/json.ts");
        const { statusDocument, statusText } = await import("../../lib/report/commands/status.ts");
        const { reportFailedZones } = await import("../zones.ts");
        const { openWorld } = await import("../world.ts");
        const { fallbackHealth } = await import("../../lib/hostnames/fallback-health.ts");
        const { unfinishedIn } = await import("../../lib/hostnames/unfinished.ts");
        const { openDns } = await import("../../lib/real/dns.ts");
        const world = openWorld(context, flags);
        const dns = flags.checkDns ? openDns({ servers: flags.resolver ?? [], signal: context.signal }) : undefined;
        try {
          const options = { ...projectOptions(flags), records: flags.record };
          const { made, failed } = await inspect(world, options, async ({ input, section, open, client }) => {
            const status = zoneStatus(input, section, flags.expiringWithin * DAY_MILLISECONDS);
            const fallback = await fallbackHealth(client, input, dns, world.signal);
            const unfinished = await unfinishedIn(world.store, status.zone.id, open);
            return { ...status, ...(unfinished ? { unfinished } : {}), ...(fallback ? { fallback } : {}) };
          });
          if (!(await reportFailedZones(context, flags, { made, failed }))) return;
          const isJson = flags.format === "json";
          const printing = printingOn(context, flags);
          print(context.stdout, isJson ? jsonText(statusDocument(made, failed)) : statusText(made, printing, failed));
        } finally {
          await world.close();
        }
      }),
    );
}

/** `30d` or `30`. */
function days(text: string): number {
  const [, count] = /^(\d{1,5})d?$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError("a number of days is wanted, such as 30d");
  return Number(count);
}
