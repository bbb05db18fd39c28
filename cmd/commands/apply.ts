import { Command } from "commander";
import type { Run } from "../context.ts";
import {
  duration,
  withSelectionFlags,
  withServiceFlags,
  withStateFlag,
  withTimeFlags,
  withWriteFlags,
} from "../flags.ts";

/** `zoneform apply`: plans anew, cuts the plan down to what was approved (or shows and asks), and carries it out. */
export function applyCommand(run: Run): Command {
  return withTimeFlags(withWriteFlags(withSelectionFlags(withStateFlag(withServiceFlags(new Command("apply"))))))
    .description("apply a saved plan, or a new plan that you approve")
    .argument("[plan]", "a saved plan (zoneform plan --out FILE); default: make a new plan")
    .option("--expect <hash>", "apply the plan with this hash, or what is left of it, without asking")
    .option("--approve <hash>", "like --expect, and allow this plan to exceed the deletion limits")
    .option("--dry-run", "show what would be done; write nothing")
    .option("--json", "print the report as JSON")
    .option(
      "--wait [duration]",
      "then wait until all certificates are active, for at most 30m or this time (else exit 8)",
      duration,
    )
    .addHelpText(
      "after",
      "\nExamples:\n  $ zoneform apply plan.zfplan\n  $ zoneform apply --auto-approve --max-duration 5h",
    )
    .action(run(async () => (await import("../actions/apply.ts")).runApply));
}
