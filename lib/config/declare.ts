import type { JsonObject } from "../core/json.ts";
import type { Kind } from "../kinds/kind.ts";
import { EditableYaml, type YamlEdit } from "./edit-yaml.ts";

/**
 * The text of a zone file with one more object declared. `values` are the object's declared values (`Kind.declared`).
 * Throws if the file cannot be changed there.
 */
export function withDeclaration(text: string, kind: Kind, key: string, values: JsonObject): string {
  const yaml = new EditableYaml(text);
  const edited = yaml.edited(declarations(yaml, kind, key, values));
  if (edited === undefined) throw new Error(`the file cannot declare ${kind.name} ${key} without changing more`);
  return edited;
}

function declarations(yaml: EditableYaml, { section }: Kind, key: string, values: JsonObject): readonly YamlEdit[] {
  if (section?.shape === "list") return [{ what: "append", path: [section.key], items: [values] }];
  if (section?.shape === "map") return [{ what: "set", path: [section.key, key], value: values }];
  if (section) return [{ what: "set", path: [section.key], value: values }];
  const hasHostnames = (yaml.valueAt(["custom_hostnames"]) ?? null) !== null;
  if (hasHostnames) return [{ what: "append", path: ["custom_hostnames", "entries"], items: [values] }];
  return [{ what: "set", path: ["custom_hostnames"], value: { lifecycle: "zoneform", entries: [values] } }];
}
