import type { JsonObject } from "../../core/json.ts";
import { FORMAT_VERSION } from "../escape/json.ts";
import { present } from "../plan/json.ts";

/** The result of an import, for programs; `file` is where `--write` declared the object. */
export function importedDocument(address: string, importId: string, file: string | undefined): JsonObject {
  return { format_version: FORMAT_VERSION, address, import_id: importId, ...present({ declared_in: file }) };
}
