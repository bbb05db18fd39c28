import { Command } from "commander";
import type { Run } from "../context.ts";
import { withStateWriteFlags } from "./state-rm.ts";
import { AUTO_APPROVE } from "../flags.ts";

/** `zoneform state repair`: keeps what is whole of a damaged state; never unasked. */
export function stateRepairCommand(run: Run): Command {
  return withStateWriteFlags(new Command("repair"))
    .description("restore the newest intact copy of a damaged state, and what is intact of its journal")
    .option("--auto-approve", AUTO_APPROVE)
    .addHelpText("after", "\nExample:\n  $ zoneform state repair --zone saas.dev --dry-run")
    .action(run(async () => (await import("../actions/state-repair.ts")).runStateRepair));
}
