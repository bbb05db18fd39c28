import type { SchemaName } from "../../lib/core/schema-names.ts";
import { type Context, print } from "../context.ts";
import { loadSchemas } from "../../lib/config/schemas.ts";
import { disk } from "../../lib/real/disk.ts";

/** What `zoneform schema` does. */
export async function runSchema(context: Context, name: SchemaName): Promise<void> {
  print(context.stdout, JSON.stringify((await loadSchemas(disk()))[name], undefined, 2));
}
