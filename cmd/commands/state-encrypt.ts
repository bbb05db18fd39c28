import { Command } from "commander";
import type { Run } from "../context.ts";
import { withStateWriteFlags } from "./state-rm.ts";

/** `zoneform state encrypt`: writes states and records anew, with the passphrase of now. */
export function stateEncryptCommand(run: Run): Command {
  return withStateWriteFlags(new Command("encrypt"))
    .description("rewrite the states and the records of runs with the current ZONEFORM_STATE_PASSPHRASE")
    .addHelpText(
      "after",
      "\nExamples:\n  $ ZONEFORM_STATE_PLAIN=accept zoneform state encrypt\n  $ ZONEFORM_STATE_PASSPHRASE_PREVIOUS=… zoneform state encrypt --zone saas.dev",
    )
    .action(run(async () => (await import("../actions/state-encrypt.ts")).runStateEncrypt));
}
