import { Argument, Command } from "commander";
import { OUTPUT_SCHEMA_NAMES } from "../../lib/core/output-schema-names.ts";
import { SCHEMA_NAMES } from "../../lib/core/schema-names.ts";
import type { Run } from "../context.ts";

/** `zoneform schema NAME`: one self-contained JSON Schema, for editors and for checks elsewhere. */
export function schemaCommand(run: Run): Command {
  return new Command("schema")
    .description("print a JSON Schema of the configuration or of JSON output")
    .addArgument(
      new Argument("<name>", "the document or the kind").choices([
        ...SCHEMA_NAMES,
        ...OUTPUT_SCHEMA_NAMES.map((name) => `output-${name}`),
      ]),
    )
    .addHelpText("after", "\nExamples:\n  $ zoneform schema zone > zone.schema.json\n  $ zoneform schema output-plan")
    .action(run(async () => (await import("../actions/schema.ts")).runSchema));
}
