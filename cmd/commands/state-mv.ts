import { Command } from "commander";
import type { Run } from "../context.ts";
import { withStateWriteFlags } from "./state-rm.ts";

/** `zoneform state mv`: puts a tracked object under another address of its zone; nothing live is changed. */
export function stateMoveCommand(run: Run): Command {
  return withStateWriteFlags(new Command("mv"))
    .description("move a certificate pack to another address in the state; changes nothing live")
    .argument("<from>", "its address in the state")
    .argument("<to>", "the new address")
    .addHelpText(
      "after",
      "\nExample:\n  $ zoneform state mv 'certificate_pack[\"a.saas.dev\"]' 'certificate_pack[\"a.saas.dev,b.saas.dev\"]'",
    )
    .action(run(async () => (await import("../actions/state-mv.ts")).runStateMove));
}
