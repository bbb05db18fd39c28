import { fileURLToPath } from "node:url";
import { asObject } from "../core/decode.ts";
import type { FileSystem } from "../core/file-system.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { SchemaName } from "../core/schema-names.ts";

/** All schemas, by name. */
export type Schemas = Readonly<Record<SchemaName, JsonObject>>;

const LIMIT_BYTES = 1024 * 1024;

/** Reads the schemas of this package. They lie beside `lib/` in the sources, and one level higher once built. */
export async function loadSchemas(disk: Pick<FileSystem, "read" | "stat">): Promise<Schemas> {
  const near = fileURLToPath(new URL("../../schemas/", import.meta.url));
  const far = fileURLToPath(new URL("../../../schemas/", import.meta.url));
  const folder = (await disk.stat(`${near}zone.schema.json`)) === undefined ? far : near;
  const read = async (name: SchemaName): Promise<JsonObject> => {
    const bytes = await disk.read(`${folder}${name}.schema.json`, LIMIT_BYTES);
    const parsed: Json = JSON.parse(Buffer.from(bytes).toString("utf8"));
    return asObject(parsed, name);
  };
  return {
    project: await read("project"),
    zone: await read("zone"),
    "custom-hostname": await read("custom-hostname"),
    "fallback-origin": await read("fallback-origin"),
    "certificate-pack": await read("certificate-pack"),
    ruleset: await read("ruleset"),
    "waf-migration": await read("waf-migration"),
    "total-tls": await read("total-tls"),
  };
}
