import { Command } from "commander";
import type { Run } from "../context.ts";
import { withServiceFlags, withStateFlag } from "../flags.ts";

/** `zoneform why ADDRESS`: each leaf of one object, who wants it, what was applied, what is live, what would be sent. */
export function whyCommand(run: Run): Command {
  return withStateFlag(withServiceFlags(new Command("why")))
    .description("explain one object field by field: declared, last applied, live")
    .argument("<address>", 'the object, such as custom_hostname["app.customer-one.net"]')
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExample:\n  $ zoneform why 'custom_hostname[\"app.customer-one.net\"]'")
    .action(run(async () => (await import("../actions/why.ts")).runWhy));
}
