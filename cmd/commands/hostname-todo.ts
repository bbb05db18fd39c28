import { Command, Option } from "commander";
import type { Run } from "../context.ts";
import { SELECT, RESOLVER, collect, formatFlag, jsonFlag, withServiceFlags, withStateFlag } from "../flags.ts";

/** `zoneform hostname todo`: the records that customers still have to set, to be sent to them. */
export function hostnameTodoCommand(run: Run): Command {
  return withStateFlag(withServiceFlags(new Command("todo")))
    .description("list the DNS records and files that customers must still set")
    .option("--select <pattern>", SELECT, collect)
    .option("--target <name>", "the name that customers must point to (default: the zone's fallback origin)")
    .addOption(new Option("--resolver <address>", RESOLVER).argParser(collect))
    .addOption(formatFlag(["table", "csv", "json"]))
    .addOption(jsonFlag())
    .addHelpText(
      "after",
      "\nExample:\n  $ zoneform hostname todo --target customers.saas.dev --format csv > records.csv",
    )
    .action(run(async () => (await import("../actions/hostname-todo.ts")).runHostnameTodo));
}
