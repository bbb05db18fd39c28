import { Command, Option } from "commander";
import type { Run } from "../context.ts";
import { withStateWriteFlags } from "./state-rm.ts";

/** `zoneform state repair`: keeps what is whole of a damaged state; never unasked. */
export function stateRepairCommand(run: Run): Command {
  return withStateWriteFlags(new Command("repair"))
    .description("keep what is whole of a damaged journal or state, and a copy of what was there")
    .addOption(new Option("--from <what>", "put an earlier copy in the place of a damaged state").choices(["backup"]))
    .option("--auto-approve", "do not ask before writing")
    .addHelpText("after", "\nExample:\n  $ zoneform state repair --zone saas.dev --dry-run")
    .action(run(async () => (await import("../actions/state-repair.ts")).runStateRepair));
}
