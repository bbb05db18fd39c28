import { Command, InvalidArgumentError } from "commander";
import type { Run } from "../context.ts";
import { AUTO_APPROVE, withServiceFlags, wholeNumber } from "../flags.ts";

/** `zoneform purge --host HOST…`: purges hosts from the edge cache. */
export function purgeCommand(run: Run): Command {
  return withServiceFlags(new Command("purge"))
    .description("purge hosts from the edge cache")
    .requiredOption("--host <host...>", "the host to purge, such as app.customer-one.net (repeatable)")
    .option(
      "--hosts-per-call <n>",
      "how many hosts to purge with one API call: at most 100, or 30 under the old limits",
      hostsPerCall,
    )
    .option("--auto-approve", AUTO_APPROVE)
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExample:\n  $ zoneform purge --host app.customer-one.net shop.customer-two.org")
    .action(run(async () => (await import("../actions/purge.ts")).runPurge));
}

function hostsPerCall(text: string): number {
  const count = wholeNumber(text);
  if (count < 1 || count > 100) throw new InvalidArgumentError("Expected a number from 1 to 100.");
  return count;
}
