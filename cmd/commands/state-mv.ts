import { Command } from "commander";
import type { Run } from "../context.ts";
import { withStateWriteFlags } from "./state-rm.ts";

/** `zoneform state mv`: puts a tracked object under another address, or a project's states under its new name; nothing live is changed. */
export function stateMoveCommand(run: Run): Command {
  return withStateWriteFlags(new Command("mv"))
    .description("move a certificate pack to another address, or the states of a renamed project; changes nothing live")
    .argument("[from]", "the address of the certificate pack in the state")
    .argument("[to]", "the new address")
    .option("--project <name>", "move all states of the project that had this name to the present name of the project")
    .addHelpText(
      "after",
      "\nExamples:\n  $ zoneform state mv --project edge-old --dry-run\n  $ zoneform state mv 'certificate_pack[\"a.saas.dev\"]' 'certificate_pack[\"a.saas.dev,b.saas.dev\"]'",
    )
    .action(run(async () => (await import("../actions/state-mv.ts")).runStateMove));
}
