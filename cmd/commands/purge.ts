import { Command, InvalidArgumentError } from "commander";
import type { Run } from "../context.ts";
import { withServiceFlags, wholeNumber } from "../flags.ts";

/** `zoneform purge --host HOST…`: throws away what the edge has cached of hosts. */
export function purgeCommand(run: Run): Command {
  return withServiceFlags(new Command("purge"))
    .description("throw away what the edge has cached of some hosts")
    .requiredOption("--host <host...>", "a host, such as app.customer-one.net (repeatable)")
    .option("--hosts-per-call <n>", "how many hosts a call may name: 100, or 30 under the old limits", hostsPerCall)
    .option("--auto-approve", "do not ask before purging")
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExample:\n  $ zoneform purge --host app.customer-one.net shop.customer-two.org")
    .action(run(async () => (await import("../actions/purge.ts")).runPurge));
}

function hostsPerCall(text: string): number {
  const count = wholeNumber(text);
  if (count < 1 || count > 100) throw new InvalidArgumentError("a number from 1 to 100 is wanted");
  return count;
}
