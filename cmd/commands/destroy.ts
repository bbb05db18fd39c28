import { Command } from "commander";
import type { Run } from "../context.ts";
import { withSelectionFlags, withServiceFlags, withWriteFlags } from "../flags.ts";

/** `zoneform destroy`: deletes what Zoneform created or adopted; settings of the zone and what the application owns are let go. */
export function destroyCommand(run: Run): Command {
  return withWriteFlags(withSelectionFlags(withServiceFlags(new Command("destroy"))))
    .description(
      "delete everything that is tracked; settings and the application's hostnames are released from the state and stay live",
    )
    .option("--expect <hash>", "carry out the destruction of this hash, or what is left of it, without asking")
    .option("--json", "print the end report as JSON")
    .addHelpText("after", "\nExample:\n  $ zoneform destroy --zone saas.dev --exclude fallback_origin")
    .action(run(async () => (await import("../actions/destroy.ts")).runDestroy));
}
