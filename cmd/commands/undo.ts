import { Command, Option } from "commander";
import type { Run } from "../context.ts";
import { collect, withServiceFlags, withWriteFlags } from "../flags.ts";

/** `zoneform undo`: an ordinary plan that goes back to what was there before a run, and carrying it out. */
export function undoCommand(run: Run): Command {
  return withWriteFlags(withServiceFlags(new Command("undo")))
    .description("plan the way back from a run, ask, and carry it out; what changed since is left as it is")
    .argument("[run]", "the run's id, or last; zoneform undo --list shows them")
    .option("--list", "list the runs that can be undone, the newest first")
    .option("--out <file>", "save the plan for: zoneform apply <file>, and carry out nothing")
    .option("--deny <word>", "refuse changes with this hazard or action (repeatable)", collect)
    .addOption(
      new Option("--expect <hash>", "carry out the undo of this hash, or what is left of it, without asking").conflicts(
        "out",
      ),
    )
    .addOption(
      new Option("--approve <hash>", "the same, and let exactly this undo go beyond the deletion limits").conflicts(
        "out",
      ),
    )
    .option("--json", "print the end report, or the list, as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  $ zoneform undo --list\n  $ zoneform undo last --zone saas.dev --out undo.zfplan",
    )
    .action(run(async () => (await import("../actions/undo.ts")).runUndo));
}
