import { Command } from "commander";
import type { Run } from "../context.ts";
import { collect, formatFlag, jsonFlag, withServiceFlags } from "../flags.ts";

/** `zoneform hostname list`: live custom hostnames, by list. */
export function hostnameListCommand(run: Run): Command {
  return withServiceFlags(new Command("list"))
    .description("list live custom hostnames")
    .option("--status <status>", "only those of this status, such as moved")
    .option("--ssl-status <status>", "only those whose certificate has this status, such as pending_validation")
    .option("--select <pattern>", "only names that fit, * standing for any characters (repeatable)", collect)
    .addOption(formatFlag(["table", "csv", "json"]))
    .addOption(jsonFlag())
    .addHelpText("after", "\nExample:\n  $ zoneform hostname list --status moved --select '*.customer-one.net'")
    .action(run(async () => (await import("../actions/hostname-list.ts")).runHostnameList));
}
