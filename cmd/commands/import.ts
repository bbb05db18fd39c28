import { Command } from "commander";
import { IMPORT_FORMS } from "../../lib/core/import-forms.ts";
import type { Run } from "../context.ts";
import { LOCK_TIMEOUT, withServiceFlags, withStateFlag, wholeNumber } from "../flags.ts";

/** `zoneform import [ADDRESS] ID`: takes an object that is live under management, without changing it. */
export function importCommand(run: Run): Command {
  return withStateFlag(withServiceFlags(new Command("import")))
    .description("start to manage an object that is live already")
    .argument("<address-or-id>", "the import id, or the address followed by the import id")
    .argument("[id]", IMPORT_FORMS.join(", "))
    .option("--write", "add the object to the zone's YAML as it is live")
    .option("--lock-timeout <seconds>", LOCK_TIMEOUT, wholeNumber, 0)
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      "\nExample:\n  $ zoneform import zone/023e105f4ecef8ad9ca31a8372d0c353/2f2feab2026849078ba485f918791bdc",
    )
    .action(run(async () => (await import("../actions/import.ts")).runImport));
}
