import { Command } from "commander";
import type { Run } from "../context.ts";
import { withStateWriteFlags } from "./state-rm.ts";

/** `zoneform state mv`: puts a tracked object under another address of its zone; nothing live is changed. */
export function stateMoveCommand(run: Run): Command {
  return withStateWriteFlags(new Command("mv"))
    .description("put a tracked certificate pack under another address; nothing live is changed")
    .argument("<from>", "the object's address")
    .argument("<to>", "the address that it is to have")
    .addHelpText(
      "after",
      "\nExample:\n  $ zoneform state mv 'certificate_pack[\"a.saas.dev\"]' 'certificate_pack[\"a.saas.dev,b.saas.dev\"]'",
    )
    .action(run(async () => (await import("../actions/state-mv.ts")).runStateMove));
}
