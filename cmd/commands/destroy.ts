import { Command } from "commander";
import type { Run } from "../context.ts";
import { withSelectionFlags, withServiceFlags, withStateFlag, withWriteFlags } from "../flags.ts";

/** `zoneform destroy`: deletes what Zoneform created or adopted; settings of the zone and what the application owns are let go. */
export function destroyCommand(run: Run): Command {
  return withWriteFlags(withSelectionFlags(withStateFlag(withServiceFlags(new Command("destroy")))))
    .description("delete all managed objects; settings stay as they are")
    .option("--expect <hash>", "apply the plan with this hash, or what is left of it, without asking")
    .option("--approve <hash>", "like --expect, and allow this plan to exceed the deletion limits")
    .option("--json", "print the report as JSON")
    .addHelpText("after", "\nExample:\n  $ zoneform destroy --zone saas.dev --exclude fallback_origin")
    .action(run(async () => (await import("../actions/destroy.ts")).runDestroy));
}
