import { loadSchema } from "../../lib/config/schemas.ts";
import { fromPairs } from "../../lib/core/brand.ts";
import type { JsonObject } from "../../lib/core/json.ts";
import { SCHEMA_NAMES, type SchemaName } from "../../lib/core/schema-names.ts";
import { disk } from "../../lib/real/disk.ts";

/** Every schema of the configuration, by its name. */
export async function loadSchemas(): Promise<Readonly<Record<SchemaName, JsonObject>>> {
  const load = async (name: SchemaName): Promise<readonly [SchemaName, JsonObject]> => [
    name,
    await loadSchema(disk(), name),
  ];
  return fromPairs(await Promise.all(SCHEMA_NAMES.map(load)));
}
