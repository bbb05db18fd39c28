import { Argument, Command } from "commander";
import { SCHEMA_NAMES, type SchemaName } from "../../lib/core/schema-names.ts";
import { print, type Run } from "../context.ts";

/** `zoneform schema NAME`: one self-contained JSON Schema, for editors and for checks elsewhere. */
export function schemaCommand(run: Run): Command {
  return new Command("schema")
    .description("print a JSON Schema of the configuration")
    .addArgument(new Argument("<name>", "which document or kind").choices([...SCHEMA_NAMES]))
    .addHelpText("after", "\nExample:\n  $ zoneform schema zone > zone.schema.json")
    .action(
      run(async (context, name: SchemaName) => {
        const { loadSchemas } = await import("../../lib/config/schemas.ts");
        const { disk } = await import("../../lib/real/disk.ts");
        print(context.stdout, JSON.stringify((await loadSchemas(disk()))[name], undefined, 2));
      }),
    );
}
