import { Command } from "commander";
import type { Run } from "../context.ts";
import { duration, withSelectionFlags, withServiceFlags, withWriteFlags } from "../flags.ts";

/** `zoneform apply`: plans anew, cuts the plan down to what was approved (or shows and asks), and carries it out. */
export function applyCommand(run: Run): Command {
  return withWriteFlags(withSelectionFlags(withServiceFlags(new Command("apply"))))
    .description(
      "carry out what was approved: a saved plan, the plan of a hash, or what is planned and asked about now",
    )
    .argument("[plan]", "a file that zoneform plan --out has written")
    .option("--expect <hash>", "carry out the plan of this hash, or what is left of it, without asking")
    .option(
      "--approve <hash>",
      "the same, or the saved plan of this hash, and let exactly this plan go beyond the deletion limits",
    )
    .option("--json", "print the end report as JSON")
    .option(
      "--wait [duration]",
      "afterwards wait until everything serves, 30m at most or as long as said; else exit 8",
      duration,
    )
    .addHelpText(
      "after",
      "\nExamples:\n  $ zoneform apply plan.zfplan\n  $ zoneform apply --expect zf3:1f0c… --max-duration 5h",
    )
    .action(run(async () => (await import("../actions/apply.ts")).runApply));
}
