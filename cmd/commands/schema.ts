import { Argument, Command } from "commander";
import { SCHEMA_NAMES } from "../../lib/core/schema-names.ts";
import type { Run } from "../context.ts";

/** `zoneform schema NAME`: one self-contained JSON Schema, for editors and for checks elsewhere. */
export function schemaCommand(run: Run): Command {
  return new Command("schema")
    .description("print a JSON Schema of the configuration")
    .addArgument(new Argument("<name>", "the document or the kind").choices([...SCHEMA_NAMES]))
    .addHelpText("after", "\nExample:\n  $ zoneform schema zone > zone.schema.json")
    .action(run(async () => (await import("../actions/schema.ts")).runSchema));
}
