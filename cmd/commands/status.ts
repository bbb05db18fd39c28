import { Command, InvalidArgumentError, Option } from "commander";
import type { Run } from "../context.ts";
import {
  RESOLVER,
  collect,
  failOnFlag,
  formatFlag,
  jsonFlag,
  withRecordFlag,
  withServiceFlags,
  withStateFlag,
} from "../flags.ts";

/** `zoneform status`: what of the custom hostnames needs somebody. Changes nothing, and takes no lock. */
export function statusCommand(run: Run): Command {
  return withRecordFlag(withStateFlag(withServiceFlags(new Command("status"))))
    .description("report hostnames, certificates and origins that need attention")
    .option("--expiring-within <days>", "report certificates that expire within this time", days, 30)
    .option("--check-dns", "ask DNS whether the fallback origin resolves")
    .addOption(new Option("--resolver <address>", RESOLVER).argParser(collect).implies({ checkDns: true }))
    .option("--detailed-exitcode", "exit with 3 on drift, or where an origin leads nowhere")
    .addOption(failOnFlag().implies({ detailedExitcode: true }))
    .addOption(formatFlag(["text", "json"]))
    .addOption(jsonFlag())
    .addHelpText(
      "after",
      "\nExamples:\n  $ zoneform status --zone saas.dev --expiring-within 14d\n  $ zoneform status --fail-on outage",
    )
    .action(run(async () => (await import("../actions/status.ts")).runStatus));
}

/** `30d` or `30`. */
function days(text: string): number {
  const [, count] = /^(\d{1,5})d?$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError("Expected a number of days such as 30d.");
  return Number(count);
}
