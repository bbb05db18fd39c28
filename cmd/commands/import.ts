import { Command } from "commander";
import { IMPORT_FORMS } from "../../lib/core/import-forms.ts";
import type { Run } from "../context.ts";
import { withServiceFlags, wholeNumber } from "../flags.ts";

/** `zoneform import [ADDRESS] ID`: takes an object that is live under management, without changing it. */
export function importCommand(run: Run): Command {
  return withServiceFlags(new Command("import"))
    .description("take a live object under management")
    .argument("<address-or-id>", "the import id, or the address before it")
    .argument("[id]", IMPORT_FORMS.join(", "))
    .option("--write", "declare the object in the zone's YAML as it is live")
    .option("--lock-timeout <seconds>", "how long to wait for the state's lock", wholeNumber, 0)
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      "\nExample:\n  $ zoneform import zone/023e105f4ecef8ad9ca31a8372d0c353/2f2feab2026849078ba485f918791bdc",
    )
    .action(run(async () => (await import("../actions/import.ts")).runImport));
}
