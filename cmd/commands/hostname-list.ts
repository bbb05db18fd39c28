import { Command } from "commander";
import type { Run } from "../context.ts";
import { SELECT, collect, formatFlag, jsonFlag, withServiceFlags } from "../flags.ts";

/** `zoneform hostname list`: live custom hostnames, by list. */
export function hostnameListCommand(run: Run): Command {
  return withServiceFlags(new Command("list"))
    .description("list live custom hostnames, with their status and certificate")
    .option("--status <status>", "only hostnames with this status, such as moved")
    .option("--ssl-status <status>", "only hostnames whose certificate has this status, such as pending_validation")
    .option("--select <pattern>", SELECT, collect)
    .addOption(formatFlag(["table", "csv", "json"]))
    .addOption(jsonFlag())
    .addHelpText("after", "\nExample:\n  $ zoneform hostname list --status moved --select '*.customer-one.net'")
    .action(run(async () => (await import("../actions/hostname-list.ts")).runHostnameList));
}
