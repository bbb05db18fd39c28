import { fileURLToPath } from "node:url";
import { asObject } from "../core/decode.ts";
import type { FileSystem } from "../core/file-system.ts";
import { isObject, type Json, type JsonObject } from "../core/json.ts";
import { SCHEMA_NAMES, type SchemaName } from "../core/schema-names.ts";

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

/**
 * One schema as a document that stands on its own: every schema that it refers to is put under `$defs`, so that an
 * editor needs one file and no network.
 */
export function bundledSchema(name: SchemaName, schemas: Schemas): JsonObject {
  const bundled = new Map<SchemaName, Json>();
  const bundle = (schema: SchemaName): void => {
    if (schema === name || bundled.has(schema)) return;
    bundled.set(schema, null);
    const { $schema: _dialect, $id: _id, ...body } = schemas[schema];
    bundled.set(schema, rewrite(body, schema));
  };
  const rewrite = (value: Json, inside: SchemaName): Json => {
    if (Array.isArray(value)) return value.map((item: Json) => rewrite(item, inside));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        if (key !== "$ref" || typeof item !== "string") return [key, rewrite(item, inside)];
        const [file = "", pointer = ""] = item.split("#");
        const target = file === "" ? inside : (SCHEMA_NAMES.find((known) => file === `${known}.schema.json`) ?? inside);
        bundle(target);
        return [key, target === name ? `#${pointer}` : `#/$defs/${target}${pointer}`];
      }),
    );
  };
  const root = rewrite(schemas[name], name);
  if (!isObject(root) || bundled.size === 0) return schemas[name];
  const own = isObject(root["$defs"]) ? root["$defs"] : {};
  return { ...root, $defs: { ...own, ...Object.fromEntries(bundled) } };
}
