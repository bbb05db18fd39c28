import { Command } from "commander";
import type { Run } from "../context.ts";
import { withStateWriteFlags } from "./state-rm.ts";

/** `zoneform state release`: deletes what a project claims in the store, so that another project may manage it. */
export function stateReleaseCommand(run: Run): Command {
  return withStateWriteFlags(new Command("release"))
    .description("drop a project's claims in a shared state store; changes nothing live")
    .option("--project <name>", "release the claims of the project with this name (default: this project)")
    .addHelpText(
      "after",
      "\nExamples:\n  $ zoneform state release --zone saas.dev\n  $ zoneform state release --project edge-old --dry-run",
    )
    .action(run(async () => (await import("../actions/state-release.ts")).runStateRelease));
}
