import { fileURLToPath } from "node:url";
import { asObject } from "../core/decode.ts";
import type { FileSystem } from "../core/file-system.ts";
import type { Json, JsonObject } from "../core/json.ts";

const LIMIT_BYTES = 1024 * 1024;

/**
 * Reads one schema of this package by its name. Schemas lie beside `lib/` in the sources, and one level higher in the
 * build.
 */
export async function loadSchema(disk: Pick<FileSystem, "read" | "stat">, name: string): Promise<JsonObject> {
  const near = fileURLToPath(new URL("../../schemas/", import.meta.url));
  const far = fileURLToPath(new URL("../../../schemas/", import.meta.url));
  const folder = (await disk.stat(`${near}zone.schema.json`)) === undefined ? far : near;
  const bytes = await disk.read(`${folder}${name}.schema.json`, LIMIT_BYTES);
  const parsed: Json = JSON.parse(Buffer.from(bytes).toString("utf8"));
  return asObject(parsed, name);
}
