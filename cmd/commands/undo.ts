import { Command, Option } from "commander";
import type { Run } from "../context.ts";
import { DENY, collect, duration, withServiceFlags, withStateFlag, withWriteFlags } from "../flags.ts";

/** `zoneform undo`: an ordinary plan that goes back to what was there before a run, and carrying it out. */
export function undoCommand(run: Run): Command {
  return withWriteFlags(withStateFlag(withServiceFlags(new Command("undo"))))
    .description("restore what was live before a run; newer changes stay")
    .argument("[run]", "the id of the run, or last: the newest that is no undo")
    .option("--list", "list the runs that can be undone, newest first")
    .option("--out <file>", "save the plan to this file, for zoneform apply FILE; change nothing")
    .option("--deny <word>", DENY, collect)
    .addOption(
      new Option("--expect <hash>", "apply the plan with this hash, or what is left of it, without asking").conflicts(
        "out",
      ),
    )
    .addOption(
      new Option("--approve <hash>", "like --expect, and allow this plan to exceed the deletion limits").conflicts(
        "out",
      ),
    )
    .option(
      "--wait [duration]",
      "first wait until Cloudflare has deployed what the run changed, for at most 10m or this time (else exit 6)",
      duration,
    )
    .option("--json", "print the report, or the list, as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  $ zoneform undo --list\n  $ zoneform undo last --zone saas.dev --out undo.zfplan",
    )
    .action(run(async () => (await import("../actions/undo.ts")).runUndo));
}
